// Certificates say again what was said, and damaged ones are not accepted for what their Traces do not show.
// NC_DAMAGED: how many are damaged (`make damage`: 100,000).
#include "checker/certificate.h"

#include <cstdlib>
#include <iostream>

#include "src/prover/certificate_text.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/damage.h"
#include "tests/support/trace_boundary.h"
#include "tests/support/traced.h"

using namespace noclobber;
using namespace noclobber::testing;

namespace {

struct Issued {
  std::string name, text;
  Said said;
};

void issue(const std::string& name, const Case& value, std::vector<Issued>& out) {
  Modelled m;
  Questions questions;
  if (!model(value, m) || !satisfiable(m.space, value, questions)) return;
  std::string text = certified(m.space, unsigned_certificate(m));
  Said said = nc_check(text).said;
  out.push_back({name, text, said});
  if (said == Said::proved) return;
  text = refuted(m.space, unsigned_certificate(m), {});
  said = nc_check(text).said;
  if (said == Said::refuted) out.push_back({name, text, said});
}

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

/// Values that ranges and the certificate allow: its own, the least, the next.
std::vector<std::map<std::string, std::int64_t>> some_symbols(const Space& space, const Certificate& c) {
  std::vector<std::map<std::string, std::int64_t>> out{c.symbols};
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

/// What a run of its Traces says of a certificate that was accepted.
Seen meaning(const std::string& text, Said said, Random& random) {
  const bool concrete = said == Said::refuted;
  Space space = searching_space();
  std::string fault;
  const auto c = read_certificate(space, text, concrete, fault);
  REQUIRE(c);
  Seen out;
  for (const Check& check : c->checks)
    for (const auto& symbols : some_symbols(space, *c)) {
      Trace after = check.after;
      if (concrete && !c->refutation->order.empty())
        if (const auto other = reordered(after, c->refutation->order)) after = *other;
      const Seen one = boundary_difference(space, check.before ? &*check.before : nullptr, after,
                                           check.boundary, symbols, 2, random);
      out.usable = out.usable || one.usable;
      if (out.difference.empty()) out.difference = one.difference;
    }
  return out;
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
  for (const Issued& one : issued()) {
    INFO(one.name);
    proofs += one.said == Said::proved ? 1 : 0;
    refutations += one.said == Said::refuted ? 1 : 0;
    Space space;
    std::string fault;
    const auto again = read_certificate(space, one.text, false, fault);
    REQUIRE(again);
    CHECK(certificate_text(space, *again).size() == one.text.size());
    if (one.said == Said::not_proved) continue;
    Random random(1);
    const Seen seen = meaning(one.text, one.said, random);
    if (one.said == Said::proved && seen.usable) CHECK(seen.difference == "");
  }
  std::cout << "certificates: " << proofs << " proved, " << refutations << " refuted, of " << issued().size()
            << "\n";
  CHECK(proofs >= 60);
  CHECK(refutations >= 30);
}

TEST_CASE("a damaged certificate is accepted only for what its Traces do", "[certificate]") {
  const char* wanted = std::getenv("NC_DAMAGED");
  const int count = wanted != nullptr ? std::atoi(wanted) : 1500;
  std::map<std::string, Tally> tallies;
  const auto& all = issued();
  Random random(2026);
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
