// Functions of Python and of torch.sym_* on sizes.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "src/formats/fx_text/fx_text_value.h"
#include "src/ops/sizes.h"

namespace noclobber {
namespace {

/// A scalar as an integer expression; a real or boolean is an opaque function without arguments.
std::optional<SymExpr> fx_scalar_term(const Arg& arg) {
  if (arg.kind == Arg::Kind::sym) return arg.sym;
  if (arg.kind == Arg::Kind::boolean) return SymExpr::opaque(arg.boolean ? "True" : "False", {});
  if (arg.kind != Arg::Kind::real) return std::nullopt;
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), arg.real).ptr;
  return SymExpr::opaque(std::string(text.data(), end), {});
}

std::optional<std::vector<SymExpr>> fx_scalar_terms(const std::vector<Arg>& args) {
  std::vector<SymExpr> terms;
  std::size_t nodes = 0;
  for (const Arg& arg : args) {
    auto term = fx_scalar_term(arg);
    if (!term) return std::nullopt;
    nodes += term->nodes().size() + 1;
    if (nodes > kFxLargestFold) return std::nullopt;
    terms.push_back(*std::move(term));
  }
  return terms;
}

Arg fx_folded(SymExpr::Op op, const std::vector<SymExpr>& terms) {
  SymExpr result = terms.front();
  for (std::size_t k = 1; k < terms.size(); ++k) result = SymExpr::binary(op, result, terms[k]);
  return Arg::of(std::move(result));
}

struct FxSpelling {
  std::string_view other, name;
};
/// Other spellings of a function, by Python or sympy, and the name that is used for it.
constexpr std::array kFxSpellings = {
    FxSpelling{"IntTrueDiv", "truediv"},
    FxSpelling{"FloatTrueDiv", "truediv"},
    FxSpelling{"ToFloat", "sym_float"},
    FxSpelling{"float", "sym_float"},
    FxSpelling{"TruncToInt", "sym_int"},
    FxSpelling{"int", "sym_int"},
    FxSpelling{"trunc", "sym_int"},
    FxSpelling{"FloorToInt", "floor"},
    FxSpelling{"CeilToInt", "ceil"},
    FxSpelling{"_sym_sqrt", "sym_sqrt"},
    FxSpelling{"sqrt", "sym_sqrt"},
    FxSpelling{"OpaqueUnaryFn_sqrt", "sym_sqrt"},
    FxSpelling{"PowByNatural", "pow"},
    FxSpelling{"FloatPow", "pow"},
    FxSpelling{"Abs", "abs"},
    FxSpelling{"sym_not", "Not"},
    FxSpelling{"not_", "Not"},
    FxSpelling{"Eq", "eq"},
    FxSpelling{"Ne", "ne"},
};

std::string fx_spelt(const std::string& function) {
  for (const FxSpelling& row : kFxSpellings)
    if (row.other == function) return std::string(row.name);
  return function;
}

bool fx_is_integer(const SymExpr& value) {
  return value.is_constant() || std::none_of(value.nodes().begin(), value.nodes().end(),
                                             [](const auto& node) { return node.op == SymExpr::Op::opaque; });
}

/// A number, or a predicate: the square `of` is zero, the square `of` is not zero (`other`), `of` is natural.
struct FxTerm {
  enum class Kind : std::uint8_t { number, zero, other, natural };
  Kind kind = Kind::number;
  SymExpr of;
};

FxTerm fx_denied(FxTerm term) {
  using Kind = FxTerm::Kind;
  if (term.kind == Kind::natural) return {Kind::natural, SymExpr(-1) * term.of - 1};
  term.kind = term.kind == Kind::zero ? Kind::other : Kind::zero;
  return term;
}

SymExpr fx_written(const FxTerm& term) {
  using Kind = FxTerm::Kind;
  if (term.kind == Kind::number) return term.of;
  if (term.of.is_constant()) {
    const bool is_zero = term.of.constant() == 0, is_natural = term.of.constant() >= 0;
    const bool holds = term.kind == Kind::natural ? is_natural : is_zero == (term.kind == Kind::zero);
    return SymExpr::opaque(holds ? "True" : "False", {});
  }
  const char* const name = term.kind == Kind::zero ? "zero" : term.kind == Kind::other ? "other" : "natural";
  return SymExpr::opaque(name, {term.of});
}

/// A function under one name and in one form: comparisons of integers are written by their difference.
FxTerm fx_function(const std::string& function, const std::vector<FxTerm>& given) {
  using Kind = FxTerm::Kind;
  const std::string name = fx_spelt(function);
  std::vector<SymExpr> arguments;
  bool integers = given.size() == 1 || given.size() == 2;
  for (const FxTerm& term : given) {
    arguments.push_back(fx_written(term));
    integers = integers && term.kind == Kind::number && fx_is_integer(term.of);
  }
  if (name == "Not" && given.size() == 1 && given[0].kind != Kind::number) return fx_denied(given[0]);
  const SymExpr gap = !integers ? SymExpr(0) : given.size() == 2 ? arguments[1] - arguments[0] : arguments[0];
  if (integers && (name == "Not" || name == "eq")) return {Kind::zero, gap * gap};
  if (integers && name == "ne") return {Kind::other, gap * gap};
  if (integers && name == "le") return {Kind::natural, gap};
  if (integers && name == "lt") return {Kind::natural, gap - 1};
  return {Kind::number, SymExpr::opaque(name, arguments)};
}

/// The expression in a canonical form, as far as that is simple.
SymExpr fx_respelt(const SymExpr& value) {
  if (value.is_constant()) return value;
  std::vector<FxTerm> stack;
  const auto pop = [&stack] {
    FxTerm top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (const SymExpr::Node& node : value.nodes()) {
    if (node.op == SymExpr::Op::constant) {
      stack.push_back({FxTerm::Kind::number, node.number});
    } else if (node.op == SymExpr::Op::symbol) {
      stack.push_back({FxTerm::Kind::number, SymExpr::symbol(node.text)});
    } else if (node.op == SymExpr::Op::opaque) {
      std::vector<FxTerm> arguments(static_cast<std::size_t>(node.number));
      for (std::size_t k = arguments.size(); k > 0; --k) arguments[k - 1] = pop();
      stack.push_back(fx_function(node.text, arguments));
    } else {
      const SymExpr right = fx_written(pop());
      const SymExpr left = fx_written(pop());
      stack.push_back({FxTerm::Kind::number, SymExpr::binary(node.op, left, right)});
    }
  }
  return fx_written(pop());
}

/// True only if both are equal for all values of the symbols. False for more than kFxLargestFold nodes.
bool fx_equal(const SymExpr& said, const SymExpr& computed) {
  if (said.nodes().size() + computed.nodes().size() > kFxLargestFold) return false;
  Space space;
  Sizes sizes(space);
  std::map<std::string, SymbolRange> symbols;
  for (const SymExpr* side : {&said, &computed})
    for (const std::string& name : side->symbols()) symbols[name].min = kFxUnbounded;
  sizes.declare(symbols, {});
  const PolyId a = sizes.of(fx_respelt(said)), b = sizes.of(fx_respelt(computed));
  return a == b && a != Space::kBad;
}

}  // namespace

/// Because of guards, an annotation may be simpler than the code (`s0` for `s0 // 2 * 2`); in an edited text
/// it may differ. The code is what runs, so the annotation is preferred only if both are the same polynomial,
/// or if one of them is no scalar.
Arg fx_settled(const Arg& said, Arg computed) {
  const auto a = fx_scalar_term(said), b = fx_scalar_term(computed);
  if (!a || !b || *a == *b || fx_equal(*a, *b)) return said;
  return computed;
}

namespace {

/// Python's operators on two integers, by their names in the module `operator`.
std::optional<SymExpr> fx_integer_call(std::string_view name, const SymExpr& a, const SymExpr& b) {
  using Kind = SymRelation::Kind;
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "floordiv") return SymExpr::binary(SymExpr::Op::floor_div, a, b);
  if (name == "mod") return SymExpr::binary(SymExpr::Op::mod, a, b);
  if (name == "pow") return SymExpr::binary(SymExpr::Op::pow, a, b);
  if (name == "eq") return fx_relation(Kind::eq, a, b);
  if (name == "ne") return fx_relation(Kind::ne, a, b);
  if (name == "lt") return fx_relation(Kind::lt, a, b);
  if (name == "le") return fx_relation(Kind::le, a, b);
  if (name == "gt") return fx_relation(Kind::lt, b, a);
  if (name == "ge") return fx_relation(Kind::le, b, a);
  return std::nullopt;
}

}  // namespace

std::optional<Arg> fx_scalar_call(std::string_view function, const std::vector<Arg>& args) {
  const std::string_view name = function.substr(function.rfind('.') + 1);
  const bool is_sum = name == "sym_sum" && args.size() == 1 && args.front().kind == Arg::Kind::list;
  const std::vector<Arg>& given = is_sum ? *args.front().list : args;
  const auto terms = fx_scalar_terms(given);
  if (!terms) return std::nullopt;
  const bool are_integers = !terms->empty() && std::all_of(given.begin(), given.end(), [](const Arg& arg) {
    return arg.kind == Arg::Kind::sym;
  });
  if (are_integers) {
    if (name == "sym_max" || name == "max") return fx_folded(SymExpr::Op::max, *terms);
    if (name == "sym_min" || name == "min") return fx_folded(SymExpr::Op::min, *terms);
    if (is_sum) return fx_folded(SymExpr::Op::add, *terms);
    if ((name == "sym_int" || name == "int") && terms->size() == 1) return Arg::of(terms->front());
    if (name == "neg" && terms->size() == 1) return Arg::of(SymExpr(-1) * terms->front());
    if (terms->size() == 2)
      if (auto result = fx_integer_call(name, terms->front(), terms->back()))
        return Arg::of(*std::move(result));
  }
  return Arg::of(SymExpr::opaque(std::string(name), *terms));
}

bool fx_is_scalar_function(std::string_view path) {
  constexpr std::array<std::string_view, 7> kPlain = {"int", "float", "bool", "abs", "min", "max", "round"};
  return path.starts_with("torch.sym_") || path.starts_with("math.") ||
         std::find(kPlain.begin(), kPlain.end(), path) != kPlain.end();
}

}  // namespace noclobber
