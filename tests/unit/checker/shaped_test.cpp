// Certificates that are readable and meant to be false: an honest one, of which one thing is another.
// Whatever nc-check accepts of them, both Traces must do alike. NC_SHAPED: how many (`make
// shaped-certificates`: 10,000).
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "checker/text/read.h"
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/graph/bodies.h"
#include "src/ops/identities.h"
#include "src/text/file.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/issued.h"
#include "tests/support/read_back.h"
#include "tests/support/sample.h"
#include "tests/support/temp_folder.h"

namespace shaped_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// An honest certificate as nouns, to be changed.
struct Shaped {
  Space& space;
  Certificate& content;
  Random& random;

  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(n)));
  }
  template <class T>
  T& any(std::vector<T>& all) {
    return all[below(all.size())];
  }
  Check& last() { return content.checks.back(); }
  Trace& trace() { return last().before && random.below(3) == 0 ? *last().before : last().after; }
  TraceView& view(Trace& t) {
    TraceStep& step = any(t.steps);
    TraceViews& all = !step.reads.empty() && random.below(2) == 0 ? step.reads : step.writes;
    return all.empty() ? step.reads[0] : all[below(all.size())];
  }
};
using Change = std::function<bool(Shaped&)>;  // false: there is nothing of the kind

bool lemma_moved(Shaped& s) {
  auto& all = s.last().lemmas;
  if (all.empty()) return false;
  checker::Lemma& l = s.any(all);
  std::array<std::uint32_t*, 4> fields{&l.a, &l.b, &l.c, &l.d};
  const bool calls = l.kind == checker::Lemma::Kind::calls;
  std::uint32_t& field = *fields[calls ? 2 * s.below(2) : s.below(4)];
  field = field > 0 && s.random.below(2) == 0 ? field - 1 : field + 1;
  return true;
}
bool lemma_of_another(Shaped& s) {
  auto& all = s.last().lemmas;
  if (all.size() < 2) return false;
  std::swap(s.any(all), s.any(all));
  return true;
}
bool permutation_wrong(Shaped& s) {
  for (checker::Lemma& l : s.last().lemmas)
    if (l.order().size() > 1) return std::ranges::reverse(l.rest.front().first), true;
  return false;
}
bool identity_misapplied(Shaped& s) {
  const Trace& after = s.last().after;
  if (after.steps.empty()) return false;
  const Identity& row = identities()[s.below(identities().size())];
  const auto step = static_cast<std::uint32_t>(s.below(after.steps.size()));
  s.last().lemmas.insert(s.last().lemmas.begin(), {checker::Lemma::Kind::identity,
                                                   step,
                                                   static_cast<std::uint32_t>(s.below(2)),
                                                   static_cast<std::uint32_t>(s.below(2)),
                                                   0,
                                                   {{{}, row.name}}});
  return true;
}
/// A step that is no neutral call is said to be one: its key is, and its lemma.
bool identity_made_up(Shaped& s) {
  Trace& after = s.last().after;
  for (std::uint32_t k = 0; k < after.steps.size(); ++k) {
    TraceStep& step = after.steps[k];
    if (!step.elementwise || step.reads.size() > 2 || s.random.below(2) == 0) continue;
    const char* keys[] = {"aten.mul;T;1",        "aten.add;T;0", "aten.sub;T;0;alpha=-1",
                          "aten.div.Tensor;T;1", "aten.mul;1;T", "aten.sub;0;T",
                          "aten.mul;T;T",        "aten.add;T;T", "aten.pow.Tensor_Scalar;T;1"};
    const std::string key = keys[s.below(std::size(keys))];
    const char* names[] = {"mul-one", "add-zero", "sub-zero", "div-one", "pow-one", "number-mul", "fold-add"};
    step.key = key;
    s.last().lemmas.insert(s.last().lemmas.begin(), {checker::Lemma::Kind::identity,
                                                     k,
                                                     static_cast<std::uint32_t>(s.below(2)),
                                                     1,
                                                     0,
                                                     {{{}, names[s.below(std::size(names))]}}});
    return true;
  }
  return false;
}
bool edge_dropped(Shaped& s) {
  auto& edges = s.last().after.edges;
  if (edges.empty()) return false;
  edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(s.below(edges.size())));
  return true;
}
bool place_shrunk(Shaped& s) {
  auto& all = s.last().after.placements;
  if (all.empty()) return false;
  TracePlacement& p = s.any(all);
  switch (s.below(5)) {
    case 0:
      p.size = s.space.sub(p.size, s.space.constant(1));
      break;
    case 1:
      p.offset = s.space.sub(p.offset, s.space.constant(1));
      break;
    case 2:
      p.last -= p.last > 0 ? 1 : 0;
      break;
    case 3:
      ++p.first;
      break;
    default:
      p.offset = s.any(all).offset;
      break;
  }
  return true;
}
bool storages_swapped(Shaped& s) {
  Trace& t = s.trace();
  if (t.storages.size() < 4) return false;
  TraceStorage &a = s.any(t.storages), &b = s.any(t.storages);
  if (&a == &b || a.start != b.start) return false;
  std::swap(a.key, b.key);
  return true;
}
bool view_of_another(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.empty()) return false;
  TraceView& v = s.view(t);
  std::vector<StorageId> fitting;
  for (StorageId k = 0; k < t.storages.size(); ++k)
    if (k != v.storage && t.storages[k].shape == t.storages[v.storage].shape &&
        t.storages[k].lanes == t.storages[v.storage].lanes &&
        t.storages[k].start != TraceStorage::Start::token)
      fitting.push_back(k);
  if (fitting.empty()) return false;
  v.storage = s.any(fitting);
  return true;
}
bool outputs_exchanged(Shaped& s) {
  auto& all = s.last().after.outputs;
  if (all.size() < 2) return false;
  TraceOutput &a = s.any(all), &b = s.any(all);
  if (&a == &b) return false;
  std::swap(a.view, b.view);
  return true;
}
bool output_of_another(Shaped& s) {
  auto& all = s.last().after.outputs;
  if (all.empty() || s.last().after.steps.empty()) return false;
  TraceOutput& o = s.any(all);
  const TraceView other = s.view(s.last().after);
  if (!o.view || other.shape != o.view->shape) return false;
  o.view = other;
  return true;
}
bool window_moved(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.empty()) return false;
  TraceView& v = s.view(t);
  for (Map& m : v.maps.edit())
    if (m.kind == Map::Kind::slice && m.to[m.dim] != m.from[m.dim]) {
      m.start = s.space.add(m.start, s.space.constant(s.random.below(2) == 0 ? 1 : -1));
      return true;
    }
  return false;
}
bool bodies_exchanged(Shaped& s) {
  if (s.content.checks.size() < 2) return false;
  auto& all = s.content.checks[s.below(s.content.checks.size() - 1)].after.outputs;
  if (all.size() < 2) return false;
  std::swap(all.front().view, all.back().view);
  return true;
}
bool step_dropped(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.empty()) return false;
  t.steps.erase(t.steps.begin() + static_cast<std::ptrdiff_t>(s.below(t.steps.size())));
  return true;
}
bool steps_exchanged(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.size() < 2) return false;
  const std::size_t k = s.below(t.steps.size() - 1);
  std::swap(t.steps[k], t.steps[k + 1]);
  std::swap(t.steps[k].origin, t.steps[k + 1].origin);
  return true;
}
bool operator_exchanged(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.size() < 2) return false;
  TraceStep &a = s.any(t.steps), &b = s.any(t.steps);
  if (a.kind != b.kind || *a.key == *b.key) return false;
  std::swap(a.key, b.key);
  return true;
}
bool operands_exchanged(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.empty()) return false;
  TraceStep& step = s.any(t.steps);
  if (step.reads.size() < 2 || step.reads[0] == step.reads[1]) return false;
  std::swap(step.reads[0], step.reads[1]);
  return true;
}
bool contract_widened(Shaped& s) {
  Trace& t = s.last().after;
  if (t.steps.empty()) return false;
  TraceStep& step = s.any(t.steps);
  if (step.access.empty() || step.access[0].empty()) return false;
  Access& access = s.any(s.any(step.access.edit()));
  access = access == Access::any_time ? Access::before_write : Access::any_time;
  return true;
}
bool type_changed(Shaped& s) {
  Trace& t = s.trace();
  if (t.steps.empty()) return false;
  TraceView& v = s.view(t);
  v.type = std::string(*v.type == "f32" ? "i32" : "f32");
  return true;
}
bool boundary_changed(Shaped& s) {
  Check& c = s.last();
  if (c.before && s.random.below(2) == 0) return c.boundary.sharing_may_shrink = false, true;
  TraceStorage& one = s.any(c.after.storages);
  one.compared = !one.compared;
  return true;
}
bool claimed_by_solver(Shaped& s) {
  Check& c = s.last();
  if (c.after.outputs.empty()) return false;
  c.by_solver.push_back({static_cast<Obligation::Kind>(s.below(15)), s.random.below(2) == 0,
                         static_cast<std::uint32_t>(s.below(c.after.outputs.size())), 0});
  return true;
}

// table
const std::pair<const char*, Change> kChanges[] = {{"lemma moved", lemma_moved},
                                                   {"lemmas exchanged", lemma_of_another},
                                                   {"permutation wrong", permutation_wrong},
                                                   {"identity misapplied", identity_misapplied},
                                                   {"identity made up", identity_made_up},
                                                   {"edge dropped", edge_dropped},
                                                   {"place shrunk", place_shrunk},
                                                   {"storages swapped", storages_swapped},
                                                   {"view of another storage", view_of_another},
                                                   {"outputs exchanged", outputs_exchanged},
                                                   {"output of another view", output_of_another},
                                                   {"window moved", window_moved},
                                                   {"body results exchanged", bodies_exchanged},
                                                   {"step dropped", step_dropped},
                                                   {"steps exchanged", steps_exchanged},
                                                   {"operators exchanged", operator_exchanged},
                                                   {"operands exchanged", operands_exchanged},
                                                   {"contract changed", contract_widened},
                                                   {"type changed", type_changed},
                                                   {"boundary changed", boundary_changed},
                                                   {"claimed by a solver", claimed_by_solver}};

struct Tally {
  int made = 0, unreadable = 0, not_proved = 0, proved = 0, run = 0;
  double slowest = 0;  // seconds for each MB, at least one
};

struct Honest {
  std::string name, text;
};

/// Two windows of one result, written in another order by the other graph; then an operator of all of it.
Case exchanged_writes() {
  const auto of = [](const std::string& name, const std::string& extent) {
    return R"({"name": ")" + name + R"(", "type": {"dtype": "f32", "shape": [)" + extent + "]}}";
  };
  const auto write = [](const char* name, const char* source, int begin) {
    return std::string(R"({"name": "v)") + name +
           R"(", "op": "aten.slice.Tensor", "args": [{"ref": "b"}, 0, )" + std::to_string(begin) + ", " +
           std::to_string(begin + 2) + R"(]}, {"name": "w)" + name +
           R"(", "op": "aten.copy_.default", "args": [{"ref": "v)" + name + R"("}, {"ref": ")" + source +
           R"("}]})";
  };
  const auto graph = [&](const std::string& first, const std::string& second) {
    return R"({"inputs": [)" + of("x", "6") + ", " + of("p", "2") + ", " + of("q", "2") +
           R"(], "steps": [{"name": "b", "op": "aten.clone.default", "args": [{"ref": "x"}]}, )" + first +
           ", " + second +
           R"(, {"name": "r", "op": "aten.cumsum.default", "args": [{"ref": "b"}, 0]}], "outputs": [{"ref": "r"}]})";
  };
  const std::string p = write("p", "p", 0), q = write("q", "q", 3);
  auto out = read_case_json(R"({"format": "noclobber.case/1", "name": "exchanged", "before": )" +
                            graph(p, q) + R"(, "after": )" + graph(q, p) + "}");
  REQUIRE(out);
  return std::move(*out);
}

/// Certificates as `check --certificate` writes them: with bodies, branches, placements and identities.
void kept(const std::string& name, const Case& value, std::vector<Honest>& out) {
  const TempFolder folder;
  CheckOptions options;
  options.certificates = folder.path();
  options.certificate_name = "one";
  bool contradiction = false;
  check_case(value, options, contradiction);
  const auto text = read_file(folder.path("one.cert"));
  if (text && nc_check(*text).said == Said::proved) out.push_back({name, *text});
}

const std::vector<Honest>& honest() {
  static const std::vector<Honest> all = [] {
    std::vector<Honest> out;
    for (const Issued& one : issued())
      if (one.said == Said::proved) out.push_back({one.name, one.text});
    const std::size_t before = out.size();
    for (const auto& [name, value] : corpus_cases())
      if (value.plan || std::ranges::any_of(value.after.steps, has_bodies) || name.starts_with("identity") ||
          name.starts_with("key-widened"))
        kept(name, value, out);
    CHECK(out.size() > before);
    for (int k = 0; k < 5; ++k) kept("exchanged writes", exchanged_writes(), out);
    return out;
  }();
  return all;
}

void shape(const Honest& one, const Change& change, Random& random, Tally& tally) {
  Space space;
  const checker::Certificate read = checker::read(space, one.text, false);
  Certificate content;
  content.about = "shaped", content.operators = "x";
  content.symbols = read.symbols, content.evidence = read.evidence, content.checks = checks_of(space, read);
  for (const std::string& assumed : read.answer.assumptions) content.assumptions.push_back(assumed);
  Shaped all{space, content, random};
  if (!change(all)) return;
  const std::string text = certificate_text(space, content);
  ++tally.made;
  const auto begin = std::chrono::steady_clock::now();
  const Answer answer = nc_check(text);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  tally.slowest = std::max(tally.slowest, seconds / std::max(1.0, static_cast<double>(text.size()) / 1e6));
  if (answer.said == Said::unreadable) ++tally.unreadable;
  if (answer.said == Said::not_proved) ++tally.not_proved;
  if (answer.said != Said::proved) return;
  ++tally.proved;
  // Only assumed; or what a run of keys as they stand does not know.
  if (answer.by_solver > 0 || answer.by_identity > 0) return;
  const Seen seen = meaning(text, answer.said, random);
  tally.run += seen.usable ? 1 : 0;
  INFO(one.name << "\n" << text);
  CHECK((!seen.usable || seen.difference == ""));
}

}  // namespace

TEST_CASE("no hand-shaped certificate that is false is accepted", "[certificate]") {
  const char* wanted = std::getenv("NC_SHAPED");
  const int count = wanted != nullptr
                        ? std::atoi(wanted)
                        : static_cast<int>(std::max(testing::sampled(400), std::size(kChanges)));
  const auto& all = honest();
  std::map<std::string, Tally> tallies;
  Random random(20261125);
  int made = 0;
  for (int k = 0; made < count; ++k) {
    const auto& [kind, change] = kChanges[static_cast<std::size_t>(k) % std::size(kChanges)];
    Tally& tally = tallies[kind];
    const int before = tally.made;
    INFO(kind);
    for (int tries = 0; tries < 20 && tally.made == before; ++tries)
      shape(all[static_cast<std::size_t>(random.below(std::ssize(all)))], change, random, tally);
    made += tally.made - before;
  }
  for (const auto& [kind, t] : tallies)
    std::cout << "shaped certificates, " << kind << ": " << t.made << ", unreadable " << t.unreadable
              << ", not proved " << t.not_proved << ", proved " << t.proved << ", run " << t.run
              << ", slowest " << t.slowest << " s/MB\n";
  for (const auto& [kind, t] : tallies) {
    INFO(kind);
    CHECK((t.made > 0 ||
           testing::every() > 1));  // few are made then, and not each kind can be made of each text
    CHECK(t.slowest < 3);           // a second, on a machine that nobody shares
  }
}

}  // namespace shaped_test
