// Finds the steps at fault inside the bodies of a step at fault. The bodies of the two graphs are compared as
// programs of their own, whose inputs may be written and may hold anything at exit.
#include <algorithm>

#include "src/graph/bodies.h"
#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostInside = 6;
constexpr std::int64_t kInnerWork = 2'000'000;

struct BodyPair {
  std::string name;  // its name in the step of `after`
  const Graph* before = nullptr;
  const Graph* after = nullptr;
};

/// The step of `before` that corresponds to `step` of `after`: the one of its operator and name, else the one
/// at the same index among steps of its operator. Null if there is none.
const Step* partner_of(const Scene& scene, std::uint32_t step) {
  if (scene.before.graph == nullptr) return nullptr;
  const Graph& after = *scene.after.graph;
  const Graph& before = *scene.before.graph;
  const std::string name = place_of(after, step).name;
  std::ptrdiff_t earlier = std::count_if(after.steps.begin(), after.steps.begin() + step,
                                         [&](const Step& s) { return s.op == after.steps[step].op; });
  const Step* nth = nullptr;
  for (std::uint32_t s = 0; s < before.steps.size(); ++s) {
    if (before.steps[s].op != after.steps[step].op) continue;
    if (place_of(before, s).name == name) return &before.steps[s];
    if (earlier-- == 0) nth = &before.steps[s];
  }
  return nth;
}

std::vector<BodyPair> body_pairs(const Scene& scene, std::uint32_t step) {
  std::vector<BodyPair> out;
  const Step* partner = partner_of(scene, step);
  if (partner == nullptr) return out;
  const auto ours = bodies_given(scene.after.graph->steps[step]), theirs = bodies_given(*partner);
  for (std::size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k) {
    const Graph* after = find_body(scene.value, *scene.after.graph, ours[k].second);
    const Graph* before = find_body(scene.value, *scene.before.graph, theirs[k].second);
    if (after != nullptr && before != nullptr) out.push_back({ours[k].second, before, after});
  }
  return out;
}

/// A case with the two bodies as its graphs.
Case case_of(const Scene& scene, const BodyPair& pair) {
  Case out;
  out.symbols = scene.value.symbols;
  out.assume = scene.value.assume;
  out.ops = scene.value.ops;
  out.bodies = scene.value.bodies;
  for (const Graph* outer : {scene.before.graph, scene.after.graph})
    for (const auto& [name, body] : outer->bodies) out.bodies.emplace(name, body);
  out.before = *pair.before;
  out.after = *pair.after;
  out.sharing_may_grow = true;
  for (Graph* graph : {&*out.before, &out.after})
    for (Input& input : graph->inputs) {
      input.may_write = true;
      input.exit = Input::Exit::any;
    }
  return out;
}

void add_place(std::vector<InnerPlace>& out, InnerPlace::Role role, const std::string& body,
               const std::optional<Place>& place) {
  if (place) out.push_back({role, body, *place});
}

/// The steps at fault that a search on the bodies alone finds.
std::vector<InnerPlace> shown_alone(const Scene& scene, const BodyPair& pair) {
  std::vector<InnerPlace> out;
  ReplayHint hint;
  hint.work = kInnerWork;
  hint.inner = true;
  const ReplayResult inner = replay(case_of(scene, pair), hint);
  if (inner.witnesses.empty()) return out;
  const Witness& w = inner.witnesses.front();
  add_place(out, InnerPlace::Role::define, pair.name, w.define);
  add_place(out, InnerPlace::Role::clobber, pair.name, w.clobber);
  add_place(out, InnerPlace::Role::read, pair.name, w.read);
  return out;
}

/// True if both steps have the same operator, and results and operands of the same names.
bool same_statement(const Graph& a, const Step& x, const Graph& b, const Step& y) {
  if (x.op != y.op || x.results.size() != y.results.size()) return false;
  const auto names = [](const Graph& graph, std::span<const ValueId> ids) {
    std::vector<std::string> out;
    for (const ValueId id : ids) out.push_back(value_name(graph, id));
    return out;
  };
  return names(a, x.results) == names(b, y.results) && names(a, uses_of(x)) == names(b, uses_of(y));
}

/// Steps of the body that its partner does not have.
std::vector<InnerPlace> steps_that_differ(const BodyPair& pair) {
  std::vector<InnerPlace> out;
  for (std::uint32_t s = 0; s < pair.after->steps.size() && out.size() < kMostInside; ++s) {
    const Step& step = pair.after->steps[s];
    const bool there = std::ranges::any_of(pair.before->steps, [&](const Step& other) {
      return same_statement(*pair.after, step, *pair.before, other);
    });
    if (!there) out.push_back({InnerPlace::Role::differs, pair.name, place_of(*pair.after, s)});
  }
  return out;
}

}  // namespace

std::vector<InnerPlace> steps_inside(const Scene& scene, const Witness& witness) {
  std::vector<InnerPlace> out;
  std::set<std::uint32_t> seen;
  for (const auto* place : {&witness.clobber, &witness.read, &witness.define}) {
    if (!*place || (*place)->step >= scene.after.graph->steps.size()) continue;
    const std::uint32_t step = (*place)->step;
    if (!has_bodies(scene.after.graph->steps[step]) || !seen.insert(step).second) continue;
    for (const BodyPair& pair : body_pairs(scene, step)) {
      std::vector<InnerPlace> found = shown_alone(scene, pair);
      if (found.empty()) found = steps_that_differ(pair);
      out.insert(out.end(), found.begin(), found.end());
    }
    if (!out.empty()) break;
  }
  return out;
}

}  // namespace noclobber
