// Rewrites of Drafts that are sound by construction.
#include <algorithm>

#include "src/fuzz/edits.h"

namespace noclobber::fuzz {
namespace {

/// Moves every value of storage `from` to storage `to` (layouts agree from element 0 on).
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

/// Clones one tensor operand of a call that makes a fresh result.
bool insert_clone(Draft& draft, Random& random) {
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    return !writes(c) && !draft.is_view(c) && !operands(c).empty();
  });
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

/// Turns slice_scatter(base, src, ...) into a view of `target` and a copy_ into it; `target` replaces the
/// result.
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
  const auto at = pick(draft, random, [&](const Draft::Call& c) {
    const auto results = c.results();
    return is_pure(c) &&
           std::none_of(results.begin(), results.end(), [&](int v) { return uses(draft, v, 0); });
  });
  if (at) draft.calls.erase(draft.calls.begin() + static_cast<std::ptrdiff_t>(*at));
  return at.has_value();
}

/// Operators that accept their own target as a further operand.
bool is_basic(const std::string& op) {
  for (const char* known : {"aten.neg.default", "aten.relu.default", "aten.add.Tensor", "aten.mul.Tensor",
                            "aten.index_put.default"})
    if (op == known) return true;
  return false;
}

bool reads_nothing_else_of(const Draft& draft, const Draft::Call& call, int storage) {
  const auto all = operands(call);
  return std::all_of(all.begin() + 1, all.end(), [&](int v) {
    return (v == all[0] && is_basic(call.op)) || draft.shown.at(v).storage != storage;
  });
}

bool whole_and_dead(const Draft& draft, std::size_t at) {
  if (draft.calls[at].result < 0 || draft.calls[at].args.empty() ||
      draft.calls[at].args[0].kind != Arg::Kind::ref)
    return false;
  const int base = operands(draft.calls[at])[0];
  const Shown& shown = draft.shown.at(base);
  return !draft.is_input_storage(shown.storage) && !draft.live_after(shown.storage, at + 1) &&
         contiguous(shown) && shown.offset == 0 &&
         shown.dtype == draft.shown.at(draft.calls[at].result).dtype &&
         shown.shape == draft.shown.at(draft.calls[at].result).shape;
}

/// Overwrites an operand that is not read again, in any view, by the result.
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

/// Swaps two neighbours, neither of which writes what the other touches.
bool swap_independent(Draft& draft, Random& random) {
  if (draft.calls.size() < 2) return false;
  const auto k = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(draft.calls.size()) - 1));
  const Draft::Call &a = draft.calls[k], &b = draft.calls[k + 1];
  if (is_effect(a) && is_effect(b)) return false;
  const auto of_b = operands(b), made = a.results();
  if (std::find_first_of(of_b.begin(), of_b.end(), made.begin(), made.end()) != of_b.end()) return false;
  if (disturbs(draft, a, b) || disturbs(draft, b, a)) return false;
  std::swap(draft.calls[k], draft.calls[k + 1]);
  return true;
}

}  // namespace

Draft rewritten(const Draft& program, Random& random, std::string& log) {
  Draft out = program;
  for (std::int64_t k = random.between(1, 4); k > 0; --k) {
    const std::int64_t kind = out.rebinds ? 0 : random.below(7);
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

}  // namespace noclobber::fuzz
