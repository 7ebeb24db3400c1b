#include "src/fuzz/profiles.h"

#include <algorithm>
#include <array>
#include <span>

#include "src/fuzz/probe.h"
#include "src/fuzz/sketch.h"
#include "src/graph/uses.h"
#include "src/ops/row.h"

namespace noclobber::fuzz {
namespace {

constexpr std::uint64_t kSalt = 0x70617373ULL;  // programs other than those of the probes

/// Operators of the custom-ops profile.
std::vector<OpDecl> zoo() {
  OpDecl twist, scale, scale_in_place, store;
  twist.schema = "zoo::twist(Tensor x) -> Tensor";
  scale.schema = "zoo::scale(Tensor x, Tensor y) -> Tensor";
  scale.access = {{"*", "elementwise"}};
  scale_in_place.schema = "zoo::scale_(Tensor(a!) x, Tensor y) -> Tensor(a!)";
  scale_in_place.functional = "zoo::scale";
  scale_in_place.access = {{"*", "elementwise"}};
  store.schema = "zoo::store_(Tensor(a!) cache, Tensor x) -> Tensor(a!)";
  store.before_write = true;
  return {twist, scale, scale_in_place, store};
}

std::optional<Draft> mixed(Random& random, std::uint64_t seed) {
  const bool table = random.chance(50);
  Draft out = random_program(random, random.chance(40), table ? Vocabulary::table : Vocabulary::small,
                             table ? std::optional<std::size_t>(seed % op_rows().size()) : std::nullopt);
  if (out.rebinds || !refresh(out)) return std::nullopt;
  return out;
}

std::optional<Draft> sketched(Random& random, bool (*profile)(Sketch&)) {
  Sketch sketch(random);
  if (!profile(sketch) || sketch.draft().outputs.empty()) return std::nullopt;
  if (!refresh(sketch.draft())) return std::nullopt;
  return std::move(sketch.draft());
}

Case case_of(Draft draft) {
  annotate(draft);
  Case out;
  out.after = draft.graph();
  return out;
}

/// No run can tell layouts of declared operators: everything is as the sketch states.
std::optional<Case> custom_program(Random& random) {
  Sketch sketch(random);
  sketch_custom(sketch);
  Case out;
  out.after = sketch.draft().graph();
  out.ops = zoo();
  return out;
}

Value& new_value(Graph& graph, const std::string& name, const SharedType& type) {
  Value value;
  value.name = name;
  value.from = Value::From::step;
  value.type = type;
  graph.values.push_back(std::move(value));
  return graph.values.back();
}

/// Inserts a step of one operand; returns its result.
ValueId add_step(Graph& graph, std::size_t at, const std::string& op, ValueId given,
                 const std::string& name) {
  const SharedType type = graph.value(given).type;
  new_value(graph, name, type);
  Step step;
  step.op = op;
  step.args = {Arg::of(given)};
  step.results = {ValueId(graph.values.size() - 1)};
  graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(at), std::move(step));
  return ValueId(graph.values.size() - 1);
}

/// A step before the branch makes its first operand; a step behind it uses its first result.
void surround(Graph& graph, Random& random) {
  Arg& operands = graph.steps[0].args[3];
  const bool first = !operands.list.empty() && graph.value(operands.list[0].ref).type->dtype == Dtype::f32;
  if (first && random.chance(60)) {
    const ValueId made = add_step(graph, 0, "aten.neg.default", operands.list[0].ref, "pre");
    graph.steps[1].args[3].list.edit()[0] = Arg::of(made);
    if (random.chance(50)) graph.outputs.push_back(Arg::of(made));
  }
  if (const SharedType type = graph.value(graph.outputs[0].ref).type;
      random.chance(60) && type->dtype == Dtype::f32)
    graph.outputs[0] =
        Arg::of(add_step(graph, graph.steps.size(), "aten.relu.default", graph.outputs[0].ref, "post"));
  number_values(graph);
}

std::optional<Case> branching_program(Random& random, std::uint64_t seed) {
  const auto draft = random.chance(50) ? sketched(random, sketch_buffers) : mixed(random, seed);
  if (!draft) return std::nullopt;
  Draft one = *draft, other = *draft;
  for (Draft::Call& call : other.calls)
    if (call.op == "aten.neg.default") call.op = "aten.relu.default";
  annotate(one), annotate(other);
  auto made = branched(one, one, other, other);
  if (!made) return std::nullopt;
  Case out;
  out.after = *std::move(made->before);
  out.bodies["yes"] = std::move(made->bodies["yes"]);
  out.bodies["no"] = std::move(made->bodies["no"]);
  surround(out.after, random);
  return out;
}

std::optional<Case> of_draft(std::optional<Draft> draft, Random& random) {
  if (!draft) return std::nullopt;
  Case out = case_of(*std::move(draft));
  if (random.chance(20)) finals_of_copies(out.after);
  return out;
}

using Make = std::optional<Case> (*)(Random&, std::uint64_t);
struct Named {
  std::string_view name;
  Make make;
};

template <bool (*kProfile)(Sketch&)>
std::optional<Case> make_sketched(Random& random, std::uint64_t) {
  return of_draft(sketched(random, kProfile), random);
}

constexpr std::size_t kGeneral = 8;  // later ones are special, and drawn only by name
constexpr std::array kProfiles = {
    Named{"control-flow", branching_program},
    Named{"custom-ops", [](Random& random, std::uint64_t) { return custom_program(random); }},
    Named{"kv-cache", make_sketched<sketch_cache>},
    Named{"mixed", [](Random& random, std::uint64_t seed) { return of_draft(mixed(random, seed), random); }},
    Named{"optimizer", make_sketched<sketch_optimizer>},
    Named{"plans", make_sketched<sketch_buffers>},
    Named{"training", make_sketched<sketch_training>},
    Named{"views", make_sketched<sketch_views>},
    Named{"views-dtype", make_sketched<sketch_dtype_views>},
    Named{"write-backs", make_sketched<sketch_write_backs>},
};

const Named* profile_named(std::string_view name) {
  const auto at = std::ranges::find(kProfiles, name, &Named::name);
  return at == kProfiles.end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string_view> profile_names() {
  std::vector<std::string_view> out;
  for (const Named& profile : kProfiles) out.push_back(profile.name);
  return out;
}

std::optional<std::vector<std::string>> profiles_of(const std::string& list, std::string& unknown) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    unknown = list.substr(at, end - at);
    if (profile_named(unknown) == nullptr) return std::nullopt;
    out.push_back(unknown);
    at = end + 1;
  }
  return out;
}

std::optional<Case> program_of(std::uint64_t seed, const std::vector<std::string>& profiles) {
  Random random(seed ^ kSalt);
  const Named* profile = profile_named("mixed");
  if (!profiles.empty())
    profile = profile_named(random.one_of(profiles));
  else if (random.chance(50))
    profile = &kProfiles[random.place_in(std::span(kProfiles).first(kGeneral))];
  auto out = profile->make(random, seed);
  if (!out) return std::nullopt;
  out->name = "program-" + std::to_string(seed);
  out->title = "profile " + std::string(profile->name);
  out->source = "noclobber fuzz --start " + std::to_string(seed) + " --count 1";
  return out;
}

}  // namespace noclobber::fuzz
