// A graph as a Python function.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "src/base/unique_names.h"
#include "src/cli/script.h"
#include "src/graph/bodies.h"

namespace noclobber {

namespace {

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string python_word(std::string_view name) {
  std::string out;
  for (const char c : name) out += is_word_letter(c) ? c : '_';
  if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out.insert(0, "_");
  return out;
}

std::string python_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// Keywords of Python, and names that the script defines or uses.
const std::set<std::string>& reserved_words() {
  static const std::set<std::string> words = {
      "and",      "as",       "assert",     "async",  "await",  "break",    "class",     "continue",
      "def",      "del",      "elif",       "else",   "except", "False",    "finally",   "for",
      "from",     "global",   "if",         "import", "in",     "is",       "lambda",    "None",
      "nonlocal", "not",      "or",         "pass",   "raise",  "return",   "True",      "try",
      "while",    "with",     "yield",      "torch",  "nan",    "inf",      "custom",    "cond",
      "scan",     "map_impl", "while_loop", "place",  "arenas", "declared", "unwritten", "on_copies",
      "min",      "max",      "int",        "finals", "copied"};
  return words;
}

class ScriptWriter {
 public:
  ScriptWriter(const Case& value, const OpSet& ops, const ScriptGraph& wanted,
               const std::map<std::string, std::int64_t>& symbols)
      : value_(value), ops_(ops), wanted_(wanted), graph_(*wanted.graph), symbols_(symbols) {}

  std::string write(const std::string& indent) {
    indent_ = indent;
    for (const Value& value : graph_.values) names_.push_back(taken_.fresh(python_word(value.name)));
    head();
    bodies();
    for (const auto& [name, number] : graph_.numbers)
      line(fmt::format("{} = {}", python_word(name), number_text(number)));
    arenas();
    if (wanted_.plan != nullptr) place_inputs();
    std::vector<std::uint32_t> order = wanted_.order;
    for (std::uint32_t s = 0; wanted_.order.empty() && s < graph_.steps.size(); ++s) order.push_back(s);
    for (const std::uint32_t s : order) {
      if (is_return(graph_.steps[s])) break;
      write_step(s);
    }
    leave();
    return std::move(out_);
  }

  const std::string& fault() const { return fault_; }

 private:
  void line(const std::string& text) { out_ += indent_ + "    " + text + "\n"; }
  void fail(const std::string& why) {
    if (fault_.empty()) fault_ = why;
  }

  void head() {
    std::vector<std::string> names;
    for (const Input& input : graph_.inputs) names.push_back(names_[input.value.index]);
    out_ += fmt::format("{}def {}({}):\n", indent_, wanted_.function, fmt::join(names, ", "));
  }

  /// Writes bodies as nested functions, so that they can use the names of the enclosing graph.
  void bodies() {
    for (const Step& step : graph_.steps)
      for (const auto& [place, name] : bodies_given(step)) {
        if (bodies_.contains(name)) continue;
        const Graph* body = find_body(value_, graph_, name);
        if (body == nullptr) return fail("no body " + name);
        ScriptGraph inner = wanted_;
        inner.function = bodies_[name] = taken_.fresh(python_word(name));
        inner.graph = body;
        inner.order.clear();
        inner.plan = nullptr;
        inner.declared = std::nullopt;
        ScriptWriter writer(value_, ops_, inner, symbols_);
        out_ += writer.write(indent_ + "    ");
        if (!writer.fault().empty()) fail(writer.fault());
      }
  }

  void arenas() {
    if (wanted_.plan == nullptr) return;
    std::vector<std::string> made;
    for (const PlanArena& arena : wanted_.plan->arenas)
      made.push_back(fmt::format("Arena({}, {})", number_text(arena.size), arena.alignment));
    line(fmt::format("arenas = [{}]", fmt::join(made, ", ")));
  }

  const PlanBuffer* placed(ValueId id) const {
    if (wanted_.plan == nullptr || !id.valid()) return nullptr;
    const auto& buffers = wanted_.plan->buffers;
    const auto at = std::ranges::find_if(buffers, [&](const PlanBuffer& buffer) {
      return buffer.is_value && buffer.name == graph_.value(id).name;
    });
    return at == buffers.end() ? nullptr : &*at;
  }

  void place_value(ValueId id) {
    const PlanBuffer* buffer = placed(id);
    if (buffer == nullptr) return;
    const std::string& name = names_[id.index];
    line(fmt::format("{} = arenas[{}].place({}, {}, {})", name, buffer->arena, name,
                     number_text(buffer->offset), number_text(buffer->size)));
  }

  void place_inputs() {
    for (const Input& input : graph_.inputs) place_value(input.value);
  }

  std::string number_text(const SymExpr& number) {
    if (const auto value = number.evaluate(symbols_)) return std::to_string(*value);
    const auto& nodes = number.nodes();
    if (std::ranges::any_of(nodes, [](const auto& node) { return node.op == SymExpr::Op::opaque; }))
      fail("the number " + number.text());
    return number.text();
  }

  std::string list_text(const std::vector<Arg>& list) {
    std::vector<std::string> items;
    for (const Arg& item : list) items.push_back(text(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  std::string text(const Arg& arg) {
    switch (arg.kind) {
      case Arg::Kind::none:
        return "None";
      case Arg::Kind::ref:
        return arg.ref.valid() ? names_[arg.ref.index] : "None";
      case Arg::Kind::sym:
        return number_text(arg.sym);
      case Arg::Kind::real:
        return python_real(arg.real);
      case Arg::Kind::boolean:
        return arg.boolean ? "True" : "False";
      case Arg::Kind::text:
        return word_text(arg.text);
      case Arg::Kind::dtype:
        return "torch." + std::string(torch_name(arg.dtype));
      case Arg::Kind::device:
        return "'cpu'";
      case Arg::Kind::graph:
        return bodies_.contains(arg.text) ? bodies_.at(arg.text) : "None";
      case Arg::Kind::list:
        return list_text(arg.list);
    }
    return "None";
  }

  static std::string word_text(const std::string& word) {
    static const std::set<std::string> of_torch = {"strided", "channels_last", "channels_last_3d",
                                                   "contiguous_format", "preserve_format"};
    return of_torch.contains(word) ? "torch." + word : python_text(word);
  }

  std::string arguments(const Step& step) {
    std::vector<std::string> all;
    for (const Arg& arg : step.args) all.push_back(text(arg));
    for (const auto& [key, arg] : step.kwargs) all.push_back(key + "=" + text(arg));
    return fmt::format("{}", fmt::join(all, ", "));
  }

  std::string call_text(const Step& step) {
    const std::size_t dot = step.op->find('.');
    const std::string space = step.op->substr(0, dot);
    if (space == "higher_order") return higher_order_text(step);
    if (ops_.declaration(step.op) != nullptr) return custom_text(step);
    if (space != "aten" && space != "prims") {
      fail("operator " + step.op);
      return "None";
    }
    const std::string op = "torch.ops." + step.op, given = arguments(step), gap = given.empty() ? "" : ", ";
    if (wanted_.on_copies) return fmt::format("on_copies({}{}{})", op, gap, given);
    const bool makes = step.op->find("empty") != std::string::npos;
    return makes ? fmt::format("unwritten({}({}))", op, given) : fmt::format("{}({})", op, given);
  }

  std::string higher_order_text(const Step& step) {
    std::string name = step.op->substr(step.op->find('.') + 1);
    name = name.substr(0, name.find('.'));
    if (name == "cond" || name == "while_loop" || name == "map_impl" || name == "scan")
      return fmt::format("{}({})", name, arguments(step));
    if (name == "invoke_subgraph" && step.args.size() >= 2) {
      std::vector<std::string> operands;
      for (std::size_t k = 2; k < step.args.size(); ++k)
        operands.push_back((step.args[k].kind == Arg::Kind::list ? "*" : "") + text(step.args[k]));
      return fmt::format("{}({})", text(step.args[0]), fmt::join(operands, ", "));
    }
    fail("operator " + step.op);
    return "None";
  }

  std::string place_of(const Schema& schema, const Step& step, std::size_t argument) const {
    const std::string& name = schema.arguments[argument].name;
    const bool by_name =
        std::ranges::any_of(step.kwargs, [&](const auto& kwarg) { return kwarg.first == name; });
    return by_name ? python_text(name) : std::to_string(argument);
  }

  /// A call of custom() with the arguments that a declared operator writes and the results that it returns.
  std::string custom_text(const Step& step) {
    const Schema* schema = ops_.find(step.op);
    if (schema == nullptr) {
      fail("operator " + step.op);
      return "None";
    }
    std::vector<std::string> args, kwargs, writes, returns;
    for (const Arg& arg : step.args) args.push_back(text(arg));
    for (const auto& [key, arg] : step.kwargs) kwargs.push_back(python_text(key) + ": " + text(arg));
    for (std::size_t k = 0; k < schema->arguments.size(); ++k)
      if (schema->arguments[k].written) writes.push_back(place_of(*schema, step, k));
    for (std::size_t r = 0; r < step.results.size(); ++r) returns.push_back(returned(*schema, step, r));
    return fmt::format("custom({}, [{}], {{{}}}, [{}], [{}]{})", python_text(plain_name(step.op)),
                       fmt::join(args, ", "), fmt::join(kwargs, ", "), fmt::join(writes, ", "),
                       fmt::join(returns, ", "), wanted_.on_copies ? ", on_copies=True" : "");
  }

  /// The functional name of an operator, by which custom() computes the same for the in-place operator.
  std::string plain_name(const std::string& op) const {
    const std::string functional = ops_.functional(op);
    return functional.empty() ? op : functional;
  }

  std::string returned(const Schema& schema, const Step& step, std::size_t result) {
    const std::string alias = result < schema.returns.size() ? schema.returns[result].alias : "";
    for (std::size_t k = 0; !alias.empty() && k < schema.arguments.size(); ++k)
      if (schema.arguments[k].alias == alias) return place_of(schema, step, k);
    const ValueId id = step.results[result];
    const SharedType& type = id.valid() ? graph_.value(id).type : SharedType();
    if (!type) {
      if (id.valid()) fail("a result of " + step.op + " without a type");
      return "(torch.float32, [])";
    }
    return type_text(*type);
  }

  std::string shape_text(const Type& type) {
    std::vector<std::string> sizes;
    for (const SymExpr& size : type.shape) sizes.push_back(number_text(size));
    return fmt::format("[{}]", fmt::join(sizes, ", "));
  }

  std::string type_text(const Type& type) {
    return fmt::format("(torch.{}, {})", torch_name(type.dtype), shape_text(type));
  }

  bool gives_list(const Step& step) const {
    const Schema* schema = ops_.find(step.op);
    if (step.op->starts_with("higher_order.")) return true;
    if (schema == nullptr || ops_.declaration(step.op) != nullptr) return false;
    return schema->returns.size() == 1 && schema->returns[0].type == SchemaSlot::Type::tensor_list;
  }

  void write_step(std::uint32_t at) {
    const Step& step = graph_.steps[at];
    const std::string call = call_text(step);
    std::vector<std::string> names;
    for (const ValueId id : step.results) names.push_back(id.valid() ? names_[id.index] : "_");
    const bool one = names.size() == 1 && !gives_list(step);
    if (names.empty())
      line(call);
    else
      line(fmt::format("{}{} = {}", fmt::join(names, ", "), one || names.size() > 1 ? "" : ",", call));
    if (!step.extras->tells.empty() && one)
      line(fmt::format("{} = int({})", python_word(step.extras->tells), names[0]));
    for (const ValueId id : step.results) {
      if (wanted_.declared == at && id.valid() && graph_.value(id).type) {
        const Type& type = *graph_.value(id).type;
        line(fmt::format("{0} = declared({0}, torch.{1}, {2})", names_[id.index], torch_name(type.dtype),
                         shape_text(type)));
      }
      place_value(id);
    }
  }

  void leave() {
    std::vector<std::string> finals;
    for (const auto& [input, arg] : graph_.finals)
      finals.push_back(fmt::format("({}, {}.clone())", names_[input.index], text(arg)));
    if (!finals.empty()) {
      line(fmt::format("finals = [{}]", fmt::join(finals, ", ")));
      line("for target, contents in finals:");
      line("    target.copy_(contents)");
    }
    line("return " + list_text(graph_.outputs));
  }

  const Case& value_;
  const OpSet& ops_;
  const ScriptGraph& wanted_;
  const Graph& graph_;
  const std::map<std::string, std::int64_t>& symbols_;
  std::string indent_, out_, fault_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> bodies_;
  UniqueNames taken_{reserved_words()};
};

}  // namespace

std::string python_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

Result<std::string> script_function(const Case& value, const OpSet& ops, const ScriptGraph& wanted,
                                    const std::map<std::string, std::int64_t>& symbols) {
  ScriptWriter writer(value, ops, wanted, symbols);
  std::string out = writer.write("");
  if (!writer.fault().empty()) return Diagnostic{"", "PyTorch alone has no " + writer.fault()};
  return out;
}

}  // namespace noclobber
