// Appends one more call of any operator of the vocabulary: arguments by recorded example or by their types in
// the schema, kept if the program still runs.
#include <algorithm>
#include <array>

#include "src/fuzz/call_choice.h"
#include "src/fuzz/draft.h"
#include "src/fuzz/layout.h"
#include "src/interp/interp.h"
#include "src/ops/row.h"
#include "src/ops/sizes.h"

namespace noclobber::fuzz {
namespace {

constexpr int kTries = 8;
constexpr std::size_t kMostInputs = 9;
constexpr std::int64_t kMostInAll = 4096;  // elements of a program's values
/// True if a written operand may overlap another one although the operator is not elementwise. PyTorch
/// rejects most of these calls, and specifies nothing for the rest.
bool meets_target(const Draft& draft, const Draft::Call& call, const Schema& schema) {
  const auto targets = written(call), all = operands(call);
  if (is_elementwise(base_name(call.op), schema)) return false;
  for (const int target : targets) {
    const auto same_place = [&](int v) {
      return draft.shown.at(v).storage == draft.shown.at(target).storage;
    };
    if (std::count_if(all.begin(), all.end(), same_place) > 1) return true;
  }
  return false;
}

/// True if the operator has a rule for its results, given legal arguments.
bool has_rule(std::string_view op, const Schema& schema) {
  const std::string functional = functional_op(op);
  const std::string_view name = base_name(functional.empty() ? op : std::string_view(functional));
  const OpRow* row = find_row(name);
  return (row != nullptr && (row->shape != nullptr || row->view != nullptr)) || is_elementwise(name, schema);
}

/// The result types by the operator's rule, contiguous; empty unless the rule gives all.
std::vector<Type> types_by_rule(const Draft& draft, const Draft::Call& call, const Schema& schema) {
  Space space;
  Sizes sizes(space);
  const auto arguments = bind_arguments(schema, draft.graph().steps.back());
  if (!arguments) return {};
  std::vector<TensorMeta> given;
  for (const int v : operands(call)) {
    const Shown& at = draft.shown.at(v);
    given.push_back({{}, at.dtype});
    for (const std::int64_t extent : at.shape) given.back().shape.push_back(space.constant(extent));
  }
  const std::string functional = functional_op(call.op);
  const std::string_view op = functional.empty() ? std::string_view(call.op) : functional;
  std::vector<Type> out;
  for (const InferredMeta& meta : infer_meta({sizes, base_name(op), schema, *arguments, given})) {
    // A rule that leaves the dtype open describes kernels that keep floating dtypes.
    if (!meta.dtype && !is_floating(given[0].dtype)) return {};
    out.emplace_back();
    out.back().dtype = meta.dtype.value_or(given[0].dtype);
    for (const PolyId extent : meta.shape) out.back().shape.emplace_back(space.value(extent).value_or(1));
  }
  if (out.size() < call.results().size()) return {};
  return out;
}

std::string_view text_for(const std::string& name, Random& random) {
  static constexpr std::array<std::string_view, 3> kRounding{"trunc", "floor", "trunc"};
  static constexpr std::array<std::string_view, 3> kReduce{"sum", "prod", "amax"};
  static constexpr std::array<std::string_view, 3> kOther{"none", "tanh", "ij"};
  const auto k = static_cast<std::size_t>(random.below(3));
  if (name == "rounding_mode") return kRounding[k];
  return name == "reduce" ? kReduce[k] : kOther[k];
}

/// Makes the arguments of one call of `schema`; adds new inputs to the draft.
class Maker {
 public:
  Maker(Draft& draft, Random& random) : draft_(draft), random_(random) {}

  void by_schema(const Schema& schema, Draft::Call& call) {
    for (const SchemaSlot& slot : schema.arguments) {
      if (slot.fallback && !random_.chance(25)) {
        if (!slot.keyword_only) call.args.push_back(*slot.fallback);
        continue;
      }
      Arg made = argument(slot);
      if (slot.keyword_only) {
        if (made.kind != Arg::Kind::none) call.kwargs.emplace_back(slot.name, std::move(made));
      } else {
        call.args.push_back(std::move(made));
      }
    }
  }

  void by_example(const Json& example, Draft::Call& call) {
    std::vector<int> tensors;
    for (const Json& tensor : example["tensors"]) tensors.push_back(like(tensor));
    for (const Json& arg : example["args"]) call.args.push_back(recorded(arg, tensors));
    for (const auto& [name, arg] : example["kwargs"].items())
      call.kwargs.emplace_back(name, recorded(arg, tensors));
  }

 private:
  const Shown& of(int v) const { return draft_.shown.at(v); }
  int any() { return static_cast<int>(random_.below(draft_.values)); }

  int input(Shown at, Ints contents) {
    at.storage = draft_.storages++;
    const int value = draft_.values++;
    draft_.shown[value] = std::move(at);
    draft_.inputs.push_back(
        {value, "x" + std::to_string(draft_.inputs.size()), "", std::nullopt, std::move(contents)});
    return value;
  }

  /// A value of that dtype and shape; empty if there is none.
  std::optional<int> fitting(Dtype dtype, const Ints& shape) {
    std::vector<int> fit;
    for (int v = 0; v < draft_.values; ++v)
      if (const auto at = draft_.shown.find(v);
          at != draft_.shown.end() && at->second.dtype == dtype && at->second.shape == shape)
        fit.push_back(v);
    if (fit.empty()) return std::nullopt;
    return random_.one_of(fit);
  }

  int like(const Json& tensor) {
    const auto dtype = parse_torch_dtype(tensor["dtype"].get<std::string>()).value_or(Dtype::f32);
    Shown at{0, dtype, tensor["shape"].get<Ints>(), tensor["stride"].get<Ints>(), 0, true};
    if (tensor.contains("values")) {
      at.stride = row_major(at.shape);
      Ints values = tensor["values"].get<Ints>();
      values.resize(static_cast<std::size_t>(fuzz::count(at.shape)));
      return input(std::move(at), std::move(values));
    }
    if (const auto known = fitting(dtype, at.shape); known && random_.chance(80)) return *known;
    if (random_.chance(70)) at.stride = row_major(at.shape);
    return input(std::move(at), {});
  }

  Arg recorded(const Json& arg, const std::vector<int>& tensors) {
    if (arg.is_array()) {
      std::vector<Arg> list;
      for (const Json& item : arg) list.push_back(recorded(item, tensors));
      return Arg::of(std::move(list));
    }
    if (arg.is_boolean()) return Arg::of_bool(arg.get<bool>());
    if (arg.is_number_integer()) return number(arg.get<std::int64_t>());
    if (arg.is_string()) return Arg::of_text(arg.get<std::string>());
    if (!arg.is_object()) return {};
    const std::string& kind = arg.begin().key();
    const Json& value = arg.begin().value();
    if (kind == "tensor") return ref(tensors.at(value.get<std::size_t>()));
    if (kind == "float") return Arg::of_real(std::strtod(value.get<std::string>().c_str(), nullptr));
    if (kind == "dtype")
      return Arg::of_dtype(parse_torch_dtype(value.get<std::string>()).value_or(Dtype::f32));
    return kind == "device" ? Arg::of_device("cpu") : Arg::of_text(value.get<std::string>());
  }

  Arg tensor(const std::string& name) {
    const bool index = name.find("ind") != std::string::npos;
    if (index) {
      const Ints shape = first_ && random_.chance(50) ? of(*first_).shape : Ints{random_.between(1, 3)};
      Ints values(static_cast<std::size_t>(fuzz::count(shape)), 0);
      for (std::size_t k = 1; k < values.size(); ++k) values[k] = random_.below(2);
      return ref(input({0, Dtype::i64, shape, row_major(shape), 0, true}, values));
    }
    if (name == "mask" || name == "condition") {
      const Ints shape = first_ ? of(*first_).shape : of(any()).shape;
      if (const auto known = fitting(Dtype::boolean, shape)) return ref(*known);
      return ref(input({0, Dtype::boolean, shape, row_major(shape), 0, true}, {}));
    }
    if (!first_) {
      first_ = any();
      return ref(*first_);
    }
    if (random_.chance(15)) return ref(any());
    return ref(fitting(of(*first_).dtype, of(*first_).shape).value_or(any()));
  }

  Ints extents(const std::string& name) {
    const Ints shape = first_ ? of(*first_).shape : Ints{random_.between(1, 3)};
    if (name.find("dim") != std::string::npos && !shape.empty())
      return {random_.below(static_cast<std::int64_t>(shape.size()))};
    if (name == "stride") return row_major(shape);
    if (name.find("size") != std::string::npos || name == "shape") return shape;
    return Ints(static_cast<std::size_t>(random_.between(1, 2)), random_.between(0, 2));
  }

  Arg scalar(const SchemaSlot& slot) {
    if (slot.type_text.starts_with("bool")) return Arg::of_bool(random_.chance(50));
    if (slot.type_text.starts_with("float"))
      return Arg::of_real(static_cast<double>(random_.between(0, 4)) / 4);
    if (slot.name.find("dim") != std::string::npos && first_)
      return number(
          random_.below(std::max<std::int64_t>(1, static_cast<std::int64_t>(of(*first_).shape.size()))));
    return number(random_.between(slot.type_text.starts_with("Scalar") ? 1 : 0, 2));
  }

  Arg argument(const SchemaSlot& slot) {
    const std::string& type = slot.type_text;
    if (slot.type == SchemaSlot::Type::tensor)
      return type.ends_with("?") && random_.chance(40) ? Arg{} : tensor(slot.name);
    if (slot.type == SchemaSlot::Type::tensor_list) {
      std::vector<Arg> list;
      for (std::int64_t k = random_.between(1, 2); k > 0; --k) list.push_back(tensor(slot.name));
      return Arg::of(std::move(list));
    }
    const bool optional = type.ends_with("?");
    if (type.starts_with("ScalarType")) {
      static constexpr std::array<Dtype, 4> kTypes{Dtype::f32, Dtype::f64, Dtype::i32, Dtype::bf16};
      return optional && random_.chance(50)
                 ? Arg{}
                 : Arg::of_dtype(kTypes[static_cast<std::size_t>(random_.below(4))]);
    }
    if (type.starts_with("Layout") || type.starts_with("Generator") || type.starts_with("MemoryFormat"))
      return {};
    if (type.starts_with("Device")) return optional ? Arg{} : Arg::of_device("cpu");
    if (type.starts_with("str") || type.starts_with("Any"))
      return Arg::of_text(std::string(text_for(slot.name, random_)));
    if (optional && random_.chance(30)) return {};
    if (type.find('[') != std::string::npos) {
      if (type.starts_with("bool"))
        return Arg::of({Arg::of_bool(true), Arg::of_bool(true), Arg::of_bool(true)});
      return numbers(extents(slot.name));
    }
    return scalar(slot);
  }

  Draft& draft_;
  Random& random_;
  std::optional<int> first_;  // the tensor argument whose shape the others follow
};

/// Names the results of the schema, up to the first that is not a tensor; a list has up to four.
void name_results(Draft& draft, Draft::Call& call, const Schema& schema) {
  const auto is_other = [](const SchemaSlot& slot) { return slot.type == SchemaSlot::Type::other; };
  const auto end = std::find_if(schema.returns.begin(), schema.returns.end(), is_other);
  if (end == schema.returns.begin()) return;
  const bool list = schema.returns[0].type == SchemaSlot::Type::tensor_list;
  const std::size_t many = list ? 4 : static_cast<std::size_t>(end - schema.returns.begin());
  call.result = draft.values++;
  for (std::size_t k = 1; k < many; ++k) call.more.push_back(draft.values++);
}

/// Removes results at the end that the run did not bind. False if a result between others is unbound, as
/// gradient masks leave them, so that not every value would exist.
bool trim(Draft& draft, const std::set<int>& bound) {
  Draft::Call& call = draft.calls.back();
  if (call.result < 0) return true;
  while (!call.more.empty() && !bound.contains(call.more.back())) {
    draft.shown.erase(call.more.back());
    call.more.pop_back();
    --draft.values;
  }
  const auto results = call.results();
  return std::all_of(results.begin(), results.end(), [&](int v) { return bound.contains(v); });
}

/// Appends the call if the program then runs to its end. `said`: types of its results, if nothing else gives
/// them.
bool keep_if_it_runs(Draft& draft, Draft::Call call, const Schema& schema, Random& random,
                     std::vector<Type> said) {
  if (meets_target(draft, call, schema) && !random.chance(4)) return false;
  name_results(draft, call, schema);
  draft.calls.push_back(call);
  std::set<int> bound;
  if (!run_layouts(draft, bound)) {
    // It cannot be run: its result types are those of its rule, else that of the first operand, as for most.
    const auto given = operands(call);
    if ((given.empty() && said.empty()) || call.result < 0 || !random.chance(60)) return false;
    auto& types = draft.calls.back().types;
    types = said.empty() ? types_by_rule(draft, call, schema) : std::move(said);
    if (types.empty() && has_rule(call.op, schema)) return false;
    if (types.empty()) types.assign(call.results().size(), type_of(draft.shown.at(given[0])));
    if (!run_layouts(draft, bound)) return false;
  }
  if (!trim(draft, bound)) return false;
  std::int64_t all = 0;
  for (const auto& [value, at] : draft.shown) all += fuzz::count(at.shape);
  return all <= kMostInAll;
}

Draft::Call random_call(Draft& draft, Random& random, std::string_view wanted, const Json* example) {
  Draft::Call call;
  call.op = wanted;
  Maker maker(draft, random);
  if (example != nullptr) {
    maker.by_example(*example, call);
  } else {
    maker.by_schema(*find_schema(wanted), call);
  }
  return call;
}

}  // namespace

bool run_layouts(Draft& draft, std::set<int>& bound) {
  Case value;
  value.after = draft.graph();
  std::set<std::string> names;
  for (const Draft::Entry& entry : draft.inputs) names.insert(entry.name);
  RunOptions options;
  options.work = 200'000;
  const auto run = run_graph(value, value.after, names, options);
  if (!run || run->raised || !run->unsupported.empty()) return false;
  std::size_t id = 0;
  const auto take = [&](int v, bool numeric) {
    const auto& tensor = run->values.at(id++);
    if (!tensor) return;
    bound.insert(v);
    draft.shown[v] = {
        static_cast<int>(tensor->storage), tensor->dtype, tensor->shape, tensor->stride, tensor->offset,
        numeric && !tensor->conjugated};
  };
  for (const Draft::Entry& entry : draft.inputs) take(entry.value, true);
  for (const Draft::Call& call : draft.calls)
    for (const int v : call.results()) take(v, !run->hashed.contains(call.op));
  draft.storages = static_cast<int>(run->storages.size());
  return true;
}

bool refresh(Draft& draft) {
  std::set<int> bound;
  return run_layouts(draft, bound);
}

namespace {

bool add_call(Draft& draft, Random& random, const Chosen& chosen, bool rebinds) {
  const Schema& schema = *find_schema(chosen.op);
  for (int k = 0; k < kTries; ++k) {
    Draft next = draft;
    Draft::Call call = random_call(next, random, chosen.op, chosen.example);
    std::vector<Type> said = chosen.example != nullptr ? said_types(*chosen.example) : std::vector<Type>();
    if (next.inputs.size() > kMostInputs ||
        !keep_if_it_runs(next, std::move(call), schema, random, std::move(said)))
      continue;
    next.rebinds = next.rebinds || rebinds;
    draft = std::move(next);
    return true;
  }
  return false;
}

bool rebinds_names(std::string_view op, const Schema& schema) {
  const Meaning meaning = meaning_of(base_name(op), schema);
  return meaning == Meaning::rebind || meaning == Meaning::set || meaning == Meaning::resize;
}

}  // namespace

bool add_table_call(Draft& draft, Random& random) {
  const Chosen chosen = any_call(random);
  const Schema* schema = find_schema(chosen.op);
  if (schema == nullptr) return false;
  const bool rebinds = rebinds_names(chosen.op, *schema);
  return (!rebinds || random.chance(5)) && add_call(draft, random, chosen, rebinds);
}

bool add_call_of_row(Draft& draft, Random& random, std::size_t row) {
  for (int tries = 0; tries < 3; ++tries) {
    const auto chosen = call_of_row(op_rows()[row], random);
    const Schema* schema = chosen ? find_schema(chosen->op) : nullptr;
    if (schema != nullptr && add_call(draft, random, *chosen, rebinds_names(chosen->op, *schema)))
      return true;
  }
  return false;
}

}  // namespace noclobber::fuzz
