// Writer of noclobber.case/1. Facts that a hand-written case rarely has are added as members of their own,
// and only if they are not the default: a step's "code", a symbol's "hint" and "told", the case's "facts"
// (case_json_facts.h).
#include <cmath>
#include <set>
#include <utility>

#include "src/formats/case/case_json.h"
#include "src/formats/case/case_json_facts.h"
#include "src/formats/case/case_json_plan.h"
#include "src/text/json.h"

namespace noclobber {
namespace {

// Adds a member with a new key; operator[] would search all members.
void add_member(OrderedJson& object, const std::string& key, OrderedJson value) {
  object.get_ref<OrderedJson::object_t&>().emplace_back(key, std::move(value));
}

class CaseJsonWriter {
 public:
  explicit CaseJsonWriter(const Case& value) : case_(value) {}

  OrderedJson document() {
    OrderedJson result = {{"format", "noclobber.case/1"}, {"name", case_.name}};
    if (!case_.title.empty()) result["title"] = case_.title;
    if (!case_.source.empty()) result["source"] = case_.source;
    if (!case_.symbols.empty()) result["symbols"] = symbols();
    for (const SymRelation& relation : case_.assume) result["assume"].push_back(relation_text(relation));
    for (const OpDecl& decl : case_.ops) result["ops"].push_back(declaration(decl));
    for (const auto& [name, body] : case_.bodies) taken_.insert(name);
    OrderedJson before, after;
    if (case_.before) before = graph(*case_.before, {}, {"before", "cpu"});
    const bool only_plan =
        case_.plan && case_.after.inputs.empty() && case_.after.steps.empty() && case_.after.outputs.empty();
    if (!only_plan) after = graph(case_.after, {}, {"after", "cpu"});
    for (const auto& [name, body] : case_.bodies) {
      OrderedJson written = graph(body, {}, {name, ""});
      add_member(bodies_, name, std::move(written));
    }
    if (!bodies_.empty()) result["graphs"] = std::move(bodies_);
    if (case_.before) result["before"] = std::move(before);
    if (!only_plan) result["after"] = std::move(after);
    choices(result);
    return result;
  }

 private:
  // From the name that a step uses for a nested graph, innermost first, to the name it is written under.
  using Scope = std::map<std::string, std::string>;
  // The name and the device that a reader assumes for a graph whose text gives none.
  struct Default {
    std::string name, device;
  };

  void choices(OrderedJson& to) const {
    if (case_.dataflow) to["order"] = "dataflow";
    if (!case_.names_are_values) to["names"] = "storages";
    if (case_.compare_strides) to["strides"] = "compare";
    if (case_.sharing_may_grow) to["sharing"] = "any";
    if (!case_.sharing_may_shrink) to["sharing"] = "same";
    if (case_.inputs_may_overlap) to["inputs_may_overlap"] = true;
    if (case_.plan) to["plan"] = plan_json(*case_.plan);
    if (OrderedJson facts = written_facts(case_); !facts.is_null()) to["facts"] = std::move(facts);
  }

  OrderedJson symbols() const {
    OrderedJson result = OrderedJson::object();
    for (const auto& [name, range] : case_.symbols) {
      OrderedJson item = {{"min", range.min}};
      if (range.max) item["max"] = *range.max;
      if (range.multiple_of != 1) item["multiple_of"] = range.multiple_of;
      if (range.unbacked) item["unbacked"] = true;
      if (!range.told) item["told"] = false;
      if (range.hint) item["hint"] = *range.hint;
      add_member(result, name, std::move(item));
    }
    return result;
  }

  static std::string relation_text(const SymRelation& relation) {
    const auto between = [&](std::string_view sign) {
      return relation.left.text() + " " + std::string(sign) + " " + relation.right.text();
    };
    switch (relation.kind) {
      case SymRelation::Kind::eq:
        return between("==");
      case SymRelation::Kind::ne:
        return between("!=");
      case SymRelation::Kind::lt:
        return between("<");
      case SymRelation::Kind::le:
        return between("<=");
    }
    NC_CHECK(false, "not a SymRelation::Kind");
  }

  static OrderedJson declaration(const OpDecl& decl) {
    OrderedJson result = {{"schema", decl.schema}};
    if (!decl.functional.empty()) result["functional"] = decl.functional;
    const auto all = decl.access.find("*");
    if (all != decl.access.end()) {
      result["access"] = all->second;
    } else if (!decl.access.empty()) {
      result["access"] = decl.access;
    }
    if (decl.before_write) result["when"] = "before_write";
    if (decl.reads_old) result["reads_old"] = *decl.reads_old;
    if (!decl.writes.empty()) result["writes"] = decl.writes;
    if (decl.result.size() == 1) {
      result["result"] = decl.result[0];
    } else if (!decl.result.empty()) {
      result["result"] = decl.result;
    }
    for (const auto& [number, name] : decl.may_alias) {
      result["may_alias"].push_back(OrderedJson::array({number, name}));
    }
    if (!decl.pure) result["pure"] = false;
    return result;
  }

  OrderedJson graph(const Graph& value, Scope scope, const Default& unsaid) {
    std::vector<std::pair<const Graph*, std::string>> own;
    for (const auto& [name, body] : value.bodies) {
      std::string written = fresh_name(name, value.name);
      scope[name] = written;
      own.emplace_back(&body, std::move(written));
    }
    for (const auto& [body, written] : own) {
      OrderedJson text = graph(*body, scope, {written, ""});
      add_member(bodies_, written, std::move(text));
    }
    OrderedJson inputs = OrderedJson::array(), steps = OrderedJson::array(), outputs = OrderedJson::array();
    for (const Input& item : value.inputs) inputs.push_back(input(value, item));
    for (const Step& item : value.steps) steps.push_back(step(value, item, scope));
    for (const Arg& item : value.outputs) outputs.push_back(argument(value, item, scope));
    OrderedJson result = OrderedJson::object();
    if (value.name != unsaid.name) result["name"] = value.name;
    if (value.device != unsaid.device) result["device"] = value.device;
    for (const auto& [name, number] : value.numbers)
      result["numbers"].push_back(OrderedJson::array({name, number.text()}));
    result["inputs"] = std::move(inputs);
    result["steps"] = std::move(steps);
    result["outputs"] = std::move(outputs);
    OrderedJson finals = OrderedJson::object();
    for (const auto& [id, item] : value.finals) {
      add_member(finals, value.value(id).name, argument(value, item, scope));
    }
    if (!finals.empty()) result["final"] = std::move(finals);
    return result;
  }

  // All bodies share one name space in the file.
  std::string fresh_name(const std::string& wanted, const std::string& owner) {
    std::string name = wanted;
    for (int more = 1; !taken_.insert(name).second; ++more) {
      name = owner + "." + wanted + (more == 1 ? "" : "." + std::to_string(more));
    }
    return name;
  }

  static OrderedJson input(const Graph& graph, const Input& value) {
    const Value& named = graph.value(value.value);
    OrderedJson result = {{"name", named.name}};
    result["type"] = named.type ? type(*named.type) : OrderedJson();
    if (value.kind != Input::Kind::user) result["kind"] = kind_name(value.kind);
    if (value.may_write) result["mutable"] = *value.may_write;
    if (value.exit) result["exit"] = *value.exit == Input::Exit::any ? "any" : "as_before";
    if (!value.storage.empty()) result["storage"] = value.storage;
    if (value.storage_numel) result["storage_numel"] = size(*value.storage_numel);
    if (!value.digest.empty()) result["sha256"] = *value.digest;
    if (!value.bytes.empty()) result["bytes"] = hex_of(*value.bytes);
    if (!value.contents) return result;
    OrderedJson contents = OrderedJson::array();
    for (const Arg& item : *value.contents) contents.push_back(argument(graph, item, {}));
    result["value"] = contents.size() == 1 ? contents[0] : std::move(contents);
    return result;
  }

  static std::string_view kind_name(Input::Kind kind) {
    switch (kind) {
      case Input::Kind::user:
        return "user";
      case Input::Kind::buffer:
        return "buffer";
      case Input::Kind::parameter:
        return "parameter";
      case Input::Kind::constant:
        return "constant";
    }
    NC_CHECK(false, "not an Input::Kind");
  }

  static OrderedJson step(const Graph& graph, const Step& value, const Scope& scope) {
    OrderedJson result = OrderedJson::object(), types = OrderedJson::array();
    OrderedJson names = OrderedJson::array();
    bool typed = false;
    for (const ValueId id : value.results) {
      const Value* named = id.valid() ? &graph.value(id) : nullptr;
      names.push_back(named != nullptr ? OrderedJson(named->name) : OrderedJson());
      types.push_back(named != nullptr && named->type ? type(*named->type) : OrderedJson());
      typed = typed || !types.back().is_null();
    }
    if (names.size() == 1 && names[0].is_string()) {
      result["name"] = names[0];
    } else {
      result["names"] = std::move(names);
    }
    result["op"] = value.op;
    result["args"] = list(graph, value.args, scope);
    OrderedJson kwargs = OrderedJson::object();
    for (const auto& [key, item] : value.kwargs) add_member(kwargs, key, argument(graph, item, scope));
    if (!kwargs.empty()) result["kwargs"] = std::move(kwargs);
    if (typed) result["types"] = std::move(types);
    if (!value.extras->id.empty()) result["id"] = value.extras->id;
    if (!value.extras->after.empty()) result["after"] = value.extras->after;
    if (!value.extras->stream.empty()) result["stream"] = value.extras->stream;
    if (!value.source->loc.empty()) result["loc"] = value.source->loc;
    if (!value.source->code.empty()) result["code"] = value.source->code;
    write_step_facts(value, result);
    return result;
  }

  static OrderedJson size(const SymExpr& value) {
    return value.is_constant() ? OrderedJson(value.constant()) : OrderedJson(value.text());
  }

  static OrderedJson sizes(const std::vector<SymExpr>& values) {
    OrderedJson result = OrderedJson::array();
    for (const SymExpr& value : values) result.push_back(size(value));
    return result;
  }

  static OrderedJson type(const Type& value) {
    OrderedJson result = {{"dtype", name(value.dtype)}};
    result["shape"] = sizes(value.shape);
    if (value.strides == Type::Strides::given) result["stride"] = sizes(value.stride);
    if (value.strides == Type::Strides::unknown) result["stride"] = nullptr;
    if (value.offset != SymExpr(0)) result["offset"] = size(value.offset);
    if (!value.device.empty()) result["device"] = value.device;
    return result;
  }

  static OrderedJson list(const Graph& graph, const std::vector<Arg>& values, const Scope& scope) {
    OrderedJson result = OrderedJson::array();
    for (const Arg& value : values) result.push_back(argument(graph, value, scope));
    return result;
  }

  static OrderedJson tagged(const char* tag, OrderedJson item) {
    OrderedJson result = OrderedJson::object();
    result[tag] = std::move(item);
    return result;
  }

  static OrderedJson argument(const Graph& graph, const Arg& value, const Scope& scope) {
    switch (value.kind) {
      case Arg::Kind::none:
        return nullptr;
      case Arg::Kind::ref:
        return tagged("ref", graph.value(value.ref).name);
      case Arg::Kind::sym:
        return value.sym.is_constant() ? size(value.sym) : tagged("sym", value.sym.text());
      case Arg::Kind::real:
        if (std::isfinite(value.real)) return value.real;
        return std::isnan(value.real) ? "nan" : value.real > 0 ? "inf" : "-inf";
      case Arg::Kind::boolean:
        return value.boolean;
      case Arg::Kind::text:
        return value.text;
      case Arg::Kind::dtype:
        return tagged("dtype", name(value.dtype));
      case Arg::Kind::device:
        return tagged("device", value.text);
      case Arg::Kind::graph: {
        const auto written = scope.find(value.text);
        return tagged("graph", written == scope.end() ? *value.text : written->second);
      }
      case Arg::Kind::list:
        return list(graph, value.list, scope);
    }
    NC_CHECK(false, "not an Arg::Kind");
  }

  const Case& case_;
  std::set<std::string> taken_;
  OrderedJson bodies_ = OrderedJson::object();
};

// One line per input, step and the like: anything deeper than `levels` stays on its line.
void print_json(const OrderedJson& value, int levels, const std::string& indent, std::string& to) {
  if (levels == 0 || !value.is_structured() || value.empty()) {
    to += value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    return;
  }
  const std::string deeper = indent + "  ";
  to += value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& item : value.items()) {
    to += (first ? "\n" : ",\n") + deeper;
    first = false;
    if (value.is_object()) {
      to += OrderedJson(item.key()).dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + ": ";
    }
    const bool body = item.key() == "graphs" && levels == 3;
    print_json(item.value(), levels - (body ? 0 : 1), deeper, to);
  }
  to += "\n" + indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string write_case_json(const Case& value) {
  std::string result;
  print_json(CaseJsonWriter(value).document(), 3, "", result);
  return result + "\n";
}

}  // namespace noclobber
