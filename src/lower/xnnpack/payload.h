// The payload of an XNNPACK delegate as steps of the graph that calls it. A node becomes the operator whose
// results it computes, with numbers spelled as the functional program spells them where those are the same;
// images have their channels behind everything else in XNNPACK and before it in PyTorch. Constants are
// those of the functional program that hold the same bytes, or that ExecuTorch makes such bytes of when it
// folds a batch norm: those are computed again, and must be the same to the bit.
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
  std::map<std::uint32_t, ValueId> here;  // inputs of the functional program in `graph`
  std::vector<std::string> assumed;       // what the steps rest on
  std::string refused;                    // why there are no more steps; "" if all are there
};

/// What the delegate is given and gives, by number of argument. Nothing after `into.refused`.
std::map<std::uint32_t, XnnGiven> run_xnnpack(const XnnProgram& program,
                                              const std::map<std::uint32_t, XnnGiven>& given, XnnInto& into);

}  // namespace noclobber
