// Rules of views and moves against kernels, in calls made at random from schemas: arguments of any kind,
// bases of any layout.
#include <algorithm>
#include <numeric>

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/fuzz/random.h"
#include "src/interp/interp.h"
#include "src/kernels/kernels.h"
#include "src/ops/row.h"
#include "tests/catch.h"

namespace made_calls_test {

using namespace noclobber;
using fuzz::Random;

namespace {

Arg whole(std::int64_t value) { return Arg::of(SymExpr(value)); }

Arg list_of(const std::vector<std::int64_t>& values) {
  std::vector<Arg> out;
  for (const std::int64_t value : values) out.push_back(whole(value));
  return Arg::of(std::move(out));
}

struct Made {
  Case value;
  RunOptions options;
  std::vector<Arg> arguments;
};

/// Some extents, an order and layout of them in memory, and where they begin.
Type some_type(Random& random, std::int64_t& room) {
  Type type;
  const auto rank = static_cast<std::size_t>(random.below(4));
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0U);
  if (random.chance(40)) std::reverse(order.begin(), order.end());
  std::vector<std::int64_t> shape(rank), stride(rank);
  for (auto& extent : shape) extent = random.chance(15) ? 2 : random.between(random.chance(10) ? 0 : 1, 4);
  std::int64_t next = random.chance(20) ? 2 : 1;
  const std::int64_t offset = random.chance(30) ? random.between(1, 4) : 0;
  room = offset + 1;
  for (std::size_t k = rank; k-- > 0;) {
    const std::size_t d = order[k];
    stride[d] = random.chance(8) ? 0 : next;
    room += stride[d] * std::max<std::int64_t>(shape[d] - 1, 0);
    next *= std::max<std::int64_t>(shape[d], 1);
  }
  for (const std::int64_t extent : shape) type.shape.emplace_back(extent);
  for (const std::int64_t s : stride) type.stride.emplace_back(s);
  type.strides = Type::Strides::given;
  type.offset = SymExpr(offset);
  type.dtype = random.chance(15) ? Dtype::c64 : random.chance(10) ? Dtype::f64 : Dtype::f32;
  room += random.below(3);
  return type;
}

/// One more input, its elements all different.
Arg add_input(Made& made, const Type& type, std::int64_t room) {
  const auto at = made.value.after.values.size();
  Value value{"t" + std::to_string(at), Value::From::input, static_cast<std::uint32_t>(at), 0, type};
  Input input;
  input.value = ValueId(at);
  input.storage_numel = SymExpr(room);
  const std::int64_t width = item_bytes(type.dtype);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(room * width));
  for (std::int64_t k = 0; k < room; ++k)
    store_number(type.dtype, bytes.data() + k * width, Number::of(k + 1));
  made.options.contents[value.name] = bytes;
  made.value.after.values.push_back(std::move(value));
  made.value.after.inputs.push_back(std::move(input));
  return Arg::of(ValueId(at));
}

std::vector<std::int64_t> numbers(const std::vector<SymExpr>& sizes) {
  std::vector<std::int64_t> out;
  for (const SymExpr& size : sizes) out.push_back(size.evaluate({}).value_or(-1));
  return out;
}

/// Dimensions in some order, another shape of as many elements, the extents enlarged, or anything.
Arg some_list(Random& random, const Type& base) {
  std::vector<std::int64_t> out = numbers(base.shape);
  const auto rank = static_cast<std::int64_t>(out.size());
  switch (random.below(7)) {
    case 0:
      std::iota(out.begin(), out.end(), random.chance(50) ? 0 : -rank);
      for (std::size_t k = out.size(); k > 1; --k) std::swap(out[k - 1], out[random.place_in(out) % k]);
      if (random.chance(30) && !out.empty()) out.pop_back();
      break;
    case 1:
      for (std::size_t k = out.size(); k > 1; --k) std::swap(out[k - 1], out[random.place_in(out) % k]);
      if (out.size() > 1 && random.chance(40)) out[0] *= out.back(), out.pop_back();
      if (random.chance(30))
        out.insert(out.begin() + random.below(static_cast<std::int64_t>(out.size()) + 1),
                   random.between(1, 3));
      if (!out.empty() && random.chance(40)) out[random.place_in(out)] = -1;
      break;
    case 2:
      for (auto& extent : out) extent = extent == 1 ? random.between(1, 3) : random.chance(30) ? -1 : extent;
      if (random.chance(40)) out.insert(out.begin(), random.between(1, 3));
      break;
    case 3:
      out.resize(static_cast<std::size_t>(random.below(5)));
      for (auto& item : out) item = random.between(0, 2);
      break;
    case 4:  // lengths that a dimension is cut into
      if (!out.empty()) {
        const std::int64_t extent = out[random.place_in(out)], cut = random.between(0, extent);
        out = {cut, extent - cut};
      }
      break;
    case 5:  // what a dimension was taken out of
      out.insert(out.begin() + random.below(rank + 1), random.between(1, 4));
      break;
    default:
      out.resize(static_cast<std::size_t>(random.below(4)));
      for (auto& item : out) item = random.between(-3, 5);
  }
  return list_of(out);
}

/// An argument of that type; nothing for types that no rule looks at.
std::optional<Arg> some_argument(Random& random, const SchemaSlot& slot, const Type& base, Made& made) {
  const std::string& type = slot.type_text;
  if (type.ends_with('?') && random.chance(30)) return Arg{};
  if (slot.fallback && random.chance(25)) return *slot.fallback;
  if (type.starts_with("SymInt[") || type.starts_with("int["))
    return random.chance(15) && type.find("[1]") != std::string::npos ? whole(random.between(-2, 2))
                                                                      : some_list(random, base);
  if (type.starts_with("SymInt") || type.starts_with("int")) return whole(random.between(-4, 5));
  if (type.starts_with("Scalar") && !type.starts_with("ScalarType")) return whole(random.between(0, 2));
  if (type == "ScalarType") return Arg::of_dtype(random.chance(50) ? Dtype::i32 : Dtype::f64);
  if (type == "Tensor") {
    std::int64_t room = 0;
    const Type other = some_type(random, room);
    return add_input(made, other, room);
  }
  return slot.fallback ? *slot.fallback : std::optional<Arg>();
}

/// One call of the schema, its base the first input; nothing if it has other arguments.
std::optional<Made> made_call(Random& random, const Schema& schema) {
  Made made;
  std::int64_t room = 0;
  const Type base = some_type(random, room);
  Step step;
  step.op = schema.op;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    const auto arg =
        k == 0 ? add_input(made, base, room) : some_argument(random, schema.arguments[k], base, made);
    if (!arg) return std::nullopt;
    made.arguments.push_back(*arg);
    if (schema.arguments[k].keyword_only)
      step.kwargs.edit().emplace_back(schema.arguments[k].name, *arg);
    else
      step.args.push_back(*arg);
  }
  made.value.after.steps.push_back(std::move(step));
  return made;
}

/// The step with so many results, run by the kernel; nothing where it raises or declines.
std::optional<Run> computed_run(Made& made, std::size_t results) {
  Graph& graph = made.value.after;
  for (std::size_t k = 0; k < results; ++k) {
    const ValueId id(graph.values.size());
    graph.values.push_back(
        {"r" + std::to_string(k), Value::From::step, 0, static_cast<std::uint32_t>(k), {}});
    graph.steps[0].results.push_back(id);
    graph.outputs.push_back(Arg::of(id));
  }
  auto run = run_graph(made.value, graph, {}, made.options);
  if (!run || run->raised || !run->unsupported.empty() || !run->hashed.empty()) return std::nullopt;
  return *std::move(run);
}

std::string said(const Arg& arg) {
  if (arg.kind == Arg::Kind::sym) return arg.sym.text();
  if (arg.kind != Arg::Kind::list) return arg.kind == Arg::Kind::ref ? "tensor" : "-";
  std::string out = "[";
  for (const Arg& item : arg.list) out += said(item) + " ";
  return out + "]";
}

/// What the base is, and what it is called with.
std::string said(const Made& made) {
  const Type& type = *made.value.after.values[0].type;
  std::string out = std::string(name(type.dtype)) + " from " + type.offset.text() + ":";
  for (std::size_t k = 0; k < type.shape.size(); ++k)
    out += " " + type.shape[k].text() + " by " + type.stride[k].text();
  for (const Arg& arg : made.arguments) out += ", " + said(arg);
  return out;
}

struct Tally {
  int ran = 0, alike = 0, refused = 0;  // by the rule, of those that ran
};

struct Asked {
  Space space;
  Sizes sizes{space};
  Viewed base;
  PolyId offset = 0;
};

void prepare(const Made& made, Asked& asked) {
  const auto& values = made.value.after.values;
  const Type& type = *values[0].type;
  asked.base = Viewed{asked.sizes.of(type.shape), asked.sizes.of(type.stride), type.dtype};
  asked.offset = asked.sizes.of(type.offset);
  for (std::size_t k = 1; k < made.arguments.size(); ++k)
    if (made.arguments[k].kind == Arg::Kind::ref)
      asked.base.others.push_back(asked.sizes.of(values[made.arguments[k].ref.index].type->shape));
}

/// Element numbers of the base's storage that a view shows, in row-major order.
std::vector<std::int64_t> shown(Asked& asked, const ViewMaps& view) {
  Space& space = asked.space;
  std::vector<std::int64_t> out;
  const std::int64_t count = space.value(element_count(space, view.shape)).value_or(0);
  for (std::int64_t k = 0; k < count; ++k) {
    Index at = delinear(space, view.shape, space.constant(k));
    for (std::size_t m = view.maps.size(); m-- > 0;) {
      Map map = view.maps[m];
      if (view.flat) map.from = {0};  // the storage: its length plays no part
      at = forward(space, map, at);
    }
    PolyId place = view.flat && view.maps[0].dim != 1 ? 0 : asked.offset;
    for (std::size_t d = 0; d < at.size(); ++d)
      place = space.add(place, view.flat ? at[d] : space.mul(at[d], (*asked.base.strides)[d]));
    out.push_back(space.value(place).value_or(-1));
  }
  return out;
}

std::vector<std::int64_t> shown(const Tensor& t) {
  std::vector<std::int64_t> out;
  const Elements elements({t.dtype, t.shape, t.stride, t.offset}, t.shape);
  for (std::int64_t k = 0; k < *element_count(t.shape); ++k) out.push_back(elements.at(k));
  return out;
}

std::vector<std::int64_t> extents(const Space& space, const Shape& shape) {
  std::vector<std::int64_t> out;
  for (const PolyId size : shape) out.push_back(space.value(size).value_or(-1));
  return out;
}

void compare_views(const OpRow& row, const Schema& schema, Random& random, Tally& tally) {
  auto made = made_call(random, schema);
  if (!made) return;
  Asked asked;
  prepare(*made, asked);
  const auto views = row.view(asked.sizes, asked.base, made->arguments);
  const auto run = computed_run(*made, views ? views->size() : 1);
  if (!run) return;
  ++tally.ran;
  if (!views && is_complex(asked.base.dtype)) return;  // lazy views of complex numbers are not modelled
  if (!views) return ++tally.refused, void();
  INFO(said(*made));
  for (std::size_t k = 0; k < views->size(); ++k) {
    const ViewMaps& view = (*views)[k];
    REQUIRE(run->outputs[k].tensor);
    const Tensor& result = *run->outputs[k].tensor;
    if (view.dtype) {
      CHECK(*view.dtype == result.dtype);
      continue;
    }
    CHECK(extents(asked.space, view.shape) == result.shape);
    if (extents(asked.space, view.shape) != result.shape) continue;
    const bool shares = result.storage == run->input_storage.at("t0");
    if (shares && std::count(result.shape.begin(), result.shape.end(), 0) == 0)
      CHECK(shown(asked, view) == shown(result));
  }
  ++tally.alike;
}

/// The contents that a rule of moves gives, as numbers.
std::vector<double> placed(Asked& asked, const Moved& moved) {
  Space& space = asked.space;
  const double fill =
      moved.fill && moved.fill->kind == Arg::Kind::sym ? static_cast<double>(moved.fill->sym.constant()) : -1;
  std::vector<double> out(
      static_cast<std::size_t>(space.value(element_count(space, moved.shape)).value_or(0)), fill);
  for (const MovedPiece& piece : moved.pieces) {
    const auto from = shown(asked, ViewMaps{piece.from, piece.shape});
    const auto count = space.value(element_count(space, piece.shape)).value_or(0);
    for (std::int64_t k = 0; k < count; ++k) {
      Index at = delinear(space, piece.shape, space.constant(k));
      for (std::size_t m = piece.to.size(); m-- > 0;) at = forward(space, piece.to[m], at);
      const auto place = space.value(linear(space, moved.shape, at));
      REQUIRE((place && *place >= 0 && *place < static_cast<std::int64_t>(out.size())));
      out[static_cast<std::size_t>(*place)] = static_cast<double>(from[static_cast<std::size_t>(k)] + 1);
    }
  }
  return out;
}

void compare_moves(const OpRow& row, const Schema& schema, Random& random, Tally& tally) {
  auto made = made_call(random, schema);
  if (!made) return;
  Asked asked;
  prepare(*made, asked);
  const bool counted = made->arguments.size() > 1 && made->arguments[1].kind == Arg::Kind::ref;
  const auto moved = row.moves(asked.sizes, asked.base, made->arguments);
  const auto run = computed_run(*made, 1);
  if (!run || counted) return;
  ++tally.ran;
  if (!moved) return ++tally.refused, void();
  REQUIRE(run->outputs[0].tensor);
  const Tensor& result = *run->outputs[0].tensor;
  CHECK(extents(asked.space, moved->shape) == result.shape);
  if (extents(asked.space, moved->shape) != result.shape) return;
  const auto expected = placed(asked, *moved);
  const std::int64_t width = item_bytes(result.dtype);
  for (std::size_t k = 0; k < expected.size(); ++k)
    CHECK(load_number(result.dtype, run->outputs[0].bytes.data() + static_cast<std::int64_t>(k) * width)
              .as_complex() == std::complex<double>(expected[k]));
  ++tally.alike;
}

template <class Compare>
void all_rows(Compare compare, bool (*is_asked)(const OpRow&), int rounds, std::size_t at_least) {
  Random random(20261122);
  std::size_t asked = 0;
  for (const OpRow& row : op_rows()) {
    if (!is_asked(row)) continue;
    Tally tally;
    for (const std::string_view name : vocabulary()) {
      if (base_name(name) != row.op || find_kernel(name) == nullptr) continue;
      INFO(name);
      for (int round = 0; round < rounds; ++round) compare(row, *find_schema(name), random, tally);
    }
    INFO(row.op << ": " << tally.ran << " ran, " << tally.alike << " alike, " << tally.refused << " refused");
    if (tally.ran == 0) continue;
    ++asked;
    CHECK(tally.alike > 0);
    CHECK(tally.refused * 4 <= tally.ran);
  }
  CHECK(asked == at_least);
}

}  // namespace

TEST_CASE("made calls: rules of views show what kernels show") {
  all_rows(
      compare_views,
      [](const OpRow& row) {
        return row.view != nullptr && (row.meaning == Meaning::view || row.meaning == Meaning::may_view);
      },
      150, 70);
}

TEST_CASE("made calls: rules of moves put elements where kernels put them") {
  all_rows(
      compare_moves, [](const OpRow& row) { return row.moves != nullptr; }, 400, 13);
}

// Found by the case above: the strides were taken for those of a view, whatever was given.
TEST_CASE("_reshape_alias shows what its strides say") {
  const auto status_of = [](const std::string& before, const std::string& after) {
    const auto graph = [](const std::string& step) {
      return R"({"inputs": [{"name": "a", "type": {"dtype": "f32", "shape": [2]}, "kind": "buffer",
                 "storage": "S", "storage_numel": 8}], "steps": [{"name": "v", "op": )" +
             step + R"(}, {"name": "r", "op": "aten.clone.default", "args": [{"ref": "v"}]}],
                 "outputs": [{"ref": "r"}]})";
    };
    const auto value =
        read_case_json(R"({"format": "noclobber.case/1", "name": "x", "title": "", "source": "",
                                          "before": )" +
                       graph(before) + R"(, "after": )" + graph(after) + "}");
    REQUIRE(value);
    bool contradiction = false;
    return check_case(*value, {}, contradiction).status;
  };
  const std::string own = R"("aten.alias.default", "args": [{"ref": "a"}])";
  const std::string wide = R"("aten.as_strided.default", "args": [{"ref": "a"}, [2], [2]])";
  const std::string alias = R"("aten._reshape_alias.default", "args": [{"ref": "a"}, [2], )";
  CHECK(status_of(own, alias + "[1]]") == Status::proved);
  CHECK(status_of(wide, alias + "[2]]") == Status::proved);
  CHECK(status_of(own, alias + "[2]]") == Status::refuted);
  CHECK(status_of(wide, alias + "[1]]") == Status::refuted);
}

}  // namespace made_calls_test
