#include "src/interp/replay_guard.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "src/graph/bodies.h"
#include "src/interp/replay_rounding.h"
#include "src/ops/meaning.h"

namespace noclobber {

namespace {

/// Names (without namespace and overload) of ATen and prims operators that only move data.
// table
constexpr std::array kMoves = std::to_array<std::string_view>({
    "_reshape_alias",
    "_reshape_copy",
    "_reshape_alias_copy",
    "_to_copy",
    "_unsafe_index",
    "_unsafe_view",
    "alias",
    "alias_copy",
    "arange",
    "as_strided",
    "as_strided_copy",
    "as_strided_scatter",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_in_dim",
    "broadcast_to",
    "cat",
    "chunk",
    "clone",
    "collapse_view",
    "column_stack",
    "concat",
    "concatenate",
    "constant_pad_nd",
    "contiguous",
    "convert_element_type",
    "copy",
    "copy_strided",
    "detach",
    "detach_copy",
    "diag_embed",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "device_put",
    "dstack",
    "embedding",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "expand",
    "expand_as",
    "expand_copy",
    "eye",
    "fill",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "full",
    "full_like",
    "gather",
    "getitem",
    "hstack",
    "index",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "iota",
    "lift",
    "lift_fresh",
    "lift_fresh_copy",
    "masked_fill",
    "masked_scatter",
    "mT",
    "movedim",
    "moveaxis",
    "narrow",
    "narrow_copy",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "ones",
    "ones_like",
    "pad",
    "permute",
    "permute_copy",
    "pixel_shuffle",
    "pixel_unshuffle",
    "ravel",
    "repeat",
    "repeat_interleave",
    "reshape",
    "reshape_as",
    "resize",
    "roll",
    "rot90",
    "scalar_tensor",
    "scatter",
    "select",
    "select_copy",
    "select_scatter",
    "set_",
    "slice",
    "slice_copy",
    "slice_in_dim",
    "slice_inverse",
    "slice_scatter",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "squeeze",
    "squeeze_copy",
    "stack",
    "swapaxes",
    "swapdims",
    "t",
    "t_copy",
    "take",
    "take_along_dim",
    "tensor_split",
    "tile",
    "to",
    "transpose",
    "transpose_copy",
    "tril",
    "triu",
    "type_as",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold",
    "unfold_copy",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "view",
    "view_as",
    "view_copy",
    "view_of",
    "vstack",
    "where",
    "zero",
    "zeros",
    "zeros_like",
});

/// Operators whose result is the same, but for rounding, if a constant is added to all elements.
constexpr std::array kForgiving = std::to_array<std::string_view>({
    "_log_softmax",
    "_safe_softmax",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_softmax",
    "log_softmax",
    "scaled_dot_product_attention",
    "softmax",
});

/// Operators for which a small difference of the operands may become a large one of the result.
// table
constexpr std::array kJumps = std::to_array<std::string_view>({
    "argmax",
    "argmin",
    "argsort",
    "bincount",
    "bucketize",
    "ceil",
    "eq",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "ge",
    "gt",
    "heaviside",
    "histc",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "kthvalue",
    "le",
    "lt",
    "median",
    "mode",
    "ne",
    "nonzero",
    "remainder",
    "round",
    "searchsorted",
    "sgn",
    "sign",
    "sort",
    "topk",
    "trunc",
    "unique",
    "_unique2",
    "max_pool2d_with_indices",
    "logical_not",
    "logical_and",
    "logical_or",
    "threshold",
});

/// "add" of "aten.add.Tensor".
std::string_view plain_name(std::string_view op) {
  const std::size_t first = op.find('.');
  if (first == std::string_view::npos) return op;
  const std::size_t last = op.rfind('.');
  return last > first ? op.substr(first + 1, last - first - 1) : op.substr(first + 1);
}

bool of_pytorch(std::string_view op) { return op.starts_with("aten.") || op.starts_with("prims."); }

bool accumulates(const Step& step) {
  const auto is_true = [](const Arg& arg) { return arg.kind == Arg::Kind::boolean && arg.boolean; };
  for (const auto& [name, arg] : step.kwargs) {
    if (name == "accumulate" && is_true(arg)) return true;
  }
  return step.args.size() > 3 && is_true(step.args[3]);
}

const Tensor* view_of(const Run& run, ValueId id) {
  if (!id.valid() || id.index >= run.values.size() || !run.values[id.index]) return nullptr;
  return &*run.values[id.index];
}

/// Storages of these values, as bound at the end of the run.
std::set<std::uint32_t> touched(const Run& run, const std::vector<ValueId>& values) {
  std::set<std::uint32_t> out;
  for (const ValueId id : values) {
    if (const Tensor* view = view_of(run, id)) out.insert(view->storage);
  }
  return out;
}

bool meets(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&b](std::uint32_t s) { return b.contains(s); });
}

/// Arguments that a normalization in training writes though its schema does not say so.
std::vector<ValueId> silent_targets(const OpSet& ops, const Step& step) {
  std::vector<ValueId> out;
  const Schema* schema = ops.find(step.op);
  const auto bound = schema != nullptr ? bind_arguments(*schema, step) : Diagnostic{};
  if (!bound || ops.declaration(step.op) != nullptr) return out;
  for (const std::size_t k : silently_written(base_name(step.op), *schema, *bound))
    out.push_back((*bound)[k].ref);
  return out;
}

/// Steps before `end` that write or make a storage in `wanted`, or in turn one that such a step reads.
std::vector<std::uint32_t> slice_from(const OpSet& ops, const Ran& ran, std::set<std::uint32_t> wanted,
                                      std::uint32_t end) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t s = end; s-- > 0;) {
    const Step& step = ran.graph->steps[s];
    const StepRefs refs = step_refs(ops, step);
    std::vector<ValueId> made(step.results.begin(), step.results.end());
    made.insert(made.end(), refs.targets.begin(), refs.targets.end());
    const std::vector<ValueId> silent = silent_targets(ops, step);
    made.insert(made.end(), silent.begin(), silent.end());
    if (refs.opaque) made.insert(made.end(), refs.operands.begin(), refs.operands.end());
    if (!meets(touched(*ran.run, made), wanted)) continue;
    out.push_back(s);
    wanted.merge(touched(*ran.run, made));
    wanted.merge(touched(*ran.run, refs.operands));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void count_compute(const Case& value, const OpSet& ops, const Graph& graph, const Step& step,
                   const std::set<std::string>& hashed, std::multiset<std::string>& out, int depth) {
  if (step.op->starts_with("higher_order.")) {
    for (const auto& [place, name] : bodies_given(step)) {
      const Graph* body = find_body(value, graph, name);
      if (body == nullptr || depth > 8) continue;
      for (const Step& inner : body->steps) count_compute(value, ops, *body, inner, hashed, out, depth + 1);
    }
    return;
  }
  const std::string functional = ops.functional(step.op);
  const bool ran_exactly = !hashed.contains(step.op) && !hashed.contains(functional);
  if (ran_exactly && moves_data(functional) && !accumulates(step)) return;
  out.insert(functional.empty() ? *step.op : functional);
}

std::vector<std::uint32_t> all_steps(const Graph& graph) {
  std::vector<std::uint32_t> steps(graph.steps.size());
  std::iota(steps.begin(), steps.end(), 0U);
  return steps;
}

/// Adds the names of `a` that occur a different number of times in `b`.
void add_unmatched(const std::multiset<std::string>& a, const std::multiset<std::string>& b,
                   std::set<std::string>& out) {
  for (const std::string& name : a) {
    if (a.count(name) != b.count(name)) out.insert(name);
  }
}

/// For each operator that ran as a hash, the dtypes and shapes of its operands, call by call. Another dtype
/// gives another hash, where the operator may give the same but for rounding. So does another shape, where
/// the operator may go through its parts one by one.
std::map<std::string, std::multiset<std::string>> hashed_types(const OpSet& ops, const Ran& ran) {
  std::map<std::string, std::multiset<std::string>> out;
  for (const Step& step : ran.graph->steps) {
    const std::string functional = ops.functional(step.op);
    if (!ran.run->hashed.contains(functional)) continue;
    std::string types;
    for (const ValueId id : uses_of(step))
      if (const Tensor* tensor = view_of(*ran.run, id)) {
        types += std::string(name(tensor->dtype)) + "[";
        for (const std::int64_t size : tensor->shape) types += std::to_string(size) + " ";
        types += "] ";
      }
    out[functional].insert(std::move(types));
  }
  return out;
}

bool any_named(const std::set<std::string>& operators, std::span<const std::string_view> names) {
  return std::any_of(operators.begin(), operators.end(), [&](const std::string& op) {
    return std::find(names.begin(), names.end(), plain_name(op)) != names.end();
  });
}

/// Constants of unknown contents that these steps read.
std::set<std::string> constants_read(const Graph& graph, const std::vector<std::uint32_t>& steps) {
  std::set<std::string> out;
  for (const std::uint32_t s : steps)
    for (const ValueId used : uses_of(graph.steps[s]))
      for (const Input& input : graph.inputs)
        if (input.value == used && input.kind == Input::Kind::constant && !input.contents)
          out.insert(graph.value(used).name);
  return out;
}

}  // namespace

bool moves_data(const std::string& functional) {
  return of_pytorch(functional) &&
         std::find(kMoves.begin(), kMoves.end(), plain_name(functional)) != kMoves.end();
}

std::vector<std::uint32_t> backward_slice(const OpSet& ops, const Ran& ran, const Target& target) {
  std::set<std::uint32_t> wanted;
  if (target.output >= 0) {
    const auto at = static_cast<std::size_t>(target.output);
    if (at < ran.run->outputs.size() && ran.run->outputs[at].tensor)
      wanted.insert(ran.run->outputs[at].tensor->storage);
  } else if (const auto at = ran.run->input_storage.find(target.input); at != ran.run->input_storage.end()) {
    wanted.insert(at->second);
    for (const auto& [input, contents] : ran.graph->finals) {
      std::vector<ValueId> refs;
      collect_uses(contents, refs);
      if (ran.graph->value(input).name == target.input) wanted.merge(touched(*ran.run, refs));
    }
  }
  return slice_from(ops, ran, wanted, static_cast<std::uint32_t>(ran.graph->steps.size()));
}

std::vector<std::uint32_t> backward_slice_of_step(const OpSet& ops, const Ran& ran, std::uint32_t at) {
  if (at >= ran.graph->steps.size()) return all_steps(*ran.graph);
  return slice_from(ops, ran, touched(*ran.run, uses_of(ran.graph->steps[at])), at);
}

std::multiset<std::string> compute_operators(const Case& value, const OpSet& ops, const Ran& ran,
                                             const std::vector<std::uint32_t>& steps) {
  std::multiset<std::string> out;
  for (const std::uint32_t s : steps) {
    count_compute(value, ops, *ran.graph, ran.graph->steps[s], ran.run->hashed, out, 0);
  }
  return out;
}

Guard::Guard(const Case& value, const OpSet& ops, const Ran& before, const Ran& after)
    : value_(value), ops_(ops), before_(before), after_(after) {
  const auto b = compute_operators(value, ops, before, all_steps(*before.graph));
  const auto a = compute_operators(value, ops, after, all_steps(*after.graph));
  add_unmatched(b, a, unmatched_);
  add_unmatched(a, b, unmatched_);
  const auto was = hashed_types(ops, before), is = hashed_types(ops, after);
  for (const auto& [one, other] : {std::pair(&was, &is), std::pair(&is, &was)})
    for (const auto& [op, types] : *one)  // absent: it ran by a kernel there
      if (const auto at = other->find(op); at == other->end() || at->second != types) unmatched_.insert(op);
}

std::vector<std::uint32_t> Guard::slice(const Ran& ran, const Difference& difference) const {
  switch (difference.kind) {
    case Difference::Kind::value:
      return backward_slice(ops_, ran, difference.target);
    case Difference::Kind::raised: {  // the operands of the step that raises; `before` plays no part
      if (ran.graph != after_.graph || difference.step >= ran.graph->steps.size()) return {};
      return slice_from(ops_, ran, touched(*ran.run, uses_of(ran.graph->steps[difference.step])),
                        difference.step);
    }
    case Difference::Kind::effects:
      return all_steps(*ran.graph);
    case Difference::Kind::count:
    case Difference::Kind::dtype:
    case Difference::Kind::shape:
    case Difference::Kind::stride:
    case Difference::Kind::device:
    case Difference::Kind::sharing:
    case Difference::Kind::immutable:
      return {};
  }
  return {};
}

/// True if the slice of the difference computes with integers alone, so that nothing is rounded.
bool Guard::exact(const Difference& difference) const {
  for (const Ran* ran : {&before_, &after_})
    for (const std::uint32_t s : slice(*ran, difference)) {
      const Step& step = ran->graph->steps[s];
      const auto bodies = bodies_given(step);
      const bool whole = std::ranges::all_of(bodies, [&](const auto& given) {
        const Graph* body = find_body(value_, *ran->graph, given.second);
        return body != nullptr && only_whole_numbers(value_, *body);
      });
      if (!whole || (bodies.empty() && !of_pytorch(step.op))) return false;
      std::vector<ValueId> named = uses_of(step);
      named.insert(named.end(), step.results.begin(), step.results.end());
      for (const ValueId id : named) {
        if (!id.valid()) continue;
        const auto& tensor = ran->run->values[id.index];
        if (!tensor && ran->graph->value(id).from == Value::From::step) return false;
        if (tensor && !is_integer(tensor->dtype) && tensor->dtype != Dtype::boolean) return false;
      }
    }
  return true;
}

bool Guard::is_hashed(const std::string& op) const {
  return before_.run->hashed.contains(op) || after_.run->hashed.contains(op);
}

bool Guard::convincing(const Difference& difference, const Expectation& expected,
                       const std::set<std::string>& operators, bool to_the_bit) const {
  if (difference.kind != Difference::Kind::value) return false;
  if (std::ranges::any_of(operators, [this](const std::string& op) { return is_hashed(op); })) return false;
  if (to_the_bit || exact(difference)) return true;
  return !any_named(operators, kJumps) && is_beyond_rounding(difference, expected);
}

/// Softmax operators (kForgiving) in the slice of a difference that rounding explains: they give the same,
/// but for rounding, if a constant is added to all elements. Empty if any ran as a hash.
std::vector<std::string> Guard::forgiving(const Difference& difference, const Expectation& expected) const {
  const auto forgives = [this](const Step& step) {
    return of_pytorch(step.op) && any_named({ops_.functional(step.op)}, kForgiving);
  };
  const bool any = std::ranges::any_of(before_.graph->steps, forgives) &&
                   std::ranges::any_of(after_.graph->steps, forgives);
  if (!any || difference.kind != Difference::Kind::value || is_beyond_rounding(difference, expected))
    return {};
  std::set<std::string> out;
  for (const Ran* ran : {&before_, &after_})
    for (const std::uint32_t s : slice(*ran, difference))
      if (const Step& step = ran->graph->steps[s]; forgives(step)) out.insert(ops_.functional(step.op));
  if (std::ranges::any_of(out, [this](const std::string& op) { return is_hashed(op); })) return {};
  return {out.begin(), out.end()};
}

static bool draws_numbers(const OpSet& ops, const Step& step) {
  const Schema* schema = ops.find(step.op);
  const auto bound = schema != nullptr ? bind_arguments(*schema, step) : Diagnostic{};
  return bound && draws(base_name(step.op), *schema, *bound);
}

/// True if the sequences of declared impure operators differ. These, except delegates, have no other
/// spelling.
bool Guard::declared_effects_differ() const {
  const auto declared = [this](const Run& run) {
    std::vector<std::string> out;
    for (const std::string& effect : run.effects) {
      const std::string op = effect.substr(0, effect.find(' '));
      if (ops_.declaration(op) != nullptr && !is_delegate(op)) out.push_back(op);
    }
    return out;
  };
  return declared(*before_.run) != declared(*after_.run);
}

/// True if `after` draws as `before` does and then more by the same operators: no other spelling explains
/// that. False if a step has bodies, whose draws are not counted.
bool Guard::draws_again() const {
  std::map<std::string, int> more;  // by operator that draws: calls in `after` less those in `before`
  std::set<std::string> known;
  for (const Ran* ran : {&before_, &after_})
    for (const Step& step : ran->graph->steps) {
      if (has_bodies(step)) return false;
      if (!draws_numbers(ops_, step)) continue;
      more[ops_.functional(step.op)] += ran == &after_ ? 1 : -1;
      if (ran == &before_) known.insert(ops_.functional(step.op));
    }
  const auto is_known = [&](const auto& own) { return own.second >= 0 && known.contains(own.first); };
  return std::all_of(more.begin(), more.end(), is_known) &&
         std::any_of(more.begin(), more.end(), [](const auto& own) { return own.second > 0; });
}

/// Constants that only one graph reads in the slice of the difference: the other may have folded them, and
/// their contents are unknown here.
std::vector<std::string> Guard::one_sided_constants(const Difference& difference) const {
  const auto before = constants_read(*before_.graph, slice(before_, difference));
  const auto after = constants_read(*after_.graph, slice(after_, difference));
  std::vector<std::string> out;
  std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                std::back_inserter(out));
  return out;
}

/// Operators that draw random numbers in one graph alone: later draws find another generator state.
std::vector<std::string> Guard::one_sided_draws(const Difference& difference) const {
  std::set<std::string> alone;
  bool behind = false;
  for (const Ran* ran : {&before_, &after_}) {
    for (const Step& step : ran->graph->steps)
      if (const std::string op = ops_.functional(step.op);
          unmatched_.contains(op) && draws_numbers(ops_, step))
        alone.insert(op);
    for (const std::uint32_t s : slice(*ran, difference))
      behind = behind || draws_numbers(ops_, ran->graph->steps[s]);
  }
  return behind ? std::vector<std::string>(alone.begin(), alone.end()) : std::vector<std::string>{};
}

std::vector<std::string> Guard::doubts(const Difference& difference, const Expectation& expected,
                                       bool exact) const {
  if (std::vector<std::string> constants = one_sided_constants(difference); !constants.empty())
    return constants;
  if (!exact)
    if (std::vector<std::string> kept = forgiving(difference, expected); !kept.empty()) return kept;
  if (unmatched_.empty()) return {};
  if (difference.kind == Difference::Kind::effects && draws_again()) return {};
  if (std::vector<std::string> drawn = one_sided_draws(difference); !drawn.empty()) return drawn;
  if (difference.kind == Difference::Kind::effects && declared_effects_differ()) return {};
  const auto before = compute_operators(value_, ops_, before_, slice(before_, difference));
  const auto after = compute_operators(value_, ops_, after_, slice(after_, difference));
  std::set<std::string> operators(before.begin(), before.end());
  operators.insert(after.begin(), after.end());
  std::vector<std::string> names;
  for (const std::string& op : operators) {
    if (unmatched_.contains(op)) names.push_back(op);
  }
  if (names.empty() || convincing(difference, expected, operators, exact)) return {};
  return names;
}

}  // namespace noclobber
