#include "src/lower/thunder/facts.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "src/text/json.h"

namespace noclobber {

namespace {

/// Parses the text between the brackets of a type: "3, 3" or "[IntegerProxy name=i0, value=2, static=...],
/// 3".
std::optional<std::vector<SymExpr>> sizes_in(std::string_view text) {
  std::vector<SymExpr> out;
  const auto skip = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
  };
  for (skip(); !text.empty(); skip()) {
    if (text.starts_with('[')) {
      const std::size_t value = text.find("value="), end = text.find(']');
      if (value == std::string_view::npos || end == std::string_view::npos || value > end)
        return std::nullopt;
      std::int64_t size = 0;
      const auto got = std::from_chars(text.data() + value + 6, text.data() + end, size);
      if (got.ec != std::errc() || size < 0) return std::nullopt;
      out.emplace_back(size);
      text.remove_prefix(end + 1);
      continue;
    }
    std::int64_t size = 0;
    const auto got = std::from_chars(text.data(), text.data() + text.size(), size);
    if (got.ec != std::errc() || size < 0) return std::nullopt;
    out.emplace_back(size);
    text.remove_prefix(static_cast<std::size_t>(got.ptr - text.data()));
    if (!text.empty() && text.front() != ',') return std::nullopt;
  }
  return out;
}

}  // namespace

std::optional<Type> thunder_tensor_type(std::string_view text) {
  if (text.starts_with("FUTURE ")) text.remove_prefix(7);
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  const std::string_view head = text.substr(0, open);
  const std::size_t space = head.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  Type out;
  std::string_view device = head.substr(0, space);
  if (device.starts_with("thunder.devices.Device(type='") && device.ends_with("')"))
    device = device.substr(29, device.size() - 31);
  out.device = std::string(device);
  const auto dtype = parse_dtype(head.substr(space + 1));
  const auto sizes = sizes_in(text.substr(open + 1, text.size() - open - 2));
  if (!sizes) return std::nullopt;
  out.dtype = dtype.value_or(Dtype::other);
  out.shape = *sizes;
  if (!is_addressable(out)) return std::nullopt;
  return out;
}

std::optional<Arg> thunder_number(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view kind = text.substr(0, space), value = text.substr(space + 1);
  if (kind == "bool" && value == "True") return Arg::of_bool(true);
  if (kind == "bool" && value == "False") return Arg::of_bool(false);
  std::int64_t whole = 0;
  double real = 0;
  const char* end = value.data() + value.size();
  if (kind == "int" && std::from_chars(value.data(), end, whole).ptr == end) return Arg::of(SymExpr(whole));
  if (kind == "float" && std::from_chars(value.data(), end, real).ptr == end) return Arg::of_real(real);
  return std::nullopt;
}

std::optional<Dtype> thunder_dtype(std::string_view name) {
  for (const std::string_view prefix : {"thunder.", "dtypes.", "torch."})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  if (name == "bool8") return Dtype::boolean;
  return parse_torch_dtype(name);
}

namespace {

class InputsReader {
 public:
  std::vector<SymExpr> integers(const OrderedJson& value, const JsonAt& at) {
    std::vector<SymExpr> out;
    if (!faults.array(value, at)) return out;
    for (std::size_t k = 0; k < value.size() && !faults.failed(); ++k) {
      const std::int64_t number = faults.integer(value[k], JsonAt(at, k));
      if (number < 0) faults.fail(JsonAt(at, k), "is negative");
      out.emplace_back(number);
    }
    return out;
  }

  ThunderInput input(const OrderedJson& value, const JsonAt& at) {
    ThunderInput out;
    if (!faults.object(value, at)) return out;
    const auto field = [&](std::string_view key) { return faults.required(value, at, key); };
    if (const auto* name = field("name")) out.name = faults.text(*name, JsonAt(at, "name"));
    if (const auto* type = field("dtype")) {
      const JsonAt here(at, "dtype");
      const auto dtype = parse_dtype(faults.text(*type, here));
      if (!dtype && !faults.failed()) faults.fail(here, "unknown dtype");
      out.type.dtype = dtype.value_or(Dtype::other);
    }
    if (const auto* shape = field("shape")) out.type.shape = integers(*shape, JsonAt(at, "shape"));
    if (const auto* stride = field("stride")) out.type.stride = integers(*stride, JsonAt(at, "stride"));
    out.type.strides = Type::Strides::given;
    if (const auto* offset = find_member(value, "offset")) {
      const JsonAt here(at, "offset");
      const std::int64_t elements = faults.integer(*offset, here);
      if (elements < 0) faults.fail(here, "is negative");
      out.type.offset = elements;
    }
    if (const auto* storage = find_member(value, "storage"))
      out.storage = faults.text(*storage, JsonAt(at, "storage"));
    if (const auto* device = find_member(value, "device"))
      out.type.device = faults.text(*device, JsonAt(at, "device"));
    if (faults.failed()) return out;
    if (out.type.stride.size() != out.type.shape.size())
      faults.fail(at, "shape and stride differ in length");
    else if (!is_addressable(out.type))
      faults.fail(at, "is larger than memory");
    return out;
  }

  JsonFaults faults;
};

/// Elements from the start of the storage through the last one covered. Bounded by is_addressable().
std::int64_t extent_of(const Type& type) {
  std::int64_t out = type.offset.constant() + 1;
  for (std::size_t k = 0; k < type.shape.size(); ++k) {
    const std::int64_t size = type.shape[k].constant();
    if (size == 0) return type.offset.constant();
    out += (size - 1) * type.stride[k].constant();
  }
  return out;
}

/// Clears the name of a storage that only one input has. Inputs of one dtype that share a storage get its
/// size.
void note_sharing(std::vector<ThunderInput>& inputs) {
  std::map<std::string, std::vector<ThunderInput*>> by_storage;
  for (ThunderInput& input : inputs)
    if (!input.storage.empty()) by_storage[input.storage].push_back(&input);
  for (auto& [storage, sharers] : by_storage) {
    if (sharers.size() == 1) {
      sharers[0]->storage.clear();
      continue;
    }
    std::int64_t extent = 0;
    bool one_dtype = true;
    for (const ThunderInput* input : sharers) {
      extent = std::max(extent, extent_of(input->type));
      one_dtype = one_dtype && input->type.dtype == sharers[0]->type.dtype;
    }
    for (ThunderInput* input : sharers)
      if (one_dtype) input->storage_numel = extent;
  }
}

}  // namespace

Result<ThunderFacts> read_thunder_inputs(std::string_view text) {
  auto document = parse_strict_json(text);
  if (!document) return document.fault();
  InputsReader reader;
  const JsonAt root;
  ThunderFacts out;
  out.known = true;
  if (reader.faults.object(*document, root)) {
    const auto* format = reader.faults.required(*document, root, "format");
    const JsonAt at_format(root, "format"), at_inputs(root, "inputs");
    if (format != nullptr && reader.faults.text(*format, at_format) != "noclobber.inputs/1")
      reader.faults.fail(at_format, "expected \"noclobber.inputs/1\"");
    const auto* inputs = reader.faults.required(*document, root, "inputs");
    if (inputs != nullptr && reader.faults.array(*inputs, at_inputs))
      for (std::size_t k = 0; k < inputs->size() && !reader.faults.failed(); ++k) {
        const JsonAt at(at_inputs, k);
        out.inputs.push_back(reader.input((*inputs)[k], at));
        for (std::size_t j = 0; j < k; ++j)
          if (out.inputs[j].name == out.inputs[k].name) reader.faults.fail(at, "a name that is taken");
      }
  }
  if (reader.faults.failed()) return reader.faults.first();
  note_sharing(out.inputs);
  return out;
}

}  // namespace noclobber
