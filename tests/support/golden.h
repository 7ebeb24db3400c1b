// Recorded PyTorch calls (corpus/golden), run through the interpreter and compared.
#pragma once
#include <string>
#include <vector>

namespace noclobber::golden {

struct Report {
  int calls = 0, agreeing = 0;
  bool implemented = true;          // no: the operator has no kernel, or declined
  double ulps = 0;                  // largest distance of a float, in units of the last place of its dtype
  std::vector<std::string> faults;  // "call 3: output 0: strides differ"
};

/// How far floats may be from the recording, in units of the last place of the expected element, or of the
/// largest expected element of the tensor where terms of that size cancel.
struct Bound {
  double ulps = 0;
  bool of_largest = false;
};

/// Runs every call of a golden file and compares dtype, shape, strides, offset, sharing, contents of results
/// and of inputs afterwards.
Report run_file(const std::string& path, Bound bound);

/// 0 for everything that moves, compares, or rounds once as PyTorch does; more where PyTorch sums in another
/// order or uses other libraries.
Bound allowed(const std::string& op);

}  // namespace noclobber::golden
