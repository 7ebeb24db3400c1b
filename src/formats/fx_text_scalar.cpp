// Functions of Python and of torch.sym_* between sizes.
#include <algorithm>
#include <array>
#include <charconv>
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

}  // namespace

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
