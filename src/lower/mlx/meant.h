// The numeric arguments of a step that an MLX instruction may stand for. Internal to lower/mlx/held.cpp.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "src/lower/mlx/held.h"
#include "src/ops/meaning.h"

namespace noclobber::mlx_meant {

using Doubles = std::vector<double>;
using Said = std::optional<Doubles>;

/// Reads the arguments and the types of a step as lists of numbers.
class Meant {
 public:
  Meant(const Graph& graph, const Step& step) : graph_(graph), step_(step), op_(base_name(step.op)) {}

  std::string_view op() const { return op_; }
  std::string_view overload() const { return std::string_view(step_.op).substr(op_.size()); }
  const Arg* arg(std::size_t k, std::string_view keyword = "") const {
    if (k < step_.args.size() && step_.args[k].kind != Arg::Kind::none) return &step_.args[k];
    for (const auto& [name, value] : step_.kwargs)
      if (name == keyword && value.kind != Arg::Kind::none) return &value;
    return nullptr;
  }
  bool has_keyword(std::string_view keyword) const { return arg(step_.args.size(), keyword) != nullptr; }

  static Said number(const Arg& given) {
    if (given.kind == Arg::Kind::boolean) return Doubles{given.boolean ? 1.0 : 0.0};
    if (given.kind == Arg::Kind::real) return Doubles{given.real};
    if (given.kind == Arg::Kind::sym && given.sym.is_constant())
      return Doubles{static_cast<double>(given.sym.constant())};
    return std::nullopt;
  }
  /// The argument, if it is a number, a flag or a list of them; empty for any other argument, `otherwise` if
  /// it is not given.
  Said numbers(std::size_t k, std::string_view keyword, Said otherwise) const {
    const Arg* given = arg(k, keyword);
    if (given == nullptr) return otherwise;
    if (given->kind != Arg::Kind::list) return number(*given);
    Doubles out;
    for (const Arg& one : given->list) {
      const Said own = number(one);
      if (!own) return std::nullopt;
      out.push_back((*own)[0]);
    }
    return out;
  }

  /// The type of positional argument `k`, or of its first item if it is a list; nullptr if unknown.
  const Type* operand(std::size_t k = 0) const {
    if (k >= step_.args.size()) return nullptr;
    const Arg& given = step_.args[k];
    return type_of(given.kind == Arg::Kind::list && !given.list.empty() ? given.list[0] : given);
  }
  const Type* result(std::size_t k = 0) const {
    const bool there = k < step_.results.size() && step_.results[k].valid();
    return there && graph_.value(step_.results[k]).type ? &*graph_.value(step_.results[k]).type : nullptr;
  }
  std::size_t results() const { return step_.results.size(); }
  /// For aten.index: the axis of its only index, an i64 or i32 tensor; empty for other index lists.
  Said indexed_axis() const {
    const Arg* all = arg(1, "indices");
    Said out;
    for (std::size_t k = 0; all != nullptr && k < all->list.size(); ++k) {
      if (all->list[k].kind == Arg::Kind::none) continue;
      const Type* type = type_of(all->list[k]);
      if (out || type == nullptr || (type->dtype != Dtype::i64 && type->dtype != Dtype::i32)) return {};
      out = Doubles{static_cast<double>(k)};
    }
    return out;
  }

 private:
  const Type* type_of(const Arg& given) const {
    const bool known = given.kind == Arg::Kind::ref && graph_.value(given.ref).type;
    return known ? &*graph_.value(given.ref).type : nullptr;
  }
  const Graph& graph_;
  const Step& step_;
  std::string_view op_;
};

inline Said sizes_of(const Type* type) {
  if (type == nullptr) return std::nullopt;
  Doubles out;
  for (const SymExpr& size : type->shape) {
    if (!size.is_constant()) return std::nullopt;
    out.push_back(static_cast<double>(size.constant()));
  }
  return out;
}

/// Counts negative axes from the front.
inline Said from_front(Said axes, double rank) {
  if (axes)
    for (double& axis : *axes) axis += axis < 0 ? rank : 0;
  return axes;
}
inline Said sorted(Said axes) {
  if (axes) std::ranges::sort(*axes);
  return axes;
}
inline Said field(const MlxFields& fields, std::size_t k) {
  return k < fields.size() ? fields[k] : std::nullopt;
}

/// The concatenation of the parts; empty if one of them is.
inline Said said_together(std::initializer_list<Said> parts) {
  Doubles out;
  for (const Said& part : parts) {
    if (!part) return std::nullopt;
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

struct Compared {
  Said own, meant;
};

}  // namespace noclobber::mlx_meant
