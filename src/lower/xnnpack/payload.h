// Turns the payload of an XNNPACK delegate into steps of the graph that calls it. A node becomes the operator
// that computes its result, with numbers spelled as in the functional program if they are equal. Images are
// channels-last in XNNPACK and channels-first in PyTorch. A constant is the one of the functional program
// that holds the same bytes, or those from which ExecuTorch computes such bytes when it folds a batch norm:
// the folding is computed again and must give the same bits.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/unique_names.h"
#include "src/formats/delegates/delegate_xnnpack.h"
#include "src/graph/case.h"

namespace noclobber {

struct XnnGiven {
  ValueId value;
  std::vector<std::int64_t> shape;  // as XNNPACK sees it
  Dtype dtype = Dtype::f32;         // i8: quantised
};

struct XnnInto {
  Graph& graph;
  UniqueNames& names;
  const Graph& functional;
  std::map<std::uint32_t, ValueId> here;  // input of the functional program -> value of `graph`
  std::vector<std::string> assumed;       // assumptions of the steps
  std::string refused;                    // why steps are missing; "" if none is
};

/// Appends the steps of a payload. `given` and the result are the delegate's inputs and outputs, by argument
/// number. If `into.refused` is set, outputs are missing.
std::map<std::uint32_t, XnnGiven> run_xnnpack(const XnnProgram& program,
                                              const std::map<std::uint32_t, XnnGiven>& given, XnnInto& into);

}  // namespace noclobber
