// The programs of each profile.
#include "src/fuzz/sketch.h"

namespace noclobber::fuzz {
namespace {

constexpr std::int64_t kMostShown = 48;  // elements of a view

const char* some_unary(Random& random) {
  static constexpr const char* kOps[] = {"neg", "relu", "exp", "sigmoid", "tanh", "abs"};
  return kOps[random.below(6)];
}

const char* some_binary(Random& random) {
  static constexpr const char* kOps[] = {"add", "mul", "sub", "maximum"};
  return kOps[random.below(4)];
}

/// aten.maximum has no overload of its own.
int some_pair(Sketch& s, int a, int b) {
  const std::string op = some_binary(s.random());
  if (op == "maximum") return s.fresh("aten.maximum.default", {ref(a), ref(b)}, s.of(a).shape, s.of(a).dtype);
  return s.binary(op, a, b);
}

/// Another value of the shape and dtype of `a`, or `a`.
int another_like(Sketch& s, int a) {
  std::vector<int> fit;
  for (int b = 0; b < s.draft().values; ++b)
    if (s.of(b).shape == s.of(a).shape && s.of(b).dtype == s.of(a).dtype && b != a) fit.push_back(b);
  return fit.empty() ? a : s.random().one_of(fit);
}

void show_flat(Sketch& s, int a) {
  Shown at = s.of(a);
  if (!contiguous(at)) return;
  at.shape = {count(at.shape)}, at.stride = {1};
  s.call(s.chance(50) ? "aten.view.default" : "aten.reshape.default", {ref(a), numbers(at.shape)}, at);
}

void show_other_type(Sketch& s, int a) {
  Shown at = s.of(a);
  if (!contiguous(at) || at.shape.empty() || bit_width(at.dtype) != 32) return;
  const bool half = s.chance(40);
  at.dtype = at.dtype == Dtype::f32 ? (half ? Dtype::i16 : Dtype::i32) : Dtype::f32;
  if (half && at.dtype == Dtype::i16) {
    at.shape.back() *= 2, at.offset *= 2;
    at.stride = row_major(at.shape);
  }
  s.call("aten.view.dtype", {ref(a), Arg::of_dtype(at.dtype)}, at);
}

void show_expanded(Sketch& s, int a) {
  Shown at = s.of(a);
  if (at.shape.size() > 2 || count(at.shape) * 2 > kMostShown) return;
  at.shape.insert(at.shape.begin(), 2), at.stride.insert(at.stride.begin(), 0);
  s.call("aten.expand.default", {ref(a), numbers(at.shape)}, at);
}

void show_part(Sketch& s, int a) {
  const Shown& at = s.of(a);
  if (at.shape.empty() || count(at.shape) == 0) return;
  const auto dim = s.random().below(static_cast<std::int64_t>(at.shape.size()));
  const std::int64_t extent = at.shape[static_cast<std::size_t>(dim)], from = s.random().below(extent);
  if (s.chance(70)) {
    s.slice(a, dim, from, s.random().between(from + 1, extent));
  } else {
    s.call("aten.select.int", {ref(a), number(dim), number(from)}, selected(at, dim, from));
  }
}

void show_some(Sketch& s, int a) {
  switch (s.random().below(9)) {
    case 0:
      return show_flat(s, a);
    case 1:
      return show_other_type(s, a);
    case 2:
      return show_expanded(s, a);
    case 3:
    case 4:
      return s.of(a).shape.size() == 2 ? void(s.transposed(a)) : show_part(s, a);
    case 5: {
      Shown at = s.of(a);
      at.shape.insert(at.shape.begin(), 1), at.stride.insert(at.stride.begin(), count(at.shape));
      if (at.shape.size() < 4) s.call("aten.unsqueeze.default", {ref(a), number(0)}, at);
      return;
    }
    default:
      return show_part(s, a);
  }
}

bool is_number(const Shown& at) { return at.dtype == Dtype::f32; }

void compute_some(Sketch& s, int a) {
  if (!is_number(s.of(a))) return;
  if (s.chance(45)) {
    s.unary(some_unary(s.random()), a);
  } else {
    some_pair(s, a, another_like(s, a));
  }
}

/// Writes in place, if no element occurs twice in the view.
void write_some(Sketch& s, int a) {
  if (!is_number(s.of(a)) || !shows_once(s.of(a))) return;
  const int b = another_like(s, a);
  if (s.chance(40) || s.of(b).storage == s.of(a).storage) {
    s.call(s.chance(50) ? "aten.neg_.default" : "aten.relu_.default", {ref(a)}, s.of(a));
  } else if (s.chance(50)) {
    s.call("aten.add_.Tensor", {ref(a), ref(b)}, s.of(a));
  } else {
    s.copy(a, b);
  }
}

void leave_with_some(Sketch& s) {
  Draft& d = s.draft();
  d.outputs = {d.values - 1};
  if (s.chance(50)) d.outputs.push_back(s.recent());
  if (s.chance(20)) d.outputs.push_back(s.any());
}

/// A few random steps after those of the profile.
void go_on(Sketch& s, std::int64_t steps) {
  for (; steps > 0; --steps) s.chance(35) ? show_some(s, s.recent()) : compute_some(s, s.recent());
}

/// Updates one parameter from its gradient and two moments.
void update_parameter(Sketch& s, int w, int g, int m, int v) {
  const int m2 = s.binary("add", s.scaled(m, 0.9), s.scaled(g, 0.1));
  const int square = s.binary("mul", g, g);
  const int v2 = s.binary("add", s.scaled(v, 0.99), s.scaled(square, 0.01));
  const int root = s.fresh("aten.sqrt.default", {ref(v2)}, s.of(v2).shape);
  const int below = s.fresh("aten.add.Scalar", {ref(root), Arg::of_real(1e-6)}, s.of(v2).shape);
  const int step = s.binary("div", m2, below);
  const int w2 = s.binary("sub", w, s.scaled(step, 0.01));
  if (s.chance(90)) s.copy(m, m2);
  if (s.chance(90)) s.copy(v, v2);
  s.copy(w, w2);
  if (s.chance(30)) s.draft().outputs.push_back(step);
}

void call_declared(Sketch& s, const std::string& op, std::vector<Arg> args, const Shown& at, bool own) {
  Shown result = at;
  if (own) result.storage = s.draft().storages++, result.stride = row_major(result.shape), result.offset = 0;
  const int made = s.call("zoo." + op + ".default", std::move(args), result);
  s.draft().calls.back().types = {type_of(s.of(made))};
}

/// Views, steps that compute on them, and writes through them.
bool look_around(Sketch& s, void (*show)(Sketch&, int)) {
  const std::int64_t rows = s.random().between(2, 4),
                     columns = s.chance(40) ? rows : s.random().between(2, 4);
  const int x = s.input("x", {rows, columns});
  if (s.chance(50)) s.input("y", {rows, columns});
  s.unary(some_unary(s.random()), x);
  for (std::int64_t k = s.random().between(4, 10); k > 0; --k) {
    const int a = s.chance(70) ? s.recent() : s.any();
    const std::int64_t kind = s.random().below(100);
    kind < 48 ? show(s, a) : kind < 85 ? compute_some(s, a) : write_some(s, a);
  }
  leave_with_some(s);
  return true;
}

void show_often_other_type(Sketch& s, int a) { s.chance(60) ? show_other_type(s, a) : show_some(s, a); }

/// Updates as many parameters as a fused optimizer has, each by a step or two.
void update_all(Sketch& s, const Ints& shape) {
  std::vector<int> gradients, parameters;
  for (std::int64_t k = s.random().between(6, 14); k > 0; --k) {
    gradients.push_back(s.input("g" + std::to_string(k), shape));
    parameters.push_back(s.input("w" + std::to_string(k), shape));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const int step = s.chance(50) ? s.scaled(gradients[k], 0.01) : gradients[k];
    s.copy(parameters[k], s.binary("sub", parameters[k], step));
  }
  s.draft().outputs = {s.unary("abs", gradients[0])};
}

}  // namespace

bool sketch_views(Sketch& s) { return look_around(s, show_some); }

bool sketch_dtype_views(Sketch& s) { return look_around(s, show_often_other_type); }

bool sketch_cache(Sketch& s) {
  const std::int64_t length = s.random().between(3, 6), width = s.random().between(2, 4);
  const std::int64_t at = s.random().below(length);
  const int keys = s.input("keys", {length, width}), values = s.input("values", {length, width});
  const int q = s.input("q", {1, width}), k = s.input("k", {1, width}), v = s.input("v", {1, width});
  const int place = s.input("place", {1}, Dtype::i64, {at});
  const std::int64_t way = s.random().below(3);
  const int old = s.chance(30) ? s.unary("neg", s.slice(keys, 0, 0, at + 1)) : -1;
  const auto store = [&](int cache, int row) {
    const int shaped = s.chance(50) ? s.scaled(row, 0.5) : row;
    if (way == 0) {
      const int put =
          s.fresh("aten.index_put.default", {ref(cache), Arg::of(std::vector<Arg>{ref(place)}), ref(shaped)},
                  s.of(cache).shape);
      s.copy(cache, put);
      return put;
    }
    if (way == 1) return s.copy(s.slice(cache, 0, at, at + 1), shaped), cache;
    const int put =
        s.fresh("aten.slice_scatter.default",
                {ref(cache), ref(shaped), number(0), number(at), number(at + 1)}, s.of(cache).shape);
    s.copy(cache, put);
    return s.chance(50) ? put : cache;
  };
  const int new_keys = store(keys, k), new_values = store(values, v);
  const int scores = s.product(q, s.transposed(s.slice(new_keys, 0, 0, at + 1)));
  const int weights =
      s.fresh("aten._softmax.default", {ref(scores), number(1), Arg::of_bool(false)}, s.of(scores).shape);
  const int out = s.product(weights, s.slice(new_values, 0, 0, at + 1));
  go_on(s, s.random().below(3));
  s.draft().outputs = {out};
  if (old >= 0) s.draft().outputs.push_back(old);
  if (s.chance(30)) s.draft().outputs.push_back(s.draft().values - 1);
  return true;
}

bool sketch_optimizer(Sketch& s) {
  const Ints shape{s.random().between(2, 3), s.random().between(2, 3)};
  const int g = s.input("grad", shape);
  if (s.chance(35)) {  // parameters are parts of one buffer
    const int all = s.input("flat", {3 * shape[0], shape[1]});
    const auto part = [&](std::int64_t k) { return s.slice(all, 0, k * shape[0], (k + 1) * shape[0]); };
    const int w = part(0), m = part(1), v = part(2);
    update_parameter(s, w, g, m, v);
  } else {
    const int w = s.input("w", shape), m = s.input("m", shape), v = s.input("v", shape);
    const int decayed = s.chance(40) ? s.binary("add", g, s.scaled(w, 0.01)) : g;
    update_parameter(s, w, decayed, m, v);
    if (s.chance(30)) s.draft().outputs.push_back(decayed);
  }
  if (s.draft().outputs.empty()) s.draft().outputs = {s.unary("abs", g)};
  return true;
}

bool sketch_write_backs(Sketch& s) {
  update_all(s, {s.random().between(1, 2), s.random().between(2, 3)});
  return true;
}

bool sketch_custom(Sketch& s) {
  const Ints shape{2, 3};
  s.input("x", shape), s.input("y", shape);
  const int z = s.chance(50) ? s.input("buffer", shape) : 0;
  for (std::int64_t k = s.random().between(3, 7); k > 0; --k) {
    const int a = s.recent(), b = another_like(s, a);
    if (s.of(a).shape != shape) continue;
    switch (s.random().below(6)) {
      case 0:
        call_declared(s, "twist", {ref(a)}, s.of(a), true);
        break;
      case 1:
        call_declared(s, "scale", {ref(a), ref(b)}, s.of(a), true);
        break;
      case 2:
        if (s.of(a).storage != s.of(b).storage) call_declared(s, "scale_", {ref(a), ref(b)}, s.of(a), false);
        break;
      case 3:
        if (s.of(z).storage != s.of(a).storage) call_declared(s, "store_", {ref(z), ref(a)}, s.of(z), false);
        break;
      case 4:
        compute_some(s, a);
        break;
      default:
        s.unary("clone", a);
        break;
    }
  }
  leave_with_some(s);
  return true;
}

bool sketch_training(Sketch& s) {
  const std::int64_t n = s.random().between(2, 3), in = 2, hidden = 3, out = s.random().between(1, 2);
  const int x = s.input("x", {n, in}), w1 = s.input("w1", {in, hidden}), w2 = s.input("w2", {hidden, out});
  const int target = s.input("target", {n, out}), seen = s.input("seen", {hidden});
  const int h = s.product(x, w1);
  const int a = s.chance(35) ? s.call("aten.relu_.default", {ref(h)}, s.of(h)) : s.unary("relu", h);
  const int mean = s.fresh("aten.mean.dim", {ref(a), numbers({0})}, {hidden});
  if (s.chance(70)) s.copy(seen, s.binary("add", s.scaled(seen, 0.9), s.scaled(mean, 0.1)));
  const int y = s.product(a, w2);
  const int error = s.binary("sub", y, target);
  const int gw2 = s.product(s.transposed(a), error), ga = s.product(error, s.transposed(w2));
  const int gh = s.fresh("aten.threshold_backward.default", {ref(ga), ref(a), number(0)}, s.of(ga).shape);
  const int gw1 = s.product(s.transposed(x), gh);
  const auto learn = [&](int w, int g) { s.copy(w, s.binary("sub", w, s.scaled(g, 0.1))); };
  if (s.chance(60)) learn(w1, gw1), learn(w2, gw2);
  s.draft().outputs = {y, gw1, gw2};
  if (s.chance(40)) s.draft().outputs.push_back(mean);
  return true;
}

bool sketch_buffers(Sketch& s) {
  const Ints shape{s.random().between(1, 3), s.random().between(2, 4)};
  s.input("x", shape);
  for (std::int64_t k = s.random().between(5, 14); k > 0; --k) {
    const int a = s.chance(75) ? s.recent() : s.any();
    const std::int64_t kind = s.random().below(100);
    if (kind < 12 && s.of(a).shape.size() == 2 && count(s.of(a).shape) * 2 <= kMostShown) {
      const int b = another_like(s, a);
      Ints joined = s.of(a).shape;
      joined[0] *= 2;
      s.fresh("aten.cat.default", {Arg::of(std::vector<Arg>{ref(a), ref(b)}), number(0)}, joined);
    } else if (kind < 22) {
      show_part(s, a);
    } else {
      compute_some(s, a);
    }
  }
  leave_with_some(s);
  return true;
}

}  // namespace noclobber::fuzz
