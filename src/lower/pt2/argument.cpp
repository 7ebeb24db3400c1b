// Arguments of an exported program. Each is a union: `{"as_sym_int": {"as_name": "sym_size_int"}}`.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "src/lower/pt2/expr.h"
#include "src/lower/pt2/graph.h"

namespace noclobber {
namespace {

/// Codes of torch._export.serde, not those of ATen.
constexpr std::array<std::pair<int, Dtype>, 18> kPt2Dtypes = {{
    {1, Dtype::u8},
    {2, Dtype::i8},
    {3, Dtype::i16},
    {4, Dtype::i32},
    {5, Dtype::i64},
    {6, Dtype::f16},
    {7, Dtype::f32},
    {8, Dtype::f64},
    {9, Dtype::other},
    {10, Dtype::c64},
    {11, Dtype::c128},
    {12, Dtype::boolean},
    {13, Dtype::bf16},
    {28, Dtype::u16},
    {29, Dtype::f8e4m3fn},
    {30, Dtype::f8e5m2},
    {31, Dtype::other},
    {32, Dtype::other},
}};

}  // namespace

const std::vector<Pt2Graph::Row>& Pt2Graph::rows() {
  using G = Pt2Graph;
  static const std::vector<Row> kRows = {
      {"as_none", &G::none, false},
      {"as_tensor", &G::ref, false},
      {"as_tensors", &G::ref, true},
      {"as_nested_tensors", &G::refs, true},
      {"as_optional_tensor", &G::optional_ref, false},
      {"as_optional_tensors", &G::optional_ref, true},
      {"as_int", &G::integer, false},
      {"as_ints", &G::integer, true},
      {"as_int_lists", &G::integers, true},
      {"as_float", &G::real, false},
      {"as_floats", &G::real, true},
      {"as_bool", &G::boolean, false},
      {"as_bools", &G::boolean, true},
      {"as_string", &G::text, false},
      {"as_strings", &G::text, true},
      {"as_sym_int", &G::named, false},
      {"as_sym_ints", &G::named, true},
      {"as_sym_float", &G::named, false},
      {"as_sym_floats", &G::named, true},
      {"as_sym_bool", &G::named, false},
      {"as_sym_bools", &G::named, true},
      {"as_scalar_type", &G::dtype, false},
      {"as_memory_format", &G::memory_format, false},
      {"as_layout", &G::layout, false},
      {"as_device", &G::device, false},
      {"as_graph", &G::body, false},
      {"as_custom_obj", &G::object, false},
      {"as_operator", &G::op_name, false},
      {"as_complex", &G::complex, false},
      {"as_string_to_argument", &G::dictionary, false},
  };
  return kRows;
}

/// The one member of a union; older writers list the others as null.
const OrderedJson* Pt2Graph::only_member(const OrderedJson& json, const JsonAt& at, std::string& tag) {
  if (!faults_.object(json, at)) return nullptr;
  const OrderedJson* found = nullptr;
  for (const auto& [name, value] : json.get_ref<const OrderedJson::object_t&>()) {
    if (value.is_null() && json.size() > 1) continue;
    if (found) faults_.fail(at, "a union has several members");
    tag = name;
    found = &value;
  }
  if (!found) faults_.fail(at, "a union has no member");
  return faults_.failed() ? nullptr : found;
}

Arg Pt2Graph::argument(const OrderedJson& json, const JsonAt& at) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value) return {};
  const JsonAt inside(at, tag);
  for (const Row& row : rows()) {
    if (row.tag != tag) continue;
    if (!row.is_list) return (this->*row.read)(*value, inside);
    std::vector<Arg> list;
    if (!faults_.array(*value, inside)) return {};
    for (std::size_t k = 0; k < value->size() && !faults_.failed(); ++k)
      list.push_back((this->*row.read)((*value)[k], JsonAt(inside, k)));
    return Arg::of(std::move(list));
  }
  faults_.fail(at, "unknown kind of argument " + in_quotes(tag));
  return {};
}

Arg Pt2Graph::ref(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  const OrderedJson* name = faults_.required(json, at, "name");
  if (!name) return {};
  const JsonAt place(at, "name");
  const std::string text = faults_.text(*name, place);
  const auto found = names_.find(text);
  if (found == names_.end()) {
    faults_.fail(place, in_quotes(text) + " is not defined");
    return {};
  }
  return found->second;
}

ValueId Pt2Graph::tensor(const OrderedJson& json, const JsonAt& at) {
  const Arg found = ref(json, at);
  if (found.kind == Arg::Kind::ref) return found.ref;
  faults_.fail(at, "is no tensor");
  return {};
}

/// A tensor or none, as a union; older writers list all members of the union.
Arg Pt2Graph::optional_ref(const OrderedJson& json, const JsonAt& at) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value || tag == "as_none") return {};
  if (tag == "as_tensor") return ref(*value, JsonAt(at, tag));
  faults_.fail(at, "unknown kind of optional tensor " + in_quotes(tag));
  return {};
}

Arg Pt2Graph::refs(const OrderedJson& json, const JsonAt& at) {
  std::vector<Arg> list;
  if (!faults_.array(json, at)) return {};
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k)
    list.push_back(ref(json[k], JsonAt(at, k)));
  return Arg::of(std::move(list));
}

Arg Pt2Graph::integers(const OrderedJson& json, const JsonAt& at) {
  std::vector<Arg> list;
  if (!faults_.array(json, at)) return {};
  for (std::size_t k = 0; k < json.size() && !faults_.failed(); ++k)
    list.push_back(integer(json[k], JsonAt(at, k)));
  return Arg::of(std::move(list));
}

Arg Pt2Graph::real(const OrderedJson& json, const JsonAt& at) {
  if (json.is_number()) return Arg::of_real(json.get<double>());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string text = faults_.text(json, at);
  if (text == "Infinity") return Arg::of_real(kInfinity);
  if (text == "-Infinity") return Arg::of_real(-kInfinity);
  if (text == "NaN") return Arg::of_real(std::numeric_limits<double>::quiet_NaN());
  faults_.fail(at, in_quotes(text) + " is no number");
  return {};
}

/// A scalar by its name, or a literal in a list of scalars.
Arg Pt2Graph::named(const OrderedJson& json, const JsonAt& at) {
  std::string tag;
  const OrderedJson* value = only_member(json, at, tag);
  if (!value) return {};
  const JsonAt inside(at, tag);
  if (tag == "as_int") return integer(*value, inside);
  if (tag == "as_float") return real(*value, inside);
  if (tag == "as_bool") return boolean(*value, inside);
  const std::string name = faults_.text(*value, inside);
  const auto found = names_.find(name);
  if (tag == "as_name" && found != names_.end()) return found->second;
  faults_.fail(inside, tag == "as_name" ? in_quotes(name) + " is not defined" : "unknown kind of scalar");
  return {};
}

Arg Pt2Graph::dtype(const OrderedJson& json, const JsonAt& at) {
  const std::int64_t code = faults_.integer(json, at);
  for (const auto& [number, value] : kPt2Dtypes)
    if (number == code) return Arg::of_dtype(value);
  return Arg::of_dtype(Dtype::other);
}

Arg Pt2Graph::memory_format(const OrderedJson& json, const JsonAt& at) {
  constexpr std::array kNames = {"contiguous_format", "channels_last", "channels_last_3d", "preserve_format"};
  const std::int64_t code = faults_.integer(json, at);
  if (code >= 1 && code <= 4) return Arg::of_text(kNames[static_cast<std::size_t>(code - 1)]);
  faults_.fail(at, "unknown memory format");
  return {};
}

Arg Pt2Graph::layout(const OrderedJson& json, const JsonAt& at) {
  constexpr std::array kNames = {"sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr",
                                 "sparse_bsc", "_mkldnn",    "strided"};
  const std::int64_t code = faults_.integer(json, at);
  if (code >= 1 && code <= 7) return Arg::of_text(kNames[static_cast<std::size_t>(code - 1)]);
  faults_.fail(at, "unknown layout");
  return {};
}

Arg Pt2Graph::device(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  const OrderedJson* type = faults_.required(json, at, "type");
  if (!type) return {};
  std::string text = faults_.text(*type, JsonAt(at, "type"));
  const OrderedJson* index = find_member(json, "index");
  if (index && !index->is_null()) text += ":" + std::to_string(faults_.integer(*index, JsonAt(at, "index")));
  return Arg::of_device(std::move(text));
}

Arg Pt2Graph::object(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  const OrderedJson* name = faults_.required(json, at, "name");
  return name ? Arg::of_text(faults_.text(*name, JsonAt(at, "name"))) : Arg();
}

/// "torch.ops.aten.sin.default" without the prefix, as in FX text.
Arg Pt2Graph::op_name(const OrderedJson& json, const JsonAt& at) {
  std::string name = faults_.text(json, at);
  constexpr std::string_view kPrefix = "torch.ops.";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  return Arg::of_text(std::move(name));
}

/// Spelled as in FX text: "1+2j".
Arg Pt2Graph::complex(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  const OrderedJson* re = faults_.required(json, at, "real");
  const OrderedJson* im = faults_.required(json, at, "imag");
  if (!re || !im) return {};
  const double real_part = real(*re, JsonAt(at, "real")).real;
  const double imaginary = real(*im, JsonAt(at, "imag")).real;
  return Arg::of_text(real_part == 0 ? fmt::format("{}j", imaginary)
                                     : fmt::format("{}{:+}j", real_part, imaginary));
}

Arg Pt2Graph::dictionary(const OrderedJson& json, const JsonAt& at) {
  if (!faults_.object(json, at)) return {};
  std::vector<Arg> list;
  for (const auto& [key, value] : json.get_ref<const OrderedJson::object_t&>())
    list.push_back(Arg::of({Arg::of_text(key), argument(value, JsonAt(at, key))}));
  return Arg::of(std::move(list));
}

}  // namespace noclobber
