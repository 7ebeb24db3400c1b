// What the operator table says of an operator, compared with what its kernel does and what PyTorch recorded.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/golden.h"

namespace noclobber::golden {

/// Evidence for one operator, from its recorded calls.
struct Evidence {
  std::string op;
  Report kernel;
  Bound bound;
  int exempt = 0;                 // calls named in corpus/golden/exceptions.tsv
  std::string contract = "none";  // what the table promises: none, elementwise, before_write
  std::int64_t watched = 0;       // element writes whose reads were watched
  std::int64_t placed = 0;        // result elements that the Trace and the kernel take from the same place
  int shapes = 0;                 // results whose shape and dtype the table's rule gives as recorded
  std::vector<std::string> faults;
  bool tested() const;
};

/// `contract`: watched instead of what the table promises.
Evidence evidence_of(const std::string& path, const std::string& contract = "");
/// One per file of `folder`, sorted by operator.
std::vector<Evidence> all_evidence(const std::string& folder);
/// Calls of `folder` in one line: how many agree, have no kernel, are named exceptions, disagree.
std::string totals(const std::vector<Evidence>& all, const std::string& folder);
/// As corpus/ops_evidence.tsv holds it.
std::string evidence_table(const std::vector<Evidence>& all);
/// The calls of `op` that exceptions.tsv names.
std::vector<int> exceptions(const std::string& op);

}  // namespace noclobber::golden
