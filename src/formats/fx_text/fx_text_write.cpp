// A graph as FX text. Symbolic sizes become parameters: `n: "Sym(2*s0)"`.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "src/base/unique_names.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/text/cursor.h"

namespace noclobber {
namespace {

std::string fx_list_text(const std::vector<SymExpr>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + list[i].text();
  return text + "]";
}

/// `: "f32[8, 16][16, 1]cpu"`, or "" without a type.
std::string fx_annotation_text(const std::optional<Type>& type) {
  if (!type) return "";
  std::string text = ": \"" + std::string(type->dtype == Dtype::boolean ? "b8" : name(type->dtype));
  text += fx_list_text(type->shape);
  if (type->strides == Type::Strides::given) text += fx_list_text(type->stride);
  return text + type->device + "\"";
}

std::string fx_real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string fx_string_text(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "'";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') text += '\\';
    if (byte >= 0x20 && byte != 0x7f)
      text += c;
    else
      (text += "\\x") += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return text + "'";
}

std::string fx_device_text(const std::string& device) {
  const std::size_t colon = device.find(':');
  const bool has_index =
      colon != device.npos && colon + 1 < device.size() &&
      std::all_of(device.begin() + static_cast<std::ptrdiff_t>(colon) + 1, device.end(), is_fx_digit);
  if (!has_index || device.size() - colon > 10) return "device(type=" + fx_string_text(device) + ")";
  return "device(type=" + fx_string_text(device.substr(0, colon)) + ", index=" + device.substr(colon + 1) +
         ")";
}

bool fx_is_torch_word(std::string_view text) {
  return text == "strided" || text == "channels_last" || text == "channels_last_3d" ||
         text == "contiguous_format" || text == "preserve_format";
}

std::string fx_sym_text(const SymExpr& value) {
  const auto& nodes = value.nodes();
  const bool is_raw =
      !nodes.empty() && nodes.back().op == SymExpr::Op::opaque && !is_fx_identifier(nodes.back().text);
  return "Sym(" + (is_raw ? nodes.back().text : value.text()) + ")";
}

std::string fx_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

class FxWriter {
 public:
  /// `path`: of the module; its own constants are named by it.
  FxWriter(const Graph& graph, std::string indent, std::string path)
      : graph_(graph), indent_(std::move(indent)), path_(std::move(path)) {}

  std::string write(std::string_view class_name) {
    for (const Value& value : graph_.values) names_.push_back(fresh(value.name));
    for (const Step& step : graph_.steps) {
      for (const Arg& arg : step.args) prepare(arg);
      for (const auto& [key, arg] : step.kwargs) prepare(arg);
    }
    for (const Arg& arg : graph_.outputs) prepare(arg);
    out_ += indent_ + "class " + std::string(class_name) + "(torch.nn.Module):\n";
    header();
    attributes();
    for (const Step& step : graph_.steps) write_step(step);
    line("return " + list_text(graph_.outputs, '(', ')'));
    for (const auto& [name, body] : graph_.bodies)
      out_ += "\n" + FxWriter(body, indent_ + "    ", path_ + name + ".").write(name);
    return std::move(out_);
  }

 private:
  std::string fresh(std::string_view wanted);
  void prepare(const Arg& arg);
  void header();
  void attributes();
  void write_step(const Step& step);
  void write_place(const Step& step);
  void write_items(const std::string& call, const Step& step);
  std::string text(const Arg& arg) const;
  std::string list_text(const std::vector<Arg>& list, char open, char close) const;
  std::string call_text(const Step& step) const;
  void line(const std::string& text) { out_ += indent_ + "        " + text + "\n"; }

  const Graph& graph_;
  std::string indent_;
  std::string path_;
  std::string out_;
  std::vector<std::string> names_;  // of each value
  UniqueNames taken_{{"self", "device", "slice", "inf", "nan", "None", "True", "False", "torch", "aten"}};
  std::map<SymExpr, std::string> sizes_;
  std::map<std::string, std::string> bodies_;
  std::set<ValueId> used_;
  std::string place_;
};

std::string FxWriter::fresh(std::string_view wanted) {
  std::string base;
  for (const char c : wanted) base += is_fx_letter(c) || is_fx_digit(c) ? c : '_';
  if (base.empty() || is_fx_digit(base.front())) base.insert(0, "_");
  return taken_.fresh(base);
}

void FxWriter::prepare(const Arg& arg) {
  if (arg.kind == Arg::Kind::ref) used_.insert(arg.ref);
  if (arg.kind == Arg::Kind::graph && !bodies_.contains(arg.text)) bodies_[arg.text] = fresh(arg.text);
  if (arg.kind == Arg::Kind::sym && !arg.sym.is_constant() && !sizes_.contains(arg.sym)) {
    const std::string& bare = arg.sym.bare_symbol();
    sizes_[arg.sym] = fresh(bare.empty() ? "sym" : bare);
  }
  for (const Arg& item : arg.list) prepare(item);
}

void FxWriter::header() {
  out_ += indent_ + "    def forward(self";
  for (const auto& [size, name] : sizes_) out_ += ", " + name + ": \"" + fx_sym_text(size) + "\"";
  for (const Input& input : graph_.inputs) {
    if (input.kind == Input::Kind::constant) continue;
    out_ += ", " + names_[input.value.index] + fx_annotation_text(graph_.value(input.value).type);
  }
  out_ += "):\n";
}

void FxWriter::attributes() {
  for (const auto& [body, name] : bodies_) line(name + " = self." + body);
  for (const Input& input : graph_.inputs) {
    if (input.kind != Input::Kind::constant) continue;
    const Value& value = graph_.value(input.value);
    const std::string own = value.name.starts_with(path_) ? value.name.substr(path_.size()) : value.name;
    const std::string source = own.starts_with("getattr(") ? own : "self." + own;
    line(names_[input.value.index] + fx_annotation_text(value.type) + " = " + source);
  }
}

std::string FxWriter::list_text(const std::vector<Arg>& list, char open, char close) const {
  std::string out(1, open);
  for (std::size_t i = 0; i < list.size(); ++i) out += (i ? ", " : "") + text(list[i]);
  if (open == '(' && list.size() == 1) out += ',';
  return out + close;
}

std::string FxWriter::text(const Arg& arg) const {
  switch (arg.kind) {
    case Arg::Kind::none:
      return "None";
    case Arg::Kind::ref:
      return arg.ref.valid() ? names_[arg.ref.index] : "None";
    case Arg::Kind::sym:
      return arg.sym.is_constant() ? arg.sym.text() : sizes_.at(arg.sym);
    case Arg::Kind::real:
      return fx_real_text(arg.real);
    case Arg::Kind::boolean:
      return arg.boolean ? "True" : "False";
    case Arg::Kind::text:
      return fx_is_torch_word(arg.text) ? "torch." + arg.text : fx_string_text(arg.text);
    case Arg::Kind::dtype:
      return "torch." + std::string(torch_name(arg.dtype));
    case Arg::Kind::device:
      return fx_device_text(arg.text);
    case Arg::Kind::graph:
      return bodies_.at(arg.text);
    case Arg::Kind::list:
      return list_text(arg.list, '[', ']');
  }
  return "None";
}

std::string FxWriter::call_text(const Step& step) const {
  constexpr std::string_view kPython = "python.", kDefault = ".default";
  std::string out = "torch.ops." + step.op;
  if (step.op->starts_with(kPython) && step.op->ends_with(kDefault))
    out = step.op->substr(kPython.size(), step.op.size() - kPython.size() - kDefault.size());
  out += '(';
  bool first = true;
  const auto separate = [&] { out += std::exchange(first, false) ? "" : ", "; };
  for (const Arg& arg : step.args) {
    separate();
    out += text(arg);
  }
  for (const auto& [key, arg] : step.kwargs) {
    separate();
    out += key + " = " + text(arg);
  }
  return out + ")";
}

void FxWriter::write_place(const Step& step) {
  std::string place = "# No stacktrace found for following nodes";
  if (!step.source->loc.empty())
    place = fx_one_line("# File: " + step.source->loc +
                        (step.source->code.empty() ? "" : ", code: " + step.source->code));
  if (place == place_ || (place_.empty() && step.source->loc.empty())) return;
  line(place);
  place_ = std::move(place);
}

void FxWriter::write_step(const Step& step) {
  write_place(step);
  const std::string call = call_text(step);
  if (step.results.empty())
    return line(fresh(step.extras->id.empty() ? "unused" : step.extras->id) + " = " + call);
  const ValueId only = step.results.front();
  const bool is_single = step.results.size() == 1 && only.valid();
  if (is_single && (graph_.value(only).type || used_.contains(only)))
    return line(names_[only.index] + fx_annotation_text(graph_.value(only).type) + " = " + call);
  write_items(call, step);
}

void FxWriter::write_items(const std::string& call, const Step& step) {
  const std::string tuple = fresh("results");
  line(tuple + " = " + call);
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    if (!step.results[i].valid()) continue;
    const std::string type = fx_annotation_text(graph_.value(step.results[i]).type);
    line(names_[step.results[i].index] + type + " = " + tuple + "[" + std::to_string(i) + "]");
  }
}

}  // namespace

std::string write_fx_text(const Graph& graph) {
  return FxWriter(graph, "", "").write(graph.name.empty() ? "GraphModule" : graph.name);
}

}  // namespace noclobber
