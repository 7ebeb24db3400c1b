// What PyTorch refuses to be called with is not proved, though nobody uses what the call gives: every
// recorded call with the type, the rank or an extent of one argument changed, judged by the interpreter's
// kernels.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "src/check/check.h"
#include "src/interp/interp.h"
#include "tests/catch.h"
#include "tests/support/golden.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace row_refusals_test {

using namespace noclobber;

namespace {

using Extents = std::vector<SymExpr>;
constexpr std::size_t kMostCalls = 4;  // of one file
constexpr Dtype kTypes[] = {Dtype::f32, Dtype::f64, Dtype::f16,     Dtype::i64,
                            Dtype::i32, Dtype::u8,  Dtype::boolean, Dtype::c64};

/// The call without contents, on inputs of their own that it may write; nobody knows what it gives.
Case bare(const golden::GoldenCall& call) {
  Case out = call.value;
  out.after.outputs.clear();
  for (Value& value : out.after.values)
    if (value.from == Value::From::step) value.type = {};
  for (Input& input : out.after.inputs) {
    const ValueId id = input.value;
    input = {};
    input.value = id, input.may_write = true, input.exit = Input::Exit::any;
    if (out.after.value(id).type) {
      Type& type = out.after.values[id.index].type.edit();
      type.strides = Type::Strides::contiguous, type.stride.clear(), type.offset = SymExpr(0);
    }
  }
  return out;
}

Type with_dtype(Type type, Dtype dtype) {
  type.dtype = dtype;
  return type;
}
Type with_shape(Type type, const Extents& shape) {
  type.shape = shape;
  return type;
}

/// Of another type, longer, of one dimension more or less.
std::vector<Type> changes(const Type& type) {
  std::vector<Type> out;
  for (const Dtype dtype : kTypes)
    if (dtype != type.dtype) out.push_back(with_dtype(type, dtype));
  Extents more = type.shape;
  more.insert(more.begin(), SymExpr(2));
  out.push_back(with_shape(type, more));
  if (type.shape.empty()) return out;
  out.push_back(with_shape(type, Extents(type.shape.begin() + 1, type.shape.end())));
  Extents longer = type.shape;
  longer.back() = SymExpr(longer.back().constant() + 1);
  out.push_back(with_shape(type, longer));
  return out;
}

/// Why PyTorch refuses the call; "" where it takes it, or contents decide, or a type has no kernel.
std::string refused(const Case& value) {
  std::set<std::string> inputs;
  for (const Input& input : value.after.inputs) inputs.insert(value.after.value(input.value).name);
  const auto run = run_graph(value, value.after, inputs, {});
  if (!run || !run->raised) return "";
  const std::string& why = run->raised->message;
  for (const char* contents : {"index ", "ZeroDivisionError", "is not implemented for"})
    if (why.find(contents) != std::string::npos) return "";
  return why;
}

bool is_proved(Case value) {
  value.before = value.after;
  value.before->steps.clear();
  std::erase_if(value.before->values, [](const Value& v) { return v.from == Value::From::step; });
  bool contradiction = false;
  return check_case(std::move(value), {}, contradiction).status == Status::proved;
}

/// A dump that says of results what they were before an argument was changed.
Case said_of(Case value, const golden::GoldenCall& call) {
  for (std::size_t k = 0; k < value.after.values.size(); ++k)
    if (value.after.values[k].from == Value::From::step)
      value.after.values[k].type = call.value.after.values[k].type;
  return value;
}

struct Count {
  int calls = 0, refused = 0;
  std::set<std::string> proved;  // "operator, why" of what is refused
};

void examine(const golden::GoldenCall& call, Count& count) {
  Case value = bare(call);
  for (std::size_t k = 0; k < value.after.inputs.size(); ++k) {
    SharedType& slot = value.after.values[value.after.inputs[k].value.index].type;
    if (!slot) continue;
    const Type own = *slot;
    for (const Type& other : changes(own)) {
      slot = other;
      ++count.calls;
      const std::string why = refused(value);
      count.refused += why.empty() ? 0 : 1;
      if (!why.empty() && (is_proved(value) || is_proved(said_of(value, call))))
        count.proved.insert(call.op + "\t" + why);
    }
    slot = own;
  }
}

/// corpus/golden/open_refusals.tsv: operator, what is refused, and why that is left open.
std::map<std::string, std::string> listed_as_open() {
  std::map<std::string, std::string> out;
  std::ifstream file(in_sources("/corpus/golden/open_refusals.tsv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t end = line.find('\t', line.find('\t') + 1);
    out[line.substr(0, end)] = line.substr(end + 1);
  }
  return out;
}

}  // namespace

TEST_CASE("a call that PyTorch refuses is not proved", "[rows]") {
  Count count;
  std::size_t number = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("/corpus/golden"))) {
    if (entry.path().extension() != ".json" || !testing::is_sampled(number++)) continue;
    auto calls = golden::calls_of(entry.path().string(), true);
    if (calls.size() > kMostCalls) calls.resize(kMostCalls);
    for (const golden::GoldenCall& call : calls) examine(call, count);
  }
  std::printf("changed calls: %d, %d refused, %zu kinds of them proved\n", count.calls, count.refused,
              count.proved.size());
  CHECK(count.refused > static_cast<int>(testing::sampled(3000)));
  const auto listed = listed_as_open();
  for (const std::string& kind : count.proved) {
    INFO(kind);
    CHECK(listed.contains(kind));
  }
  for (const auto& [kind, why] : listed) {
    INFO(kind);
    CHECK((count.proved.contains(kind) || testing::every() > 1));
    CHECK(why.size() > 10);
  }
}

}  // namespace row_refusals_test
