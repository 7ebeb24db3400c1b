#include "src/base/sym.h"

#include <algorithm>
#include <utility>

namespace noclobber {

SymExpr SymExpr::symbol(std::string name) {
  SymExpr result;
  result.nodes_.edit().push_back({Op::symbol, 0, std::move(name)});
  return result;
}

SymExpr SymExpr::opaque(std::string name, const std::vector<SymExpr>& arguments) {
  SymExpr result;
  for (const SymExpr& argument : arguments) SymExpr(argument).append_to(result.nodes_.edit());
  result.nodes_.edit().push_back({Op::opaque, static_cast<std::int64_t>(arguments.size()), std::move(name)});
  return result;
}

const std::string& SymExpr::bare_symbol() const {
  static const std::string none;
  return nodes_.size() == 1 && nodes_->front().op == Op::symbol ? nodes_->front().text : none;
}

std::int64_t SymExpr::constant() const {
  NC_CHECK(is_constant(), "constant() of a symbolic expression");
  return constant_;
}

void SymExpr::append_to(std::vector<Node>& nodes) && {
  if (is_constant()) {
    nodes.push_back({Op::constant, constant_, {}});
    return;
  }
  if (nodes.empty()) {
    nodes = std::move(nodes_.edit());
    return;
  }
  std::vector<Node>& own = nodes_.edit();
  nodes.insert(nodes.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
}

SymExpr SymExpr::join(Op op, SymExpr a, SymExpr b) {
  SymExpr result;
  std::move(a).append_to(result.nodes_.edit());
  std::move(b).append_to(result.nodes_.edit());
  result.nodes_.edit().push_back({op, 0, {}});
  return result;
}

// True if the expression has a value whenever its symbols have one. Only then may 0 * x become 0.
bool SymExpr::total() const {
  return std::all_of(nodes_->begin(), nodes_->end(), [](const Node& node) {
    return node.op != Op::floor_div && node.op != Op::mod && node.op != Op::pow && node.op != Op::opaque;
  });
}

// Removes the constant part from a sum (or product) and returns it. The rest has no constant part.
// ensure: `from` is the neutral element if it was a constant.
std::int64_t SymExpr::take_constant(Op op, SymExpr& from) {
  const std::int64_t neutral = op == Op::add ? 0 : 1;
  if (from.is_constant()) return std::exchange(from.constant_, neutral);
  std::vector<Node>& nodes = from.nodes_.edit();
  const std::size_t count = nodes.size();
  if (count < 3 || nodes[count - 1].op != op || nodes[count - 2].op != Op::constant) return neutral;
  const std::int64_t result = nodes[count - 2].number;
  nodes.resize(count - 2);
  return result;
}

SymExpr SymExpr::commutative(Op op, SymExpr a, SymExpr b) {
  const std::int64_t in_a = take_constant(op, a);
  const std::int64_t in_b = take_constant(op, b);
  const std::optional<std::int64_t> folded = number(op, in_a, in_b);
  // A constant beyond 64 bits becomes an uninterpreted function.
  SymExpr constant =
      folded ? SymExpr(*folded) : opaque(op == Op::add ? "OverflowAdd" : "OverflowMul", {in_a, in_b});
  if (a.is_constant() && b.is_constant()) return constant;
  SymExpr rest = a.is_constant()   ? std::move(b)
                 : b.is_constant() ? std::move(a)
                                   : join(op, std::move(a), std::move(b));
  if (folded == (op == Op::add ? 0 : 1)) return rest;
  if (folded == 0 && op == Op::mul && rest.total()) return 0;
  return join(op, std::move(rest), std::move(constant));
}

namespace {

std::optional<std::int64_t> floor_div_number(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::optional<std::int64_t> mod_number(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> pow_number(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  std::int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
}

}  // namespace

// The value of `a op b`; empty if it has none in 64 bits.
std::optional<std::int64_t> SymExpr::number(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case Op::add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Op::mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Op::floor_div:
      return floor_div_number(a, b);
    case Op::mod:
      return mod_number(a, b);
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::pow:
      return pow_number(a, b);
    case Op::constant:
    case Op::symbol:
    case Op::opaque:
      break;
  }
  NC_CHECK(false, "not a binary operator of symbolic integers");
}

SymExpr SymExpr::binary(Op op, SymExpr a, SymExpr b) {
  if (op == Op::add || op == Op::mul) return commutative(op, std::move(a), std::move(b));
  if (a.is_constant() && b.is_constant()) {
    if (const auto folded = number(op, a.constant_, b.constant_)) return *folded;
  }
  const bool by_one = b.is_constant() && b.constant_ == 1;
  const bool by_zero = b.is_constant() && b.constant_ == 0;
  if (op == Op::pow && by_one) return a;
  if (op == Op::pow && by_zero && a.total()) return 1;
  if (op == Op::floor_div && by_one && a.total()) return a;
  if (op == Op::mod && by_one && a.total()) return 0;
  if ((op == Op::min || op == Op::max) && a == b) return a;
  return join(op, std::move(a), std::move(b));
}

std::optional<std::int64_t> SymExpr::evaluate(const std::map<std::string, std::int64_t>& symbols) const {
  if (is_constant()) return constant_;
  std::vector<std::int64_t> stack;
  for (const Node& node : *nodes_) {
    if (node.op == Op::opaque) return std::nullopt;
    if (node.op == Op::constant) {
      stack.push_back(node.number);
    } else if (node.op == Op::symbol) {
      const auto found = symbols.find(node.text);
      if (found == symbols.end()) return std::nullopt;
      stack.push_back(found->second);
    } else {
      NC_CHECK(stack.size() >= 2, "malformed postfix");
      const std::int64_t right = stack.back();
      stack.pop_back();
      const auto value = number(node.op, stack.back(), right);
      if (!value) return std::nullopt;
      stack.back() = *value;
    }
  }
  return stack.back();
}

std::vector<std::string> SymExpr::symbols() const {
  std::vector<std::string> result;
  for (const Node& node : *nodes_) {
    if (node.op == Op::symbol) result.push_back(node.text);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool holds(const SymRelation& relation, const std::map<std::string, std::int64_t>& symbols) {
  const std::optional<std::int64_t> left = relation.left.evaluate(symbols);
  const std::optional<std::int64_t> right = relation.right.evaluate(symbols);
  if (!left || !right) return false;
  switch (relation.kind) {
    case SymRelation::Kind::eq:
      return *left == *right;
    case SymRelation::Kind::ne:
      return *left != *right;
    case SymRelation::Kind::lt:
      return *left < *right;
    case SymRelation::Kind::le:
      return *left <= *right;
  }
  return false;
}

}  // namespace noclobber
