// Cells of recurrent layers, einsum, broadcast_tensors and embedding_bag, as PyTorch decomposes them. Source:
// torch/_decomp and aten/src/ATen/native/Linear.cpp of PyTorch 2.15.
#include <algorithm>
#include <string>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class ProductRules : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  bool run() {
    if (step_.op == "aten.gru_cell.default") return gru();
    if (step_.op == "aten.lstm_cell.default") return lstm();
    if (step_.op == "aten.rnn_tanh_cell.default") return plain("aten.tanh.default");
    if (step_.op == "aten.rnn_relu_cell.default") return plain("aten.relu.default");
    if (step_.op == "aten.einsum.default") return einsum();
    if (step_.op == "aten.broadcast_tensors.default") return broadcast();
    if (step_.op == "aten.embedding_bag.padding_idx") return bag();
    return false;
  }

 private:
  static PteArgs all_of(const Arg& list) { return list.kind == Arg::Kind::list ? *list.list : PteArgs{}; }
  Arg add(const Arg& a, const Arg& b) { return emit("aten.add.Tensor", {a, b}); }
  Arg mul(const Arg& a, const Arg& b) { return emit("aten.mul.Tensor", {a, b}); }
  Arg sigmoid(const Arg& a) { return emit("aten.sigmoid.default", {a}); }
  Arg tanh(const Arg& a) { return emit("aten.tanh.default", {a}); }

  // Cells.

  /// True for a cell with biases on a matrix of f32 or f64. Sets `width_`.
  bool is_cell(std::int64_t gates) {
    const Type *x = type_of(0), *w = type_of(2), *u = type_of(3);
    if (x == nullptr || w == nullptr || u == nullptr || x->shape.size() != 2 || w->shape.size() != 2 ||
        u->shape.size() != 2 || type_of(4) == nullptr || type_of(5) == nullptr)
      return false;
    const bool wide = x->dtype == Dtype::f32 || x->dtype == Dtype::f64;
    if (!wide || !u->shape[0].is_constant()) return false;
    width_ = u->shape[0].constant() / gates;
    return width_ > 0 && width_ * gates == u->shape[0].constant();
  }
  Arg affine(const Arg& x, std::size_t weight) {
    const Arg turned =
        emit("aten.permute_copy.default", {given(weight), Arg::of(PteArgs{number(1), number(0)})});
    return emit("aten.addmm.default", {given(weight + 2), x, turned});
  }
  PteArgs gates(const Arg& of, std::size_t count) {
    const PteArgs each(count, number(width_));
    PteArgs out{emit("aten.split_with_sizes_copy.default", {of, Arg::of(each), number(1)})};
    const auto at = static_cast<std::uint32_t>(graph_.steps.size() - 1);
    for (std::uint32_t k = 1; k < count; ++k) {
      graph_.values.push_back({free_name(graph_, "respelled"), Value::From::step, at, k, {}});
      out.push_back(Arg::of(ValueId(graph_.values.size() - 1)));
      graph_.steps[at].results.push_back(out.back().ref);
    }
    return out;
  }

  bool plain(const char* activation) {
    if (!is_cell(1)) return false;
    const Arg held = affine(given(1), 3);
    become(activation, {add(held, affine(given(0), 2))});
    return true;
  }
  bool gru() {
    if (!is_cell(3)) return false;
    const PteArgs in = gates(affine(given(0), 2), 3), of = gates(affine(given(1), 3), 3);
    const Arg reset = sigmoid(add(of[0], in[0])), update = sigmoid(add(of[1], in[1]));
    const Arg made = tanh(add(in[2], mul(of[2], reset)));
    const Arg moved = emit("aten.sub.Tensor", {given(1), made});
    become("aten.add.Tensor", {mul(moved, update), made});
    return true;
  }
  bool lstm() {
    const PteArgs held = all_of(given(1));
    if (!is_cell(4) || held.size() != 2 || step_.results.size() != 2) return false;
    const Arg before = affine(held[0], 3);
    const PteArgs of = gates(add(before, affine(given(0), 2)), 4);
    const Arg in = sigmoid(of[0]), forget = sigmoid(of[1]), made = tanh(of[2]), out = sigmoid(of[3]);
    const Arg kept = mul(forget, held[1]);
    Arg state = add(kept, mul(in, made));
    if (const ValueId own = step_.results[1]; own.valid()) {
      take_over(own);
      state = Arg::of(own);
    }
    become("aten.mul.Tensor", {out, tanh(state)});
    return true;
  }

  /// Makes `own` the result of the last step.
  void take_over(ValueId own) {
    graph_.steps.back().results = {own};
    graph_.values[own.index].at = static_cast<std::uint32_t>(graph_.steps.size() - 1);
    graph_.values[own.index].result = 0;
  }

  /// One expand per tensor. The first tensor's is the step itself, and so comes last.
  bool broadcast() {
    const PteArgs all = all_of(given(0));
    if (all.size() != step_.results.size()) return false;
    for (const ValueId id : step_.results)
      if (!id.valid() || !graph_.value(id).type) return false;
    for (std::size_t k = 1; k < all.size(); ++k) {
      const ValueId own = step_.results[k];
      emit("aten.expand.default", {all[k], sizes(graph_.value(own).type->shape)});
      take_over(own);
    }
    become("aten.expand.default", {all[0], sizes(graph_.value(step_.results[0]).type->shape)});
    return true;
  }

  /// embedding_bag without a padding index.
  bool bag() {
    if (given(8).kind != Arg::Kind::none || step_.results.size() != 4) return false;
    const PteArgs all{given(0), given(1), given(2), given(3), given(4), given(5), given(6), given(7)};
    step_.op = "aten._embedding_bag.default";
    step_.args = all;
    step_.kwargs.clear();
    return true;
  }

  // Sums of products.

  /// One or two operands, with distinct letters in each and an explicit result. Of two, a summed letter must
  /// be in both.
  bool einsum() {
    const Arg text = given(0);
    const PteArgs operands = all_of(given(1));
    if (text.kind != Arg::Kind::text || operands.empty() || operands.size() > 2) return false;
    std::string all;
    for (const char c : std::string(text.text))
      if (c != ' ') all += c;
    const auto arrow = all.find("->");
    if (arrow == std::string::npos) return false;
    const std::string result = all.substr(arrow + 2), given_text = all.substr(0, arrow);
    const auto comma = given_text.find(',');
    if ((comma == std::string::npos) != (operands.size() == 1)) return false;
    const std::string first = given_text.substr(0, comma);
    const std::string second = operands.size() == 2 ? given_text.substr(comma + 1) : std::string();
    if (!is_plain(first, operands[0]) || !is_distinct(result)) return false;
    if (operands.size() == 1) return of_one(first, result, operands[0]);
    return is_plain(second, operands[1]) && of_two(first, second, result, operands[0], operands[1]);
  }

  static bool is_distinct(const std::string& letters) {
    for (std::size_t k = 0; k < letters.size(); ++k) {
      const bool letter =
          (letters[k] >= 'a' && letters[k] <= 'z') || (letters[k] >= 'A' && letters[k] <= 'Z');
      if (!letter || letters.find(letters[k], k + 1) != std::string::npos) return false;
    }
    return true;
  }
  bool is_plain(const std::string& letters, const Arg& operand) const {
    const Type* own = type_of(operand);
    return own != nullptr && own->shape.size() == letters.size() && is_distinct(letters) &&
           std::ranges::all_of(own->shape, [](const SymExpr& size) { return size.is_constant(); });
  }
  static std::string without(const std::string& letters, const std::string& those) {
    std::string out;
    for (const char c : letters)
      if (those.find(c) == std::string::npos) out += c;
    return out;
  }
  static bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }
  static std::int64_t place(const std::string& letters, char c) {
    return static_cast<std::int64_t>(letters.find(c));
  }
  /// The operand with its dimensions permuted to this order of letters.
  Arg turned(const Arg& operand, const std::string& letters, const std::string& order) {
    PteArgs dims;
    for (const char c : order) dims.push_back(number(place(letters, c)));
    return emit("aten.permute_copy.default", {operand, Arg::of(std::move(dims))});
  }

  bool of_one(const std::string& letters, const std::string& result, const Arg& operand) {
    if (!without(result, letters).empty()) return false;
    const std::string summed = without(letters, result);
    const Arg made = turned(operand, letters, result + summed);
    if (summed.empty()) {
      become("aten.clone.default", {made});
      return true;
    }
    PteArgs dims;
    for (std::size_t k = 0; k < summed.size(); ++k)
      dims.push_back(number(static_cast<std::int64_t>(result.size() + k)));
    become("aten.sum.dim_IntList", {made, Arg::of(std::move(dims))});
    return true;
  }

  bool of_two(const std::string& a, const std::string& b, const std::string& result, const Arg& x,
              const Arg& y) {
    if (!without(result, a + b).empty()) return false;
    const auto size_in = [&](const std::string& letters, const Arg& operand, char c) {
      return has(letters, c) ? type_of(operand)->shape[static_cast<std::size_t>(place(letters, c))].constant()
                             : 1;
    };
    std::string batch, left, right, summed;
    SymExpr batches = 1, rows = 1, columns = 1, inner = 1;
    PteSizes shape;
    for (const char c : result + without(a, result) + without(without(b, result), a)) {
      const std::int64_t m = size_in(a, x, c), n = size_in(b, y, c);
      if (m != n && m != 1 && n != 1) return false;
      if (!has(result, c)) {
        if (m == 1 || n == 1 || m != n) return false;
        summed += c, inner = inner * m;
      } else if (m != 1 && n != 1) {
        batch += c, batches = batches * m;
      } else if (m != 1) {
        left += c, rows = rows * m;
      } else {
        right += c, columns = columns * n;
      }
    }
    if (summed.empty()) return multiplied(a, b, result, x, y);
    if (!has_all(a, batch + left + summed) || !has_all(b, batch + summed + right)) return false;
    if (a.size() != (batch + left + summed).size() || b.size() != (batch + summed + right).size())
      return false;
    const Arg one =
        emit("aten.view_copy.default", {turned(x, a, batch + left + summed), sizes({batches, rows, inner})});
    const Arg other = emit("aten.view_copy.default",
                           {turned(y, b, batch + summed + right), sizes({batches, inner, columns})});
    const Arg product = emit("aten.bmm.default", {one, other});
    for (const char c : batch + left) shape.emplace_back(size_in(a, x, c));
    for (const char c : right) shape.emplace_back(size_in(b, y, c));
    const Arg apart = emit("aten.view_copy.default", {product, sizes(shape)});
    PteArgs dims;
    for (const char c : result) dims.push_back(number(place(batch + left + right, c)));
    become("aten.permute_copy.default", {apart, Arg::of(std::move(dims))});
    return true;
  }
  bool multiplied(const std::string& a, const std::string& b, const std::string& result, const Arg& x,
                  const Arg& y) {
    const auto spread = [&](const std::string& letters, const Arg& operand) {
      const Type own = *type_of(operand);
      PteSizes shape;
      for (const char c : result)
        shape.push_back(has(letters, c) ? own.shape[static_cast<std::size_t>(place(letters, c))] : 1);
      const Arg made = turned(operand, letters, without(result, without(result, letters)));
      return emit("aten.view_copy.default", {made, sizes(shape)});
    };
    const Arg one = spread(a, x), other = spread(b, y);
    become("aten.mul.Tensor", {one, other});
    return true;
  }
  static bool has_all(const std::string& letters, const std::string& those) {
    return std::ranges::all_of(those, [&](char c) { return has(letters, c); });
  }

  std::int64_t width_ = 0;
};

}  // namespace

bool respell_product(Graph& graph, Step& next) {
  const Schema* schema = find_schema(next.op);
  return schema != nullptr && !next.results.empty() && next.results[0].valid() &&
         ProductRules(graph, next, *schema).run();
}

}  // namespace noclobber
