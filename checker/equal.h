// Are two contents the same for every index in range, every contents at entry and every operator?
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checker/term.h"

namespace noclobber {

/// Compares terms of `before` with terms of `after`: congruence, and a split by the conditions of choices.
class Equality {
 public:
  Equality(Space& space, Terms& terms) : space_(space), terms_(terms) {}
  /// `free_undefined`: undefined storages of `before` whose contents may be chosen here, since nothing else
  /// depends on them; where different elements of `running` mean different elements of it. false: not shown.
  bool shown(TermId before, TermId after, const std::set<std::string>& free_undefined, const Index& running);

 private:
  bool equal(TermId a, TermId b, const std::vector<PolyId>& facts);
  bool split(TermId choice, TermId other, bool choice_first, const std::vector<PolyId>& facts);
  bool chosen(const Term& before);
  bool calls_equal(TermId a, TermId b);
  bool leaves_equal(const Term& a, const Term& b, const std::vector<PolyId>& facts);
  bool indices_equal(const Term& a, const Term& b, const std::vector<PolyId>& facts);

  Space& space_;
  Terms& terms_;
  std::map<std::pair<TermId, TermId>, bool> calls_;
  const std::set<std::string>* free_ = nullptr;
  Index running_;
  std::map<std::string, Index> chosen_at_;  // where each chosen storage is seen: at one place only
  int steps_ = 0;
  int depth_ = 0;
};

}  // namespace noclobber
