#include "src/ops/saved_draws.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "src/base/fnv.h"
#include "src/graph/uses.h"
#include "src/graph/value_names.h"
#include "src/ops/decl.h"
#include "src/ops/devices.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::string_view kSave = "higher_order.run_and_save_rng_state";
constexpr std::string_view kUse = "higher_order.run_with_rng_state";
constexpr std::string_view kState = "prims.inductor_seed.default";
constexpr std::string_view kDropout = "aten.native_dropout.default";
constexpr std::string_view kFamily = "from_state";

/// One draw: the inner call, and the parts of the step that are not in it.
struct Draw {
  enum class Kind : std::uint8_t { plain, saves, uses };
  Kind kind = Kind::plain;
  const Schema* schema = nullptr;
  std::vector<Arg> args;
  std::optional<Arg> state;  // the saved state, with Kind::uses
  bool like = false;         // only size and dtype of the first argument matter
};

bool is_op(const Step& step, std::string_view op) {
  return step.op->starts_with(op) &&
         (step.op.size() == op.size() || step.op->substr(op.size()) == ".default");
}

/// The draw that a step makes if it writes nothing; empty for any other step.
std::optional<Draw> draw_of(const Step& step) {
  Draw out;
  const bool saves = is_op(step, kSave), uses = is_op(step, kUse);
  const std::size_t at = uses ? 1 : 0;
  if ((saves || uses) && (step.args.size() <= at || step.args[at].kind != Arg::Kind::text))
    return std::nullopt;
  out.kind = saves ? Draw::Kind::saves : uses ? Draw::Kind::uses : Draw::Kind::plain;
  const std::string named = saves || uses ? full_op_name(step.args[at].text) : std::string();
  const std::string& op = saves || uses ? named : *step.op;
  out.schema = find_schema(op);
  if (out.schema == nullptr || out.schema->ns == "higher_order" || out.schema->writes() ||
      !is_random(base_name(op), *out.schema))
    return std::nullopt;
  if (uses) out.state = step.args[0];
  out.args = step.args;
  if (saves || uses) out.args.erase(out.args.begin(), out.args.begin() + static_cast<std::ptrdiff_t>(at + 1));
  Step inside = step;
  inside.op = op;
  inside.args = out.args;
  const auto bound = bind_arguments(*out.schema, inside);
  if (!bound || !draws(base_name(op), *out.schema, *bound)) return std::nullopt;
  out.like = !out.args.empty() && out.args[0].kind == Arg::Kind::ref &&
             contents_unread(base_name(op), *out.schema, *bound, 0);
  return out;
}

/// The device that a call draws on: that of its own argument, else of an operand or a result, else `only`. ""
/// if unknown.
std::string drawn_on(const Graph& graph, const Step& step, const Draw& draw, const std::string& only) {
  for (const auto& [key, arg] : step.kwargs)
    if (key == "device" && arg.kind == Arg::Kind::device) return arg.text;
  for (const Arg& arg : draw.args)
    if (arg.kind == Arg::Kind::device) return arg.text;
  std::vector<ValueId> values;
  for (const Arg& arg : draw.args) collect_uses(arg, values);
  values.insert(values.end(), step.results.begin(), step.results.end());
  for (const ValueId id : values)
    if (id.valid() && graph.value(id).type && !graph.value(id).type->device.empty())
      return graph.value(id).type->device;
  return only;
}

/// The only device that a case names; "cpu" if it names none, "" if it names several.
std::string only_device(const Case& value) {
  std::set<std::string> devices = named_devices(value.after);
  if (value.before) devices.merge(named_devices(*value.before));
  return devices.empty() ? "cpu" : devices.size() == 1 ? *devices.begin() : "";
}

std::string mark_of(const std::string& text) {
  Fnv sum;
  sum.add(text);
  return fmt::format("_{:08x}", sum.state() & 0xffffffffU);
}

/// The name of the call with a state in front, which draws nothing by itself. A call on operands of another
/// layout is another operator: the order in which numbers are drawn for it is unknown, so comparing runs of
/// both proves nothing.
std::string from_state(const Draw& draw, const std::string& laid) {
  return draw.schema->ns + "_" + draw.schema->name + (draw.like ? "_alike" : "") + mark_of(laid);
}

OpDecl declaration_of(const Draw& draw, const std::string& name) {
  Schema out = *draw.schema;
  out.name = name;
  out.ns = kFamily;
  out.op = out.ns + "." + out.name + "." + out.overload;
  if (draw.like) out.arguments.erase(out.arguments.begin());
  SchemaSlot state, laid;
  state.name = "rng_state";
  state.type = SchemaSlot::Type::tensor;
  state.type_text = state.spelling = "Tensor";
  laid.name = "operands_lie";
  laid.type_text = laid.spelling = "str";
  out.arguments.insert(out.arguments.begin(), {std::move(state), std::move(laid)});
  OpDecl decl;
  decl.schema = schema_text(out);
  return decl;
}

/// The layout of the operands of a call: numbers are drawn for one element after the other as they are in
/// memory. Empty if an operand has no type. Strides that the text leaves out are contiguous.
std::optional<std::string> laid_out(const Graph& graph, const Step& step, const Draw& draw) {
  std::vector<ValueId> values;
  for (const Arg& arg : draw.args) collect_uses(arg, values);
  for (const auto& [key, arg] : step.kwargs) collect_uses(arg, values);
  std::string out;
  for (const ValueId id : values) {
    const SharedType type = id.valid() ? graph.value(id).type : SharedType();
    if (!type) return std::nullopt;
    out += "[";
    SymExpr plain = 1;
    std::string strides;
    for (std::size_t k = type->shape.size(); k-- > 0; plain = plain * type->shape[k]) {
      const bool given = type->strides == Type::Strides::given;
      const bool one = type->shape[k] == SymExpr(1);
      strides = (one ? "-" : given ? type->stride[k].text() : plain.text()) + "," + strides;
    }
    out += strides + "]";
  }
  return out;
}

std::string size_and_type(const Type& type) {
  std::string out(name(type.dtype));
  for (const SymExpr& size : type.shape) out += "," + size.text();
  return out;
}

/// The type of a result that the text does not describe, for a call whose arguments give its size.
std::optional<Type> told_type(const Graph& graph, const Step& step, const Draw& draw) {
  Type out;
  out.device = drawn_on(graph, step, draw, "");
  out.dtype = Dtype::f32;
  if (draw.schema->op == "prims.inductor_seeds.default") {
    if (draw.args.empty() || draw.args[0].kind != Arg::Kind::sym) return std::nullopt;
    out.dtype = Dtype::i64;
    out.shape = {draw.args[0].sym};
    return out;
  }
  if (draw.schema->op != "aten.rand.default" && draw.schema->op != "aten.randn.default") return std::nullopt;
  for (const auto& [key, arg] : step.kwargs)
    if (key == "dtype" && arg.kind == Arg::Kind::dtype) out.dtype = arg.dtype;
  for (const Arg& size : draw.args.empty() ? std::vector<Arg>{} : *draw.args[0].list) {
    if (size.kind != Arg::Kind::sym) return std::nullopt;
    out.shape.push_back(size.sym);
  }
  return out;
}

/// True if all draws are understood, and states are used by draws or returned, but not otherwise.
bool states_stay_states(const Graph& graph, const std::string& only) {
  std::set<ValueId> states;
  bool known = true;
  for (const Step& step : graph.steps) {
    const auto draw = draw_of(step);
    if (is_op(step, kSave) || is_op(step, kUse))
      known = known && draw && !drawn_on(graph, step, *draw, only).empty();
    known = known && (!draw || laid_out(graph, step, *draw));
    if (draw && draw->kind == Draw::Kind::saves && !step.results.empty()) states.insert(step.results[0]);
    std::vector<ValueId> used;
    for (std::size_t k = draw && draw->kind == Draw::Kind::uses ? 1 : 0; k < step.args.size(); ++k)
      collect_uses(step.args[k], used);
    for (const auto& [key, arg] : step.kwargs) collect_uses(arg, used);
    known =
        known && std::ranges::none_of(used, [&](ValueId id) { return id.valid() && states.contains(id); });
  }
  return known && std::ranges::none_of(graph.finals, [&](const auto& f) {
           return f.second.kind == Arg::Kind::ref && states.contains(f.second.ref);
         });
}

/// The result types of calls. Calls that differ only in the contents of their operands have the same ones.
class KnownResults {
 public:
  void learn(const Graph& graph) {
    for (const Step& step : graph.steps)
      if (const auto draw = draw_of(step)) {
        std::vector<SharedType>& types = of(graph, *draw, step);
        for (std::size_t k = first(*draw); k < step.results.size(); ++k)
          if (const ValueId id = step.results[k]; id.valid() && graph.value(id).type)
            types[k - first(*draw)] = graph.value(id).type;
        const auto told = told_type(graph, step, *draw);
        if (types.size() == 1 && !types[0] && told) types[0] = *told;
      }
  }
  /// One type per result of the inner call.
  std::vector<SharedType>& of(const Graph& graph, const Draw& draw, const Step& step) {
    std::vector<SharedType> given;
    std::vector<ValueId> values;
    std::vector<std::pair<std::string, Arg>> attributes{{draw.schema->op, {}}};
    const auto take = [&](const std::string& key, const Arg& arg) {
      collect_uses(arg, values);
      attributes.emplace_back(key, nameless(arg));
    };
    for (const Arg& arg : draw.args) take("", arg);
    for (const auto& [key, arg] : step.kwargs) take(key, arg);
    for (const ValueId id : values) given.push_back(id.valid() ? graph.value(id).type : SharedType());
    for (Call& call : calls_)
      if (call.attributes == attributes && call.given == given) return call.results;
    return calls_.emplace_back(attributes, given, std::vector<SharedType>(draw.schema->returns.size()))
        .results;
  }
  /// The position of the inner call's first result.
  static std::size_t first(const Draw& draw) { return draw.kind == Draw::Kind::saves ? 1 : 0; }

 private:
  struct Call {
    std::vector<std::pair<std::string, Arg>> attributes;
    std::vector<SharedType> given, results;
  };
  static Arg nameless(Arg arg) {
    for (Arg& item : arg.list.items()) item = nameless(std::move(item));
    if (arg.kind == Arg::Kind::ref) arg.ref = ValueId();
    return arg;
  }
  std::vector<Call> calls_;
};

class StateWriter {
 public:
  StateWriter(Graph& graph, KnownResults& known, std::map<std::string, OpDecl>& ops, std::string only)
      : graph_(graph), known_(known), ops_(ops), only_(std::move(only)), names_(names_beside(graph)) {}

  void run() {
    for (Step& step : std::exchange(graph_.steps, {})) {
      const auto draw = draw_of(step);
      const std::string device = draw ? drawn_on(graph_, step, *draw, only_) : "";
      if (draw && !device.empty())
        write(std::move(step), *draw, device);
      else
        graph_.steps.push_back(std::move(step));
    }
    number_values(graph_);
  }

 private:
  ValueId made(const std::string& name, SharedType type) {
    Value value;
    value.name = names_.fresh(name);
    value.from = Value::From::step;
    value.type = std::move(type);
    graph_.values.push_back(std::move(value));
    return ValueId(graph_.values.size() - 1);
  }

  void write(Step step, const Draw& draw, const std::string& device) {
    const std::vector<SharedType> types = known_.of(graph_, draw, step);
    std::string laid = *laid_out(graph_, step, draw);
    const std::string name = from_state(draw, laid);
    step.op = std::string(kFamily) + "." + name + "." + draw.schema->overload;
    ops_.emplace(step.op, declaration_of(draw, name));
    const Arg state = draw.state ? *draw.state : Arg::of(take(step, draw, types, device));
    step.args = draw.args;
    if (draw.like) {
      laid += size_and_type(*graph_.value(step.args[0].ref).type);
      step.args.erase(step.args.begin());
    }
    step.args.insert(step.args.begin(), {state, Arg::of_text(std::move(laid))});
    const std::size_t saved = std::min(KnownResults::first(draw), step.results.size());
    step.results.erase(step.results.begin(), step.results.begin() + static_cast<std::ptrdiff_t>(saved));
    describe(step, types);
    if (draw.schema->op == kDropout) mask_apart(step);
    if (!step.results.empty()) graph_.steps.push_back(std::move(step));
  }

  /// The elements that a dropout keeps do not depend on their contents: the mask is a function of the state,
  /// the probability, the shape and the layout.
  void mask_apart(Step& step) {
    const SharedType of = step.args.size() == 5 && step.kwargs.empty() && step.args[2].kind == Arg::Kind::ref
                              ? graph_.value(step.args[2].ref).type
                              : SharedType();
    if (!of || step.results.size() < 2) return;
    Step mask = step;
    const std::string name = "aten_native_dropout_mask" + mark_of(step.args[1].text);
    mask.op = std::string(kFamily) + "." + name + ".default";
    OpDecl decl;
    decl.schema = std::string(kFamily) + "::" + name +
                  "(Tensor rng_state, str operands_lie, float p, bool? train) -> Tensor";
    ops_.emplace(mask.op, std::move(decl));
    mask.args = {step.args[0], Arg::of_text(std::string(step.args[1].text) + size_and_type(*of)),
                 step.args[3], step.args[4]};
    mask.results = {step.results[1]};
    graph_.steps.push_back(std::move(mask));
    step.results.resize(1);
    if (!step.results[0].valid()) step.results.clear();
  }

  /// Gives all results their types, unread ones too.
  void describe(Step& step, const std::vector<SharedType>& types) {
    step.results.resize(types.size());
    for (std::size_t k = 0; k < types.size(); ++k) {
      ValueId& result = step.results[k];
      if (!result.valid() && types[k]) result = made("unread", types[k]);
      if (result.valid() && !graph_.values[result.index].type) graph_.values[result.index].type = types[k];
    }
    while (!step.results.empty() && !step.results.back().valid()) step.results.pop_back();
  }

  /// Appends the step that reads the state, and then the call that advances the generator. Returns the state.
  ValueId take(const Step& step, const Draw& draw, const std::vector<SharedType>& types,
               const std::string& device) {
    Type type;
    type.dtype = Dtype::i64;
    type.device = device;
    const bool named = draw.kind == Draw::Kind::saves && !step.results.empty() && step.results[0].valid();
    const ValueId state = named ? step.results[0] : made("rng_state", type);
    graph_.values[state.index].type = type;
    Step saves = step, call = step;
    saves.op = kState;
    saves.args = {Arg::of_device(device)};
    saves.kwargs.clear();
    saves.results = {state};
    graph_.steps.push_back(std::move(saves));
    call.op = draw.schema->op;
    call.args = draw.args;
    call.results.clear();
    describe(call, types);
    graph_.steps.push_back(std::move(call));
    return state;
  }

  Graph& graph_;
  KnownResults& known_;
  std::map<std::string, OpDecl>& ops_;
  std::string only_;
  UniqueNames names_;
};

bool uses_states(const Graph& graph) {
  return std::ranges::any_of(graph.steps, [](const Step& s) { return is_op(s, kSave) || is_op(s, kUse); });
}

}  // namespace

void draw_from_states(Case& value) {
  std::vector<Graph*> graphs{&value.after};
  if (value.before) graphs.push_back(&*value.before);
  if (std::ranges::none_of(graphs, [](const Graph* graph) { return uses_states(*graph); })) return;
  const std::string only = only_device(value);
  if (!std::ranges::all_of(graphs, [&](const Graph* graph) { return states_stay_states(*graph, only); }))
    return;
  std::map<std::string, OpDecl> ops;
  KnownResults known;
  for (const Graph* graph : graphs) known.learn(*graph);
  for (Graph* graph : graphs) StateWriter(*graph, known, ops, only).run();
  for (auto& [name, decl] : ops) value.ops.push_back(std::move(decl));
}

}  // namespace noclobber
