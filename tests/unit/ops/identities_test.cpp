// Each row of the table of identities, run on the kernels of the interpreter: rows of one operand over all
// values of types of 8 and 16 bits, of two operands over all pairs of those of 8 bits, of wider types over
// the edges and random bits.
#include "src/ops/identities.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "src/kernels/kernels.h"
#include "tests/catch.h"
#include "tests/support/kernel_runs.h"

namespace identities_test {

using namespace noclobber;
using namespace kernel_runs;
using Form = Identity::Form;

namespace {

/// A few whole numbers that the type holds, its least and its greatest among them.
std::vector<std::int64_t> wholes_of(Dtype type) {
  std::set<std::int64_t> out;
  for (std::int64_t k = -3; k <= 3; ++k) out.insert(k);
  for (const int bit : {7, 8, 11, 15, 16, 24, 31, 32, 53, 62})
    for (const std::int64_t by : {-1, 0, 1})
      for (const std::int64_t sign : {-1, 1}) out.insert(sign * ((std::int64_t{1} << bit) + by));
  std::erase_if(out, [&](std::int64_t k) { return !holds_whole(type, k); });
  return {out.begin(), out.end()};
}

/// At most `count` of them, the first and the last among them.
std::vector<std::int64_t> some(const std::vector<std::int64_t>& all, std::size_t count) {
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(all[k * (all.size() - 1) / (count - 1)]);
  return out;
}

bool is_minus_zero(Dtype type, Bits bits) {
  const double x = loaded(type, bits).as_real();
  return is_floating(type) && x == 0 && std::signbit(x);
}

/// The overload that takes two tensors, or a tensor.
std::string tensors_of(std::string_view op) {
  for (const char* overload : {".Tensor", ".Tensor_Tensor", ".default"})
    if (find_kernel(std::string(op) + overload) != nullptr) return std::string(op) + overload;
  return std::string(op);
}

std::vector<std::string_view> ops_of(const Identity& row) {
  std::vector<std::string_view> out{row.op};
  if (!row.also.empty()) out.push_back(row.also);
  return out;
}

/// Of each row of that form, operator and type for which it is said to hold.
void each(Form form, const std::function<void(const Identity&, std::string_view, Dtype)>& check) {
  int rows = 0;
  for (const Identity& row : identities()) {
    if (row.form != form) continue;
    ++rows;
    for (const std::string_view op : ops_of(row))
      for (const Dtype type : kTypes)
        if (row.exact.contains(type) || row.assumed.contains(type)) {
          INFO(row.name << " " << op << " " << name(type));
          check(row, op, type);
        }
  }
  CHECK(rows > 0);
}

void unchanged(const Identity& row, Dtype type, const Column& values,
               const std::pair<std::optional<Dtype>, Column>& result, bool& lost_sign) {
  if (!result.first) return;  // nor does PyTorch take it
  REQUIRE(*result.first == type);
  REQUIRE(result.second.size() == values.size());
  bool same = true;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool sign = row.assumed.contains(type) && is_minus_zero(type, values[k]) && result.second[k] == 0;
    lost_sign = lost_sign || sign;
    same = same && (sign || alike(type, result.second[k], values[k]));
  }
  CHECK(same);
}

/// All pairs of small types, else each value beside some of the others.
std::pair<Column, Column> pairs_of(Dtype type) {
  const Column all = values_of(type);
  Column a, b;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < (bit_width(type) <= 8 ? all.size() : bit_width(type) == 16 ? 2 : 24); ++k) {
      a.push_back(all[i]);
      b.push_back(all[bit_width(type) <= 8 ? k : (k % 2 == 0 ? k : i * 7919 + k) % all.size()]);
    }
  return {a, b};
}

}  // namespace

TEST_CASE("a neutral argument changes nothing, or the sign of a zero where that is assumed", "[identities]") {
  each(Form::keeps, [](const Identity& row, std::string_view op, Dtype type) {
    Kernel kernel;
    const Column values = values_of(type);
    const Datum x = kernel.tensor(type, values), v = kernel.number(type, row.value);
    const std::string call = tensors_of(op);
    bool lost_sign = false, asked = false;
    const auto check = [&](std::vector<Datum> args) {
      const auto result = kernel.run(call, std::move(args));
      if (result.first) asked = true;
      unchanged(row, type, values, result, lost_sign);
    };
    check({x, v});
    if (row.either) check({v, x});
    if (type != Dtype::boolean && find_kernel(std::string(op) + ".Scalar") != nullptr)
      check({x, Datum::of(row.value)});
    if (row.scaled && op.starts_with("aten") && type != Dtype::boolean)
      check({x, v, Datum::of(std::int64_t{2})});
    CHECK((asked || op.starts_with("prims")));
    CHECK(lost_sign == row.assumed.contains(type));  // nothing is assumed without need
  });
}

TEST_CASE("whole numbers that a type holds are folded to what the kernel gives", "[identities]") {
  each(Form::folds, [](const Identity& row, std::string_view op, Dtype type) {
    Kernel kernel;
    Column a, b;
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const std::int64_t x : wholes_of(type))
      for (const std::int64_t y : wholes_of(type))
        pairs.emplace_back(x, y), a.push_back(stored(type, Number::of(x))),
            b.push_back(stored(type, Number::of(y)));
    const bool one = op.ends_with("neg");
    const auto result =
        kernel.run(tensors_of(op), one ? std::vector{kernel.tensor(type, a)}
                                       : std::vector{kernel.tensor(type, a), kernel.tensor(type, b)});
    REQUIRE(result.first);
    int folded = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto value = row.fold(pairs[k].first, one ? 0 : pairs[k].second, is_floating(type));
      if (!value || !holds_whole(*result.first, *value)) continue;
      ++folded;
      if (stored(*result.first, Number::of(*value)) == result.second[k]) continue;
      INFO(pairs[k].first << " and " << pairs[k].second);
      CHECK(stored(*result.first, Number::of(*value)) == result.second[k]);
    }
    CHECK(folded > 0);
  });
}

TEST_CASE("rows of numbers: a tensor of one whole number is that number", "[identities]") {
  each(Form::number, [](const Identity&, std::string_view op, Dtype type) {
    const bool scalar = find_kernel(std::string(op) + ".Scalar") != nullptr;
    const std::string with = scalar ? std::string(op) + ".Scalar" : tensors_of(op);
    const Column values = values_of(type);
    const auto wholes = wholes_of(type);
    for (const std::int64_t v : bit_width(type) <= 8 ? wholes : some(wholes, 3)) {
      Kernel kernel;
      const Datum x = kernel.tensor(type, values),
                  c = kernel.tensor(type, Column(values.size(), stored(type, Number::of(v))));
      const auto whole = kernel.run(tensors_of(op), {x, c});
      const auto number = kernel.run(with, {x, scalar ? Datum::of(v) : kernel.number(type, v)});
      INFO(v);
      REQUIRE(whole.first);
      CHECK(whole.first == number.first);
      CHECK(whole.second == number.second);
    }
  });
}

TEST_CASE("a boolean that is one number everywhere is no number, but for comparisons", "[identities]") {
  Kernel kernel;
  const Datum x = kernel.tensor(Dtype::boolean, {0, 1}), c = kernel.tensor(Dtype::boolean, {1, 1});
  CHECK(kernel.run("aten.add.Tensor", {x, c}).first == Dtype::boolean);
  CHECK(kernel.run("aten.add.Scalar", {x, Datum::of(std::int64_t{1})}).first == Dtype::i64);
  for (const Identity& row : identities())
    if (row.form == Form::number && find_identity(Form::folds, row.op)->fold(2, 1, false).value() > 1)
      CHECK(!row.exact.contains(Dtype::boolean));  // no comparison
}

TEST_CASE("numbers come through a wider type as they were", "[identities]") {
  const Identity* row = find_identity(Form::converts, "");
  REQUIRE(row != nullptr);
  int through = 0, lost = 0;
  std::map<Dtype, Column> values;
  for (const Dtype type : kTypes) values[type] = values_of(type);
  for (const Dtype from : kTypes)
    for (const Dtype between : kTypes)
      for (const Dtype to : kTypes) {
        INFO(name(from) << " > " << name(between) << " > " << name(to));
        const bool said = from != between && row->exact.contains(from) && holds_all(between, from) &&
                          converts_alike(from, between, to);
        bool same = true;
        for (const Bits bits : values.at(from)) {
          if (!said && !same) break;
          const Number x = loaded(from, bits), y = loaded(between, stored(between, x));
          same = same && alike(to, stored(to, x), stored(to, y));
        }
        through += said, lost += !same;
        if (said) CHECK(same);
      }
  CHECK(through > 200);
  CHECK(lost > 200);
}

TEST_CASE("sums and products may be turned round", "[identities]") {
  each(Form::turned, [](const Identity&, std::string_view op, Dtype type) {
    Kernel kernel;
    const auto [a, b] = pairs_of(type);
    const auto one = kernel.run(tensors_of(op), {kernel.tensor(type, a), kernel.tensor(type, b)}),
               other = kernel.run(tensors_of(op), {kernel.tensor(type, b), kernel.tensor(type, a)});
    REQUIRE(one.first);
    bool same = one.second.size() == other.second.size();
    for (std::size_t k = 0; k < one.second.size(); ++k)
      same = same && alike(type, one.second[k], other.second[k]);
    CHECK(same);
  });
}

TEST_CASE("a product with a summand is the two, where nothing rounds", "[identities]") {
  each(Form::fused, [](const Identity& row, std::string_view op, Dtype type) {
    const bool batched = row.other == "aten.bmm", vector = row.other == "aten.mv";
    Kernel kernel;
    const auto of = [&](Extents shape, std::int64_t first) {
      Column all;
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      for (std::int64_t k = 0; k < count; ++k) all.push_back(stored(type, Number::of((first + k * 3) % 5)));
      return kernel.tensor(type, all, shape);
    };
    const Extents left = batched ? Extents{2, 2, 3} : Extents{2, 3},
                  right = batched  ? Extents{2, 3, 2}
                          : vector ? Extents{3}
                                   : Extents{3, 2},
                  sum = batched  ? Extents{2, 2, 2}
                        : vector ? Extents{2}
                                 : Extents{2, 2};
    const Datum a = of(left, 1), b = of(right, 2), c = of(sum, 4);
    const auto fused = kernel.run(std::string(op) + ".default", {c, a, b});
    const auto product = kernel.run(std::string(row.other) + ".default", {a, b});
    if (!fused.first || !product.first) return;
    const auto both = kernel.run("aten.add.Tensor", {kernel.tensor(type, product.second, sum), c});
    CHECK(both.second == fused.second);
    CHECK(both.first == fused.first);
  });
}

TEST_CASE("sums of one whole number are its multiples", "[identities]") {
  each(Form::counted, [](const Identity&, std::string_view op, Dtype type) {
    for (const std::int64_t v : {1, -2, 3, 7}) {
      Kernel kernel;
      const Datum x = kernel.tensor(type, Column(36, stored(type, Number::of(v))));
      const auto sums = kernel.run(std::string(op) + ".default", {x, Datum::of(std::int64_t{0})});
      REQUIRE(sums.first);
      if (*sums.first != type) continue;
      for (std::int64_t k = 0; k < 36; ++k)
        CHECK(sums.second[static_cast<std::size_t>(k)] == stored(type, Number::of((k + 1) * v)));
    }
  });
}

TEST_CASE("a scalar is one number, written as a whole or as a real one", "[identities]") {
  const Identity* row = find_identity(Form::spelled, "");
  REQUIRE(row != nullptr);
  for (const Identity& op : identities()) {
    const std::string call = std::string(op.op) + ".Scalar";
    if (op.form != Form::number || find_kernel(call) == nullptr) continue;
    for (const Dtype type : kTypes) {
      if (!row->exact.contains(type)) continue;
      for (const std::int64_t v : some(wholes_of(type), 9)) {
        Kernel kernel;
        Column values = values_of(type);
        values.resize(std::min<std::size_t>(values.size(), 500));
        const Datum x = kernel.tensor(type, values);
        INFO(call << " " << name(type) << " " << v);
        CHECK(kernel.run(call, {x, Datum::of(v)}).second ==
              kernel.run(call, {x, Datum::of_real(static_cast<double>(v))}).second);
      }
    }
  }
}

TEST_CASE("rows of the table have names of their own, reasons and types", "[identities]") {
  std::set<std::string_view> names;
  for (const Identity& row : identities()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(!row.reason.empty());
    CHECK(row.assumed.empty() == row.assumes.empty());
    CHECK(!(row.exact.empty() && row.assumed.empty()));
    for (const Dtype type : {Dtype::c64, Dtype::c128, Dtype::other, Dtype::f8e5m2, Dtype::f8e4m3fn})
      CHECK(!row.exact.contains(type));
    CHECK((row.fold != nullptr) == (row.form == Form::folds));
  }
}

}  // namespace identities_test
