#include "src/formats/case/case_json_graph.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/formats/case/case_json_facts.h"
#include "src/ops/layout.h"

namespace noclobber {

Graph GraphJsonReader::read(const OrderedJson& json, const JsonAt& at, PlainList* unread) {
  graph_ = {};
  values_.clear();
  labels_.clear();
  used_bodies_.clear();
  if (!faults_.object(json, at)) return {};
  const OrderedJson* listed_inputs = faults_.required(json, at, "inputs");
  const OrderedJson* listed = faults_.required(json, at, "steps");
  const OrderedJson* outputs = faults_.required(json, at, "outputs");
  if (faults_.failed()) return {};
  graph_facts(json, at);
  inputs(*listed_inputs, JsonAt(at, "inputs"));
  const JsonAt at_steps(at, "steps");
  if (unread != nullptr) {
    steps(*unread, at_steps);
  } else if (faults_.array(*listed, at_steps)) {
    steps(*listed, at_steps);
  }
  if (!faults_.failed()) graph_.outputs = arguments(*outputs, JsonAt(at, "outputs"));
  if (const OrderedJson* final = find_member(json, "final"); final != nullptr && !faults_.failed()) {
    finals(*final, JsonAt(at, "final"));
  }
  return std::move(graph_);
}

void GraphJsonReader::graph_facts(const OrderedJson& json, const JsonAt& at) {
  if (const OrderedJson* name = find_member(json, "name"))
    graph_.name = faults_.text(*name, JsonAt(at, "name"));
  if (const OrderedJson* device = find_member(json, "device"))
    graph_.device = faults_.text(*device, JsonAt(at, "device"));
  const OrderedJson* numbers = find_member(json, "numbers");
  const JsonAt at_numbers(at, "numbers");
  if (numbers == nullptr || !faults_.array(*numbers, at_numbers)) return;
  for (std::size_t k = 0; k < numbers->size() && !faults_.failed(); ++k) {
    const JsonAt here(at_numbers, k);
    const OrderedJson& item = (*numbers)[k];
    if (!faults_.array(item, here)) return;
    if (item.size() != 2) return faults_.fail(here, "expected a name and an expression");
    std::string name = faults_.text(item[0], JsonAt(here, 0));
    graph_.numbers.emplace_back(std::move(name), expression(item[1], JsonAt(here, 1), true));
  }
}

void GraphJsonReader::inputs(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.array(json, at)) return;
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) {
    graph_.inputs.push_back(input(json[k], JsonAt(at, k)));
  }
}

// Number of elements from the start of the storage through the last one that a tensor of that type covers.
// Empty with symbols, unknown strides, or beyond 64 bits.
static std::optional<std::int64_t> reach_of(const Type& type) {
  const auto shape = constant_extents(type.shape), given = constant_extents(type.stride);
  if (!shape || !given || type.strides == Type::Strides::unknown || !type.offset.is_constant())
    return std::nullopt;
  const bool told = type.strides == Type::Strides::given;
  return reach({type.dtype, *shape, told ? *given : contiguous_strides(*shape), type.offset.constant()});
}

Input GraphJsonReader::input(const OrderedJson& json, const JsonAt& at) {
  Input result;
  if (!faults_.object(json, at)) return result;
  const OrderedJson* name = faults_.required(json, at, "name");
  const OrderedJson* typed = faults_.required(json, at, "type");
  if (faults_.failed()) return result;
  Value value;
  value.at = static_cast<std::uint32_t>(graph_.inputs.size());
  const JsonAt at_name(at, "name");
  if (name->is_string()) labels_.emplace(name->get<std::string>(), true);
  result.value = new_value(*name, at_name, std::move(value));
  const std::optional<Type> read = type(*typed, JsonAt(at, "type"));
  if (faults_.failed()) return result;
  graph_.values[result.value.index].type = read;
  input_flags(json, at, result);
  if (faults_.failed()) return result;
  const auto reach = read ? reach_of(*read) : std::nullopt;
  const bool told = result.storage_numel && result.storage_numel->is_constant();
  if (reach && told && result.storage_numel->constant() < *reach)
    faults_.fail(JsonAt(at, "storage_numel"), result.storage_numel->text() +
                                                  " elements, but the input shows element " +
                                                  std::to_string(*reach - 1) + " of its storage");
  if (const OrderedJson* recorded = find_member(json, "value"); recorded != nullptr && !recorded->is_null()) {
    result.contents = contents(*recorded, JsonAt(at, "value"), read);
  }
  return result;
}

void GraphJsonReader::input_flags(const OrderedJson& json, const JsonAt& at, Input& result) {
  static constexpr std::array<std::string_view, 4> kKinds = {"user", "buffer", "parameter", "constant"};
  static constexpr std::array<std::string_view, 2> kExits = {"as_before", "any"};
  constexpr std::size_t kDigestDigits = 64;
  if (const OrderedJson* kind = find_member(json, "kind")) {
    result.kind = static_cast<Input::Kind>(faults_.one_of(*kind, JsonAt(at, "kind"), kKinds));
  }
  if (const OrderedJson* writable = find_member(json, "mutable")) {
    result.may_write = faults_.boolean(*writable, JsonAt(at, "mutable"));
  }
  if (const OrderedJson* exit = find_member(json, "exit")) {
    result.exit = static_cast<Input::Exit>(faults_.one_of(*exit, JsonAt(at, "exit"), kExits));
  }
  if (const OrderedJson* storage = find_member(json, "storage")) {
    result.storage = faults_.text(*storage, JsonAt(at, "storage"));
  }
  if (const OrderedJson* numel = find_member(json, "storage_numel")) {
    result.storage_numel = expression(*numel, JsonAt(at, "storage_numel"), false);
  }
  if (const OrderedJson* digest = find_member(json, "sha256")) {
    const std::string text = faults_.text(*digest, JsonAt(at, "sha256"));
    const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!faults_.failed() && (!hex || text.size() != kDigestDigits))
      faults_.fail(JsonAt(at, "sha256"), "is no SHA-256 in lower-case hexadecimal");
    result.digest = text;
  }
  if (const OrderedJson* bytes = find_member(json, "bytes")) {
    auto read = bytes_of_hex(faults_.text(*bytes, JsonAt(at, "bytes")));
    if (!read) return faults_.fail(JsonAt(at, "bytes"), "is not in lower-case hexadecimal");
    result.bytes = *std::move(read);
  }
}

std::vector<Arg> GraphJsonReader::contents(const OrderedJson& json, const JsonAt& at,
                                           const std::optional<Type>& of) {
  const auto number = [&](const OrderedJson& item, const JsonAt& here) {
    Arg result = number_or_text(item);
    if (result.kind == Arg::Kind::none || result.kind == Arg::Kind::text) {
      faults_.fail(here, "expected a number, got " + show(item));
    }
    return result;
  };
  if (!json.is_array()) return {number(json, at)};
  const auto shape = of ? constant_extents(of->shape) : std::nullopt;
  const auto count = shape ? element_count(*shape) : std::nullopt;
  if (!count) {
    faults_.fail(at, "numbers one by one need a static shape");
  } else if (json.size() != static_cast<std::uint64_t>(*count)) {
    faults_.fail(at, std::to_string(json.size()) + " numbers for " + std::to_string(*count) + " elements");
  }
  std::vector<Arg> result;
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) {
    result.push_back(number(json[k], JsonAt(at, k)));
  }
  return result;
}

void GraphJsonReader::finals(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return;
  for (const auto& [name, item] : json.get_ref<const OrderedJson::object_t&>()) {
    if (faults_.failed()) return;
    const JsonAt here(at, name);
    const ValueId found = defined(name);
    if (!found.valid() || graph_.value(found).from != Value::From::input) {
      faults_.fail(here, in_quotes(name) + " is not an input");
      return;
    }
    graph_.finals.emplace_back(found, argument(item, here));
  }
}

ValueId GraphJsonReader::new_value(const OrderedJson& json, const JsonAt& at, Value value) {
  value.name = faults_.text(json, at);
  if (!faults_.failed() && !is_identifier(value.name)) {
    faults_.fail(at, in_quotes(value.name) + " is not a name (letters, digits, '_')");
  }
  if (const auto same = labels_.find(value.name); same != labels_.end() && !same->second)
    faults_.fail(at, "name " + in_quotes(value.name) + " is used twice");
  const ValueId id(graph_.values.size());
  const bool again = defined(value.name).valid();
  if (again) faults_.fail(at, "name " + in_quotes(value.name) + " is used twice");
  graph_.values.push_back(std::move(value));
  if (!again) values_.add(id.index, [&](std::uint32_t k) { return name_of(k); });
  return id;
}

ValueId GraphJsonReader::defined(std::string_view name) const {
  const auto found = values_.find(name, [&](std::uint32_t k) { return name_of(k); });
  return found ? ValueId(*found) : ValueId();
}

SymExpr GraphJsonReader::expression(const OrderedJson& json, const JsonAt& at, bool may_be_negative) {
  SymExpr result;
  if (json.is_number_integer()) {
    result = json.get<std::int64_t>();
  } else if (!json.is_string()) {
    faults_.fail(at, "expected an integer or an expression, got " + show(json));
    return result;
  } else {
    auto parsed = parse_sym(json.get_ref<const std::string&>());
    if (!parsed) {
      faults_.fail(at,
                   "expression " + show(json) + ", " + parsed.fault().where + ": " + parsed.fault().message);
      return result;
    }
    result = *std::move(parsed);
    check_symbols(result, at);
  }
  if (!may_be_negative && result.is_constant() && result.constant() < 0) {
    faults_.fail(at, "negative size " + std::to_string(result.constant()));
  }
  return result;
}

void GraphJsonReader::check_symbols(const SymExpr& value, const JsonAt& at) {
  for (const SymExpr::Node& node : value.nodes()) {
    if (node.op == SymExpr::Op::symbol && !context_.symbols.contains(node.text)) {
      faults_.fail(at, "undeclared symbol " + in_quotes(node.text));
    }
    // Functions of sympy begin with a capital, comparisons are named as in FX text; any other name is a
    // misspelt min or max.
    static constexpr std::array<std::string_view, 6> kComparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
    const bool known =
        std::ranges::find(kComparisons, node.text) != kComparisons.end() ||
        (!node.text.empty() && (node.text[0] < 'a' || node.text[0] > 'z') && node.text[0] != '_');
    if (node.op == SymExpr::Op::opaque && !known)
      faults_.fail(at, "unknown function " + in_quotes(node.text));
  }
}

std::vector<SymExpr> GraphJsonReader::sizes(const OrderedJson& json, const JsonAt& at) {
  std::vector<SymExpr> result;
  if (!faults_.array(json, at)) return result;
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) {
    result.push_back(expression(json[k], JsonAt(at, k), false));
  }
  return result;
}

std::optional<Type> GraphJsonReader::type(const OrderedJson& json, const JsonAt& at) {
  if (json.is_null()) return std::nullopt;
  if (!faults_.object(json, at)) return std::nullopt;
  Type result;
  if (const OrderedJson* dtype = faults_.required(json, at, "dtype")) {
    const auto known = dtype->is_string() ? parse_dtype(dtype->get_ref<const std::string&>()) : std::nullopt;
    if (!known || name(*known) != dtype->get_ref<const std::string&>()) {
      faults_.fail(JsonAt(at, "dtype"), show(*dtype) + " is not a dtype");
    } else {
      result.dtype = *known;
    }
  }
  if (const OrderedJson* shape = faults_.required(json, at, "shape")) {
    result.shape = sizes(*shape, JsonAt(at, "shape"));
  }
  if (const OrderedJson* stride = find_member(json, "stride"); stride != nullptr && !faults_.failed()) {
    const JsonAt here(at, "stride");
    result.strides = stride->is_null() ? Type::Strides::unknown : Type::Strides::given;
    if (!stride->is_null()) result.stride = sizes(*stride, here);
    if (!stride->is_null() && result.stride.size() != result.shape.size()) {
      faults_.fail(here, std::to_string(result.stride.size()) + " strides for " +
                             std::to_string(result.shape.size()) + " dimensions");
    }
  }
  if (!faults_.failed() && !is_addressable(result)) {
    faults_.fail(JsonAt(at, "shape"), "the tensor is larger than 64 bits can address");
  }
  if (const OrderedJson* offset = find_member(json, "offset")) {
    result.offset = expression(*offset, JsonAt(at, "offset"), false);
  }
  if (const OrderedJson* device = find_member(json, "device")) {
    result.device = faults_.text(*device, JsonAt(at, "device"));
  }
  return result;
}

// Kind::none for a value that is no number, boolean or string.
Arg GraphJsonReader::number_or_text(const OrderedJson& json) {
  if (json.is_boolean()) return Arg::of_bool(json.get<bool>());
  if (json.is_number_integer()) return Arg::of(SymExpr(json.get<std::int64_t>()));
  if (json.is_number_float()) return Arg::of_real(json.get<double>());
  if (!json.is_string()) return {};
  const std::string& text = json.get_ref<const std::string&>();
  if (text == "inf") return Arg::of_real(std::numeric_limits<double>::infinity());
  if (text == "-inf") return Arg::of_real(-std::numeric_limits<double>::infinity());
  if (text == "nan") return Arg::of_real(std::numeric_limits<double>::quiet_NaN());
  return Arg::of_text(text);
}

Arg GraphJsonReader::argument(const OrderedJson& json, const JsonAt& at) {
  if (json.is_array()) return Arg::of(arguments(json, at));
  if (json.is_object()) return tagged(json, at);
  return number_or_text(json);
}

std::vector<Arg> GraphJsonReader::arguments(const OrderedJson& json, const JsonAt& at) {
  std::vector<Arg> result;
  if (!faults_.array(json, at)) return result;
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k) {
    result.push_back(argument(json[k], JsonAt(at, k)));
  }
  return result;
}

Arg GraphJsonReader::tagged(const OrderedJson& json, const JsonAt& at) {
  static constexpr std::array<std::string_view, 5> kTags = {"ref", "sym", "graph", "dtype", "device"};
  const auto& members = json.get_ref<const OrderedJson::object_t&>();
  std::size_t tag = 0;
  while (tag < kTags.size() && (members.size() != 1 || members.front().first != kTags[tag])) ++tag;
  if (tag == kTags.size()) {
    faults_.fail(at, "not an argument: " + show(json));
    return {};
  }
  const OrderedJson& item = members.front().second;
  const JsonAt here(at, kTags[tag]);
  if (tag == 1) return Arg::of(expression(item, here, true));
  const std::string text = faults_.text(item, tag == 0 || tag == 2 ? at : here);
  if (faults_.failed()) return {};
  if (tag == 4) return Arg::of_device(text);
  if (tag == 3) {
    const auto known = parse_dtype(text);
    if (!known || name(*known) != text) faults_.fail(here, show(item) + " is not a dtype");
    return Arg::of_dtype(known.value_or(Dtype::other));
  }
  if (tag == 2) {
    if (!context_.body_inputs.contains(text)) faults_.fail(at, "unknown graph " + in_quotes(text));
    used_bodies_.insert(text);
    return Arg::of_graph(text);
  }
  if (const ValueId value = defined(text); value.valid()) return Arg::of(value);
  const auto later = labels_.find(text);
  const bool is_later = later != labels_.end() && later->second;
  faults_.fail(at, (is_later ? "not yet defined value " : "unknown value ") + in_quotes(text));
  return {};
}

}  // namespace noclobber
