#include "src/fuzz/explore.h"

#include <fmt/format.h>

#include "src/fuzz/brute.h"
#include "src/fuzz/edits.h"

namespace noclobber::fuzz {
namespace {

constexpr std::size_t kKept = 20;

Draft start() {
  Draft out;
  out.shown[0] = {0, Dtype::f32, {2}, {1}, 0, true};
  out.inputs.push_back({0, "x", "", std::nullopt});
  out.values = out.storages = 1;
  return out;
}

Draft with(const Draft& draft, const char* op, std::vector<Arg> args, Shown result) {
  Draft out = draft;
  out.shown[out.values] = std::move(result);
  out.calls.push_back({out.values++, op, std::move(args), {}});
  return out;
}

Draft with_fresh(const Draft& draft, const char* op, std::vector<Arg> args, const Ints& shape) {
  Draft out =
      with(draft, op, std::move(args), {draft.storages, Dtype::f32, shape, row_major(shape), 0, true});
  ++out.storages;
  return out;
}

/// Appends every program with one more step. `functional`: without copy_ and fill_.
void extend(const Draft& draft, bool functional, std::vector<Draft>& out) {
  for (int a = 0; a < draft.values; ++a) {
    const Shown at = draft.shown.at(a);
    out.push_back(with_fresh(draft, "aten.neg.default", {ref(a)}, at.shape));
    out.push_back(with_fresh(draft, "aten.clone.default", {ref(a)}, at.shape));
    out.push_back(with_fresh(draft, "aten.cumsum.default", {ref(a), number(0)}, at.shape));
    if (!functional) out.push_back(with(draft, "aten.fill_.Scalar", {ref(a), number(3)}, at));
    for (std::int64_t from = 0; at.shape[0] == 2 && from < 2; ++from)
      out.push_back(with(draft, "aten.slice.Tensor",
                         {ref(a), number(0), number(from), number(from + 1), number(1)},
                         sliced(at, {0, from, from + 1, 1})));
    for (int b = 0; b < draft.values; ++b) {
      const Shown& other = draft.shown.at(b);
      if (a <= b && at.shape == other.shape)
        out.push_back(with_fresh(draft, "aten.add.Tensor", {ref(a), ref(b)}, at.shape));
      if (!functional && a != b && at.shape == other.shape)
        out.push_back(with(draft, "aten.copy_.default", {ref(a), ref(b)}, at));
      if (at.shape[0] == 2 && other.shape[0] == 1)
        out.push_back(with_fresh(draft, "aten.slice_scatter.default",
                                 {ref(a), ref(b), number(0), number(1), number(2), number(1)}, at.shape));
    }
  }
}

/// Visits every program of exactly `steps` steps. False if `visit` stopped it.
bool each_program(const Draft& draft, int steps, bool functional,
                  const std::function<bool(const Draft&)>& visit) {
  if (steps == 0) {
    Draft out = draft;
    out.outputs = {draft.values - 1};
    return visit(out);
  }
  std::vector<Draft> next;
  extend(draft, functional, next);
  for (const Draft& one : next)
    if (!each_program(one, steps - 1, functional, visit)) return false;
  return true;
}

std::string changed_form(const std::string& op) {
  if (op == "aten.neg.default") return "aten.neg_.default";
  if (op == "aten.add.Tensor") return "aten.add_.Tensor";
  return op == "aten.cumsum.default" ? "aten.cumsum_.default" : "";
}

bool has_choice(const Draft::Call& call) {
  return !changed_form(call.op).empty() || call.op == "aten.clone.default" || is_scatter(call);
}

/// Makes call `at` in place: the first operand is overwritten, a clone is dropped, a scatter writes into its
/// base.
void choose(Draft& draft, std::size_t at) {
  Draft::Call call = draft.calls[at];
  const int base = operands(call)[0];
  if (call.op == "aten.clone.default") return erase_as(draft, at, {base});
  if (!is_scatter(call)) {
    draft.calls[at].op = changed_form(call.op);
    return;
  }
  const int view = draft.values++, copied = draft.values++;
  draft.calls[at] = {view, "aten.slice.Tensor", {ref(base), number(0), number(1), number(2), number(1)}, {}};
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     {copied, "aten.copy_.default", {ref(view), call.args[1]}, {}});
  draft.replace(call.result, base, at + 2);
}

/// The live range of a storage of a functional program, in steps.
struct Life {
  int first = 0, last = 0;       // the defining step, the last read
  bool in_place_at_end = false;  // step `last` stores element k after reading only element k of it
  std::int64_t bytes = 8;
};

bool clash(const Life& a, const Life& b) {
  const Life &early = a.first < b.first ? a : b, &late = a.first < b.first ? b : a;
  if (late.first > early.last) return false;
  return !(late.first == early.last && early.in_place_at_end);
}

std::map<int, Life> lives_of(const Draft& program) {
  std::map<int, Life> out;
  const int n = static_cast<int>(program.calls.size());
  for (int k = 0; k < n; ++k) {
    const Draft::Call& call = program.calls[static_cast<std::size_t>(k)];
    const auto all = operands(call);
    const bool view = program.is_view(call);
    for (const int v : all)
      if (const auto at = out.find(program.shown.at(v).storage); at != out.end() && !view) {
        const Shown& read = program.shown.at(v);
        const Shown& made = program.shown.at(call.result);
        const bool same_place = read.shape == made.shape && read.offset == 0 && contiguous(read);
        const bool elementwise =
            call.op == "aten.neg.default" || call.op == "aten.add.Tensor" || call.op == "aten.clone.default";
        const bool other_reads = std::any_of(all.begin(), all.end(), [&](int w) {
          return program.shown.at(w).storage == read.storage && program.shown.at(w) != read;
        });
        at->second.last = k;
        at->second.in_place_at_end = same_place && elementwise && !other_reads;
      }
    const Shown& made = program.shown.at(call.result);
    if (!view) out[made.storage] = {k, k, false, 4 * made.shape[0]};
  }
  for (const int v : program.outputs)
    if (const auto at = out.find(program.shown.at(v).storage); at != out.end())
      at->second.last = n + 1, at->second.in_place_at_end = false;
  return out;
}

}  // namespace

std::string ScopeCount::text() const {
  return fmt::format(
      "{} programs, {} rewrites and orders, {} plans: {} proved, {} refuted, {} open ({} of them with a "
      "difference that a run or the lives of buffers show), {} refuted without one, {} wrong",
      programs, rewrites, plans, proved, refuted, open + shown, shown, alarms, wrong);
}

void Explorer::note(std::string why, const Case& value) {
  ++count_.wrong;
  if (wrong_.size() == kKept) return;
  wrong_.emplace_back(std::move(why), value);
  wrong_.back().second.name = fmt::format("exhaustive-{}-{}", value.after.steps.size(), wrong_.size());
}

void Explorer::leave(std::string difference, const Case& value) {
  ++(difference.empty() ? count_.open : count_.shown);
  auto& kept = difference.empty() ? undecided_ : undecided_but_shown_;
  if (kept.size() < kKept) kept.emplace_back(std::move(difference), value);
}

void Explorer::compare(const Case& value) {
  ++count_.rewrites;
  const BruteForce truth = brute_force(value);
  if (!truth.usable) return;
  const Status status = check_(value);
  if (status == Status::proved) {
    ++count_.proved;
    if (!truth.difference.empty()) note(truth.difference, value);
  } else if (status == Status::refuted) {
    ++count_.refuted;
    count_.alarms += truth.difference.empty() ? 1 : 0;
  } else {
    leave(truth.difference, value);
  }
}

void Explorer::orders(const Draft& program, const Draft& chosen) {
  std::vector<std::size_t> order(chosen.calls.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  do {
    Draft after = chosen;
    for (std::size_t k = 0; k < order.size(); ++k) after.calls[k] = chosen.calls[order[k]];
    if (well_ordered(after)) compare(pair_of_drafts(program, after));
  } while (std::next_permutation(order.begin(), order.end()));
}

void Explorer::choices(const Draft& program) {
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < program.calls.size(); ++k)
    if (has_choice(program.calls[k])) open.push_back(k);
  for (std::uint32_t mask = 0; mask < (1U << open.size()); ++mask) {
    Draft chosen = program;
    for (std::size_t k = open.size(); k-- > 0;)
      if ((mask >> k & 1U) != 0) choose(chosen, open[k]);
    orders(program, chosen);
  }
}

bool Explorer::rewrites(int steps) {
  return each_program(start(), steps, false, [&](const Draft& program) {
    if (!go_on_()) return false;
    ++count_.programs;
    choices(program);
    return true;
  });
}

void Explorer::place(const Draft& program, int buffers) {
  const auto lives = lives_of(program);
  std::vector<std::pair<int, Life>> all(lives.begin(), lives.end());
  std::vector<int> slot(all.size(), 0);
  const auto value_of = [&](int storage) {
    for (const Draft::Call& call : program.calls)
      if (program.shown.at(call.result).storage == storage)
        return program.prefix + std::to_string(call.result);
    return std::string();
  };
  for (;;) {
    Case value;
    value.name = "plan";
    value.after = program.graph();
    value.plan = Plan{{{"1", SymExpr(std::int64_t{8} * buffers), 1}}, {}, {}};
    bool clashes = false;
    for (std::size_t k = 0; k < all.size(); ++k) {
      PlanBuffer one;
      one.name = value_of(all[k].first), one.is_value = true;
      one.offset = SymExpr(std::int64_t{8} * slot[k]), one.size = SymExpr(all[k].second.bytes);
      value.plan->buffers.push_back(std::move(one));
      for (std::size_t j = 0; j < k; ++j)
        clashes = clashes || (slot[j] == slot[k] && clash(all[j].second, all[k].second));
    }
    ++count_.plans;
    const Status status = check_(value);
    count_.proved += status == Status::proved ? 1 : 0;
    count_.refuted += status == Status::refuted ? 1 : 0;
    if (status != Status::proved && status != Status::refuted)
      leave(clashes ? "two buffers that live at once share bytes" : "", value);
    if (status == Status::proved && clashes) note("two buffers that live at once share bytes", value);
    if (status == Status::refuted && !clashes) ++count_.alarms;
    std::size_t k = 0;
    for (; k < slot.size() && ++slot[k] == buffers; ++k) slot[k] = 0;
    if (k == slot.size()) return;
  }
}

bool Explorer::plans(int steps, int buffers) {
  return each_program(start(), steps, true, [&](const Draft& program) {
    if (!go_on_()) return false;
    ++count_.programs;
    if (!lives_of(program).empty()) place(program, buffers);
    return true;
  });
}

}  // namespace noclobber::fuzz
