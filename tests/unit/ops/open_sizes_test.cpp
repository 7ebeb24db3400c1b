// Views, moves and strides at sizes that are symbols, and at the bounds of what rules take.
#include "src/certify/nonnegative.h"
#include "src/ops/row.h"
#include "tests/catch.h"

namespace open_sizes_test {

using namespace noclobber;

namespace {

/// A size s from 1 on, t from 0 on.
struct Open {
  Space space = searching_space();
  Sizes sizes{space};
  Open() {
    SymbolRange positive;
    positive.min = 1;
    sizes.declare({{"s", positive}, {"t", {}}}, {});
  }
  PolyId of(std::string_view text) {
    const auto parsed = parse_sym(text);
    REQUIRE(parsed);
    return sizes.of(*parsed);
  }
  std::vector<PolyId> all(const std::vector<const char*>& texts) {
    std::vector<PolyId> out;
    for (const char* text : texts) out.push_back(of(text));
    return out;
  }
  Arg arg(std::string_view text) { return Arg::of(*parse_sym(text)); }
  std::string text(const Shape& shape) {
    std::string out;
    for (const PolyId extent : shape) out += (out.empty() ? "" : " ") + size_text(space, extent);
    return out;
  }
  /// Shapes of the views; "none" where the rule leaves them open.
  std::string views(std::string_view op, const Shape& base, const std::vector<const char*>& more) {
    std::vector<Arg> args{Arg::of(ValueId{0})};
    for (const char* m : more) args.push_back(arg(m));
    const auto shown = find_row(op)->view(sizes, Viewed{base}, args);
    if (!shown) return "none";
    std::string out;
    for (const ViewMaps& v : *shown) out += (out.empty() ? "" : ", ") + text(v.shape);
    return out;
  }
};

}  // namespace

TEST_CASE("pieces of a symbolic size, where their count is known") {
  Open o;
  CHECK(o.views("aten.split", {o.of("2*s")}, {"s", "0"}) == "s, s");
  CHECK(o.views("aten.split", {o.of("s")}, {"s", "0"}) == "s");
  CHECK(o.views("aten.split", {o.of("t")}, {"s", "0"}) == "none");
  CHECK(o.views("aten.split", {o.of("2*s + 1")}, {"s", "0"}) == "s, s, 1");
  CHECK(o.views("aten.split", {o.of("2*t + 1")}, {"t", "0"}) == "none");
  CHECK(o.views("aten.split", {o.of("2*s + 1")}, {"s + 1", "0"}) == "1+s, s");
}

TEST_CASE("a diagonal is as long as the lesser of two sizes") {
  Open o;
  CHECK(o.views("aten.diagonal", o.all({"s", "s"}), {}) == "s");
  CHECK(o.views("aten.diagonal", o.all({"s", "s + t"}), {}) == "s");
  CHECK(o.views("aten.diagonal", o.all({"s", "t"}), {}) == o.text({o.of("Min(s, t)")}));
  CHECK(o.views("aten.diagonal", o.all({"t", "s"}), {}) == o.text({o.of("Min(s, t)")}));
  CHECK(o.views("aten.diagonal", o.all({"s", "2", "t"}), {"1", "2", "1"}) ==
        o.text({o.of("s"), o.of("Min(2 - 1, t)")}));
  CHECK(o.views("aten.diagonal", o.all({"s", "t"}), {"1"}) == "none");  // t may be 0
  CHECK(o.views("aten.diagonal", o.all({"s", "t"}), {"-1"}) == o.text({o.of("Min(s - 1, t)")}));
  CHECK(o.views("aten.diagonal", o.all({"s", "1"}), {"3"}) == "0");
}

TEST_CASE("a layout that sizes leave open is not kept") {
  Open o;
  const auto kept = [&](const std::vector<const char*>& shape, const std::vector<const char*>& strides) {
    const auto out = preserved_strides(o.space, Viewed{o.all(shape), o.all(strides)});
    return out ? o.text(*out) : std::string("none");
  };
  CHECK(kept({"2", "3"}, {"6", "2"}) == "3 1");
  CHECK(kept({"2", "3"}, {"2", "6"}) == "1 2");
  CHECK(kept({"2", "s"}, {"3*s", "3"}) == "none");  // s may be 1
  CHECK(kept({"2", "s"}, {"3*s + 1", "3"}) == o.text(o.all({"s", "1"})));
  CHECK(kept({"2", "3"}, {"t", "6"}) == "none");  // t may be 0
  CHECK(kept({"2", "3"}, {"s", "s + t"}) == "none");
}

TEST_CASE("what PyTorch does not cut is no view") {
  Open o;
  CHECK(o.views("aten.tensor_split", {o.of("3")}, {"2", "0"}) == "2, 1");
  CHECK(o.views("aten.tensor_split", {o.of("3")}, {"0", "0"}) == "none");
  CHECK(o.views("aten.slice", {o.of("3")}, {"0", "0", "3", "2"}) == "2");
  CHECK(o.views("aten.slice", {o.of("3")}, {"0", "0", "3", "0"}) == "none");
}

TEST_CASE("pairs of parts are complex numbers of the type that is twice as wide") {
  Open o;
  const auto joined = [&](Dtype dtype) {
    const auto view =
        find_row("aten.view_as_complex")
            ->view(o.sizes, Viewed{o.all({"3", "2"}), std::nullopt, dtype}, {Arg::of(ValueId{0})});
    return view ? std::string(name(*view->front().dtype)) : "none";
  };
  CHECK(joined(Dtype::f32) == "c64");
  CHECK(joined(Dtype::f64) == "c128");
  CHECK(joined(Dtype::f16) == "none");  // of a type that has no name here
}

TEST_CASE("elements come round by less than the extent, which may be open") {
  Open o;
  const auto rolled = [&](const char* extent, const char* shift) {
    const auto moved =
        find_row("aten.roll")
            ->moves(o.sizes, Viewed{{o.of(extent)}}, {Arg::of(ValueId{0}), o.arg(shift), o.arg("0")});
    std::string out = moved ? "" : "none";
    for (std::size_t k = 0; moved && k < moved->pieces.size(); ++k)
      out += (k > 0 ? ", " : "") + o.text(moved->pieces[k].shape);
    return out;
  };
  CHECK(rolled("s", "1") == "-1+s, 1");
  CHECK(rolled("s", "-1") == "1, -1+s");
  CHECK(rolled("s", "2") == "none");  // of one element it would come round twice
  CHECK(rolled("5", "-7") == "2, 3");
}

TEST_CASE("of a triangle only rows that have an element are moved") {
  Open o;
  const auto rows = [&](const char* op, const char* offset) {
    const auto moved =
        find_row(op)->moves(o.sizes, Viewed{o.all({"2", "2"})}, {Arg::of(ValueId{0}), o.arg(offset)});
    REQUIRE(moved);
    std::string out;
    for (const MovedPiece& piece : moved->pieces) out += (out.empty() ? "" : ", ") + o.text(piece.shape);
    return out;
  };
  CHECK(rows("aten.triu", "0") == "1 2, 1 1");
  CHECK(rows("aten.triu", "1") == "1 1");
  CHECK(rows("aten.triu", "2").empty());
  CHECK(rows("aten.tril", "-1") == "1 1");
}

/// A wrong `false` would make a copy of what shares the argument's storage.
TEST_CASE("whether a shape needs a copy is left open where strides are") {
  Open o;
  const auto fits = [&](const std::vector<const char*>& shape, const std::vector<const char*>& strides,
                        const std::vector<const char*>& to) {
    return can_view(o.space, Viewed{o.all(shape), o.all(strides)}, o.all(to));
  };
  CHECK(fits({"2", "3"}, {"3", "1"}, {"6"}) == true);
  CHECK(fits({"2", "3"}, {"4", "1"}, {"6"}) == false);
  CHECK_FALSE(fits({"2", "3"}, {"s", "1"}, {"6"}).has_value());
  CHECK(fits({"2", "s"}, {"s", "1"}, {"2*s"}) == true);
  CHECK_FALSE(fits({"2", "s"}, {"4", "1"}, {"2*s"}).has_value());
  CHECK(fits({"2", "3"}, {"3", "0"}, {"6"}) == false);
  CHECK_FALSE(fits({"2", "s"}, {"3", "0"}, {"2*s"}).has_value());  // a view of one column
  CHECK(fits({"0", "3"}, {"7", "5"}, {"0"}) == true);
}

TEST_CASE("strides do not matter where there is no element, or one along a dimension") {
  Open o;
  const auto plain = [&](const std::vector<const char*>& shape, const std::vector<const char*>& strides) {
    return is_contiguous(o.space, Viewed{o.all(shape), o.all(strides)});
  };
  CHECK(plain({"2", "3"}, {"3", "1"}) == true);
  CHECK(plain({"2", "3"}, {"1", "2"}) == false);
  CHECK(plain({"1", "3"}, {"7", "1"}) == true);
  CHECK(plain({"0", "3"}, {"7", "5"}) == true);
  CHECK_FALSE(plain({"2", "3"}, {"s", "1"}).has_value());
}

}  // namespace open_sizes_test
