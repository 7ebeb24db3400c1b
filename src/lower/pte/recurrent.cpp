// Recurrent layers over sequences, unrolled as PyTorch decomposes them. Source: torch/_decomp of PyTorch
// 2.15.
#include <algorithm>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMostTrips = 512;  // in all layers and directions

struct RecurrentKind {
  std::string_view op;
  std::int64_t gates;
  const char* activation;  // of plain cells
};
constexpr RecurrentKind kRecurrent[] = {{"aten.gru.input", 3, ""},
                                        {"aten.lstm.input", 4, ""},
                                        {"aten.rnn_tanh.input", 1, "aten.tanh.default"},
                                        {"aten.rnn_relu.input", 1, "aten.relu.default"}};

class Unrolling : public PteSpelling {
 public:
  Unrolling(Graph& graph, Step& step, const Schema& schema, const RecurrentKind& kind)
      : PteSpelling(graph, step, schema), kind_(kind), lasting_(kind.gates == 4 ? 2 : 1) {}

  bool run() {
    if (!is_plain()) return false;
    PteArgs hidden[2];
    for (std::size_t k = 0; k < lasting_; ++k)
      hidden[k] = rows(lasting_ == 2 ? given(1).list[k] : given(1), layers_ * ways_, batch_, width_);
    Arg x = given(0);
    bool dense = lies_in_trips(*type(x));
    if (batch_first_) x = make("aten.permute_copy.default", {x, ints({1, 0, 2})}, {trips_, batch_, taken_});
    PteArgs last[2];
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      PteArgs both;
      for (std::int64_t way = 0; way < ways_; ++way) {
        const auto at = static_cast<std::size_t>(layer * ways_ + way);
        params_ = 4 * at;
        for (std::size_t k = 0; k < lasting_; ++k)
          held_[k] = make("aten.unsqueeze_copy.default", {hidden[k][at], number(0)}, {1, batch_, width_});
        both.push_back(one_way(x, dense, way == 1));
        for (std::size_t k = 0; k < lasting_; ++k)
          last[k].push_back(make("aten.squeeze_copy.dims", {held_[k], ints({0})}, {batch_, width_}));
      }
      taken_ = width_ * ways_;
      const PteSizes wide{trips_, batch_, taken_};
      x = ways_ == 1 ? both[0] : make("aten.cat.default", {Arg::of(std::move(both)), number(2)}, wide);
      dense = true;
    }
    for (std::size_t k = 0; k < lasting_; ++k) returned(1 + k, std::move(last[k]));
    finish(x);
    return true;
  }

 private:
  static Arg ints(std::initializer_list<std::int64_t> all) {
    PteSizes out;
    for (const std::int64_t one : all) out.emplace_back(one);
    return sizes(out);
  }
  const Type* type(const Arg& arg) const {
    const bool known = arg.kind == Arg::Kind::ref && arg.ref.valid() && graph_.value(arg.ref).type;
    return known ? &*graph_.value(arg.ref).type : nullptr;
  }
  /// True for a layer with biases, without projections, not in training, with all sizes known. Sets these
  /// sizes.
  bool is_plain() {
    const Type* x = type(given(0));
    const auto layers = whole(given(4));
    if (x == nullptr || x->shape.size() != 3 || !layers || *layers < 1 ||
        step_.results.size() > 1 + lasting_ || given(3) != Arg::of_bool(true) ||
        given(6) != Arg::of_bool(false) || given(2).kind != Arg::Kind::list)
      return false;
    for (const SymExpr& size : x->shape)
      if (!size.is_constant() || size.constant() < 1) return false;
    dtype_ = x->dtype;
    batch_first_ = given(8) == Arg::of_bool(true);
    layers_ = *layers, ways_ = given(7) == Arg::of_bool(true) ? 2 : 1;
    trips_ = x->shape[batch_first_ ? 1 : 0].constant(), batch_ = x->shape[batch_first_ ? 0 : 1].constant();
    taken_ = x->shape[2].constant();
    if (layers_ > kMostTrips || trips_ > kMostTrips / (layers_ * ways_)) return false;
    const Arg first = lasting_ == 2 && given(1).list.size() == 2 ? given(1).list[0] : given(1);
    const Type* held = type(first);
    if (held == nullptr || held->shape.size() != 3 || !held->shape[2].is_constant()) return false;
    width_ = held->shape[2].constant();
    return (dtype_ == Dtype::f32 || dtype_ == Dtype::f64) && width_ > 0 && are_fitting();
  }

  static bool is_dense(const Type& type) {
    if (type.strides == Type::Strides::contiguous) return true;
    SymExpr step = 1;
    for (std::size_t k = type.shape.size(); k-- > 0; step = step * type.shape[k])
      if (k >= type.stride.size() || (type.stride[k] != step && type.shape[k] != SymExpr(1))) return false;
    return true;
  }
  /// True if the input is dense, with the trips outside of the batch.
  bool lies_in_trips(const Type& type) const {
    if (!batch_first_) return is_dense(type);
    Type turned = type;
    std::swap(turned.shape[0], turned.shape[1]);
    if (type.strides == Type::Strides::contiguous)
      turned.stride = {type.shape[1] * type.shape[2], type.shape[2], 1};
    turned.strides = Type::Strides::given;
    std::swap(turned.stride[0], turned.stride[1]);
    return is_dense(turned);
  }
  bool fits(const Arg& arg, const PteSizes& shape) const {
    const Type* own = type(arg);
    return own != nullptr && own->dtype == dtype_ && own->shape == shape && is_dense(*own);
  }

  bool are_fitting() {
    const PteArgs& params = given(2).list;
    if (params.size() != static_cast<std::size_t>(4 * layers_ * ways_)) return false;
    const PteSizes state{layers_ * ways_, batch_, width_};
    const PteArgs held = lasting_ == 2 ? *given(1).list : PteArgs{given(1)};
    if (!std::ranges::all_of(held, [&](const Arg& one) { return fits(one, state); })) return false;
    const SymExpr rows = kind_.gates * width_;
    for (std::size_t k = 0; k < params.size(); k += 4) {
      const bool first = k < static_cast<std::size_t>(4 * ways_);
      const SymExpr columns = first ? taken_ : width_ * ways_;
      if (!fits(params[k], {rows, columns}) || !fits(params[k + 1], {rows, width_}) ||
          !fits(params[k + 2], {rows}) || !fits(params[k + 3], {rows}))
        return false;
    }
    return true;
  }

  Arg make(const char* op, PteArgs args, PteSizes shape) {
    const Arg out = emit(op, std::move(args));
    typed(out, std::move(shape));
    return out;
  }
  void typed(const Arg& value, PteSizes shape) {
    Type made;
    made.dtype = dtype_;
    made.shape = std::move(shape);
    graph_.values[value.ref.index].type = std::move(made);
  }

  /// The slices along the first dimension, with that dimension removed.
  PteArgs rows(const Arg& of, std::int64_t count, std::int64_t second, std::int64_t third) {
    PteArgs out;
    for (std::int64_t k = 0; k < count; ++k) {
      Arg row = of;
      if (count > 1)
        row = make("aten.slice_copy.Tensor", {of, number(0), number(k), number(k + 1)}, {1, second, third});
      out.push_back(make("aten.squeeze_copy.dims", {row, ints({0})}, {second, third}));
    }
    return out;
  }

  PteArgs gates(const Arg& of, std::int64_t dim) {
    const PteSizes shape = dim == 1 ? PteSizes{batch_, width_} : PteSizes{1, batch_, width_};
    const PteArgs each(static_cast<std::size_t>(kind_.gates), number(width_));
    PteArgs out{emit("aten.split_with_sizes_copy.default", {of, Arg::of(each), number(dim)})};
    const std::size_t step = graph_.steps.size() - 1;
    typed(out[0], shape);
    for (std::uint32_t k = 1; k < each.size(); ++k) {
      const std::string name = free_name(graph_, "respelled");
      graph_.values.push_back({name, Value::From::step, static_cast<std::uint32_t>(step), k, {}});
      out.push_back(Arg::of(ValueId(graph_.values.size() - 1)));
      typed(out.back(), shape);
      graph_.steps[step].results.push_back(out.back().ref);
    }
    return out;
  }

  /// x w^T + b: a product over rows if x is dense, else a batched product.
  Arg affine(const Arg& x, bool dense, std::int64_t trips, std::int64_t columns, std::size_t weight) {
    const PteArgs& all = given(2).list;
    const Arg w = all[params_ + weight], b = all[params_ + weight + 2];
    const std::int64_t wide = kind_.gates * width_;
    const Arg turned = make("aten.permute_copy.default", {w, ints({1, 0})}, {columns, wide});
    if (dense) {
      const Arg flat =
          make("aten.view_copy.default", {x, ints({trips * batch_, columns})}, {trips * batch_, columns});
      const Arg sum = make("aten.addmm.default", {b, flat, turned}, {trips * batch_, wide});
      return make("aten.view_copy.default", {sum, ints({trips, batch_, wide})}, {trips, batch_, wide});
    }
    const auto spread = [&](const Arg& of, std::int64_t second, std::int64_t third) {
      const Arg each = ints({trips, second, third});
      const PteSizes shape{trips, second, third};
      return make("aten.view_copy.default", {make("aten.expand_copy.default", {of, each}, shape), each},
                  shape);
    };
    const PteSizes shape{trips, batch_, wide};
    const Arg left = spread(x, batch_, columns), right = spread(turned, columns, wide);
    const Arg made = make("aten.bmm.default", {left, right}, shape);
    const Arg whole = make("aten.view_copy.default", {made, ints({trips, batch_, wide})}, shape);
    return make("aten.add.Tensor", {whole, b}, shape);
  }

  Arg one_way(const Arg& x, bool dense, bool backwards) {
    const std::int64_t wide = kind_.gates * width_;
    Arg before = affine(x, dense, trips_, taken_, 0);
    if (backwards) before = make("aten.flip.default", {before, ints({0})}, {trips_, batch_, wide});
    PteArgs out;
    for (const Arg& row : rows(before, trips_, batch_, wide)) {
      trip(row);
      out.push_back(held_[0]);
    }
    if (backwards) std::ranges::reverse(out);
    return make("aten.cat.default", {Arg::of(std::move(out))}, {trips_, batch_, width_});
  }

  Arg cell(const char* op, PteArgs args) { return make(op, std::move(args), {1, batch_, width_}); }
  Arg add(const Arg& a, const Arg& b) { return cell("aten.add.Tensor", {a, b}); }
  Arg mul(const Arg& a, const Arg& b) { return cell("aten.mul.Tensor", {a, b}); }
  Arg sigmoid(const Arg& a) { return cell("aten.sigmoid.default", {a}); }
  Arg tanh(const Arg& a) { return cell("aten.tanh.default", {a}); }

  void trip(const Arg& row) {
    if (kind_.gates == 3) return gated(row);
    const std::int64_t wide = kind_.gates * width_;
    const Arg sum = make("aten.add.Tensor", {affine(held_[0], true, 1, width_, 1), row}, {1, batch_, wide});
    if (kind_.gates == 1) {
      held_[0] = cell(kind_.activation, {sum});
      return;
    }
    const PteArgs of = gates(sum, 2);
    const Arg in = sigmoid(of[0]), forget = sigmoid(of[1]), made = tanh(of[2]), out = sigmoid(of[3]);
    const Arg kept = mul(forget, held_[1]);
    held_[1] = add(kept, mul(in, made));
    held_[0] = mul(out, tanh(held_[1]));
  }

  void gated(const Arg& row) {
    const PteArgs in = gates(row, 1), of = gates(affine(held_[0], true, 1, width_, 1), 2);
    const Arg reset = sigmoid(add(of[0], in[0])), update = sigmoid(add(of[1], in[1]));
    const Arg made = tanh(add(in[2], mul(of[2], reset)));
    const Arg moved = cell("aten.sub.Tensor", {held_[0], made});
    held_[0] = add(mul(moved, update), made);
  }

  /// Stacks the final states of all layers and directions as one result.
  void returned(std::size_t result, PteArgs all) {
    if (result >= step_.results.size() || !step_.results[result].valid()) return;
    const auto count = static_cast<std::int64_t>(all.size());
    const Arg rows = make("aten.cat.default", {Arg::of(std::move(all))}, {count * batch_, width_});
    emit("aten.view_copy.default", {rows, ints({count, batch_, width_})});
    take_over(step_.results[result]);
  }

  /// Makes `value` the result of the last step.
  void take_over(ValueId value) {
    graph_.steps.back().results = {value};
    graph_.values[value.index].at = static_cast<std::uint32_t>(graph_.steps.size() - 1);
    graph_.values[value.index].result = 0;
  }

  void finish(const Arg& x) {
    const ValueId own = step_.results[0];
    step_.kwargs.clear();
    step_.results = {own};
    step_.op = batch_first_ ? "aten.permute_copy.default" : "aten.clone.default";
    step_.args = {x};
    if (batch_first_) step_.args.push_back(ints({1, 0, 2}));
  }

  const RecurrentKind& kind_;
  std::size_t lasting_;  // number of loop-carried states of a cell
  Dtype dtype_ = Dtype::f32;
  bool batch_first_ = false;
  std::int64_t layers_ = 0, ways_ = 0, trips_ = 0, batch_ = 0, taken_ = 0, width_ = 0;
  std::size_t params_ = 0;  // position of the first parameter of this layer and direction
  Arg held_[2];
};

}  // namespace

bool unroll(Graph& graph, Step& next) {
  const auto* const kind = std::ranges::find(kRecurrent, *next.op, &RecurrentKind::op);
  const Schema* schema = kind == std::end(kRecurrent) ? nullptr : find_schema(next.op);
  return schema != nullptr && !next.results.empty() && next.results[0].valid() &&
         Unrolling(graph, next, *schema, *kind).run();
}

}  // namespace noclobber
