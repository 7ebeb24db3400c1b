// Implements SymExpr::text. Parentheses are printed only where parse_sym would otherwise build another tree.
#include <algorithm>
#include <utility>

#include "src/base/sym.h"

namespace noclobber {
namespace {

// A printed operand. Levels: 1 sum, 2 product, // and % (and negative numbers), 3 power, 4 atom.
struct Printed {
  std::string text;
  int level = 4;
  SymExpr::Op op = SymExpr::Op::opaque;
  bool starred = false;     // a product of factors joined by `*` only: a constant may be put in front
  std::int64_t number = 0;  // of a constant; of a product, its constant factor
  std::string positive;     // of a product with a negative constant factor: the product without the sign
};

std::string in_parentheses(const Printed& item, int lowest) {
  return item.level < lowest ? "(" + item.text + ")" : item.text;
}

Printed print_constant(std::int64_t number) {
  return {std::to_string(number), number < 0 ? 2 : 4, SymExpr::Op::constant, false, number, {}};
}

Printed print_sum(Printed a, Printed b) {
  using Op = SymExpr::Op;
  if (b.op == Op::constant && b.number < 0 && b.number != INT64_MIN) b.positive = std::to_string(-b.number);
  if (!b.positive.empty()) return {std::move(a.text) + " - " + b.positive, 1, Op::add, false, 0, {}};
  return {std::move(a.text) + " + " + in_parentheses(b, 2), 1, Op::add, false, 0, {}};
}

// Prints `rest` times a number, the number first if that reads back the same.
std::string scaled(const Printed& rest, std::int64_t number) {
  const std::string digits = std::to_string(number);
  if (number == 1) return in_parentheses(rest, 2);
  if (number == 0) return in_parentheses(rest, 2) + "*0";  // 0*x*f(y) would fold 0*x first
  if (rest.starred || rest.level != 2) return digits + "*" + in_parentheses(rest, 2);
  return rest.text + "*" + (number < 0 ? "(" + digits + ")" : digits);
}

Printed print_product(const Printed& a, const Printed& b) {
  using Op = SymExpr::Op;
  const bool star_only = a.starred || a.level != 2;
  if (b.op != Op::constant)
    return {in_parentheses(a, 2) + "*" + in_parentheses(b, 3), 2, Op::mul, star_only, 0, {}};
  std::string positive = b.number < 0 && b.number != INT64_MIN ? scaled(a, -b.number) : "";
  std::string text = b.number == -1 ? "-" + in_parentheses(a, star_only ? 2 : 3) : scaled(a, b.number);
  return {std::move(text), 2, Op::mul, star_only, b.number, std::move(positive)};
}

Printed print_extremum(SymExpr::Op op, Printed a, const Printed& b) {
  const std::string name = op == SymExpr::Op::min ? "min(" : "max(";
  std::string text = a.op == op ? std::move(a.text) : name + a.text + ")";
  text.pop_back();
  return {std::move(text) + ", " + b.text + ")", 4, op, false, 0, {}};
}

Printed print_binary(SymExpr::Op op, Printed a, const Printed& b) {
  using Op = SymExpr::Op;
  switch (op) {
    case Op::add:
      return print_sum(std::move(a), b);
    case Op::mul:
      return print_product(a, b);
    case Op::floor_div:
      return {in_parentheses(a, 2) + "//" + in_parentheses(b, 3), 2, op, false, 0, {}};
    case Op::mod:
      return {in_parentheses(a, 2) + " % " + in_parentheses(b, 3), 2, op, false, 0, {}};
    case Op::pow:
      return {in_parentheses(a, 4) + "**" + in_parentheses(b, 4), 3, op, false, 0, {}};
    case Op::min:
    case Op::max:
      return print_extremum(op, std::move(a), b);
    case Op::constant:
    case Op::symbol:
    case Op::opaque:
      break;
  }
  NC_CHECK(false, "not a binary operator of symbolic integers");
}

Printed print_call(const SymExpr::Node& node, std::vector<Printed>& stack) {
  const auto count = static_cast<std::size_t>(node.number);
  NC_CHECK(stack.size() >= count, "malformed postfix");
  std::string text = node.text;
  const bool real = count == 0 && !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!real) {
    text += '(';
    for (std::size_t at = stack.size() - count; at < stack.size(); ++at) {
      text += (text.back() == '(' && at == stack.size() - count ? "" : ", ") + stack[at].text;
    }
    text += ')';
  }
  stack.resize(stack.size() - count);
  return {std::move(text), 4, SymExpr::Op::opaque, false, 0, {}};
}

}  // namespace

std::string SymExpr::text() const {
  if (is_constant()) return std::to_string(constant_);
  std::vector<Printed> stack;
  for (const Node& node : *nodes_) {
    if (node.op == Op::constant) {
      stack.push_back(print_constant(node.number));
    } else if (node.op == Op::symbol) {
      stack.push_back({node.text, 4, Op::symbol, false, 0, {}});
    } else if (node.op == Op::opaque) {
      Printed call = print_call(node, stack);
      stack.push_back(std::move(call));
    } else {
      NC_CHECK(stack.size() >= 2, "malformed postfix");
      Printed right = std::move(stack.back());
      stack.pop_back();
      stack.back() = print_binary(node.op, std::move(stack.back()), right);
    }
  }
  return std::move(stack.back().text);
}

}  // namespace noclobber
