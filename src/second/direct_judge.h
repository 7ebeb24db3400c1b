// Decides each obligation on the Traces by questions. Meanings: checker/kernel/certificate.h.
#pragma once
#include <map>
#include <set>
#include <string>

#include "src/second/direct_contents.h"
#include "src/values/obligation.h"

namespace noclobber {

class DirectJudge {
 public:
  DirectJudge(const Space& space, DirectSizes& sizes, DirectAsk& ask, Questions& questions,
              DirectContents& contents, const Trace* before, const Trace& after, const Boundary& boundary)
      : space_(space),
        questions_(questions),
        sizes_(sizes),
        f_(sizes.formulas()),
        ask_(ask),
        contents_(contents),
        before_(before),
        after_(after),
        boundary_(boundary) {}
  bool shown(const Obligation& o);

 private:
  bool ordered();
  bool placed(std::uint32_t number);  // direct_place.cpp
  bool equal_sizes(PolyId a, PolyId b);
  bool equal_shapes(const Shape& a, const Shape& b);
  bool inputs_agree() const;
  bool frame();
  bool entries_found(const Trace& of, const Trace& in);
  bool type(std::uint32_t output);
  bool value(std::uint32_t output);
  bool exit(StorageId storage);
  bool store(const TraceStep& step) const;
  bool current(const TraceView& view, std::size_t meant, std::size_t now);
  bool untouched(const TraceView& view, std::size_t meant, std::size_t now);
  bool defined(std::uint32_t output);
  // direct_sharing.cpp; `is` must not share more than `was`.
  bool sharing(const Trace& was, const Trace& is, std::uint32_t output);
  bool together(const Trace& was, const Trace& is, std::uint32_t output);
  bool together(const Trace& was, const Trace& is, std::uint32_t a, std::uint32_t b);
  const TraceView* view_before(std::uint32_t output) const;

  // direct_undefined.cpp
  FormulaId content_before(const Obligation& o);
  std::set<FormulaId> free_undefined(const Obligation& o, const DirectIndex& running);
  FormulaId agreeing(FormulaId before, FormulaId after, const std::set<FormulaId>& free);

  const Space& space_;
  Questions& questions_;
  DirectSizes& sizes_;
  Formulas& f_;
  DirectAsk& ask_;
  DirectContents& contents_;
  const Trace* before_;
  const Trace& after_;
  const Boundary& boundary_;
  std::map<std::string, std::set<Obligation>> uses_;  // function of an undefined storage -> equalities on it
  std::set<std::string> nested_;                      // functions of those that are passed to a call
  bool counted_ = false;
};

}  // namespace noclobber
