// Certificates say again what was said, and damaged ones are not accepted for what their Traces do not show.
// NC_DAMAGED: how many are damaged (`make damage`: 100,000).
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "checker/text/read.h"
#include "tests/catch.h"
#include "tests/support/damage.h"
#include "tests/support/issued.h"
#include "tests/support/read_back.h"
#include "tests/support/sample.h"
#include "tests/support/trace_run.h"

namespace certificate_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// A Trace as it was printed, and as it was read, for some symbols.
class Alike {
 public:
  Alike(const Space& space, const Trace& trace, const Space& own, const Trace& read,
        const std::map<std::string, std::int64_t>& symbols)
      : space_(space), own_(own), trace_(trace), read_(read), symbols_(symbols) {}

  void check() {
    each(&Trace::storages, [&](const TraceStorage& a, const TraceStorage& b) {
      CHECK((a.start == b.start && a.key == b.key && a.lanes == b.lanes && a.writable == b.writable &&
             a.compared == b.compared && numbers(a.shape, b.shape)));
    });
    each(&Trace::inputs, [&](const TraceInput& a, const TraceInput& b) {
      CHECK((a.name == b.name && view(a.view, b.view)));
    });
    each(&Trace::steps, [&](const TraceStep& a, const TraceStep& b) { step(a, b); });
    each(&Trace::outputs, [&](const TraceOutput& a, const TraceOutput& b) {
      CHECK((a.scalar == b.scalar && a.strides_known == b.strides_known && a.reaching == b.reaching &&
             numbers(a.strides, b.strides) && a.view.has_value() == b.view.has_value()));
      if (a.view && b.view) CHECK(view(*a.view, *b.view));
    });
    each(&Trace::claims, [&](const TraceClaim& a, const TraceClaim& b) {
      CHECK(numbers({a.said, a.computed}, {b.said, b.computed}));
    });
    each(&Trace::placements, [&](const TracePlacement& a, const TracePlacement& b) {
      CHECK((a.arena == b.arena && a.first == b.first && a.last == b.last && a.storage == b.storage &&
             a.order == b.order && a.below == b.below && numbers({a.offset, a.size}, {b.offset, b.size})));
    });
    CHECK(trace_.unknown.size() == read_.unknown.size());
    CHECK((trace_.any_order == read_.any_order && trace_.edges == read_.edges));
    CHECK(numbers(trace_.arenas, read_.arenas));
  }

 private:
  template <class T>
  void each(std::vector<T> Trace::*list, const auto& same) {
    REQUIRE((trace_.*list).size() == (read_.*list).size());
    for (std::size_t k = 0; k < (trace_.*list).size(); ++k) same((trace_.*list)[k], (read_.*list)[k]);
  }
  bool numbers(const std::vector<PolyId>& a, const std::vector<PolyId>& b) const {
    return std::ranges::equal(a, b, [&](PolyId p, PolyId q) {
      return (p == Space::kBad) == (q == Space::kBad) &&
             (p == Space::kBad || space_.value(p, symbols_) == own_.value(q, symbols_));
    });
  }
  bool view(const TraceView& a, const TraceView& b) const {
    return a.storage == b.storage && *a.type == *b.type && a.lanes == b.lanes && numbers(a.shape, b.shape) &&
           cells_of(space_, trace_, a, symbols_) == cells_of(own_, read_, b, symbols_);
  }
  bool views(const TraceViews& a, const TraceViews& b) const {
    return std::ranges::equal(a, b, [&](const TraceView& v, const TraceView& w) { return view(v, w); });
  }
  void step(const TraceStep& a, const TraceStep& b) const {
    CHECK((a.kind == b.kind && a.elementwise == b.elementwise && a.origin == b.origin && *a.key == *b.key));
    CHECK((a.access == b.access && a.reaching == b.reaching && a.bodies == b.bodies));
    CHECK((views(a.reads, b.reads) && views(a.writes, b.writes)));
  }

  const Space &space_, &own_;
  const Trace &trace_, &read_;
  const std::map<std::string, std::int64_t>& symbols_;
};

/// Is what was read what was printed?
void reads_back(const Issued& one) {
  Space space;
  const checker::Certificate c = checker::read(space, one.text, false);
  const std::vector<Check> read = checks_of(space, c);
  REQUIRE(read.size() == 1);
  const Traced& printed = one.of->traced;
  REQUIRE(printed.before.has_value() == read[0].before.has_value());
  if (printed.before) Alike(one.of->space, *printed.before, space, *read[0].before, c.symbols).check();
  Alike(one.of->space, printed.after, space, read[0].after, c.symbols).check();
  const Boundary &a = one.of->boundary, &b = read[0].boundary;
  CHECK((a.compare_strides == b.compare_strides && a.sharing_may_grow == b.sharing_may_grow));
  CHECK(a.sharing_may_shrink == b.sharing_may_shrink);
  CHECK(a.may_share == b.may_share);
}

struct Tally {
  int damaged = 0, unreadable = 0, not_proved = 0, proved = 0, refuted = 0, run = 0, different = 0;
};

/// One damaged text, below and above its hash.
void attack(const Issued& one, const Issued& other, Wear wear, Random& random, Tally& tally) {
  const std::string body = worn(one.text, other.text, wear, random);
  if (body.empty() || body == body_of(one.text)) return;
  ++tally.damaged;
  const std::string as_it_was = body + one.text.substr(body_of(one.text).size()), text = hashed(body);
  INFO(one.name << ", " << name(wear) << "\n" << text);
  CHECK(nc_check(as_it_was).said == Said::unreadable);
  const Said said = nc_check(text).said;
  if (said == Said::unreadable) ++tally.unreadable;
  if (said == Said::not_proved) ++tally.not_proved;
  if (said == Said::unreadable || said == Said::not_proved) return;
  ++(said == Said::proved ? tally.proved : tally.refuted);
  const Seen seen = meaning(text, said, random);
  if (!seen.usable) return;
  ++tally.run;
  if (said == Said::proved) {
    INFO("difference: " << seen.difference);
    CHECK(seen.difference.empty());
    tally.different += seen.difference.empty() ? 0 : 1;
  }
}

}  // namespace

TEST_CASE("a certificate says again what was said, and reads back as it was printed", "[certificate]") {
  int proofs = 0, refutations = 0;
  std::size_t number = 0;
  for (const Issued& one : issued()) {
    if (!testing::is_sampled(number++)) continue;
    INFO(one.name);
    proofs += one.said == Said::proved ? 1 : 0;
    refutations += one.said == Said::refuted ? 1 : 0;
    reads_back(one);
    if (one.said == Said::not_proved) continue;
    Random random(1);
    const Seen seen = meaning(one.text, one.said, random);
    if (one.said == Said::proved && seen.usable) CHECK(seen.difference == "");
  }
  std::cout << "certificates: " << proofs << " proved, " << refutations << " refuted, of " << issued().size()
            << "\n";
  CHECK(proofs >= static_cast<int>(testing::sampled(60)));
  CHECK(refutations >= static_cast<int>(testing::sampled(30)));
}

TEST_CASE("a damaged certificate is accepted only for what its Traces do", "[certificate]") {
  const char* wanted = std::getenv("NC_DAMAGED");
  const int count = wanted != nullptr ? std::atoi(wanted) : 1500;
  std::map<std::string, Tally> tallies;
  const auto& all = issued();
  const char* seed = std::getenv("NC_SEED");
  Random random(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 2026);
  const auto any = [&]() -> const Issued& {
    return all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
  };
  int damaged = 0;
  for (int k = 0; damaged < count; ++k) {
    const auto wear = static_cast<Wear>(k % kWears);
    Tally& tally = tallies[name(wear)];
    const int before = tally.damaged;
    const Issued& one = any();
    attack(one, any(), wear, random, tally);
    damaged += tally.damaged - before;
  }
  for (const auto& [name, t] : tallies)
    std::cout << "damaged certificates, " << name << ": " << t.damaged << ", unreadable " << t.unreadable
              << ", not proved " << t.not_proved << ", refuted " << t.refuted << ", proved " << t.proved
              << ", run " << t.run << ", of these different " << t.different << "\n";
}

}  // namespace certificate_test
