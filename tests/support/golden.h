// Recorded PyTorch calls (corpus/golden), run through the interpreter and compared.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/interp/interp.h"

namespace noclobber::golden {

struct Report {
  int calls = 0, agreeing = 0;
  std::set<int> unrun, differing;   // calls without a kernel; calls that do not agree
  bool implemented = true;          // no: the operator has no kernel, or declined
  double ulps = 0;                  // largest distance of a float, in units of the last place of its dtype
  std::vector<std::string> faults;  // "call 3: output 0: strides differ"
};

/// How far floats may be from the recording: in units of the last place of the expected element, of the
/// largest expected element of the tensor, or of the largest element of the call's inputs and outputs, where
/// terms of that size cancel.
enum class BoundOf : std::uint8_t { element, largest, call };

struct Bound {
  double ulps = 0;  // four times as many for complex numbers
  BoundOf of = BoundOf::element;
};

/// A recorded call as a case whose `after` is that one step. Inputs come first among the values.
struct GoldenCall {
  std::string op;
  Case value;
  RunOptions options;  // with the recorded contents
  std::set<std::string> may_write;
  std::size_t inputs = 0;
  std::vector<std::vector<std::int64_t>> shapes;  // of results that were made, as recorded
  std::vector<Dtype> dtypes;
  std::vector<std::int64_t>
      shares;  // the storage that each lies in, as inputs name theirs; -1: in one of its own
};

/// `typed`: results carry their recorded types.
std::vector<GoldenCall> calls_of(const std::string& path, bool typed);

/// Runs every call of a golden file and compares dtype, shape, strides, offset, sharing, contents of results
/// and of inputs afterwards.
Report run_file(const std::string& path, Bound bound);

/// 0 for everything that moves, compares, or rounds once as PyTorch does; more where PyTorch sums in another
/// order or uses other libraries.
Bound allowed(const std::string& op);

}  // namespace noclobber::golden
