// Operators of exported programs that index by computed positions (padding, windows, cross products), and
// products that permute others, as PyTorch decomposes them: one rule each. Source: torch/_decomp, torch/_refs
// and the composite kernels of PyTorch 2.15.
#include <algorithm>
#include <optional>
#include <string>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class PlaceRules : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  /// Pads one dimension after another: reflect and replicate by an index, circular by slices of each end.
  void pad() {
    const Arg mode = given(2);
    const auto by = numbers(given(1));
    const Type* x = type_of(0);
    const bool reflects = mode == Arg::of_text("reflect"), repeats = mode == Arg::of_text("replicate"),
               circles = mode == Arg::of_text("circular");
    if (!by || !is_known(x) || !(reflects || repeats || circles)) return;
    const std::size_t count = by->size() / 2, rank = x->shape.size();
    if (count == 0 || count > 3 || by->size() % 2 != 0 || rank < count + 1 || rank > count + 2) return;
    const Type own = *x;
    if (!std::ranges::all_of(*by, [](std::int64_t n) { return n >= 0; })) return;
    const bool narrow = is_narrow(own.dtype) && !circles;
    Arg now = narrow ? converted(given(0), Dtype::f32) : given(0);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t axis = rank - count + k;
      const std::int64_t left = (*by)[2 * (count - 1 - k)], right = (*by)[2 * (count - 1 - k) + 1];
      const std::int64_t size = at(own, axis);
      if (size < 1 || (reflects && (left >= size || right >= size)) ||
          (circles && (left > size || right > size)))
        return;
      if (circles) {
        now = ring(now, axis, size, left, right);
        continue;
      }
      PteArgs places(rank);
      places[axis] = reflects ? reflected(left, size, right) : repeated(left, size, right);
      now = emit("aten.index.Tensor", {now, Arg::of(std::move(places))});
    }
    become(narrow ? "aten._to_copy.default" : "aten.clone.default", {now});
    if (narrow) step_.kwargs = {{"dtype", Arg::of_dtype(own.dtype)}};
  }

  /// im2col: the row and column indices of each window, then the elements there.
  void windows() {
    const Type* x = type_of(0);
    const auto kernel = two(1), dilation = two(2), padding = two(3), stride = two(4);
    const bool single = x != nullptr && x->shape.size() == 3;
    if (!is_known(x) || (!single && x->shape.size() != 4) || !kernel || !dilation || !padding || !stride)
      return;
    Type own = *x;
    Arg all = given(0);
    if (single) {
      own.shape.insert(own.shape.begin(), SymExpr(1));
      all = emit("aten.unsqueeze_copy.default", {all, number(0)});
    }
    PteArgs where(2);
    std::int64_t counts[2] = {0, 0};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::int64_t d = (*dilation)[k], window = (*kernel)[k], step = (*stride)[k], by = (*padding)[k];
      if (d < 1 || window < 1 || step < 1 || by < 0) return;
      const std::int64_t blocks = at(own, 2 + k) + 2 * by - d * (window - 1);
      if (blocks < 1) return;
      counts[k] = (blocks + step - 1) / step;
      const Arg begins = emit("aten.unsqueeze_copy.default", {counted(0, blocks, step), number(0)});
      const Arg within = emit("aten.unsqueeze_copy.default", {counted(0, window * d, d), number(-1)});
      where[k] = emit("aten.add.Tensor", {begins, within});
    }
    const std::int64_t high = (*padding)[0], wide = (*padding)[1];
    const Arg padded =
        emit("aten.constant_pad_nd.default", {given(0), sizes({wide, wide, high, high}), Arg::of_real(0)});
    const Arg once = emit("aten.unsqueeze_copy.default", {where[0], number(-1)});
    const Arg rows = emit("aten.unsqueeze_copy.default", {once, number(-1)});
    const Arg chosen = emit("aten.index.Tensor", {padded, Arg::of(PteArgs{Arg{}, Arg{}, rows, where[1]})});
    const Arg turned = emit("aten.permute_copy.default", {chosen, sizes({0, 1, 2, 4, 3, 5})});
    const SymExpr columns = own.shape[1] * SymExpr((*kernel)[0] * (*kernel)[1]);
    const PteArgs flat{emit("aten.clone.default", {turned}),
                       sizes({own.shape[0], columns, SymExpr(counts[0] * counts[1])})};
    if (!single) return become("aten.view_copy.default", flat);
    become("aten.squeeze_copy.dims", {emit("aten.view_copy.default", flat), sizes({0})});
  }

  void cross() {
    const Type *x = type_of(0), *y = type_of(1), *result = &*graph_.value(step_.results[0]).type;
    const auto axis = is_known(x) && is_known(y) && is_known(result) ? axis_of(given(2), *x) : std::nullopt;
    if (!axis || x->shape.size() != y->shape.size() || x->dtype != y->dtype || at(*x, *axis) != 3 ||
        at(*y, *axis) != 3 || is_narrow(x->dtype))
      return;
    const PteSizes whole = result->shape;
    const auto spread = [&](std::size_t which) {
      if (type_of(which)->shape == whole) return given(which);
      return emit("aten.expand_copy.default", {given(which), sizes(whole)});
    };
    const Arg sides[2] = {spread(0), spread(1)};
    const Arg dim = number(static_cast<std::int64_t>(*axis)), all = counted(0, 3);
    const auto chosen = [&](std::size_t which, std::int64_t by) {
      const Arg moved = emit("aten.add.Tensor", {all, lifted(number(by))});
      const Arg places = emit("aten.remainder.Scalar", {moved, number(3)});
      return emit("aten.index_select.default", {sides[which], dim, places});
    };
    const Arg one = emit("aten.mul.Tensor", {chosen(0, 1), chosen(1, 2)});
    const Arg other = emit("aten.mul.Tensor", {chosen(0, 2), chosen(1, 1)});
    become("aten.sub.Tensor", {one, other});
  }

  void index_add() {
    const Type *x = type_of(0), *index = type_of(2);
    const auto axis = is_known(x) ? axis_of(given(1), *x) : std::nullopt;
    const Arg by = given(4);
    if (!axis || index == nullptr || index->shape.size() != 1 || is_narrow(x->dtype)) return;
    const bool once = by == number(1) || by == Arg::of_real(1);
    if (!once && by.kind != Arg::Kind::real && !whole(by)) return;
    PteArgs places(*axis + 1);
    places[*axis] = given(2);
    const Arg source = once ? given(3) : emit("aten.mul.Tensor", {given(3), operand(by)});
    become("aten.index_put.default", {given(0), Arg::of(std::move(places)), source, Arg::of_bool(true)});
  }

  /// index_copy rejects negative indices, which index_put accepts. Otherwise their results are the same.
  void index_copy() { store_rows("aten.index_put.default"); }
  void index_copy_in_place() { store_rows("aten.index_put_.default"); }

  /// With a dimension, indices wrap around it. Without one, the operand is flattened and indices do not wrap.
  void take_along() {
    const Type *x = type_of(0), *index = type_of(1);
    const Arg dim = given(2);
    if (!is_known(x) || !is_known(index) || index->dtype != Dtype::i64) return;
    if (dim.kind == Arg::Kind::none) {
      const Arg row = emit("aten.view_copy.default", {given(0), sizes({-1})});
      const Arg places = emit("aten.view_copy.default", {given(1), sizes({-1})});
      return become("aten.gather.default", {row, number(0), places});
    }
    const auto axis = axis_of(dim, *x);
    if (!axis || x->shape.size() != index->shape.size()) return;
    const std::int64_t size = at(*x, *axis);
    PteSizes from = x->shape, to = index->shape;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (k == *axis || from[k] == to[k]) continue;
      if (from[k] != SymExpr(1) && to[k] != SymExpr(1)) return;
      from[k] = to[k] = from[k] == SymExpr(1) ? to[k] : from[k];
    }
    if (size < 1) return;
    const Arg spread = emit("aten.expand_copy.default", {given(1), sizes(to)});
    const Arg all = emit("aten.expand_copy.default", {given(0), sizes(from)});
    become("aten.gather.default", {all, dim, emit("aten.remainder.Scalar", {spread, number(size)})});
  }

  void quarter_turns() {
    const Type* x = type_of(0);
    const auto times = whole(given(1));
    const Arg dims = given(2);
    if (x == nullptr || !times || dims.kind != Arg::Kind::list || dims.list.size() != 2) return;
    const auto from = axis_of(dims.list[0], *x), to = axis_of(dims.list[1], *x);
    if (!from || !to || *from == *to) return;
    const auto flipped = [&](const PteArgs& over) {
      return emit("aten.flip.default", {given(0), Arg::of(over)});
    };
    PteArgs order;
    for (std::size_t k = 0; k < x->shape.size(); ++k)
      order.push_back(number(static_cast<std::int64_t>(k == *from ? *to : k == *to ? *from : k)));
    const auto quarter = static_cast<std::size_t>((*times % 4 + 4) % 4);
    if (quarter == 0) return become("aten.clone.default", {given(0)});
    if (quarter == 2) return become("aten.flip.default", {given(0), dims});
    const Arg turned = flipped({quarter == 1 ? dims.list[1] : dims.list[0]});
    become("aten.permute_copy.default", {turned, Arg::of(std::move(order))});
  }

  void blocks() {
    const Type *x = type_of(0), *y = type_of(1);
    if (!is_known(x) || !is_known(y)) return;
    const std::size_t rank = std::max(x->shape.size(), y->shape.size());
    PteSizes one, other, all;
    for (std::size_t k = 0; k < rank; ++k) {
      const SymExpr m = size_behind(*x, rank - k), n = size_behind(*y, rank - k);
      one.insert(one.end(), {m, SymExpr(1)}), other.insert(other.end(), {SymExpr(1), n});
      all.push_back(m * n);
    }
    const Arg left = emit("aten.view_copy.default", {given(0), sizes(one)});
    const Arg right = emit("aten.view_copy.default", {given(1), sizes(other)});
    become("aten.view_copy.default", {emit("aten.mul.Tensor", {left, right}), sizes(all)});
  }

  void tensordot() {
    const Type *x = type_of(0), *y = type_of(1);
    if (!is_known(x) || !is_known(y)) return;
    const auto first = axes(given(2), *x), second = axes(given(3), *y);
    if (!first || !second || first->size() != second->size() || first->empty()) return;
    SymExpr inner = 1, rows = 1, columns = 1;
    for (std::size_t k = 0; k < first->size(); ++k) {
      const std::int64_t size = at(*x, (*first)[k]);
      if (size == 1 || size != at(*y, (*second)[k])) return;
      inner = inner * SymExpr(size);
    }
    PteSizes shape;
    std::vector<std::size_t> left = rest_of(*x, *first), right = rest_of(*y, *second);
    for (const std::size_t k : left) rows = rows * x->shape[k], shape.push_back(x->shape[k]);
    for (const std::size_t k : right) columns = columns * y->shape[k], shape.push_back(y->shape[k]);
    left.insert(left.end(), first->begin(), first->end());
    right.insert(right.begin(), second->begin(), second->end());
    const auto flat = [&](std::size_t which, const std::vector<std::size_t>& order, const PteSizes& to) {
      PteArgs dims;
      for (const std::size_t k : order) dims.push_back(number(static_cast<std::int64_t>(k)));
      const Arg turned = emit("aten.permute_copy.default", {given(which), Arg::of(std::move(dims))});
      return emit("aten.view_copy.default", {turned, sizes(to)});
    };
    const Arg one = flat(0, left, {rows, inner}), other = flat(1, right, {inner, columns});
    become("aten.view_copy.default", {emit("aten.mm.default", {one, other}), sizes(shape)});
  }

  /// cdist of at most 25 rows each, or of another norm than 2. PyTorch computes other cases by a product of
  /// matrices.
  void distances() {
    constexpr std::int64_t kFew = 25;
    const Type *x = type_of(0), *y = type_of(1);
    if (!is_known(x) || !is_known(y) || x->shape.size() < 2 || y->shape.size() < 2) return;
    const Arg p = given(2);
    const bool few = (p != Arg::of_real(2) && p != number(2)) ||
                     (size_behind(*x, 2).constant() <= kFew && size_behind(*y, 2).constant() <= kFew);
    if (few && given(3).kind == Arg::Kind::none)
      become("aten._cdist_forward.default", {given(0), given(1), given(2), given(3)});
  }

 private:
  void store_rows(const char* op) {
    const Type *x = type_of(0), *index = type_of(2);
    const auto axis = x != nullptr ? axis_of(given(1), *x) : std::nullopt;
    if (!axis || index == nullptr || index->shape.size() != 1) return;
    PteArgs places(*axis + 1);
    places[*axis] = given(2);
    become(op, {given(0), Arg::of(std::move(places)), given(3)});
  }

  static bool is_known(const Type* type) {
    return type != nullptr &&
           std::ranges::all_of(type->shape, [](const SymExpr& size) { return size.is_constant(); });
  }
  /// True for dtypes that PyTorch converts to a wider one on the way.
  static bool is_narrow(Dtype dtype) { return dtype == Dtype::f16 || dtype == Dtype::bf16; }
  static std::int64_t at(const Type& type, std::size_t axis) { return type.shape[axis].constant(); }
  /// The size of the dimension at this position from the end (the last is 1); 1 if there is none.
  static SymExpr size_behind(const Type& type, std::size_t from_end) {
    const std::size_t rank = type.shape.size();
    return from_end > rank ? SymExpr(1) : type.shape[rank - from_end];
  }
  static std::optional<std::size_t> axis_of(const Arg& dim, const Type& type) {
    const auto rank = static_cast<std::int64_t>(type.shape.size());
    const auto axis = whole(dim);
    if (!axis || *axis < -rank || *axis >= rank) return std::nullopt;
    return static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
  }
  static std::optional<std::vector<std::size_t>> axes(const Arg& dims, const Type& type) {
    if (dims.kind != Arg::Kind::list) return std::nullopt;
    std::vector<std::size_t> out;
    for (const Arg& dim : dims.list) {
      const auto axis = axis_of(dim, type);
      if (!axis || std::ranges::find(out, *axis) != out.end()) return std::nullopt;
      out.push_back(*axis);
    }
    return out;
  }
  static std::vector<std::size_t> rest_of(const Type& type, const std::vector<std::size_t>& without) {
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < type.shape.size(); ++k)
      if (std::ranges::find(without, k) == without.end()) out.push_back(k);
    return out;
  }
  static std::optional<std::vector<std::int64_t>> numbers(const Arg& list) {
    if (list.kind != Arg::Kind::list) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const Arg& item : list.list) {
      const auto number = whole(item);
      if (!number) return std::nullopt;
      out.push_back(*number);
    }
    return out;
  }
  std::optional<std::vector<std::int64_t>> two(std::size_t k) const {
    auto out = numbers(given(k));
    return out && out->size() == 2 ? out : std::nullopt;
  }

  Arg counted(std::int64_t from, std::int64_t to, std::int64_t step = 1) {
    return emit("aten.arange.start_step", {number(from), number(to), number(step)},
                {{"dtype", Arg::of_dtype(Dtype::i64)}});
  }
  Arg absolute(const Arg& of) { return emit("aten.abs.default", {of}); }
  Arg reflected(std::int64_t left, std::int64_t size, std::int64_t right) {
    const Arg far = absolute(counted(-left, size + right));
    const Arg back = absolute(emit("aten.sub.Tensor", {lifted(number(size - 1)), far}));
    return emit("aten.sub.Tensor", {lifted(number(size - 1)), back});
  }
  Arg repeated(std::int64_t left, std::int64_t size, std::int64_t right) {
    return emit("aten.clamp.default", {counted(-left, size + right), number(0), number(size - 1)});
  }
  Arg ring(const Arg& of, std::size_t axis, std::int64_t size, std::int64_t left, std::int64_t right) {
    const Arg dim = number(static_cast<std::int64_t>(axis));
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return emit("aten.slice_copy.Tensor", {of, dim, number(from), number(to), number(1)});
    };
    const Arg before = part(size - left, size), behind = part(0, right);
    return emit("aten.cat.default", {Arg::of(PteArgs{before, of, behind}), dim});
  }
};

constexpr PteAsked kPlaceTyped = PteAsked::type, kPlaceWide = PteAsked::wide;

constexpr PteSpellingRow<PlaceRules> kPlaceRules[] = {
    {"aten.im2col.default", &PlaceRules::windows, kPlaceTyped},
    {"aten.linalg_cross.default", &PlaceRules::cross, kPlaceTyped},
    {"aten.cross.default", &PlaceRules::cross, kPlaceTyped},
    {"aten.index_add.default", &PlaceRules::index_add, kPlaceTyped},
    {"aten.index_copy.default", &PlaceRules::index_copy, kPlaceTyped},
    {"aten.index_copy_.default", &PlaceRules::index_copy_in_place, kPlaceTyped},
    {"aten.take_along_dim.default", &PlaceRules::take_along, kPlaceTyped},
    {"aten.rot90.default", &PlaceRules::quarter_turns, kPlaceTyped},
    {"aten.kron.default", &PlaceRules::blocks, kPlaceTyped},
    {"aten.tensordot.default", &PlaceRules::tensordot, kPlaceTyped},
    {"aten.cdist.default", &PlaceRules::distances, kPlaceWide}};

constexpr PteSpellingRow<PlaceRules> kPadded[] = {{"aten.pad.default", &PlaceRules::pad, kPlaceTyped}};

}  // namespace

bool respell_places(Graph& graph, Step& next) {
  if (next.op == "aten.pad.default" && next.args.size() > 2 && next.args[2] != Arg::of_text("constant"))
    return respell_by<PlaceRules>(kPadded, graph, next);
  return respell_by<PlaceRules>(kPlaceRules, graph, next);
}

}  // namespace noclobber
