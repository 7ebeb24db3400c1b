// Rewrites of Drafts: right by construction, or with one fault.
#include <algorithm>

#include "tests/support/generator.h"

namespace noclobber::testing {
namespace {

Arg ref(int value) { return Arg::of(ValueId(static_cast<std::size_t>(value))); }

template <class Fits>
std::optional<std::size_t> pick(const Draft& draft, Random& random, Fits fits) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < draft.calls.size(); ++k)
    if (fits(draft.calls[k])) all.push_back(k);
  if (all.empty()) return std::nullopt;
  return all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
}

bool is_scatter(const Draft::Call& call) { return call.op.find("_scatter.") != std::string::npos; }

bool is_pure(const Draft::Call& call) { return !writes(call); }

bool uses(const Draft& draft, int value, std::size_t from) {
  for (std::size_t k = from; k < draft.calls.size(); ++k) {
    const auto all = operands(draft.calls[k]);
    if (std::find(all.begin(), all.end(), value) != all.end()) return true;
  }
  return std::find(draft.outputs.begin(), draft.outputs.end(), value) != draft.outputs.end();
}

/// Every value in the storage of `value` moves to another storage (layouts agree from element 0 on).
void merge_storage(Draft& draft, int from, int to) {
  for (auto& [id, at] : draft.shown)
    if (at.storage == from) at.storage = to;
}

int clone_of(Draft& draft, int value, std::size_t at) {
  const int copy = draft.values++;
  Shown shown = draft.shown.at(value);
  shown.storage = draft.storages++;
  shown.offset = 0;
  draft.shown[copy] = shown;
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(at),
                     {copy, "aten.clone.default", {ref(value)}, {}});
  return copy;
}

bool rename_all(Draft& draft) {
  draft.prefix += "r";
  return true;
}

/// One tensor operand of a call that makes a fresh result is copied first.
bool insert_clone(Draft& draft, Random& random) {
  const auto at = pick(
      draft, random, [](const Draft::Call& c) { return is_pure(c) && !is_view(c) && !operands(c).empty(); });
  if (!at) return false;
  Draft::Call& call = draft.calls[*at];
  for (Arg& arg : call.args)
    if (arg.kind == Arg::Kind::ref) {
      const int old = static_cast<int>(arg.ref.index);
      if (!contiguous(draft.shown.at(old))) return false;
      arg = ref(draft.values);
      clone_of(draft, old, *at);
      return true;
    }
  return false;
}

std::string view_of_scatter(const std::string& op) {
  return op == "aten.slice_scatter.default"    ? "aten.slice.Tensor"
         : op == "aten.select_scatter.default" ? "aten.select.int"
                                               : "aten.diagonal.default";
}

/// slice_scatter(base, src, ...) as a view of `target` and a copy_ into it; `target` stands for the result.
void scatter_into(Draft& draft, std::size_t at, int target) {
  const Draft::Call call = draft.calls[at];
  const int source = static_cast<int>(call.args[1].ref.index), view = draft.values++, copied = draft.values++;
  Shown shown = draft.shown.at(source);
  shown.storage = draft.shown.at(target).storage;
  shown.known = false;
  draft.shown[view] = draft.shown[copied] = shown;
  std::vector<Arg> where(call.args.begin() + 2, call.args.end());
  where.insert(where.begin(), ref(target));
  const auto here = draft.calls.begin() + static_cast<std::ptrdiff_t>(at);
  *here = {view, view_of_scatter(call.op), where, {}};
  draft.calls.insert(here + 1, {copied, "aten.copy_.default", {ref(view), ref(source)}, {}});
  draft.replace(call.result, target, at + 2);
  merge_storage(draft, draft.shown.at(call.result).storage, draft.shown.at(target).storage);
}

bool scatter_to_copy(Draft& draft, Random& random) {
  const auto at = pick(draft, random, is_scatter);
  if (!at) return false;
  const int base = operands(draft.calls[*at])[0];
  if (!contiguous(draft.shown.at(base))) return false;
  const int target = clone_of(draft, base, *at);
  scatter_into(draft, *at + 1, target);
  return true;
}

bool drop_dead(Draft& draft, Random& random) {
  const auto at =
      pick(draft, random, [&](const Draft::Call& c) { return is_pure(c) && !uses(draft, c.result, 0); });
  if (at) draft.calls.erase(draft.calls.begin() + static_cast<std::ptrdiff_t>(*at));
  return at.has_value();
}

std::string in_place_form(const std::string& op) {
  for (const char* known : {"aten.neg.default", "aten.relu.default", "aten.add.Tensor", "aten.mul.Tensor",
                            "aten.index_put.default"})
    if (op == known) {
      std::string out = op;
      return out.insert(out.find('.', 5), "_");
    }
  return "";
}

bool reads_nothing_else_of(const Draft& draft, const Draft::Call& call, int storage) {
  const auto all = operands(call);
  return std::all_of(all.begin() + 1, all.end(),
                     [&](int v) { return v == all[0] || draft.shown.at(v).storage != storage; });
}

bool whole_and_dead(const Draft& draft, std::size_t at) {
  const int base = operands(draft.calls[at])[0];
  const Shown& shown = draft.shown.at(base);
  return !draft.is_input_storage(shown.storage) && !draft.live_after(shown.storage, at + 1) &&
         contiguous(shown) && shown.offset == 0 &&
         shown.dtype == draft.shown.at(draft.calls[at].result).dtype;
}

/// An operand that nobody reads again, in any view, is overwritten by the result.
bool reuse_dead(Draft& draft, Random& random) {
  const auto at =
      pick(draft, random, [](const Draft::Call& c) { return !in_place_form(c.op).empty() || is_scatter(c); });
  if (!at || !whole_and_dead(draft, *at)) return false;
  Draft::Call& call = draft.calls[*at];
  const int base = operands(call)[0], storage = draft.shown.at(base).storage;
  if (!reads_nothing_else_of(draft, call, storage)) return false;
  if (is_scatter(call)) {
    scatter_into(draft, *at, base);
  } else {
    call.op = in_place_form(call.op);
    merge_storage(draft, draft.shown.at(call.result).storage, storage);
  }
  return true;
}

/// Two neighbours, neither of which writes what the other touches.
bool swap_independent(Draft& draft, Random& random) {
  if (draft.calls.size() < 2) return false;
  const auto k = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(draft.calls.size()) - 1));
  const Draft::Call &a = draft.calls[k], &b = draft.calls[k + 1];
  const auto of_b = operands(b);
  if (std::find(of_b.begin(), of_b.end(), a.result) != of_b.end()) return false;
  const auto disturbs = [&](const Draft::Call& writer, const Draft::Call& other) {
    if (!writes(writer)) return false;
    const int storage = draft.shown.at(operands(writer)[0]).storage;
    const auto all = operands(other);
    return std::any_of(all.begin(), all.end(), [&](int v) { return draft.shown.at(v).storage == storage; });
  };
  if (disturbs(a, b) || disturbs(b, a)) return false;
  std::swap(draft.calls[k], draft.calls[k + 1]);
  return true;
}

void erase_as(Draft& draft, std::size_t at, int by) {
  const int result = draft.calls[at].result;
  draft.calls.erase(draft.calls.begin() + static_cast<std::ptrdiff_t>(at));
  draft.replace(result, by);
}

bool well_ordered(const Draft& draft) {
  std::map<int, bool> known;
  for (const Draft::Entry& entry : draft.inputs) known[entry.value] = true;
  for (const Draft::Call& call : draft.calls) {
    for (const int v : operands(call))
      if (!known[v]) return false;
    known[call.result] = true;
  }
  return true;
}

bool swapped(Draft& draft, Random& random) {
  if (draft.calls.size() < 2) return false;
  const auto n = static_cast<std::int64_t>(draft.calls.size());
  const auto a = static_cast<std::size_t>(random.below(n)), b = static_cast<std::size_t>(random.below(n));
  std::swap(draft.calls[a], draft.calls[b]);
  return a != b && well_ordered(draft);
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
  if (diagonal) return false;
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

/// A slice that is only filled, one element longer or shorter.
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
  if (!at) return false;
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
  int& output =
      draft.outputs[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(draft.outputs.size())))];
  std::vector<int> fit;
  const auto add = [&](int v) {
    if (v != output && draft.shown.at(v).shape == draft.shown.at(output).shape &&
        draft.shown.at(v).dtype == draft.shown.at(output).dtype)
      fit.push_back(v);
  };
  for (const Draft::Entry& entry : draft.inputs) add(entry.value);
  for (const Draft::Call& call : draft.calls)
    if (!only_inputs) add(call.result);
  if (fit.empty()) return false;
  output = fit[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(fit.size())))];
  return true;
}

}  // namespace

Draft rewritten(const Draft& program, Random& random, std::string& log) {
  Draft out = program;
  for (std::int64_t k = random.between(1, 4); k > 0; --k) {
    const std::int64_t kind = random.below(7);
    const bool done = kind == 0   ? rename_all(out)
                      : kind == 1 ? insert_clone(out, random)
                      : kind == 2 ? scatter_to_copy(out, random)
                      : kind == 3 ? drop_dead(out, random)
                      : kind == 4 ? swap_independent(out, random)
                                  : reuse_dead(out, random);
    static const char* const kNames[] = {"rename ", "clone ", "scatter ", "dead ",
                                         "swap ",   "reuse ", "reuse "};
    if (done) log += kNames[kind];
  }
  return out;
}

std::string_view name(Fault fault) {
  static const char* const kNames[] = {"drop-clone",   "drop-write",      "swap-steps",
                                       "shift-offset", "resize-slice",    "make-in-place",
                                       "other-value",  "drop-write-back", "alias-output"};
  return kNames[static_cast<int>(fault)];
}

std::optional<Draft> damaged(const Draft& program, Fault fault, Random& random) {
  Draft out = program;
  const auto drop = [&](auto fits) {
    const auto at = pick(out, random, fits);
    if (at) erase_as(out, *at, operands(out.calls[*at])[0]);
    return at.has_value();
  };
  bool done = false;
  switch (fault) {
    case Fault::drop_clone:
      done = drop([](const Draft::Call& c) { return c.op == "aten.clone.default"; });
      break;
    case Fault::drop_write:
      done = drop([](const Draft::Call& c) { return writes(c); });
      break;
    case Fault::drop_write_back:
      done = drop([&](const Draft::Call& c) {
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
    case Fault::make_in_place: {
      const auto at = pick(out, random, [](const Draft::Call& c) { return !in_place_form(c.op).empty(); });
      if (at) out.calls[*at].op = in_place_form(out.calls[*at].op);
      done = at.has_value();
      break;
    }
    case Fault::other_value:
      done = wrong_output(out, random, false);
      break;
    case Fault::alias_output:
      done = wrong_output(out, random, true);
      break;
  }
  if (!done || !well_ordered(out)) return std::nullopt;
  return out;
}

}  // namespace noclobber::testing
