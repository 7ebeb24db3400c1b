// A refuted check as a Python script: the choice of the two graphs and of their inputs.
#include "src/cli/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/packed.h"
#include "src/interp/interp.h"
#include "src/interp/replay_graph.h"

namespace noclobber {

namespace {

constexpr std::string_view kRuntime =
#include "src/cli/script_runtime.inc"
    ;

constexpr std::size_t kListed = 512;                       // elements of a storage written as a list
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // bytes of all inputs together

std::string packed_in_python(const std::vector<std::uint8_t>& bytes) {
  return "b'" + packed({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) + "'";
}

std::string element_in_python(const Number& number, bool floating) {
  if (!floating) return std::to_string(number.integer);
  const double value = number.as_real();
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0 && std::signbit(value)) return "-0.0";  // in Python, -0 is an integer without a sign
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// "range(1, 25)" if the elements are consecutive integers, at least three of them; else "".
std::string counting_up(const std::vector<double>& elements) {
  const double first = elements.empty() ? 0.5 : elements.front();
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (elements[k] != first + static_cast<double>(k) || std::abs(elements[k]) > 1e15 ||
        (elements[k] == 0 && std::signbit(elements[k])))
      return "";
  if (elements.size() < 3 || first != std::floor(first)) return "";
  return fmt::format("range({}, {})", static_cast<std::int64_t>(first),
                     static_cast<std::int64_t>(first) + static_cast<std::int64_t>(elements.size()));
}

/// The argument of storage() in the script: a range, a list, or packed bytes.
std::string contents_in_python(Dtype dtype, const std::vector<std::uint8_t>& bytes) {
  const bool wide = dtype == Dtype::u64 || dtype == Dtype::f8e4m3fn || dtype == Dtype::f8e5m2;
  const std::size_t width = static_cast<std::size_t>(bit_width(dtype)) / 8;
  if (is_complex(dtype) || wide || width == 0) return packed_in_python(bytes);
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (std::size_t b = 0; b + width <= bytes.size(); b += width) {
    const Number number = load_number(dtype, bytes.data() + b);
    numbers.push_back(number.as_real());
    if (texts.size() <= kListed) texts.push_back(element_in_python(number, is_floating(dtype)));
  }
  const std::string range = counting_up(numbers);
  if (!range.empty()) return range;
  return texts.size() <= kListed ? fmt::format("[{}]", fmt::join(texts, ", ")) : packed_in_python(bytes);
}

std::string dtype_in_python(Dtype dtype) { return "torch." + std::string(torch_name(dtype)); }

Graph entry_of(const Graph& graph) {
  Graph entry = graph;
  entry.steps.clear();
  entry.outputs.clear();
  entry.finals.clear();
  return entry;
}

RunOptions run_options(const Finding& finding) {
  RunOptions options;
  options.symbols = finding.witness_symbols;
  options.contents_seed = finding.witness_seed.value_or(0);
  return options;
}

}  // namespace

Result<std::string> script_inputs(const Case& value, const Graph& graph, const Graph& contents_of,
                                  const std::string& function, const Finding& finding) {
  RunOptions options = run_options(finding);
  if (const Result<Run> given = run_graph(value, entry_of(contents_of), {}, options); given && !given->raised)
    for (const auto& [name, storage] : given->input_storage)
      options.contents[name] = given->storages[storage].bytes;
  const Result<Run> run = run_graph(value, entry_of(graph), {}, options);
  if (!run || run->raised) return Diagnostic{"", "the inputs of the witness cannot be made"};
  std::string out = fmt::format("def {}():\n", function), dict;
  std::vector<bool> made(run->storages.size());
  std::size_t bytes = 0;
  for (const Input& input : graph.inputs) {
    const std::string& name = graph.value(input.value).name;
    const std::optional<Tensor>& tensor = run->values.at(input.value.index);
    if (!tensor) {
      const auto symbol = options.symbols.find(name);
      dict += fmt::format("        {}: {},\n", python_text(name),
                          symbol == options.symbols.end() ? "None" : std::to_string(symbol->second));
      continue;
    }
    if (bit_width(tensor->dtype) < 8)
      return Diagnostic{"",
                        "PyTorch alone has no elements of " + std::string(noclobber::name(tensor->dtype))};
    const Storage& storage = run->storages[tensor->storage];
    if (!made[tensor->storage]) {
      bytes += storage.bytes.size();
      out += fmt::format("    storage_{} = storage({}, {})\n", tensor->storage,
                         dtype_in_python(tensor->dtype), contents_in_python(tensor->dtype, storage.bytes));
    }
    made[tensor->storage] = true;
    dict += fmt::format("        {}: view(storage_{}, {}, [{}], [{}], {}),\n", python_text(name),
                        tensor->storage, dtype_in_python(tensor->dtype), fmt::join(tensor->shape, ", "),
                        fmt::join(tensor->stride, ", "), tensor->offset);
  }
  if (bytes > kMostBytes) return Diagnostic{"", fmt::format("the inputs of the witness are {} bytes", bytes)};
  return out + "    return {\n" + dict + "    }\n";
}

namespace {

/// The finding that a script shows: the first cause that a run has shown, else the first cause, of a plan.
/// nullptr if there is none.
const Finding* finding_for_script(const CheckRecord& record) {
  const Finding* plan = nullptr;
  for (const Finding& finding : record.findings) {
    if (!is_cause(finding)) continue;
    if (finding.witness_seed) return &finding;
    if (plan == nullptr) plan = &finding;
  }
  return plan;
}

/// The two graphs that the script compares.
struct Sides {
  Graph changed;  // owns the graph of `original` if it is not a graph of the case
  ScriptGraph original, rewritten;
  const char* means = "what the program means";
  bool of_garbage = false;  // the fault: the result depends on uninitialized memory
};

std::optional<std::uint32_t> step_in_after(const std::optional<FindingPlace>& place, const Case& value) {
  const bool inside = place && place->graph == "after" && place->step < value.after.steps.size();
  return inside ? std::optional(place->step) : std::nullopt;
}

void single_sides(Sides& sides, const Case& value, const OpSet& ops, const Finding& finding) {
  const auto writes = step_in_after(finding.clobber, value);
  const bool within = finding.rule == "NC007" || finding.rule == "NC008";
  if (within && writes) {
    sides.changed = with_cloned_operands(ops, value.after, *writes);
    sides.original.graph = &sides.changed;
    sides.means = "the same graph with copies of what the step at fault reads";
  } else if (finding.rule == "NC001" || value.names_are_values) {
    sides.original.on_copies = true;
    sides.means = "the same graph with copies of what is written: every name keeps its value";
  } else {
    sides.means = "the same graph, as its text has it";
  }
}

void choose_sides(Sides& sides, const Case& value, const OpSet& ops, const Finding& finding) {
  sides.original = {"original", value.before ? &*value.before : &value.after};
  sides.rewritten = {"rewritten", &value.after, finding.witness_order};
  if (!value.before && !value.plan) single_sides(sides, value, ops, finding);
  const bool of_plan = value.plan && !finding.witness_seed;
  if (of_plan) sides.rewritten.plan = &*value.plan;
  if (finding.rule == "NC020") sides.rewritten.declared = step_in_after(finding.define, value);
  sides.of_garbage = finding.rule == "NC002" && !value.before;
  if (sides.of_garbage) sides.means = "the same with other contents of what nothing has written";
}

/// The seed of the witness. A finding of a plan has none: the first seed with which the original does not
/// raise, or 0 if all of the first 48 do.
std::uint64_t seed_for(const Case& value, const Graph& original, const Finding& finding) {
  constexpr std::uint64_t kSeeds = 48;
  if (finding.witness_seed) return *finding.witness_seed;
  RunOptions options = run_options(finding);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    options.contents_seed = seed;
    const Result<Run> run = run_graph(value, original, {}, options);
    if (!run || !run->raised) return seed;
  }
  return 0;
}

/// NC003: the input that must not be written; "" for other rules.
std::string written_input(const Case& value, const Finding& finding) {
  if (finding.rule != "NC003") return "";
  for (const Input& input : value.after.inputs)
    if (value.after.value(input.value).name == finding.storage) return python_text(finding.storage);
  return "";
}

std::string in_docstring(std::string text) {
  std::string out;
  for (const char c : text) out += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

/// The inputs whose contents at exit do not matter: in any case, or (not `whatever`) if the original does not
/// write them.
std::string names_at_exit(const Case& value, bool whatever) {
  std::vector<std::string> names;
  for (const Input& input : value.after.inputs) {
    const bool any = input.exit == Input::Exit::any,
               writable = !input.exit && input.may_write.value_or(false);
    if (whatever ? any : writable) names.push_back(python_text(value.after.value(input.value).name));
  }
  return names.empty() ? "set()" : fmt::format("{{{}}}", fmt::join(names, ", "));
}

std::string sharing_mode(const Case& value, const Finding& finding) {
  const bool shrinks = finding.rule == "NC005" || finding.rule == "NC006";
  if (shrinks && !value.sharing_may_shrink) return "\"same\"";
  return finding.rule == "NC005" ? "\"no-growth\"" : "\"\"";
}

std::string head_of(const CheckRecord& record, const Finding& finding, const Sides& sides) {
  return fmt::format(
      "#!/usr/bin/env python3\n"
      "\"\"\"{} {}: {}\n\n"
      "{} of {}, refuted by noclobber {}. `rewritten` is what a compiler made, `original` is\n"
      "{}. Both run eagerly on the inputs of the witness; floats may\n"
      "differ by rounding. Exit code 1: the fault shows, 0: it does not, 2: this PyTorch cannot run it.\n"
      "\"\"\"\n"
      "import base64\nimport sys\nimport zlib\nfrom math import inf, nan\n\n"
      "try:\n    import torch\nexcept ImportError:\n    sys.exit(print(\"cannot run: PyTorch is not "
      "installed\", file=sys.stderr) or 2)\n\n",
      finding.rule, finding.property, in_docstring(finding.message), in_docstring(record.id),
      in_docstring(record.input), record.version, sides.means);
}

}  // namespace

Result<std::string> pytorch_script(const Case& value, const CheckRecord& record, bool compile) {
  const Finding* finding = finding_for_script(record);
  if (finding == nullptr) return Diagnostic{"", "is not refuted: there is no fault to show"};
  const auto ops = make_op_set(value.ops);
  if (!ops) return ops.fault();
  Sides sides;
  choose_sides(sides, value, *ops, *finding);
  if (value.after.steps.empty() && (value.plan || !value.before))
    return Diagnostic{"", value.plan ? "a plan without a graph has nothing to run"
                                     : "a list of registers has nothing to run"};
  Finding shown = *finding;
  shown.witness_seed = seed_for(value, *sides.original.graph, *finding);
  std::string out = head_of(record, *finding, sides);
  out += fmt::format(
      "STRIDES = {}\nFREE = {}\nWRITABLE = {}\nIMMUTABLE = [{}]\nSHARING = {}\nOF_GARBAGE = {}\nCOMPILE = "
      "{}\n\n\n",
      value.compare_strides ? "True" : "False", names_at_exit(value, true), names_at_exit(value, false),
      written_input(value, *finding), sharing_mode(value, *finding), sides.of_garbage ? "True" : "False",
      compile && value.before ? "True" : "False");
  const Graph& first = value.before ? *value.before : value.after;
  for (const auto& [graph, name] : {std::pair{sides.original.graph, "original_inputs"},
                                    std::pair{sides.rewritten.graph, "rewritten_inputs"}}) {
    auto inputs = script_inputs(value, *graph, first, name, shown);
    if (!inputs) return inputs.fault();
    out += *inputs + "\n\n";
  }
  for (const ScriptGraph* side : {&sides.original, &sides.rewritten}) {
    auto function = script_function(value, *ops, *side, finding->witness_symbols);
    if (!function) return function.fault();
    out += *function + "\n\n";
  }
  return out + std::string(kRuntime.substr(1));
}

}  // namespace noclobber
