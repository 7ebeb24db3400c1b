// Calls of PyTorch functions without a decomposition below: the first overload of the operator of that name
// which takes these arguments.
#include <algorithm>

#include "src/lower/thunder/builder.h"
#include "src/lower/thunder/rows.h"
#include "src/ops/meaning.h"
#include "src/ops/overloads.h"
#include "src/ops/schema.h"

namespace noclobber {

namespace {

using Call = ThunderBuilder::Call;
using Emit = ThunderBuilder::Emit;

struct Flag {
  std::string_view name;
  std::size_t at;
};
/// Functions with an argument `inplace`, and its position.
constexpr Flag kInplace[] = {{"celu", 2},     {"elu", 2},        {"hardsigmoid", 1}, {"hardswish", 1},
                             {"hardtanh", 3}, {"leaky_relu", 2}, {"mish", 1},        {"relu", 1},
                             {"relu6", 1},    {"selu", 1},       {"silu", 1}};

/// `relu(x, False)` is `relu(x)`, `relu(x, True)` is `relu_(x)`.
void resolve_inplace(std::string& name, Step& step) {
  const auto flag = std::ranges::find(kInplace, name, &Flag::name);
  if (flag == std::end(kInplace)) return;
  bool inplace = false;
  std::erase_if(step.kwargs.edit(), [&](const auto& entry) {
    if (entry.first != "inplace") return false;
    inplace = entry.second.boolean;
    return true;
  });
  if (step.args.size() == flag->at + 1 && step.args.back().kind == Arg::Kind::boolean) {
    inplace = step.args.back().boolean;
    step.args.pop_back();
  }
  if (inplace) name += "_";
}

/// `zeros(2, 3)` is `zeros([2, 3])`: single numbers, where the operator takes a list of them.
std::optional<std::string> overload_for_list(const std::string& name, Step& step) {
  std::size_t first = step.args.size();
  while (first > 0 && step.args[first - 1].kind == Arg::Kind::sym) --first;
  if (first == step.args.size()) return std::nullopt;
  Step listed = step;
  const auto begin = listed.args.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<Arg> numbers(begin, listed.args.end());
  listed.args.erase(begin, listed.args.end());
  listed.args.push_back(Arg::of(std::move(numbers)));
  auto out = first_overload("aten." + name, listed);
  if (out) step = std::move(listed);
  return out;
}

/// `moveaxis(a, source, destination)` as a permutation.
std::optional<std::vector<Arg>> moved(const ThunderBuilder& builder, const Step& step) {
  if (step.args.size() != 3 || step.args[0].kind != Arg::Kind::ref) return std::nullopt;
  const auto& type = builder.type_of(step.args[0].ref);
  if (!type) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(type->shape.size());
  const auto dims = [&](const Arg& arg) {
    std::vector<std::int64_t> out;
    for (const Arg& item : items_of(arg)) {
      const bool constant = item.kind == Arg::Kind::sym && item.sym.is_constant();
      const std::int64_t at = constant ? item.sym.constant() : rank;
      out.push_back(at < 0 ? at + rank : at);
    }
    return out;
  };
  const auto from = dims(step.args[1]), to = dims(step.args[2]);
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank), -1);
  std::vector<bool> taken(static_cast<std::size_t>(rank), false);
  if (from.size() != to.size()) return std::nullopt;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k] < 0 || from[k] >= rank || to[k] < 0 || to[k] >= rank) return std::nullopt;
    if (order[static_cast<std::size_t>(to[k])] >= 0 || taken[static_cast<std::size_t>(from[k])])
      return std::nullopt;
    order[static_cast<std::size_t>(to[k])] = from[k];
    taken[static_cast<std::size_t>(from[k])] = true;
  }
  std::int64_t next = 0;
  for (std::int64_t& at : order) {
    if (at >= 0) continue;
    while (taken[static_cast<std::size_t>(next)]) ++next;
    taken[static_cast<std::size_t>(next)] = true;
    at = next;
  }
  std::vector<Arg> out;
  for (const std::int64_t at : order) out.push_back(Arg::of(SymExpr(at)));
  return out;
}

struct Converted {
  std::string_view name;
  Dtype to;
};
/// Methods that convert the tensor to a dtype, or return it if it has that dtype already.
constexpr Converted kConverted[] = {
    {"bfloat16", Dtype::bf16}, {"bool", Dtype::boolean}, {"double", Dtype::f64}, {"float", Dtype::f32},
    {"half", Dtype::f16},      {"int", Dtype::i32},      {"long", Dtype::i64},   {"short", Dtype::i16}};

/// Composites that the operator vocabulary does not model, by their decomposition.
std::optional<Emit> composite(const ThunderBuilder& builder, const std::string& name, const Step& step) {
  if (name == "moveaxis" || name == "movedim") {
    const auto order = moved(builder, step);
    if (!order) return std::nullopt;
    return Emit{"aten.permute.default", {step.args[0], Arg::of(*order)}, {}, ThunderLayout::open};
  }
  const auto to = std::ranges::find(kConverted, name, &Converted::name);
  if (to != std::end(kConverted) && step.args.size() == 1 && step.args[0].kind == Arg::Kind::ref &&
      step.kwargs.empty())
    return Emit{"aten.to.dtype", {step.args[0], Arg::of_dtype(to->to)}, {}, builder.layout(step.args[0].ref)};
  if (name == "cpu" && step.args.size() == 1 && step.args[0].kind == Arg::Kind::ref && step.kwargs.empty())
    if (const auto& type = builder.type_of(step.args[0].ref); type && *type->device == "cpu")  // itself
      return Emit{"aten.alias.default", {step.args[0]}, {}, builder.layout(step.args[0].ref)};
  if (name == "ravel" && step.args.size() == 1 && step.args[0].kind == Arg::Kind::ref)
    return Emit{"aten.reshape.default",
                {step.args[0], Arg::of(std::vector<Arg>{Arg::of(SymExpr(-1))})},
                {},
                builder.layout(step.args[0].ref)};
  return std::nullopt;
}

/// `view_as_real(x)`, `view_as_complex(x)`: the same bytes as pairs of floats, or back.
bool complex_view(ThunderBuilder& builder, const Call& call, const std::string& name, const Step& step) {
  const bool to_real = name == "view_as_real";
  if ((!to_real && name != "view_as_complex") || step.args.size() != 1 || step.args[0].kind != Arg::Kind::ref)
    return false;
  const ValueId from = step.args[0].ref;
  const auto to = thunder_tensor_type(call.statement->type);
  const auto& type = builder.type_of(from);
  if (!to || !type || type->shape.empty() || to->shape.empty()) return false;
  std::vector<Arg> shape;
  for (const SymExpr& size : to->shape) shape.push_back(Arg::of(size));
  const ThunderLayout layout = builder.layout(from);
  const ValueId floats =
      builder.emit_part(call, {"aten.view.dtype", {step.args[0], Arg::of_dtype(to->dtype)}, {}, layout});
  builder.emit(call, {"aten.view.default", {Arg::of(floats), Arg::of(std::move(shape))}, {}, layout});
  return true;
}

}  // namespace

bool thunder_ordered(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  if (call.args.empty() || call.args.size() > 4 || !call.args[0].is_tensor()) return false;
  Emit what{std::string(row.op), {Arg::of(call.args[0].id)}};
  const std::pair<std::string_view, Arg> behind[] = {
      {"dim", Arg::of(SymExpr(-1))}, {"descending", Arg::of_bool(false)}, {"stable", Arg::of_bool(false)}};
  for (std::size_t k = 0; k < std::size(behind); ++k) {
    const ThunderThing* thing = thunder_given(call, k + 1, behind[k].first);
    auto given = thing != nullptr ? thunder_argument(*thing) : std::optional(Arg{});
    if (!given) return false;
    what.kwargs.emplace_back(behind[k].first, given->kind == Arg::Kind::none ? behind[k].second : *given);
  }
  if (row.name == "sort") {
    what.types = thunder_type_like(builder, call.args[0].id);
    if (!what.types.empty()) what.types.push_back(what.types[0]);
    if (!what.types.empty()) what.types[1].dtype = Dtype::i64;
  }
  builder.emit(call, std::move(what));
  return true;
}

/// `instance_norm(x, running_mean, running_var, weight, bias, use_input_stats, ...)` writes the running
/// statistics. The lines that Thunder prints below it write repeated copies of them instead.
bool thunder_hides_writes(const ThunderStatement& s) {
  const PythonExpr& call = s.value;
  if (call.kind != PythonExpr::Kind::call || !call.text.ends_with(".instance_norm")) return false;
  const auto given = [&](std::size_t at, std::string_view name) {
    return at < call.items.size() ? &call.items[at] : call.entry(name);
  };
  const PythonExpr *mean = given(1, "running_mean"), *stats = given(5, "use_input_stats");
  const bool off = stats != nullptr && stats->kind == PythonExpr::Kind::boolean && !stats->boolean;
  return mean != nullptr && mean->kind == PythonExpr::Kind::name && !off;
}

bool lower_torch_call(ThunderBuilder& builder, const Call& call) {
  constexpr std::size_t kStatistics[] = {1, 2};
  if (thunder_hides_writes(*call.statement))
    return call.args.size() > 2 && emit_thunder_function(builder, call, {.written = kStatistics});
  Step step;
  bool ordered = true;
  for (const ThunderThing& thing : call.args) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    if (arg->kind == Arg::Kind::ref) ordered = ordered && builder.layout(arg->ref) != ThunderLayout::open;
    step.args.push_back(*std::move(arg));
  }
  for (const auto& [key, thing] : call.kwargs) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    if (arg->kind != Arg::Kind::none) step.kwargs.edit().emplace_back(key, *std::move(arg));
  }
  std::string name = call.name;
  constexpr std::string_view kOfRows[] = {"adaptive_avg_pool2d_backward", "argsort", "nll_loss_backward",
                                          "sort"};
  if (std::ranges::find(kOfRows, name) != std::end(kOfRows)) return lower_thunder_call(builder, call);
  constexpr std::string_view kTurned[] = {"add", "mul", "sub"};  // `1.0 + x`, of which ATen has no overload
  const bool turned = step.args.size() == 2 && step.kwargs.empty() &&
                      (step.args[0].kind == Arg::Kind::sym || step.args[0].kind == Arg::Kind::real);
  if (turned && std::ranges::find(kTurned, name) != std::end(kTurned))
    return lower_thunder_call(builder, call);
  if (name == "all_tensor" || name == "any_tensor") name.resize(3);
  // The function cuts out windows and copies them; the method of that name is a view.
  if (name == "unfold" && call.statement->value.text.find("nn.functional.") != std::string::npos)
    return false;
  resolve_inplace(name, step);
  if (auto what = composite(builder, name, step)) {
    builder.emit(call, *std::move(what));
    return true;
  }
  if (complex_view(builder, call, name, step)) return true;
  while (!step.args.empty() && step.args.back().kind == Arg::Kind::none) step.args.pop_back();
  auto op = first_overload("aten." + name, step);
  if (!op) op = overload_for_list(name, step);
  if (!op) return false;
  const Schema* schema = find_schema(*op);
  const bool view = meaning_of(base_name(*op), *schema) == Meaning::view;
  Emit what{*op, std::move(step.args), std::move(step.kwargs),
            ordered && !view ? ThunderLayout::plain : ThunderLayout::open};
  if (call.statement->target.kind == PythonExpr::Kind::none) {
    builder.emit_effect(call, std::move(what));
  } else {
    builder.emit(call, std::move(what));
  }
  return true;
}

}  // namespace noclobber
