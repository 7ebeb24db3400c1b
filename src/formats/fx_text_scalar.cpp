// Functions of Python and of torch.sym_* between sizes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "src/formats/fx_text_value.h"

namespace noclobber {
namespace {

/// A scalar as an integer expression; a number that is no integer is a function without arguments.
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

using FxSample = std::map<std::string, double>;

std::optional<double> fx_of_two(std::string_view name, double a, double b) {
  if (name == "truediv" || name == "IntTrueDiv" || name == "FloatTrueDiv")
    return b == 0 ? std::nullopt : std::optional(a / b);
  if (name == "add") return a + b;
  if (name == "sub") return a - b;
  if (name == "mul") return a * b;
  if (name == "pow" || name == "PowByNatural" || name == "FloatPow") return std::pow(a, b);
  if (name == "sym_max" || name == "max") return std::max(a, b);
  if (name == "sym_min" || name == "min") return std::min(a, b);
  if (name == "eq" || name == "Eq") return a == b;
  if (name == "ne" || name == "Ne") return a != b;
  if (name == "lt") return a < b;
  if (name == "le") return a <= b;
  if (name == "gt") return a > b;
  if (name == "ge") return a >= b;
  return std::nullopt;
}

std::optional<double> fx_of_one(std::string_view name, double a) {
  if (name == "sym_float" || name == "float" || name == "ToFloat") return a;
  if (name == "sym_int" || name == "int" || name == "trunc" || name == "TruncToInt") return std::trunc(a);
  if (name == "floor" || name == "FloorToInt") return std::floor(a);
  if (name == "ceil" || name == "CeilToInt") return std::ceil(a);
  if (name == "sym_sqrt" || name == "_sym_sqrt" || name == "sqrt" || name == "OpaqueUnaryFn_sqrt")
    return std::sqrt(a);
  if (name == "neg") return -a;
  if (name == "abs" || name == "Abs") return std::fabs(a);
  if (name == "sym_not" || name == "not_" || name == "Not") return a == 0;
  return std::nullopt;
}

/// A constant without arguments, as fx_scalar_term writes it.
std::optional<double> fx_of_none(std::string_view name) {
  if (name == "True" || name == "False") return name == "True";
  double real = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), real);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number ? std::optional(real) : std::nullopt;
}

std::optional<double> fx_of_integers(SymExpr::Op op, double a, double b) {
  using Op = SymExpr::Op;
  if (op == Op::add) return a + b;
  if (op == Op::mul) return a * b;
  if (op == Op::min) return std::min(a, b);
  if (op == Op::max) return std::max(a, b);
  if (op == Op::pow) return std::pow(a, b);
  if (b == 0) return std::nullopt;
  return op == Op::floor_div ? std::floor(a / b) : a - b * std::floor(a / b);
}

std::optional<double> fx_sampled(const FxSample& at, const std::string& name) {
  const auto found = at.find(name);
  return found == at.end() ? std::nullopt : std::optional<double>(found->second);
}

/// The number that an expression is at these values; nothing where a function is not known here.
std::optional<double> fx_number(const SymExpr& value, const FxSample& at) {
  if (value.is_constant()) return static_cast<double>(value.constant());
  std::vector<double> stack;
  for (const SymExpr::Node& node : value.nodes()) {
    std::optional<double> next;
    std::size_t taken = 2;
    if (node.op == SymExpr::Op::constant || node.op == SymExpr::Op::symbol) taken = 0;
    if (node.op == SymExpr::Op::opaque) taken = static_cast<std::size_t>(node.number);
    if (taken > 2 || stack.size() < taken) return std::nullopt;
    const double b = taken > 0 ? stack.back() : 0, a = taken == 2 ? stack[stack.size() - 2] : 0;
    if (node.op == SymExpr::Op::constant)
      next = static_cast<double>(node.number);
    else if (node.op == SymExpr::Op::symbol)
      next = fx_sampled(at, node.text);
    else if (node.op != SymExpr::Op::opaque)
      next = fx_of_integers(node.op, a, b);
    else
      next = taken == 0   ? fx_of_none(node.text)
             : taken == 1 ? fx_of_one(node.text, b)
                          : fx_of_two(node.text, a, b);
    if (!next || std::isnan(*next)) return std::nullopt;
    stack.resize(stack.size() - taken);
    stack.push_back(*next);
  }
  return stack.size() == 1 ? std::optional(stack.back()) : std::nullopt;
}

constexpr std::array<int, 17> kFxSamples = {2,    3,       5, 7, 4,  12, 17, 64, 101,
                                            4099, 1000003, 0, 1, -1, 6,  -4, 10};
constexpr int kFewestAgreed = 8;

/// Values of all symbols: small ones, ones that share no factor, large ones, ones that no size has.
FxSample fx_sample(const std::vector<std::string>& names, std::size_t round) {
  FxSample sample;
  for (std::size_t k = 0; k < names.size(); ++k)
    sample[names[k]] = kFxSamples[(round + 3 * k) % kFxSamples.size()];
  return sample;
}

/// The same number wherever both have one.
bool fx_agree(const SymExpr& said, const SymExpr& computed) {
  std::vector<std::string> names = said.symbols();
  for (std::string& name : computed.symbols())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  int agreed = 0;
  for (std::size_t round = 0; round < kFxSamples.size(); ++round) {
    const FxSample sample = fx_sample(names, round);
    const auto a = fx_number(said, sample), b = fx_number(computed, sample);
    if (!a || !b) continue;  // division by zero, or a function that is not known here
    if (*a != *b && !(std::fabs(*a - *b) <= 1e-12 * std::fabs(*b))) return false;
    ++agreed;
  }
  return agreed >= kFewestAgreed;
}

}  // namespace

/// Guards let an annotation say less than the code (`s0` for `s0 // 2 * 2`), and an edited text lets it say
/// something else: what runs is the code.
Arg fx_settled(const Arg& said, Arg computed) {
  const auto a = fx_scalar_term(said), b = fx_scalar_term(computed);
  if (!a || !b || *a == *b || fx_agree(*a, *b)) return said;
  return computed;
}

std::optional<Arg> fx_scalar_call(std::string_view function, const std::vector<Arg>& args) {
  const std::string_view name = function.substr(function.rfind('.') + 1);
  const bool is_sum = name == "sym_sum" && args.size() == 1 && args.front().kind == Arg::Kind::list;
  const std::vector<Arg>& given = is_sum ? args.front().list : args;
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
  }
  return Arg::of(SymExpr::opaque(std::string(name), *terms));
}

bool fx_is_scalar_function(std::string_view path) {
  constexpr std::array<std::string_view, 7> kPlain = {"int", "float", "bool", "abs", "min", "max", "round"};
  return path.starts_with("torch.sym_") || path.starts_with("math.") ||
         std::find(kPlain.begin(), kPlain.end(), path) != kPlain.end();
}

}  // namespace noclobber
