// Equalities of contents as SMT-LIB 2 text. It is printed here, not by a solver's API, so that any solver can
// read it.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/values/term.h"

namespace noclobber {

/// Prints one question: whether a run exists in which two contents differ. unsat: they are the same.
class SmtPrinter {
 public:
  /// `same_calls`: maps a call that was proved equal to another one to its representative.
  SmtPrinter(const Space& space, const Terms& terms, const std::map<TermId, TermId>& same_calls)
      : space_(space), terms_(terms), same_calls_(same_calls) {}
  /// The whole script without (check-sat); "" if a term has no form in this logic.
  std::string differ(TermId a, TermId b);
  /// The ranges and facts alone: unsat means that no run exists.
  std::string facts();
  /// Symbols of the case, keyed by the names that they have in the script.
  const std::map<std::string, std::string>& symbols() const { return symbols_; }

 private:
  std::string poly(PolyId id);
  std::string atom(AtomId id);
  std::string term(TermId id);
  std::string choice(const Term& term);
  std::string branch(const Term& term);
  std::string apply(const std::string& function, std::span<const PolyId> index,
                    const std::vector<std::string>& values);
  std::string declare(const std::string& kind, const std::string& key, std::size_t integers,
                      std::size_t values);
  void range(const std::string& name, const Atom& atom);

  const Space& space_;
  const Terms& terms_;
  const std::map<TermId, TermId>& same_calls_;
  std::string head_, facts_, body_;
  std::map<AtomId, std::string> atoms_;
  std::map<std::string, std::string> functions_, symbols_;
  std::map<TermId, std::string> done_;
  bool failed_ = false;
  int depth_ = 0;
};

}  // namespace noclobber
