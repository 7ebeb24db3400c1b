// Turns an MLX payload into a graph of values: the operands and results of each instruction.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "src/graph/uses.h"
#include "src/lower/mlx/case.h"
#include "src/lower/mlx/values.h"
#include "src/ops/infer.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

constexpr std::string_view kScalar = "_scalar_";  // prefix of the emitter's name for a constant number
constexpr std::string_view kChannelsLast = "_channel_last";  // suffix of a weight in channels-last order

/// The name without the digest of the graph: "weight" for "520c/weight".
std::string_view own_name(std::string_view name) { return name.substr(name.rfind('/') + 1); }

/// The name as torch.export spells it: in lower case, with `_` for all but letters and digits.
std::string plain_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const auto code = static_cast<unsigned char>(c);
    c = std::isalnum(code) == 0 ? '_' : static_cast<char>(std::tolower(code));
  }
  return out;
}

/// True if `input` is what torch.export calls the parameter or buffer: "p_b_0_weight" for "B.0.weight".
bool named_alike(std::string_view input, std::string_view name) {
  const std::string plain = plain_name(name);
  return input == plain || (input.size() == plain.size() + 2 && input[1] == '_' && input.ends_with(plain));
}

/// Replaces the references of an argument, in order, by those of `by` from `next` on.
void replace_refs(Arg& arg, const std::vector<ValueId>& by, std::size_t& next) {
  if (arg.kind == Arg::Kind::ref) arg.ref = by[next++];
  for (Arg& one : arg.list.items()) replace_refs(one, by, next);
}

/// "AddNode, slot 4 = slot 4, slot 1": registers in the order in which they are read.
std::string in_slots(const RegisterStep& step) {
  const auto list = [](const std::vector<std::uint32_t>& all) {
    std::string out;
    for (const std::uint32_t at : all) out += (out.empty() ? "slot " : ", slot ") + std::to_string(at);
    return out;
  };
  return (step.op.empty() ? "unknown" : step.op) + ", " + list(step.writes) + " = " + list(step.reads);
}

/// True if the operator promotes its operands to `wide` as well, or its result has no type.
bool is_as_wide(const Graph& functional, const Step& meant, Dtype wide) {
  const SharedType made = meant.results[0].valid() ? functional.value(meant.results[0]).type : SharedType();
  if (!made || made->dtype == wide) return true;
  if (made->dtype != Dtype::boolean) return false;
  return std::ranges::none_of(uses_of(meant), [&](ValueId id) {  // a comparison
    const SharedType type = functional.value(id).type;
    return type && type_category(type->dtype) == type_category(wide);
  });
}

}  // namespace

Result<Case> MlxCase::read() {
  if (auto fault = inputs()) return *fault;
  if (program_.init >= 0) unknown_chain(program_.chains[static_cast<std::size_t>(program_.init)]);
  for (const RegisterStep& step : program_.chains[program_.main]) {
    instruction(step);
    ++number_;
  }
  outputs();
  Case out;
  out.name = program_.name;
  out.after = std::move(graph_);
  out.assumed = std::move(assumed_);
  out.registers.push_back(program_);
  for (const auto& [at, why] : refused_) out.registers[0].chains[program_.main][at].refused = why;
  return out;
}

ValueId MlxCase::add_value(std::string name, SharedType type, std::uint32_t result) {
  const ValueId id{static_cast<std::uint32_t>(graph_.values.size())};
  const auto at = static_cast<std::uint32_t>(graph_.steps.size());
  graph_.values.push_back({names_.fresh(name), Value::From::step, at, result, std::move(type)});
  return id;
}

/// User inputs fill the input registers in order. Constants and state are found by name.
std::optional<Diagnostic> MlxCase::inputs() {
  graph_.name = "after";
  std::vector<std::uint32_t> registers;
  for (const RegisterProgram::Slot& slot : program_.inputs)
    if (slot.is_tensor) registers.push_back(slot.at);
  std::size_t next = 0;
  for (const Input& input : functional_.inputs) {
    const Value& value = functional_.value(input.value);
    Input mine = input;
    mine.value = ValueId{static_cast<std::uint32_t>(graph_.values.size())};
    const auto number = static_cast<std::uint32_t>(graph_.inputs.size());
    graph_.values.push_back({value.name, Value::From::input, number, 0, value.type});
    graph_.inputs.push_back(std::move(mine));
    names_.take(value.name);
    same_[input.value.index] = graph_.inputs.back().value.index;
    if (input.kind != Input::Kind::user) continue;
    if (next < registers.size() && is_shaped(registers[next], value.type))
      held_[registers[next]] = {MlxHeld::Kind::value, graph_.inputs.back().value};
    ++next;
  }
  if (next < registers.size())
    return Diagnostic{"", "the payload takes " + std::to_string(registers.size()) +
                              " tensors, BEFORE is given " + std::to_string(next)};
  std::map<std::string, int> alike;
  for (const auto& [at, name] : program_.names) ++alike[plain_name(own_name(name))];
  for (const auto& [at, name] : program_.names)
    if (alike.at(plain_name(own_name(name))) == 1) constant(at, name);  // else the name is ambiguous
  return std::nullopt;
}

/// Fills a register of a constant or of state: with a number, or with the input of that name.
void MlxCase::constant(std::uint32_t at, const std::string& name) {
  const auto space = program_.space_of(at);
  if (space != RegisterProgram::constant && space != RegisterProgram::state) return;
  const std::string_view own = own_name(name);
  if (own.ends_with(kChannelsLast))
    return turned_constant(at, own.substr(0, own.size() - kChannelsLast.size()));
  if (own.starts_with(kScalar)) {
    const std::string_view text = own.substr(kScalar.size());
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const Dtype dtype = mlx_dtype_in(numbers_, at);
    if (dtype == Dtype::boolean) number = number == 0 ? 0 : 1;
    if (dtype != Dtype::other && !is_floating(dtype)) number = std::trunc(number);
    if (error == std::errc() && end == text.data() + text.size())
      held_[at] = {MlxHeld::Kind::number, {}, number, dtype};
    return;
  }
  for (const Input& input : graph_.inputs) {
    if (input.kind == Input::Kind::user || !named_alike(graph_.value(input.value).name, own) ||
        !is_shaped(at, graph_.value(input.value).type))
      continue;
    held_[at] = {MlxHeld::Kind::value, of_dtype(input.value, mlx_dtype_in(numbers_, at))};
    if (space == RegisterProgram::state) register_of_[input.value.index] = at;
  }
}

/// Fills a register with a weight that the emitter stored channels-last and the graph permutes at run time.
void MlxCase::turned_constant(std::uint32_t at, std::string_view weight) {
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    const Step& meant = functional_.steps[k];
    if (matched_[k] || base_name(meant.op) != "aten.permute_copy" || meant.args[0].kind != Arg::Kind::ref)
      continue;
    const Value& of = functional_.value(meant.args[0].ref);
    if (of.from != Value::From::input || !named_alike(of.name, weight) ||
        !is_shaped(at, functional_.value(meant.results[0]).type))
      continue;
    matched_[k] = true;
    assume("constants that are named after a weight and `" + std::string(kChannelsLast) + "` hold it so");
    Step made = meant;
    std::size_t next = 0;
    replace_refs(made.args[0], {ValueId{same_.at(meant.args[0].ref.index)}}, next);
    const Value& result = functional_.value(meant.results[0]);
    made.results = {add_value(result.name, result.type, 0)};
    same_[meant.results[0].index] = made.results[0].index;
    const ValueId turned = made.results[0];
    graph_.steps.push_back(std::move(made));
    held_[at] = {MlxHeld::Kind::value, of_dtype(turned, mlx_dtype_in(numbers_, at))};
    return;
  }
}

std::vector<ValueId> MlxCase::values_read(const RegisterStep& step) const {
  std::vector<ValueId> out;
  for (const std::uint32_t at : step.reads)
    if (held_[at].kind == MlxHeld::Kind::value) out.push_back(held_[at].value);
  return out;
}

/// True if the instruction reads exactly these operands, in this order.
bool MlxCase::reads_just(const RegisterStep& step, const std::vector<MlxOperand>& operands) const {
  return std::ranges::equal(step.reads, operands,
                            [&](std::uint32_t at, const MlxOperand& one) { return is_held(at, one); });
}

bool MlxCase::is_held(std::uint32_t at, const MlxOperand& one) const {
  const MlxHeld& held = held_[at];
  if (!one.tensor.valid()) return held.kind == MlxHeld::Kind::number && held.number == one.number;
  const auto same = same_.find(one.tensor.index);
  return held.kind == MlxHeld::Kind::value && same != same_.end() && same->second == held.value.index;
}

void MlxCase::assume(const std::string& what) {
  if (std::ranges::find(assumed_, what) == assumed_.end()) assumed_.push_back(what);
}

/// A copy of the functional step with `values` as operands.
Step MlxCase::of_values(const RegisterStep& step, const Step& meant, const std::vector<ValueId>& values,
                        const MlxOp& kind) {
  if (kind.op.empty() && mlx_says(numbers_, functional_, step, meant) != MlxSays::same)
    assume("what instructions of MLX hold besides registers is what their operators are given");
  Step made = meant;
  std::size_t next = 0;
  for (Arg& arg : made.args) replace_refs(arg, values, next);
  for (auto& [name, arg] : made.kwargs.items()) replace_refs(arg, values, next);
  return made;
}

bool mlx_may_give(const Graph& functional, const Step& meant, const RegisterStep& step) {
  const auto wanted = [&](ValueId id) { return id.valid() && is_used(functional, id); };
  return meant.results.size() >= step.writes.size() && !step.writes.empty() &&
         std::none_of(meant.results.begin() + static_cast<std::ptrdiff_t>(step.writes.size()),
                      meant.results.end(), wanted);
}

MlxSays mlx_says(const MlxHeldNumbers& numbers, const Graph& functional, const RegisterStep& step,
                 const Step& meant) {
  const auto at = numbers.steps.find(step.at);
  return at == numbers.steps.end() ? MlxSays::unsaid : says_of(step.op, at->second, functional, meant);
}

/// Compares kind, results and numbers, but not the operands.
bool MlxCase::could_be(const RegisterStep& step, const MlxOp& kind, std::size_t meant) const {
  const Step& of = functional_.steps[meant];
  return !matched_[meant] && is_mlx_kin(kind, of.op) && mlx_may_give(functional_, of, step) &&
         mlx_says(numbers_, functional_, step, of) != MlxSays::other;
}

/// Lets the instruction stand for a functional operator that takes the same values. False if there is none.
bool MlxCase::stand_for(const RegisterStep& step, const MlxOp& kind) {
  const std::optional<Dtype> wide = widened(step);
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    const Step& meant = functional_.steps[k];
    if (!could_be(step, kind, k)) continue;
    const auto operands = mlx_reads_for(meant, kind);
    if (!operands || !reads_just(step, *operands) || (wide && !is_as_wide(functional_, meant, *wide)))
      continue;
    matched_[k] = true;
    std::vector<ValueId> values;
    for (const MlxOperand& one : mlx_tensors(meant)) values.push_back(ValueId{same_.at(one.tensor.index)});
    Step made = of_values(step, meant, values, kind);
    push(std::move(made), step, &meant);
    return true;
  }
  return false;
}

/// `meant`: the functional step whose results these are, or nullptr.
void MlxCase::push(Step made, const RegisterStep& step, const Step* meant) {
  made.results.clear();
  if (!made.extras->after.empty()) made.extras.edit().after.clear();
  made.source = StepSource{"instruction " + std::to_string(number_) + " at byte " + std::to_string(step.at),
                           in_slots(step) + (meant == nullptr ? kMlxOdd + odd_reason(step) : "")};
  MlxRan ran{&step, mlx_read_by(step, held_), {}};
  std::vector<MlxHeld> written;
  for (std::uint32_t k = 0; k < step.writes.size(); ++k) {
    const bool known = meant != nullptr && meant->results[k].valid();
    std::string name = known ? functional_.value(meant->results[k]).name : odd_name(step, k);
    const ValueId id =
        add_value(std::move(name), known ? functional_.value(meant->results[k]).type : SharedType(), k);
    if (known) same_[meant->results[k].index] = id.index;
    made.results.push_back(id);
    written.push_back({MlxHeld::Kind::value, id});
    ran.made.push_back(id);
  }
  ran_.push_back(std::move(ran));
  if (meant != nullptr) made.results.resize(meant->results.size());
  if (meant == nullptr && !made.results.empty())
    graph_.values[made.results[0].index].type = odd_type(step, made);
  graph_.steps.push_back(std::move(made));
  for (std::size_t k = 0; k < step.writes.size(); ++k) {
    const std::uint32_t at = step.writes[k];
    const bool late = std::ranges::any_of(
        overwritten_, [&](const MlxOverwritten& one) { return one.writer == number_ && one.at == at; });
    if (late && may_write_over(at, written[k].value)) {
      const ValueId made_at = written[k].value;
      written[k].value = write_over(at, made_at, graph_.value(made_at).name);
      if (meant != nullptr && meant->results[k].valid())
        same_[meant->results[k].index] = written[k].value.index;
      written_over_.insert({number_, at});
    }
    held_[at] = written[k];
    const bool known = meant != nullptr && meant->results[k].valid();
    history_[at].emplace_back(number_, known ? std::optional(meant->results[k].index) : std::nullopt);
  }
}

std::vector<MlxHeld> mlx_read_by(const RegisterStep& step, const std::vector<MlxHeld>& held) {
  std::vector<MlxHeld> out;
  for (const std::uint32_t at : step.reads) out.push_back(held[at]);
  return out;
}

/// Reuses the results of an earlier instruction with the same numbers and operands: arrays are immutable.
bool MlxCase::repeats(const RegisterStep& step) {
  const std::vector<MlxHeld> read = mlx_read_by(step, held_);
  const auto numbers = numbers_.steps.find(step.at);
  if (numbers == numbers_.steps.end() || !step.read_numbers.empty() || !step.write_numbers.empty())
    return false;
  const auto same = std::ranges::find_if(ran_, [&](const MlxRan& one) {
    const auto its = numbers_.steps.find(one.step->at);
    return one.step->op == step.op && one.read == read && one.step->writes.size() == step.writes.size() &&
           its != numbers_.steps.end() && its->second == numbers->second && !mlx_op_of(step.op).kin.empty();
  });
  if (same == ran_.end()) return false;
  for (std::size_t k = 0; k < step.writes.size(); ++k) {
    held_[step.writes[k]] = {MlxHeld::Kind::value, same->made[k]};
    history_[step.writes[k]].emplace_back(number_, std::nullopt);
  }
  return true;
}

void MlxCase::unknown_chain(const std::vector<RegisterStep>& chain) {
  for (const RegisterStep& step : chain) opaque(step);
}

void MlxCase::instruction(const RegisterStep& step) {
  const auto held = as_meant(number_);
  run(step);
  for (const auto& [at, own] : held)
    if (std::ranges::find(step.writes, at) == step.writes.end()) held_[at] = own;
}

void MlxCase::run(const RegisterStep& step) {
  if (step.runs != RegisterStep::Runs::itself) {
    opaque(step);
    for (const std::uint32_t chain : step.chains) unknown_chain(program_.chains[chain]);
    return;
  }
  if (step.op == "NoopNode") return;
  if (step.op == "IdCopyNode") {
    held_[step.writes[0]] = held_[step.reads[0]];
    history_[step.writes[0]].emplace_back(number_, std::nullopt);
    return;
  }
  const MlxOp kind = mlx_op_of(step.op);
  if (mlx_rounds_number(mlx_read_by(step, held_), graph_)) return opaque(step);
  if (stand_for(step, kind) || repeats(step)) return;
  find_overwritten(step, kind);
  if (const std::string why = fit_of(step).refusal; !why.empty()) {
    refused_.emplace(number_, why);
    return opaque(step);
  }
  if (!compute(step, kind.op) && !like_another(step, kind, false) && !product(step) &&
      !by_own_numbers(step) && !like_another(step, kind, true) && !next_of_kind(step, kind))
    opaque(step);
}

/// The runtime copies returned arrays into the caller's memory.
void MlxCase::outputs() {
  std::set<std::uint32_t> returned;
  find_returned_late();
  as_meant(number_);
  for (const RegisterProgram::Slot& slot : program_.outputs) {
    const MlxHeld held = slot.is_tensor ? held_[slot.at] : MlxHeld{};
    if (held.kind != MlxHeld::Kind::value) {
      graph_.outputs.emplace_back();
      continue;
    }
    const Value& value = graph_.value(held.value);
    if (value.from == Value::From::step && returned.insert(held.value.index).second) {
      graph_.outputs.push_back(Arg::of(held.value));
      continue;
    }
    Step copy;
    copy.op = "aten.clone.default";
    copy.args = {Arg::of(held.value)};
    const ValueId id = add_value("out", value.type, 0);
    copy.results = {id};
    graph_.steps.push_back(std::move(copy));
    graph_.outputs.push_back(Arg::of(id));
  }
  for (const auto& [input, at] : register_of_)
    if (held_[at].kind == MlxHeld::Kind::value && held_[at].value.index != input)
      graph_.finals.emplace_back(ValueId{input}, Arg::of(held_[at].value));
}

}  // namespace noclobber
