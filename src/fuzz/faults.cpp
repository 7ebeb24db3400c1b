// Plants one fault in a Draft.
#include "src/fuzz/edits.h"

namespace noclobber::fuzz {
namespace {

/// Prefers places near a write: elsewhere nearly all faults are harmless.
bool is_near(Random& random, bool near) { return near || random.chance(15); }

/// Moves a call behind one that conflicts with it.
bool swapped(Draft& draft, Random& random) {
  std::vector<std::pair<std::size_t, std::size_t>> fit;
  for (std::size_t b = 1; b < draft.calls.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (is_near(random, disturbs(draft, draft.calls[a], draft.calls[b]) ||
                              disturbs(draft, draft.calls[b], draft.calls[a]))) {
        Draft moved = draft;
        const auto at = moved.calls.begin();
        std::rotate(at + static_cast<std::ptrdiff_t>(a), at + static_cast<std::ptrdiff_t>(a) + 1,
                    at + static_cast<std::ptrdiff_t>(b) + 1);
        if (well_ordered(moved)) fit.emplace_back(a, b);
      }
  if (fit.empty()) return false;
  const auto [a, b] = random.one_of(fit);
  const auto at = draft.calls.begin();
  std::rotate(at + static_cast<std::ptrdiff_t>(a), at + static_cast<std::ptrdiff_t>(a) + 1,
              at + static_cast<std::ptrdiff_t>(b) + 1);
  return true;
}

/// True if call `from` or a later one writes the storage.
bool written_after(const Draft& draft, int storage, std::size_t from) {
  for (std::size_t k = from; k < draft.calls.size(); ++k)
    for (const int w : written(draft.calls[k]))
      if (draft.shown.at(w).storage == storage) return true;
  return false;
}

/// Removes a clone whose source or copy is written later.
bool unprotected(Draft& draft, Random& random) {
  std::vector<std::size_t> fit;
  for (std::size_t k = 0; k < draft.calls.size(); ++k) {
    const Draft::Call& call = draft.calls[k];
    if (call.op != "aten.clone.default" || call.result < 0) continue;
    const int source = draft.shown.at(operands(call)[0]).storage;
    if (is_near(random, written_after(draft, source, k + 1) ||
                            written_after(draft, draft.shown.at(call.result).storage, k + 1)))
      fit.push_back(k);
  }
  if (fit.empty()) return false;
  const std::size_t at = random.one_of(fit);
  erase_as(draft, at, {operands(draft.calls[at])[0]});
  return true;
}

/// Replaces a call by one that makes an empty tensor: its result is never written.
bool uninitialized(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    return c.result >= 0 && c.more.empty() && is_pure(c) && !draft.is_view(c) &&
           contiguous(draft.shown.at(c.result));
  });
  if (!at) return false;
  Draft::Call& call = draft.calls[*at];
  const Shown& made = draft.shown.at(call.result);
  call.op = "aten.empty.memory_format";
  call.args = {numbers(made.shape)};
  call.kwargs = {{"dtype", Arg::of_dtype(made.dtype)}};
  return true;
}

/// Redirects a write to a view that contains each element of its target twice.
bool written_twice(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    return c.result >= 0 && c.more.empty() && !c.args.empty() && c.args[0].kind == Arg::Kind::ref &&
           (c.op == "aten.add_.Tensor" || c.op == "aten.mul_.Tensor" || c.op == "aten.neg_.default" ||
            c.op == "aten.copy_.default");
  });
  if (!at) return false;
  const int target = operands(draft.calls[*at])[0], twice = draft.values++;
  Shown shown = draft.shown.at(target);
  shown.shape.insert(shown.shape.begin(), 2);
  shown.stride.insert(shown.stride.begin(), 0);
  draft.shown[twice] = shown;
  draft.shown[draft.calls[*at].result] = shown;
  draft.replace(draft.calls[*at].result, target, *at + 1);
  draft.calls[*at].args[0] = ref(twice);
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(*at),
                     {twice, "aten.expand.default", {ref(target), numbers(shown.shape)}, {}});
  return true;
}

/// True if all arguments after the tensors are given as numbers. An author's calls give them; an example may
/// omit some.
bool spelled_out(const Draft::Call& call, std::size_t count) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // an end may be INT64_MAX
  const auto is_number = [](const Arg& a) {
    return a.kind == Arg::Kind::sym && a.sym.is_constant() && std::abs(a.sym.constant()) < kMost;
  };
  const std::size_t tensors = is_scatter(call) ? 2 : 1;
  return call.args.size() >= count &&
         std::all_of(call.args.begin() + static_cast<std::ptrdiff_t>(tensors),
                     call.args.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](const Arg& a) { return is_number(a) || a.kind == Arg::Kind::list; });
}

/// Adds to the constant argument number `at`.
void shift(Draft::Call& call, std::size_t at, std::int64_t by) {
  call.args[at] = Arg::of(SymExpr(call.args[at].sym.constant() + by));
}

bool shifted(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [](const Draft::Call& c) {
    return c.op == "aten.slice.Tensor" || c.op == "aten.select.int" || c.op == "aten.as_strided.default" ||
           is_scatter(c);
  });
  if (!at) return false;
  Draft::Call& call = draft.calls[*at];
  const Shown& base = draft.shown.at(operands(call)[0]);
  const bool slice = call.op.find("slice") != std::string::npos,
             strided = call.op == "aten.as_strided.default",
             diagonal = call.op.find("diagonal") != std::string::npos;
  const std::size_t first = strided ? 3 : diagonal ? 2 : is_scatter(call) ? 3 : 2;
  if (diagonal || !spelled_out(call, first + (slice ? 2 : 1))) return false;
  const std::int64_t by = random.chance(50) ? 1 : -1, to = call.args[first].sym.constant() + by;
  if (to < 0) return false;
  if (!strided) {
    const std::int64_t extent = base.shape[static_cast<std::size_t>(call.args[first - 1].sym.constant())];
    if ((slice ? call.args[first + 1].sym.constant() + by : to + 1) > extent) return false;
  }
  shift(call, first, by);
  if (slice) shift(call, first + 1, by);
  return true;
}

/// Makes a slice that is only filled one element longer or shorter.
bool resized(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    if (c.op != "aten.slice.Tensor") return false;
    const bool filled = std::any_of(draft.calls.begin(), draft.calls.end(), [&](const Draft::Call& u) {
      const auto all = operands(u);
      return std::find(all.begin(), all.end(), c.result) != all.end() && u.op != "aten.zero_.default" &&
             u.op != "aten.fill_.Scalar";
    });
    return !filled && uses(draft, c.result, 0);
  });
  if (!at || !spelled_out(draft.calls[*at], 4)) return false;
  Draft::Call& call = draft.calls[*at];
  const std::int64_t by = random.chance(50) ? 1 : -1, end = call.args[3].sym.constant() + by;
  if (end <= call.args[2].sym.constant() ||
      end > draft.shown.at(operands(call)[0]).shape[static_cast<std::size_t>(call.args[1].sym.constant())])
    return false;
  shift(call, 3, by);
  return true;
}

bool wrong_output(Draft& draft, Random& random, bool only_inputs) {
  if (draft.outputs.empty()) return false;
  int& output = random.one_of(draft.outputs);
  std::vector<int> fit;
  const auto add = [&](int v) {
    if (v != output && draft.shown.at(v).shape == draft.shown.at(output).shape &&
        draft.shown.at(v).dtype == draft.shown.at(output).dtype)
      fit.push_back(v);
  };
  for (const Draft::Entry& entry : draft.inputs) add(entry.value);
  for (const Draft::Call& call : draft.calls)
    if (!only_inputs)
      for (const int v : call.results()) add(v);
  if (fit.empty()) return false;
  output = random.one_of(fit);
  return true;
}

/// Copies a fresh result over another value that is still read.
bool buffer_reused(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    return c.result >= 0 && c.more.empty() && is_pure(c) && !draft.is_view(c) &&
           contiguous(draft.shown.at(c.result));
  });
  if (!at) return false;
  const int result = draft.calls[*at].result;
  std::vector<int> live;
  for (std::size_t k = 0; k < *at; ++k)
    for (const int v : draft.calls[k].results())
      if (draft.shown.at(v).shape == draft.shown.at(result).shape &&
          draft.shown.at(v).dtype == draft.shown.at(result).dtype && uses(draft, v, *at + 1) &&
          shows_once(draft.shown.at(v)))
        live.push_back(v);
  if (live.empty()) return false;
  const int into = random.one_of(live);
  const int copied = draft.values++;
  draft.shown[copied] = draft.shown.at(into);
  draft.replace(result, copied, *at + 1);
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                     {copied, "aten.copy_.default", {ref(into), ref(result)}, {}});
  return true;
}

/// Recomputes the result of a pure call right before one of its later uses.
bool recomputed(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    return c.result >= 0 && c.more.empty() && is_pure(c) && !draft.is_view(c);
  });
  if (!at || *at + 1 >= draft.calls.size()) return false;
  Draft::Call again = draft.calls[*at];
  std::vector<std::size_t> fit;  // after a write to one of its operands
  bool near = false;
  for (std::size_t k = *at + 1; k <= draft.calls.size(); ++k) {
    near = near || disturbs(draft, draft.calls[k - 1], draft.calls[*at]);
    if (is_near(random, near) && uses(draft, again.result, k)) fit.push_back(k);
  }
  if (fit.empty()) return false;
  const std::size_t later = random.one_of(fit);
  const int old = again.result;
  again.result = draft.values++;
  draft.shown[again.result] = draft.shown.at(old);
  draft.replace(old, again.result, later);
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(later), std::move(again));
  return true;
}

/// Repeats a write.
bool repeated(Draft& draft, Random& random) {
  const auto at =
      pick(draft, random, [](const Draft::Call& c) { return writes(c) && c.result >= 0 && c.more.empty(); });
  if (!at) return false;
  Draft::Call again = draft.calls[*at];
  draft.shown[draft.values] = draft.shown.at(again.result);
  again.result = draft.values++;
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(*at) + 1, std::move(again));
  return true;
}

/// Elements of another width: changes a stride or a dtype.
bool other_item_size(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [](const Draft::Call& c) {
    return c.op == "aten.as_strided.default" || c.op == "aten.view.dtype";
  });
  if (!at) return false;
  Draft::Call& call = draft.calls[*at];
  if (call.op == "aten.view.dtype") {
    const Dtype to = call.args[1].dtype;
    call.args[1] = Arg::of_dtype(to == Dtype::i32   ? Dtype::f32
                                 : to == Dtype::f32 ? Dtype::i32
                                 : to == Dtype::u8  ? Dtype::i8
                                                    : Dtype::f16);
    return true;
  }
  if (call.args.size() < 3 || call.args[2].list.empty() || !spelled_out(call, 3)) return false;
  Arg& stride = call.args[2].list.edit().back();
  const std::int64_t now = stride.sym.constant();
  stride = number(now == 1 ? 2 : now - 1);
  return true;
}

bool put_in_place(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [](const Draft::Call& c) { return !in_place_form(c.op).empty(); });
  if (at) draft.calls[*at].op = in_place_form(draft.calls[*at].op);
  return at.has_value();
}

/// Removes a call that satisfies `fits`. Its first operand replaces its result; if it has several results,
/// each is replaced by the operand that it wrote.
template <class Fits>
bool dropped(Draft& draft, Random& random, Fits fits) {
  const auto at = pick(draft, random, fits);
  if (!at) return false;
  const Draft::Call& call = draft.calls[*at];
  if (call.result < 0 || call.args.empty() || call.args[0].kind != Arg::Kind::ref) return false;
  const auto made = call.results();
  const auto by = made.size() > 1 ? written(call) : std::vector{operands(call)[0]};
  if (by.size() != made.size()) return false;
  erase_as(draft, *at, by);
  return true;
}

}  // namespace

std::string_view name(Fault fault) {
  static const char* const kNames[] = {"drop-clone",
                                       "drop-write",
                                       "swap-steps",
                                       "shift-offset",
                                       "resize-slice",
                                       "make-in-place",
                                       "other-value",
                                       "drop-write-back",
                                       "alias-output",
                                       "reuse-buffer",
                                       "recompute-after-write",
                                       "repeat-write",
                                       "item-size",
                                       "uninitialized",
                                       "write-expanded"};
  return kNames[static_cast<int>(fault)];
}

std::optional<Draft> damaged(const Draft& program, Fault fault, Random& random) {
  Draft out = program;
  bool done = false;
  switch (fault) {
    case Fault::drop_clone:
      done = unprotected(out, random);
      break;
    case Fault::drop_write:
      done = dropped(out, random, [](const Draft::Call& c) { return writes(c); });
      break;
    case Fault::drop_write_back:
      done = dropped(out, random, [&](const Draft::Call& c) {
        return c.op == "aten.copy_.default" && out.is_input_storage(out.shown.at(c.result).storage);
      });
      break;
    case Fault::swap_steps:
      done = swapped(out, random);
      break;
    case Fault::shift_offset:
      done = shifted(out, random);
      break;
    case Fault::resize_slice:
      done = resized(out, random);
      break;
    case Fault::make_in_place:
      done = put_in_place(out, random);
      break;
    case Fault::other_value:
      done = wrong_output(out, random, false);
      break;
    case Fault::alias_output:
      done = wrong_output(out, random, true);
      break;
    case Fault::reuse_buffer:
      done = buffer_reused(out, random);
      break;
    case Fault::recompute_later:
      done = recomputed(out, random);
      break;
    case Fault::uninitialized:
      done = uninitialized(out, random);
      break;
    case Fault::write_expanded:
      done = written_twice(out, random);
      break;
    case Fault::repeat_write:
      done = repeated(out, random);
      break;
    case Fault::item_size:
      done = other_item_size(out, random);
      break;
  }
  if (!done || !well_ordered(out)) return std::nullopt;
  return out;
}

}  // namespace noclobber::fuzz
