// Loops that carry two tensors, and single graphs whose names mean values.
#include "src/fuzz/layout.h"
#include "src/fuzz/probe.h"
#include "src/interp/interp.h"

namespace noclobber::fuzz {
namespace {

/// The inputs of a body: the counter and the loop-carried tensors.
Draft carried(std::int64_t extent) {
  Draft out;
  const auto input = [&](const char* name, Shown at) {
    at.storage = out.storages++;
    out.shown[out.values] = std::move(at);
    out.inputs.push_back({out.values++, name, "", std::nullopt});
  };
  input("i", {0, Dtype::i64, {}, {}, 0, true});
  input("a", {0, Dtype::f32, {extent}, {1}, 0, true});
  input("b", {0, Dtype::f32, {extent}, {1}, 0, true});
  return out;
}

int add_step(Draft& draft, const char* op, std::vector<Arg> args, Shown at) {
  at.storage = draft.storages++;
  draft.shown[draft.values] = std::move(at);
  draft.calls.push_back({draft.values, op, std::move(args), {}});
  return draft.values++;
}

/// A few steps over the loop-carried tensors. The outputs are the counter and two of the tensors made.
Draft random_body(Random& random, std::int64_t extent) {
  static constexpr const char* kOne[] = {"aten.neg.default", "aten.relu.default", "aten.clone.default"};
  static constexpr const char* kTwo[] = {"aten.add.Tensor", "aten.mul.Tensor"};
  Draft out = carried(extent);
  const int next = add_step(out, "aten.add.Scalar", {ref(0), number(1)}, out.shown.at(0));
  std::vector<int> tensors{1, 2};
  const auto any = [&] { return ref(random.one_of(tensors)); };
  for (std::int64_t k = random.between(2, 5); k > 0; --k)
    tensors.push_back(random.chance(40)
                          ? add_step(out, kOne[random.below(3)], {any()}, out.shown.at(1))
                          : add_step(out, kTwo[random.below(2)], {any(), any()}, out.shown.at(1)));
  const int last = tensors.back(),
            other = tensors[tensors.size() - static_cast<std::size_t>(random.between(2, 3))];
  out.outputs = random.chance(50) ? std::vector<int>{next, last, other} : std::vector<int>{next, other, last};
  return out;
}

Graph condition(std::int64_t trips) {
  Draft draft = carried(2);
  const int goes_on =
      add_step(draft, "aten.lt.Scalar", {ref(0), number(trips)}, {0, Dtype::boolean, {}, {}, 0, true});
  draft.outputs = {goes_on};
  return draft.graph();
}

ValueId result_of(Graph& graph, const std::string& name, std::size_t result, const Type& type) {
  Value value;
  value.name = name;
  value.from = Value::From::step;
  value.at = static_cast<std::uint32_t>(graph.steps.size());
  value.result = static_cast<std::uint32_t>(result);
  value.type = type;
  graph.values.push_back(std::move(value));
  return ValueId(graph.values.size() - 1);
}

/// A loop that carries copies of the inputs; its results are returned.
Graph loop_around(const std::string& body, std::int64_t extent) {
  Draft outside = carried(extent);
  outside.inputs.erase(outside.inputs.begin());
  outside.calls.push_back({0, "aten.zeros.default", {numbers({})}, {{"dtype", Arg::of_dtype(Dtype::i64)}}});
  const int a = add_step(outside, "aten.clone.default", {ref(1)}, outside.shown.at(1));
  const int b = add_step(outside, "aten.clone.default", {ref(2)}, outside.shown.at(2));
  outside.outputs = {0, a, b};
  Graph out = outside.graph();
  const std::vector<Arg> given = std::move(out.outputs);
  out.outputs.clear();
  Step step;
  step.op = "higher_order.while_loop";
  step.args = {Arg::of_graph("cond"), Arg::of_graph(body), Arg::of(given), Arg::of(std::vector<Arg>{})};
  for (std::size_t k = 0; k < 3; ++k) {
    const Type type = type_of(outside.shown.at(k == 0 ? 0 : 1));
    step.results.push_back(result_of(out, "r" + std::to_string(k), k, type));
    if (k > 0) out.outputs.push_back(Arg::of(step.results.back()));
  }
  out.steps.push_back(std::move(step));
  return out;
}

Graph named(Graph graph, const char* name) {
  graph.name = name;
  graph.device.clear();  // the device is that of its operands
  return graph;
}

}  // namespace

std::optional<Case> looped(Random& random, std::string& fault) {
  const std::int64_t extent = random.between(1, 4);
  const Draft before = random_body(random, extent);
  std::string log;
  Draft after = rewritten(before, random, log);
  if (!fault.empty()) {
    const auto which = static_cast<Fault>(random.below(kFaults));
    auto broken = damaged(after, which, random);
    if (!broken) return std::nullopt;
    after = *std::move(broken);
    fault = name(which);
  }
  Case out;
  out.bodies["cond"] = named(condition(random.between(0, 3)), "cond");
  for (Input& input : out.bodies["cond"].inputs)
    if (out.bodies["cond"].value(input.value).type->shape.size() == 1)
      out.bodies["cond"].values[input.value.index].type.edit().shape = {SymExpr(extent)};
  out.bodies["body"] = named(before.graph(), "body");
  out.bodies["body2"] = named(after.graph(), "body2");
  out.before = loop_around("body", extent);
  out.after = loop_around("body2", extent);
  return out;
}

/// True if the step has results, all without elements: such a step reads nothing.
static bool makes_nothing(const Run& run, const Step& step) {
  return !step.results.empty() && std::ranges::all_of(step.results, [&](ValueId id) {
    const auto& made = id.valid() ? run.values[id.index] : std::nullopt;
    return made && std::ranges::find(made->shape, 0) != made->shape.end();
  });
}

std::optional<std::string> stale_name(const Case& value) {
  std::set<std::string> names;
  for (const Input& input : value.after.inputs) names.insert(value.after.value(input.value).name);
  std::string out;
  for (const std::uint64_t contents : {0ULL, 2ULL, 5ULL}) {
    RunOptions options;
    options.value_semantics = true;
    options.contents_seed = contents;
    const auto run = run_graph(value, value.after, names, options);
    if (!run || run->raised || !run->unsupported.empty()) return std::nullopt;
    for (const Run::Stale& stale : run->stale) {
      const bool leaving = stale.step >= value.after.steps.size();
      if (leaving || !makes_nothing(*run, value.after.steps[stale.step]))
        out = value.after.value(stale.value).name + " is no longer what it was";
    }
  }
  return out;
}

}  // namespace noclobber::fuzz
