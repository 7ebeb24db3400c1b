#include "tests/support/golden.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "src/interp/interp.h"
#include "src/kernels/kernels.h"
#include "src/ops/row.h"
#include "tests/support/source_dir.h"

namespace noclobber::golden {
namespace {

using Json = nlohmann::json;

double real_of(const Json& value) {
  if (value.is_string()) return std::strtod(value.get<std::string>().c_str(), nullptr);
  return value.get<double>();
}

Number number_of_json(const Json& value) {
  if (value.is_object()) return Number::of_complex({real_of(value["re"]), real_of(value["im"])});
  if (value.is_boolean()) return Number::of(value.get<bool>() ? 1 : 0);
  if (value.is_number_integer()) return Number::of(value.get<std::int64_t>());
  return Number::of_real(real_of(value));
}

Dtype dtype_of(const Json& value) {
  return parse_torch_dtype(value.get<std::string>()).value_or(Dtype::other);
}

Extents extents_of(const Json& value) { return value.get<Extents>(); }

std::vector<std::uint8_t> bytes_of(const Json& storage) {
  const Dtype dtype = dtype_of(storage["dtype"]);
  const auto width = static_cast<std::size_t>(item_bytes(dtype));
  std::vector<std::uint8_t> bytes(storage["values"].size() * width);
  for (std::size_t i = 0; i < storage["values"].size(); ++i)
    store_number(dtype, bytes.data() + i * width, number_of_json(storage["values"][i]));
  return bytes;
}

Arg arg_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return Arg::of_bool(value.get<bool>());
  if (value.is_number_integer()) return Arg::of(SymExpr(value.get<std::int64_t>()));
  if (value.is_string()) return Arg::of_text(value.get<std::string>());
  if (value.is_array()) {
    std::vector<Arg> list;
    for (const Json& item : value) list.push_back(arg_of(item));
    return Arg::of(std::move(list));
  }
  if (value.contains("tensor")) return Arg::of(ValueId(value["tensor"].get<std::size_t>()));
  if (value.contains("float")) return Arg::of_real(real_of(value["float"]));
  if (value.contains("dtype")) return Arg::of_dtype(dtype_of(value["dtype"]));
  if (value.contains("device")) return Arg::of_device(value["device"].get<std::string>());
  return Arg::of_text(value["memory_format"].get<std::string>());
}

Type type_of(const Json& tensor) {
  Type type;
  type.dtype = dtype_of(tensor["dtype"]);
  for (const std::int64_t size : extents_of(tensor["shape"])) type.shape.emplace_back(size);
  for (const std::int64_t stride : extents_of(tensor["stride"])) type.stride.emplace_back(stride);
  type.strides = Type::Strides::given;
  type.offset = SymExpr(tensor["offset"].get<std::int64_t>());
  return type;
}

struct Prepared {
  Case value;
  RunOptions options;
  std::set<std::string> may_write;
  std::vector<std::size_t> recorded;  // which recorded output each output of the graph is
};

void add_inputs(const Json& call, Prepared& p) {
  for (std::size_t i = 0; i < call["tensors"].size(); ++i) {
    const Json& tensor = call["tensors"][i];
    const auto storage = tensor["storage"].get<std::size_t>();
    const Json& contents = call["storages"][storage];
    Value value{"t" + std::to_string(i), Value::From::input, static_cast<std::uint32_t>(i), 0,
                type_of(tensor)};
    Input input;
    input.value = ValueId(i);
    input.storage = "S" + std::to_string(storage);
    input.storage_numel = SymExpr(static_cast<std::int64_t>(contents["values"].size()));
    p.options.contents[value.name] = bytes_of(contents);
    p.may_write.insert(value.name);
    p.value.after.values.push_back(std::move(value));
    p.value.after.inputs.push_back(std::move(input));
  }
}

Prepared prepare(const std::string& op, const Json& call) {
  Prepared p;
  add_inputs(call, p);
  Graph& graph = p.value.after;
  Step step;
  step.op = op;
  for (const Json& arg : call["args"]) step.args.push_back(arg_of(arg));
  for (const auto& [key, arg] : call["kwargs"].items()) step.kwargs.edit().emplace_back(key, arg_of(arg));
  for (std::size_t i = 0; i < call["outputs"].size(); ++i) {
    if (call["outputs"][i].is_null()) {
      step.results.emplace_back();
      continue;
    }
    p.recorded.push_back(i);
    const ValueId id(graph.values.size());
    graph.values.push_back(
        {"r" + std::to_string(i), Value::From::step, 0, static_cast<std::uint32_t>(i), {}});
    step.results.push_back(id);
    graph.outputs.push_back(Arg::of(id));
  }
  graph.steps.push_back(std::move(step));
  return p;
}

double ulp_of(Dtype type, double value) {
  const int bits = type == Dtype::f64                         ? 52
                   : type == Dtype::f32 || type == Dtype::c64 ? 23
                   : type == Dtype::f16                       ? 10
                   : type == Dtype::bf16                      ? 7
                                                              : 52;
  const int least = type == Dtype::f64 || type == Dtype::c128 ? -1022 : type == Dtype::f16 ? -14 : -126;
  const int exponent = value == 0 || !std::isfinite(value) ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - bits);
}

/// The type that results are rounded to: an out= of a wider type holds what narrower arguments gave.
Dtype rounding_type(const Json& call, Dtype type) {
  std::set<std::size_t> out;
  for (const auto& [key, value] : call["kwargs"].items())
    if (value.is_object() && value.contains("tensor")) out.insert(value["tensor"].get<std::size_t>());
  if (out.empty() || (!is_floating(type) && !is_complex(type))) return type;
  Dtype widest = is_complex(type) ? Dtype::c64 : Dtype::f32;
  bool found = false;
  for (std::size_t i = 0; i < call["tensors"].size(); ++i) {
    const Dtype other = dtype_of(call["tensors"][i]["dtype"]);
    if (out.contains(i) || (!is_floating(other) && !is_complex(other))) continue;
    if (!found || ulp_of(other, 1) < ulp_of(widest, 1)) widest = other;
    found = true;
  }
  return ulp_of(widest, 1) > ulp_of(type, 1) ? widest : type;
}

/// Distance in units of the last place; infinite for different kinds of values.
double distance(Dtype type, const Number& expected, const Number& actual, double scale) {
  if (expected.kind == Number::Kind::integer && actual.kind == Number::Kind::integer)
    return expected.integer == actual.integer ? 0 : INFINITY;
  double worst = 0;
  if (expected.kind == Number::Kind::complex && std::isfinite(std::abs(expected.as_complex())))
    scale = std::max(scale, std::abs(expected.as_complex()));  // parts of a complex number round together
  for (const auto& [a, b] :
       {std::pair(expected.as_real(), actual.as_real()), std::pair(expected.im, actual.im)}) {
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    worst = std::isfinite(a) && std::isfinite(b)
                ? std::max(worst, std::abs(a - b) / ulp_of(type, std::max({std::abs(a), std::abs(b), scale})))
                : INFINITY;
  }
  return worst;
}

double largest(const Json& values) {
  double result = 0;
  for (const Json& value : values)
    if (const double size = std::abs(number_of_json(value).as_complex()); std::isfinite(size))
      result = std::max(result, size);
  return result;
}

/// The largest finite element of a call's inputs and outputs.
double largest_of_call(const Json& call) {
  double result = 0;
  for (const Json& storage : call["storages"]) result = std::max(result, largest(storage["values"]));
  for (const Json& output : call["outputs"])
    if (output.is_object() && output.contains("values")) result = std::max(result, largest(output["values"]));
  return result;
}

class Comparison {
 public:
  Comparison(Report& report, int number, Bound bound, const Json& call)
      : report_(report), call_(number), bound_(bound), json_(call), call_scale_(largest_of_call(call)) {}
  bool good() const { return good_; }

  void fault(const std::string& text) {
    good_ = false;
    report_.faults.push_back("call " + std::to_string(call_) + ": " + text);
  }

  void contents(const std::string& what, Dtype type, const std::vector<std::uint8_t>& bytes,
                const Json& values) {
    const auto width = static_cast<std::size_t>(item_bytes(type));
    if (bytes.size() != values.size() * width) return fault(what + " has another length");
    double scale = bound_.of == BoundOf::call ? call_scale_ : 0;
    if (bound_.of == BoundOf::largest) scale = largest(values);
    const double allowed_ulps = bound_.ulps * (is_complex(type) ? 4 : 1);
    const Dtype rounded_to = rounding_type(json_, type);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Number expected = number_of_json(values[i]), actual = load_number(type, bytes.data() + i * width);
      const double off = distance(rounded_to, expected, actual, scale);
      if (std::isfinite(off)) report_.ulps = std::max(report_.ulps, off);
      if (off > allowed_ulps)
        return fault(what + " (" + std::string(name(type)) + ") element " + std::to_string(i) + " is " +
                     std::to_string(actual.kind == Number::Kind::integer ? static_cast<double>(actual.integer)
                                                                         : actual.re) +
                     " instead of " + std::to_string(expected.as_real()) + " (" + std::to_string(off) +
                     " ulp)");
    }
  }

  void output(std::size_t i, const Json& expected, const Run::Output& actual, const Run& run,
              const Json& call) {
    const std::string what = "output " + std::to_string(i);
    if (expected.contains("value")) {
      if (actual.scalar != std::to_string(expected["value"].get<std::int64_t>()))
        fault(what + " is another number");
      return;
    }
    if (!actual.tensor) return fault(what + " is no tensor");
    const Tensor& t = *actual.tensor;
    if (t.dtype != dtype_of(expected["dtype"]))
      return fault(what + " has dtype " + std::string(name(t.dtype)));
    if (t.shape != extents_of(expected["shape"])) return fault(what + " has another shape");
    if (t.stride != extents_of(expected["stride"]))
      fault(what + " has strides " + Json(t.stride).dump() + " instead of " + expected["stride"].dump());
    if (t.offset != expected["offset"].get<std::int64_t>())
      fault(what + " has offset " + std::to_string(t.offset));
    sharing(what, expected["alias_of_storage"], t, run, call);
    contents(what, t.dtype, actual.bytes, expected["values"]);
  }

 private:
  /// A tensor without elements has no address in PyTorch, so the recording does not know what it shares.
  void sharing(const std::string& what, const Json& expected, const Tensor& t, const Run& run,
               const Json& call) {
    if (Geometry{t.dtype, t.shape, t.stride, t.offset}.numel() == 0) return;
    std::int64_t shared = -1;
    for (std::size_t i = 0; i < call["tensors"].size(); ++i)
      if (run.input_storage.at("t" + std::to_string(i)) == t.storage)
        shared = call["tensors"][i]["storage"].get<std::int64_t>();
    const std::int64_t wanted = expected.is_null() ? -1 : expected.get<std::int64_t>();
    if (shared != wanted) fault(what + (shared >= 0 ? " shares storage" : " does not share storage"));
  }

  Report& report_;
  int call_;
  Bound bound_;
  const Json& json_;
  double call_scale_;
  bool good_ = true;
};

void compare_after(Comparison& comparison, const Json& call, const Run& run) {
  for (std::size_t i = 0; i < call["tensors"].size(); ++i) {
    const auto storage = call["tensors"][i]["storage"].get<std::size_t>();
    const Json& expected =
        call.contains("storages_after") ? call["storages_after"][storage] : call["storages"][storage];
    const auto at = run.input_storage.at("t" + std::to_string(i));
    comparison.contents("storage " + std::to_string(storage) + " afterwards", dtype_of(expected["dtype"]),
                        run.storages[at].bytes, expected["values"]);
    if (!call.contains("tensors_after")) continue;
    const Json& after = call["tensors_after"][i];
    const std::optional<Tensor>& t = run.values[i];
    if (!t || t->shape != extents_of(after["shape"]) || t->stride != extents_of(after["stride"]))
      comparison.fault("input " + std::to_string(i) + " has another shape afterwards");
  }
}

}  // namespace

std::vector<GoldenCall> calls_of(const std::string& path, bool typed) {
  std::vector<GoldenCall> calls;
  std::ifstream file(path);
  const Json golden = Json::parse(file);
  for (const Json& call : golden["calls"]) {
    GoldenCall out;
    out.op = golden["op"].get<std::string>();
    Prepared p = prepare(out.op, call);
    for (std::size_t k = 0; k < p.recorded.size(); ++k) {
      const Json& output = call["outputs"][p.recorded[k]];
      if (!output.contains("dtype")) continue;
      out.shapes.push_back(extents_of(output["shape"]));
      out.dtypes.push_back(dtype_of(output["dtype"]));
      const Json& shared = output["alias_of_storage"];
      out.shares.push_back(shared.is_null() ? -1 : shared.get<std::int64_t>());
      if (typed) p.value.after.values[call["tensors"].size() + k].type = type_of(output);
    }
    out.value = std::move(p.value);
    out.options = std::move(p.options);
    out.may_write = std::move(p.may_write);
    out.inputs = call["tensors"].size();
    calls.push_back(std::move(out));
  }
  return calls;
}

Report run_file(const std::string& path, Bound bound) {
  Report report;
  std::ifstream file(path);
  const Json golden = Json::parse(file);
  for (const Json& call : golden["calls"]) {
    Comparison comparison(report, report.calls++, bound, call);
    const Prepared p = prepare(golden["op"].get<std::string>(), call);
    const Result<Run> run = run_graph(p.value, p.value.after, p.may_write, p.options);
    if (!run) {
      comparison.fault("no run: " + run.fault().message);
    } else if (!run->unsupported.empty() || !run->hashed.empty()) {
      report.implemented = false;
      report.unrun.insert(report.calls - 1);
      comparison.fault("no kernel");
    } else if (run->raised) {
      comparison.fault("raised: " + run->raised->message);
    } else {
      for (std::size_t i = 0; i < p.recorded.size(); ++i)
        comparison.output(p.recorded[i], call["outputs"][p.recorded[i]], run->outputs[i], *run, call);
      compare_after(comparison, call, *run);
    }
    if (comparison.good())
      ++report.agreeing;
    else if (!report.unrun.contains(report.calls - 1))
      report.differing.insert(report.calls - 1);
  }
  return report;
}

namespace {

/// corpus/golden/bounds.tsv: operator without namespace and overload, units, `element` or `largest`, why.
std::map<std::string, Bound> read_bounds() {
  std::map<std::string, Bound> bounds;
  std::ifstream file(in_sources("/corpus/golden/bounds.tsv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name, ulps, scale;
    std::getline(fields, name, '\t');
    std::getline(fields, ulps, '\t');
    std::getline(fields, scale, '\t');
    bounds[name] = {std::strtod(ulps.c_str(), nullptr), scale == "call"      ? BoundOf::call
                                                        : scale == "largest" ? BoundOf::largest
                                                                             : BoundOf::element};
  }
  return bounds;
}

}  // namespace

Bound allowed(const std::string& op) {
  static const std::map<std::string, Bound> bounds = read_bounds();
  std::string plain(base_name(op));
  if (plain.ends_with("_") && !plain.ends_with("__")) plain.pop_back();
  const OpRow* row = find_row(plain);
  if (row != nullptr && !row->same_as.empty()) return allowed(std::string(row->same_as) + ".default");
  const std::size_t first = op.find('.');
  std::string name = op.substr(first + 1, op.rfind('.') - first - 1);
  if (name.starts_with("_foreach_")) name = name.substr(9);
  if (name.ends_with("_") && !name.ends_with("__")) name.pop_back();
  const auto found = bounds.find(name);
  return found == bounds.end() ? Bound{} : found->second;
}

}  // namespace noclobber::golden
