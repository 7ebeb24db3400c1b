#include "src/fuzz/draft.h"

#include <algorithm>

#include "src/fuzz/layout.h"

namespace noclobber::fuzz {
namespace {

constexpr std::int64_t kMostElements = 64;

/// Builds one program, one random call at a time.
class Author {
 public:
  Author(Random& random, bool functional, Vocabulary vocabulary, std::optional<std::size_t> row)
      : random_(random), functional_(functional), vocabulary_(vocabulary), row_(row) {}

  Draft write() {
    add_inputs();
    const std::int64_t wanted = random_.between(3, 9);
    for (int tries = 0; tries < 60 && static_cast<std::int64_t>(draft_.calls.size()) < wanted; ++tries) {
      if (row_ && tries == 2) add_call_of_row(draft_, random_, *row_);
      attempt();
    }
    write_back();
    choose_outputs();
    return std::move(draft_);
  }

 private:
  int value(Shown at) {
    draft_.shown[draft_.values] = std::move(at);
    return draft_.values++;
  }
  Shown fresh(const Ints& shape, Dtype dtype, bool known = true) {
    return {draft_.storages++, dtype, shape, row_major(shape), 0, known};
  }
  int call(std::string op, std::vector<Arg> args, Shown result,
           std::vector<std::pair<std::string, Arg>> kwargs = {}) {
    const int out = value(std::move(result));
    draft_.calls.push_back({out, std::move(op), std::move(args), std::move(kwargs)});
    return out;
  }
  const Shown& of(int v) const { return draft_.shown.at(v); }
  int any() { return static_cast<int>(random_.below(draft_.values)); }

  void add_inputs() {
    const std::int64_t count = random_.between(1, 3);
    const bool shared = random_.chance(20);
    for (std::int64_t k = 0; k < count; ++k) {
      Ints shape;
      for (std::int64_t d = random_.between(1, 3); d > 0; --d) shape.push_back(random_.between(1, 4));
      if (shared && k > 0) shape = of(0).shape;
      Shown at = fresh(shape, Dtype::f32);
      if (!shared && random_.chance(30)) at.stride = some_strides(shape, random_);
      Draft::Entry entry{0, "x" + std::to_string(k), "", std::nullopt};
      if (shared && k < 2) {
        at.storage = 0;
        at.offset = k == 0 ? 0 : random_.between(0, fuzz::count(shape));
        entry.storage = "S";
        entry.storage_numel = 2 * fuzz::count(shape);
      }
      entry.value = value(at);
      draft_.inputs.push_back(std::move(entry));
    }
  }

  bool plain(int a) const {
    return is_floating(of(a).dtype) || (bit_width(of(a).dtype) >= 8 && of(a).dtype != Dtype::boolean &&
                                        !is_complex(of(a).dtype) && of(a).dtype != Dtype::other);
  }

  void attempt() {
    if (vocabulary_ == Vocabulary::table && random_.chance(50)) {
      add_table_call(draft_, random_);
      return;
    }
    const std::int64_t kind = random_.below(functional_ ? 62 : 100);
    if (kind < 16) return pointwise();
    if (kind < 38) return view();
    if (kind < 44) return scatter();
    if (kind < 48) return clone();
    if (kind < 52) return concatenate();
    if (kind < 56) return opaque();
    if (kind < 59) return index_put();
    if (kind < 62) return reinterpret();
    if (kind < 80) return write_in_place();
    return overwrite();
  }

  void clone() {
    const int a = any();
    call("aten.clone.default", {ref(a)}, fresh(of(a).shape, of(a).dtype, contiguous(of(a))));
  }

  /// A value that is a legal second operand: same shape and dtype.
  std::optional<int> partner(int a) {
    std::vector<int> fit;
    for (int b = 0; b < draft_.values; ++b)
      if (of(b).shape == of(a).shape && of(b).dtype == of(a).dtype) fit.push_back(b);
    if (fit.empty()) return std::nullopt;
    return random_.one_of(fit);
  }

  void pointwise() {
    const int a = any();
    if (!plain(a)) return;
    const Dtype type = of(a).dtype;
    if (random_.chance(50)) {
      call(random_.chance(50) ? "aten.neg.default" : "aten.relu.default", {ref(a)},
           fresh(of(a).shape, type, contiguous(of(a))));
      return;
    }
    const int b = *partner(a);
    call(random_.chance(50) ? "aten.add.Tensor" : "aten.mul.Tensor", {ref(a), ref(b)},
         fresh(of(a).shape, type, contiguous(of(a)) && contiguous(of(b))));
  }

  /// True if no element occurs twice; only then may it be written.
  bool writable(int a) const { return shows_once(of(a)); }

  void write_in_place() {
    const int a = any();
    if (!writable(a) || !plain(a)) return;
    if (random_.chance(50)) {
      call(random_.chance(50) ? "aten.neg_.default" : "aten.relu_.default", {ref(a)}, of(a));
      return;
    }
    const int b = *partner(a);
    if (b != a && of(b).storage == of(a).storage && of(b) != of(a)) return;
    call(random_.chance(50) ? "aten.add_.Tensor" : "aten.mul_.Tensor", {ref(a), ref(b)}, of(a));
  }

  /// The classic program that needs its clone: adds to a target itself, shifted by one element.
  void add_moved(int a) {
    const Shown base = of(a);
    if (base.shape.empty() || base.shape[0] < 2 || count(base.shape) == 0) return;
    const std::int64_t n = base.shape[0];
    const auto part = [&](std::int64_t from) {
      const Cut c{0, from, from + n - 1, 1};
      return call("aten.slice.Tensor", {ref(a), number(0), number(from), number(from + n - 1), number(1)},
                  sliced(base, c));
    };
    const bool up = random_.chance(50);
    const int target = part(up ? 1 : 0), source = part(up ? 0 : 1);
    const int copy = call("aten.clone.default", {ref(source)}, fresh(of(source).shape, base.dtype, false));
    call(random_.chance(50) ? "aten.add_.Tensor" : "aten.copy_.default", {ref(target), ref(copy)},
         of(target));
  }

  void overwrite() {
    const int a = any();
    if (!writable(a)) return;
    if (plain(a) && random_.chance(20)) return add_moved(a);
    const std::int64_t kind = random_.below(4);
    if (kind == 0) {
      call("aten.zero_.default", {ref(a)}, of(a));
    } else if (kind == 1) {
      call("aten.fill_.Scalar", {ref(a), number(random_.between(1, 3))}, of(a));
    } else {
      const int b = *partner(a);
      if (b != a && of(b).storage != of(a).storage) call("aten.copy_.default", {ref(a), ref(b)}, of(a));
    }
  }

  void view() {
    const int a = any();
    const Shown base = of(a);
    const auto rank = static_cast<std::int64_t>(base.shape.size());
    switch (random_.below(9)) {
      case 0:
      case 1:
        return slice(a, base);
      case 2:
        return rank == 0 ? void() : select(a, base);
      case 3:
        return permute(a, base);
      case 4:
        return unsqueeze(a, base);
      case 5:
        return expand(a, base);
      case 6:
        return reshape(a, base);
      case 7:
        return rank < 2 || count(base.shape) == 0 ? void() : diagonal(a, base);
      default:
        return as_strided(a, base);
    }
  }

  std::optional<Cut> cut(const Shown& base) {
    if (count(base.shape) == 0 || base.shape.empty()) return std::nullopt;
    Cut out;
    out.dim = random_.below(static_cast<std::int64_t>(base.shape.size()));
    const std::int64_t extent = base.shape[static_cast<std::size_t>(out.dim)];
    out.start = random_.below(extent);
    out.end = random_.between(out.start + 1, extent);
    out.step = random_.chance(25) ? 2 : 1;
    return out;
  }

  void slice(int a, const Shown& base) {
    const auto c = cut(base);
    if (c)
      call("aten.slice.Tensor", {ref(a), number(c->dim), number(c->start), number(c->end), number(c->step)},
           sliced(base, *c));
  }
  void select(int a, const Shown& base) {
    if (count(base.shape) == 0) return;
    const std::int64_t dim = random_.below(static_cast<std::int64_t>(base.shape.size()));
    const std::int64_t at = random_.below(base.shape[static_cast<std::size_t>(dim)]);
    call("aten.select.int", {ref(a), number(dim), number(at)}, selected(base, dim, at));
  }
  void permute(int a, Shown base) {
    Ints order(base.shape.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = order.size(); k > 1; --k)
      std::swap(order[k - 1], order[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(k)))]);
    const Shown from = base;
    for (std::size_t k = 0; k < order.size(); ++k) {
      base.shape[k] = from.shape[static_cast<std::size_t>(order[k])];
      base.stride[k] = from.stride[static_cast<std::size_t>(order[k])];
    }
    call("aten.permute.default", {ref(a), numbers(order)}, base);
  }
  void unsqueeze(int a, Shown base) {
    if (base.shape.size() > 3) return;
    const std::int64_t dim = random_.below(static_cast<std::int64_t>(base.shape.size()) + 1);
    base.shape.insert(base.shape.begin() + dim, 1);
    base.stride.insert(base.stride.begin() + dim, 1);
    base.known = base.known && dim == static_cast<std::int64_t>(base.shape.size()) - 1;
    call("aten.unsqueeze.default", {ref(a), number(dim)}, base);
  }
  void expand(int a, Shown base) {
    if (base.shape.size() > 3) return;
    const std::int64_t repeat = random_.between(2, 3);
    if (count(base.shape) * repeat > kMostElements) return;
    base.shape.insert(base.shape.begin(), repeat);
    base.stride.insert(base.stride.begin(), 0);
    call("aten.expand.default", {ref(a), numbers(base.shape)}, base);
  }
  void reshape(int a, Shown base) {
    if (!contiguous(base)) return;
    Ints shape;
    std::int64_t rest = count(base.shape);
    while (rest > 1 && shape.size() < 2) {
      const std::int64_t part = rest % 2 == 0 && random_.chance(60)   ? 2
                                : rest % 3 == 0 && random_.chance(60) ? 3
                                                                      : 1;
      if (part > 1) shape.push_back(part);
      if (part == 1) break;
      rest /= part;
    }
    shape.push_back(rest);
    base.shape = shape;
    base.stride = row_major(shape);
    call(random_.chance(50) ? "aten.view.default" : "aten.reshape.default", {ref(a), numbers(shape)}, base);
  }
  void diagonal(int a, const Shown& base) {
    const std::int64_t offset = random_.between(1 - base.shape[0], base.shape[1] - 1);
    call("aten.diagonal.default", {ref(a), number(offset)}, diagonal_of(base, offset));
  }
  void as_strided(int a, Shown base) {
    if (!contiguous(base) || base.offset != 0 || count(base.shape) == 0) return;
    const std::int64_t room = count(base.shape), offset = random_.below(room);
    const std::int64_t step = random_.between(1, 3), most = (room - offset - 1) / step + 1;
    base.offset = offset;
    base.shape = {random_.between(1, most)};
    base.stride = {step};
    call("aten.as_strided.default", {ref(a), numbers(base.shape), numbers(base.stride), number(offset)},
         base);
  }

  void scatter() {
    const int a = any();
    const Shown base = of(a);
    if (base.shape.empty() || count(base.shape) == 0) return;
    std::string op;
    std::vector<Arg> where;
    Shown target;
    if (base.shape.size() > 1 && random_.chance(25)) {
      const std::int64_t offset = random_.between(1 - base.shape[0], base.shape[1] - 1);
      op = "aten.diagonal_scatter.default", where = {number(offset)}, target = diagonal_of(base, offset);
    } else if (random_.chance(35)) {
      const std::int64_t dim = random_.below(static_cast<std::int64_t>(base.shape.size()));
      const std::int64_t at = random_.below(base.shape[static_cast<std::size_t>(dim)]);
      op = "aten.select_scatter.default", where = {number(dim), number(at)}, target = selected(base, dim, at);
    } else {
      const auto c = cut(base);
      op = "aten.slice_scatter.default",
      where = {number(c->dim), number(c->start), number(c->end), number(c->step)}, target = sliced(base, *c);
    }
    for (int b = draft_.values; b-- > 0;)
      if (of(b).shape == target.shape && of(b).dtype == target.dtype) {
        std::vector<Arg> args{ref(a), ref(b)};
        args.insert(args.end(), where.begin(), where.end());
        // Eager scatters keep the base's offset, which as_strided would see.
        call(op, std::move(args), fresh(base.shape, base.dtype, contiguous(base) && base.offset == 0));
        return;
      }
  }

  void concatenate() {
    const int a = any();
    const Shown base = of(a);
    if (base.shape.empty() || count(base.shape) * 2 > kMostElements) return;
    const int b = *partner(a);
    const std::int64_t dim = random_.below(static_cast<std::int64_t>(base.shape.size()));
    Ints shape = base.shape;
    shape[static_cast<std::size_t>(dim)] *= 2;
    call("aten.cat.default", {Arg::of(std::vector<Arg>{ref(a), ref(b)}), number(dim)},
         fresh(shape, base.dtype, contiguous(base) && contiguous(of(b))));
  }

  void opaque() {
    const int a = any();
    const Shown base = of(a);
    if (base.dtype != Dtype::f32 || base.shape.empty()) return;
    if (base.shape.size() == 2 && base.shape[0] == base.shape[1] && random_.chance(70)) {
      call("aten.mm.default", {ref(a), ref(*partner(a))}, fresh(base.shape, Dtype::f32));
    } else {
      call("aten.cumsum.default",
           {ref(a), number(random_.below(static_cast<std::int64_t>(base.shape.size())))},
           fresh(base.shape, Dtype::f32, contiguous(base)));
    }
  }

  void index_put() {
    const int a = any();
    const Shown base = of(a);
    if (base.shape.empty() || base.shape[0] == 0 || (!functional_ && !writable(a))) return;
    Ints rest(base.shape.begin() + 1, base.shape.end());
    Ints piece = rest;
    piece.insert(piece.begin(), 1);
    const auto fits = [&](int v) {
      return of(v).dtype == base.dtype && of(v).storage != base.storage &&
             (of(v).shape == piece || of(v).shape == rest);
    };
    for (int b = draft_.values; b-- > 0;)
      if (fits(b)) {
        const bool in_place = !functional_ && random_.chance(50);
        const int at = call("aten.full.default", {numbers({1}), number(random_.below(base.shape[0]))},
                            fresh({1}, Dtype::i64), {{"dtype", Arg::of_dtype(Dtype::i64)}});
        call(in_place ? "aten.index_put_.default" : "aten.index_put.default",
             {ref(a), Arg::of(std::vector<Arg>{ref(at)}), ref(b), Arg::of_bool(random_.chance(30))},
             in_place ? base : fresh(base.shape, base.dtype, contiguous(base)));
        return;
      }
  }

  void reinterpret() {
    const int a = any();
    Shown at = of(a);
    const Dtype to = std::vector<Dtype>{Dtype::i32, Dtype::u8, Dtype::f32,
                                        Dtype::i16}[static_cast<std::size_t>(random_.below(4))];
    const std::int64_t from_width = bit_width(at.dtype) / 8, width = bit_width(to) / 8;
    if (at.dtype == Dtype::i64 || at.shape.empty() || !contiguous(at) || (to == at.dtype)) return;
    if (at.shape.back() * from_width % width != 0 || at.offset * from_width % width != 0) return;
    if (count(at.shape) * from_width / width > kMostElements) return;
    at.shape.back() = at.shape.back() * from_width / width;
    at.stride = row_major(at.shape);
    at.offset = at.offset * from_width / width;
    at.dtype = to;
    call("aten.view.dtype", {ref(a), Arg::of_dtype(to)}, at);
  }

  void write_back() {
    for (const Draft::Entry& input : std::vector<Draft::Entry>(draft_.inputs)) {
      if (!random_.chance(40) || !writable(input.value)) continue;
      for (int b = draft_.values; b-- > 0;)
        if (of(b).shape == of(input.value).shape && of(b).dtype == Dtype::f32 &&
            of(b).storage != of(input.value).storage) {
          call("aten.copy_.default", {ref(input.value), ref(b)}, of(input.value));
          break;
        }
    }
  }

  void choose_outputs() {
    const std::int64_t wanted = random_.between(1, 3);
    for (std::int64_t k = 0; k < wanted; ++k)
      draft_.outputs.push_back(random_.chance(70) ? static_cast<int>(random_.between(
                                                        std::max(0, draft_.values - 4), draft_.values - 1))
                                                  : any());
  }

  Random& random_;
  bool functional_;
  Vocabulary vocabulary_;
  std::optional<std::size_t> row_;
  Draft draft_;
};

}  // namespace

Draft random_program(Random& random, bool functional, Vocabulary vocabulary, std::optional<std::size_t> row) {
  return Author(random, functional, vocabulary, row).write();
}

}  // namespace noclobber::fuzz
