// Rules of the table by themselves: exact results of numbers, and arguments that no rule may trust.
#include <algorithm>

#include "src/certify/nonnegative.h"
#include "src/fuzz/random.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"
#include "tests/catch.h"

namespace rules_test {

using namespace noclobber;
using fuzz::Random;

namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kLeast = INT64_MIN, kMost = INT64_MAX;

std::optional<std::int64_t> exact(std::string_view op, Wide a, Wide b, bool floating) {
  Wide out = 0;
  if (op == "add") out = a + b;
  if (op == "sub") out = a - b;
  if (op == "mul") out = a * b;
  if (op == "neg") out = -a;
  if (op == "maximum") out = std::max(a, b);
  if (op == "minimum") out = std::min(a, b);
  if (op == "eq") out = a == b ? 1 : 0;
  if (op == "ne") out = a != b ? 1 : 0;
  if (op == "lt") out = a < b ? 1 : 0;
  if (op == "le") out = a <= b ? 1 : 0;
  if (op == "gt") out = a > b ? 1 : 0;
  if (op == "ge") out = a >= b ? 1 : 0;
  // A zero that is minus zero: of a negative factor, or the negative of 0.
  if (floating && ((op == "mul" && out == 0 && (a < 0 || b < 0)) || (op == "neg" && a == 0)))
    return std::nullopt;
  if (out < kLeast || out > kMost) return std::nullopt;
  return static_cast<std::int64_t>(out);
}

Arg number(std::int64_t value) { return Arg::of(SymExpr(value)); }

Arg some_arg(Random& random, int depth = 1) {
  switch (random.below(depth > 0 ? 9 : 5)) {
    case 0:
      return Arg{};
    case 1:
      return number(random.between(-4, 5));
    case 2:
      return number(random.chance(50) ? kMost : kLeast + 1);
    case 3:
      return Arg::of_bool(random.chance(50));
    case 4:
      return random.chance(50) ? Arg::of_real(0.5) : Arg::of_text("ij");
    default: {
      std::vector<Arg> items;
      for (std::int64_t n = random.below(4); n > 0; --n)
        items.push_back(random.chance(85) ? number(random.between(-2, 3)) : some_arg(random, depth - 1));
      return Arg::of(std::move(items));
    }
  }
}

Shape some_shape(Space& space, Random& random) {
  Shape out;
  for (std::int64_t n = random.below(4); n > 0; --n) out.push_back(space.constant(random.between(0, 3)));
  if (!out.empty() && random.chance(25)) out.back() = space.symbol("n");
  return out;
}

/// Do the maps lead from the base, one to the next, to a shape? A map may leave trailing dimensions alone.
bool fit(const std::vector<Map>& maps, Shape shape, const Shape& end) {
  for (const Map& m : maps) {
    if (!well_formed(m) || m.from.size() > shape.size()) return false;
    if (!std::equal(m.from.begin(), m.from.end(), shape.begin())) return false;
    shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(m.from.size()));
    shape.insert(shape.begin(), m.to.begin(), m.to.end());
  }
  return shape == end;
}

std::vector<const OpRow*> rows_with_maps() {
  std::vector<const OpRow*> out;
  for (const OpRow& row : op_rows())
    if (row.view != nullptr || row.moves != nullptr) out.push_back(&row);
  return out;
}

int given = 0;

void ask(const OpRow& row, Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (row.view != nullptr)
    if (const auto views = row.view(sizes, base, args))
      for (const ViewMaps& v : *views) {
        ++given;
        const bool parts = v.dtype.has_value() || v.parts != ViewMaps::Parts::along;
        if (!v.flat && !parts) CHECK(fit(v.maps, base.shape, v.shape));
      }
  if (row.moves == nullptr) return;
  if (const auto moved = row.moves(sizes, base, args))
    for (const MovedPiece& piece : moved->pieces) {
      ++given;
      CHECK(fit(piece.to, moved->shape, piece.shape));
      CHECK(fit(piece.from, base.shape, piece.shape));
    }
}

}  // namespace

TEST_CASE("numbers are folded exactly, or not at all") {
  const std::vector<std::int64_t> values{kLeast, kLeast + 1, -3, -1, 0, 1, 2, kMost - 1, kMost};
  int folded = 0;
  for (const Identity& row : identities()) {
    if (row.fold == nullptr) continue;
    ++folded;
    const std::string_view op = row.op.substr(row.op.find('.') + 1);
    for (const std::int64_t a : values)
      for (const std::int64_t b : values)
        for (const bool floating : {false, true}) {
          INFO(row.op << " " << a << " " << b << " " << floating);
          CHECK(row.fold(a, b, floating) == exact(op, a, b, floating));
        }
  }
  CHECK(folded == 12);
}

TEST_CASE("a rule looks at no argument that is not there, and gives maps that fit one another") {
  Random random(20261122);
  given = 0;
  for (const OpRow* row : rows_with_maps()) {
    INFO(row->op);
    for (int round = 0; round < 300; ++round) {
      Space space = searching_space();
      space.range("n", 1, std::nullopt);
      Sizes sizes(space);
      Viewed base{some_shape(space, random)};
      base.dtype = random.chance(30) ? Dtype::c64 : Dtype::f32;
      base.strides = contiguous_strides(space, base.shape);
      if (random.chance(30)) base.others = {some_shape(space, random)};
      std::vector<Arg> args{Arg::of(ValueId{0})};
      for (std::int64_t n = random.below(5); n > 0; --n) args.push_back(some_arg(random));
      ask(*row, sizes, base, args);
    }
  }
  CHECK(given > 2000);
}

// Found by the case above: the sum of extent and count ended in a trap.
TEST_CASE("chunks of any count are pieces of one element at least") {
  const OpRow* chunk = find_row("aten.chunk");
  REQUIRE(chunk != nullptr);
  const auto lengths = [&](std::int64_t extent, std::int64_t count) {
    Space space;
    Sizes sizes(space);
    std::vector<std::int64_t> out;
    const auto views =
        chunk->view(sizes, Viewed{{space.constant(extent)}}, {Arg::of(ValueId{0}), number(count)});
    for (const ViewMaps& v : views.value_or(std::vector<ViewMaps>{})) out.push_back(*space.value(v.shape[0]));
    return out;
  };
  using Lengths = std::vector<std::int64_t>;
  CHECK(lengths(3, kMost) == Lengths{1, 1, 1});
  CHECK(lengths(7, 3) == Lengths{3, 3, 1});
  CHECK(lengths(6, 3) == Lengths{2, 2, 2});
  CHECK(lengths((1LL << 40) + 1, 2) == Lengths{(1LL << 39) + 1, 1LL << 39});
  CHECK(lengths(0, 3) == Lengths{0});
  CHECK(lengths(4, 0).empty());
  CHECK(lengths(4, -1).empty());
}

TEST_CASE("pieces of a symbolic length are as many as are shown to be there") {
  const auto pieces = [](const char* op, std::int64_t least, const std::string& extent,
                         const std::string& by) {
    Space space = searching_space();
    space.range("n", least, std::nullopt);
    Sizes sizes(space);
    const OpRow* row = find_row(op);
    REQUIRE(row != nullptr);
    const Viewed base{{sizes.of(*parse_sym(extent))}};
    const auto views = row->view(sizes, base, {Arg::of(ValueId{0}), Arg::of(*parse_sym(by))});
    std::string out;
    for (const ViewMaps& v : views.value_or(std::vector<ViewMaps>{})) {
      out += " ";
      for (const char* length : {"n", "n+1", "(n+1)//2", "n - (n+1)//2", "1"})
        if (v.shape[0] == sizes.of(*parse_sym(length))) out += length;
    }
    return out;
  };
  CHECK(pieces("aten.split", 2, "n", "(n+1)//2") == " (n+1)//2 n - (n+1)//2");
  CHECK(pieces("aten.chunk", 2, "n", "2") == " (n+1)//2 n - (n+1)//2");
  CHECK(pieces("aten.split", 1, "n", "(n+1)//2").empty());  // of one element there is one piece
  CHECK(pieces("aten.chunk", 1, "n", "2").empty());
  CHECK(pieces("aten.split", 1, "n", "n+1") == " n");
  CHECK(pieces("aten.split", 0, "n", "n+1").empty());
  CHECK(pieces("aten.split", 1, "2*n+1", "n") == " n n 1");
  CHECK(pieces("aten.split", 1, "2*n+1", "n+1") == " n+1 n");
  CHECK(pieces("aten.split", 1, "2*n", "n") == " n n");
}

}  // namespace rules_test
