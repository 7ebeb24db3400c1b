// Calls whose form was met before make the same steps as if each were looked at.
#include "src/effects/remembered.h"

#include "src/effects/build.h"
#include "src/fuzz/draft.h"
#include "tests/support/corpus.h"
#include "tests/unit/effects/trace_lines.h"

namespace remembered_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

struct Both {
  std::string one_by_one, remembered;
  std::size_t forms = 0;
};

/// All that a Trace and its names say.
std::string all_of(const Space& space, const effects::Built& built) {
  std::string out = text_of(space, built.trace);
  for (const TraceStep& step : built.trace.steps) {
    out += "\n" + *step.key + (step.elementwise ? " elementwise" : "");
    for (const auto& row : step.access)
      for (const Access one : row) out += " " + std::to_string(static_cast<int>(one));
    for (const std::uint32_t reaching : step.reaching) out += " from " + std::to_string(reaching);
  }
  for (const TraceClaim& claim : built.trace.claims) out += "\nclaim " + claim.what;
  for (const auto& [reason, name] : built.trace.unknown) out += "\n" + reason + " " + name;
  for (const StorageLayout& layout : built.views.layouts) {
    out += "\nlies " + std::to_string(static_cast<int>(layout.dtype));
    const auto strides = layout.strides.value_or(Shared<std::vector<PolyId>>());
    for (const PolyId stride : strides) out += " " + std::to_string(stride);
  }
  for (const auto& view : built.views.values) out += view ? " " + std::to_string(view->storage) : " -";
  return out + "\n" + std::to_string(built.in_place) + " in place";
}

Both both(const Case& value, const Graph& graph) {
  Both out;
  Space space = searching_space();
  const auto ops = make_op_set(value.ops);
  REQUIRE(ops);
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  const std::set<std::string> lanes;
  const Loops loops;
  effects::BuildRequest request{&value, &graph, std::nullopt, &lanes, true, Identities::none, &loops.after};
  out.one_by_one = all_of(space, effects::build(request, *ops, sizes));
  effects::RememberedCalls calls;
  request.remembered = &calls;
  effects::build(request, *ops, sizes);
  out.remembered = all_of(space, effects::build(request, *ops, sizes));
  out.forms = calls.forms.size();
  return out;
}

Both both(const std::string& inputs, const std::string& statements, const std::string& outputs) {
  Case value = alone(inputs, statements, outputs);
  value.before = value.after;  // what raises is noted of pairs
  return both(value, value.after);
}

constexpr const char* kInputs =
    R"(x: "f32[4, 6][6, 1]cpu", w: "f32[4, 6][6, 1]cpu", t: "f32[4, 6][1, 4]cpu", h: "f16[4, 6][6, 1]cpu", r: "f32[6][1]cpu", n: "i64[4, 6][6, 1]cpu")";

}  // namespace

TEST_CASE("remembered calls: what differs in more than storages is another form", "[effects]") {
  const std::pair<const char*, std::size_t> kForms[] = {
      {"a = aten.mul.Tensor(x, w); b = aten.mul.Tensor(w, x); c = aten.mul.Tensor(a, b);", 1},
      {"a = aten.mul.Tensor(x, w); b = aten.mul.Tensor(x, x); c = aten.mul.Tensor(a, b);", 2},
      {"a = aten.mul.Tensor(x, w); b = aten.mul.Tensor(x, t); c = aten.mul.Tensor(t, t);", 3},
      {"a = aten.mul.Tensor(x, w); b = aten.mul.Tensor(h, h); c = aten.mul.Tensor(h, x);", 3},
      {"a = aten.mul.Tensor(x, r); b = aten.mul.Tensor(r, x); c = aten.mul.Tensor(a, r);", 2},
      {"a = aten.mul.Tensor(x, 2.5); b = aten.mul.Tensor(w, 3.5); c = aten.mul.Tensor(w, 2.5);", 2},
      {"a = aten.all.dim(x, 0, False); b = aten.all.dim(w, 0, True); c = aten.all.dim(w, 0, False);", 2},
      {"a = aten.embedding.default(x, n); b = aten.embedding.default(w, n); c = aten.mul.Tensor(x, w);", 1},
      {R"(a: "f32[4, 6][6, 1]cpu" = aten.mul.Tensor(x, w); b: "f32[4, 6][1, 4]cpu" = aten.mul.Tensor(x, w); c: "f32[4, 6][6, 1]cpu" = aten.mul.Tensor(a, w);)",
       2},
      {"a = aten.mul.Tensor(x, 2); b = aten.mul.Tensor(w, 3); c = aten.mul.Tensor(a, 2.0);", 3},
      {"a = aten.sum.dim_IntList(x, [0]); b = aten.sum.dim_IntList(w, [1]); c = aten.sum.dim_IntList(t, "
       "[0]);",
       3},
      {"a = aten.sum.dim_IntList(x, [0]); b = aten.sum.dim_IntList(w, [0], True); c = "
       "aten.sum.dim_IntList(w, [0]);",
       2},
      {"a = aten.var_mean.correction(x, [0]); b = aten.var_mean.correction(w, [0]); c = aten.mul.Tensor(x, "
       "w);",
       2},
      {"a = aten.cat.default([x, w]); b = aten.cat.default([w, x]); c = aten.cat.default([w, w]);", 0},
      {"a = aten.gelu.default(x); b = aten.gelu.default(w, approximate = 'tanh'); c = aten.gelu.default(w);",
       2},
      {"a = aten.mul_.Tensor(x, w); b = aten.mul_.Tensor(w, x); c = aten.relu_.default(x);", 2},
      {"a = aten.mul_.Tensor(x, w); b = aten.mul_.Tensor(x, x); c = aten.mul_.Tensor(w, w);", 2},
      {"a = aten.mul_.Tensor(x, w); b = aten.mul_.Tensor(x, r); c = aten.mul_.Tensor(a, b);", 2},
      {"a = aten.mul_.Tensor(x, h); b = aten.mul_.Tensor(h, x); c = aten.mul_.Tensor(w, h);", 2},
      {"a = aten.relu_.default(x); b = aten.relu_.default(t); c = aten.relu_.default(a);", 2},
      {"v = aten.slice.Tensor(x, 0, 0, 2); u = aten.slice.Tensor(w, 0, 2, 4); a = aten.relu_.default(v); b = "
       "aten.relu_.default(u); c = aten.mul_.Tensor(v, u);",
       2},
      {"v = aten.alias.default(x); a = aten.mul_.Tensor(x, w); b = aten.mul_.Tensor(x, v); c = "
       "aten.mul.Tensor(v, a);",
       2},
      {"_ = aten.relu_.default(x); a = aten.relu_.default(w); b = aten.neg_.default(x); c = "
       "aten.neg.default(x);",
       4},
      {"a = aten.rand_like.default(x); b = aten.rand_like.default(w); c = aten.mul.Tensor(x, w);", 1},
      {"a = aten.full.default([4, 6], 2); b = aten.mul.Tensor(a, x); c = aten.mul.Tensor(w, x);", 1},
  };
  for (const auto& [statements, forms] : kForms) {
    INFO(statements);
    const Both one = both(kInputs, statements, "a, b, c");
    CHECK(one.remembered == one.one_by_one);
    CHECK(one.forms == forms);
  }
}

TEST_CASE("remembered calls: graphs of the corpus and random ones become the same Traces", "[effects]") {
  std::size_t forms = 0;
  const auto compare = [&](const std::string& name, const Case& value) {
    for (const Graph* graph : {value.before ? &*value.before : nullptr, &value.after}) {
      if (graph == nullptr) continue;
      const Both one = both(value, *graph);
      forms += one.forms;
      if (one.remembered == one.one_by_one) continue;
      INFO(name);
      CHECK(one.remembered == one.one_by_one);
    }
  };
  for (const auto& [name, value] : testing::corpus_cases()) compare(name, value);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    fuzz::Random random(seed);
    Case value;
    value.after = fuzz::random_program(random, seed % 2 == 0, fuzz::Vocabulary::table).graph();
    compare("seed " + std::to_string(seed), value);
  }
  CHECK(forms > 1000);
}

}  // namespace remembered_test
