#include "tests/support/issued.h"
#include "checker/text/read.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/read_back.h"
#include "tests/support/trace_run.h"

namespace noclobber::testing {
namespace {

void issue(const std::string& name, const Case& value, std::vector<Issued>& out) {
  const auto m = std::make_shared<Modelled>();
  Questions questions;
  if (!model(value, *m) || !satisfiable(m->space, value, questions)) return;
  std::string text = certified_text(m->space, unsigned_certificate(*m));
  Said said = nc_check(text).said;
  out.push_back({name, text, said, m});
  if (said == Said::proved) return;
  text = refuted(m->space, unsigned_certificate(*m), {});
  said = nc_check(text).said;
  if (said == Said::refuted) out.push_back({name, text, said, m});
}

}  // namespace

const std::vector<Issued>& issued() {
  static const std::vector<Issued> all = [] {
    std::vector<Issued> out;
    for (const auto& [name, value] : corpus_cases()) issue(name, value, out);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Random random(seed + 7000);
      const Draft before = random_program(random, seed % 2 == 0);
      std::string log;
      issue("generated " + std::to_string(seed), pair_of_drafts(before, rewritten(before, random, log)), out);
    }
    return out;
  }();
  return all;
}

namespace {

/// Values that ranges and the certificate allow: its own, the least, the next.
std::vector<std::map<std::string, std::int64_t>> some_symbols(
    const Space& space, const std::map<std::string, std::int64_t>& own) {
  std::vector<std::map<std::string, std::int64_t>> out{own};
  for (const std::int64_t more : {0, 1, 2}) {
    std::map<std::string, std::int64_t> next;
    for (AtomId a = 0; a < space.atom_count(); ++a) {
      const Atom& atom = space.atom(a);
      if (atom.kind != Atom::Kind::symbol) continue;
      const std::int64_t least = atom.bounded_below ? atom.least : -1;
      next[atom.name] = least > 1000 ? least : std::min(least + more, atom.most.value_or(least + more));
    }
    out.push_back(std::move(next));
  }
  return out;
}

/// In the order that a refutation names, which the edges must allow.
Trace reordered(const Trace& trace, const std::vector<std::uint32_t>& order) {
  const auto place = [&](std::uint32_t step) { return std::ranges::find(order, step) - order.begin(); };
  CHECK(trace.any_order);
  for (const auto& [earlier, later] : trace.edges)
    CHECK((place(earlier) < place(later) || (place(earlier) == std::ssize(order) && earlier < later)));
  Trace out = trace;
  std::ranges::stable_sort(out.steps, {},
                           [&](const TraceStep& s) { return std::pair(place(s.origin), s.origin); });
  return out;
}

}  // namespace

Seen meaning(const std::string& text, Said said, Random& random) {
  const bool concrete = said == Said::refuted;
  Space space = searching_space();
  const checker::Certificate c = checker::read(space, text, concrete);
  Seen out;
  for (const Check& check : checks_of(space, c))
    for (const auto& symbols : some_symbols(space, c.symbols)) {
      Trace after = check.after;
      if (concrete && !c.refutation->order.empty() && check.key == c.checks.back().key)
        after = reordered(after, c.refutation->order);
      const Seen one = boundary_difference(space, check.before ? &*check.before : nullptr, after,
                                           check.boundary, symbols, 2, random);
      out.usable = out.usable || one.usable;
      if (out.difference.empty()) out.difference = one.difference;
    }
  return out;
}

}  // namespace noclobber::testing
