// Every row of the operator table in a right pair and in its wrong twin, both made from a call that PyTorch
// recorded: the operator's step stays as it is, and a write of an operand or of the result moves.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "src/check/check.h"
#include "src/ops/row.h"
#include "tests/catch.h"
#include "tests/support/golden.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace row_pairs_test {

using namespace noclobber;

namespace {

constexpr int kMostTries = 24;  // pairs of one row

struct Twins {
  Case right, wrong;
};

/// Graphs around the one step of a recorded call.
class Around {
 public:
  explicit Around(const golden::GoldenCall& call) : step_(call.value.after.steps[0]) {
    graph_ = call.value.after;
    graph_.steps.clear();
    graph_.outputs.clear();
  }
  /// The operator itself; with `instead` in place of operand `operand`.
  void run(std::optional<ValueId> operand = std::nullopt, ValueId instead = {}) {
    Step step = step_;
    for (Arg& arg : step.args) replace(arg, operand, instead);
    for (auto& [name, arg] : step.kwargs.items()) replace(arg, operand, instead);
    for (const ValueId result : step.results)
      if (result.valid()) graph_.values[result.index].at = static_cast<std::uint32_t>(graph_.steps.size());
    graph_.steps.push_back(std::move(step));
  }
  ValueId add(const std::string& op, ValueId of, std::vector<Arg> more = {}) {
    Value value;
    value.name = "v" + std::to_string(graph_.values.size());
    value.from = Value::From::step;
    value.at = static_cast<std::uint32_t>(graph_.steps.size());
    value.type = graph_.value(of).type;
    if (value.type && op.find("clone") != std::string::npos) value.type.edit().offset = SymExpr(0);
    graph_.values.push_back(std::move(value));
    Step step;
    step.results = {ValueId(graph_.values.size() - 1)};
    step.op = op;
    step.args = {Arg::of(of)};
    for (Arg& arg : more) step.args.push_back(std::move(arg));
    graph_.steps.push_back(std::move(step));
    return graph_.steps.back().results[0];
  }
  /// A write that changes what lies there: adds one, or forgets everything.
  void spoil(ValueId value, bool forgets) {
    const auto& type = graph_.value(value).type;
    if (forgets)
      add("aten.zero_.default", value);
    else if (type && type->dtype == Dtype::boolean)
      add("aten.logical_not_.default", value);
    else
      add("aten.add_.Scalar", value, {Arg::of(SymExpr(1))});
  }
  /// Copies of what the operator gives, which are what the graph gives.
  void keep() {
    for (const ValueId result : step_.results)
      if (result.valid() && graph_.value(result).type) kept_.push_back(copy(result));
  }
  ValueId copy(ValueId value) {
    const ValueId out = add("aten.clone.default", value);
    graph_.values[out.index].type = std::nullopt;
    return out;
  }
  void keep(ValueId value) { kept_.push_back(copy(value)); }
  Graph done() {
    for (const ValueId kept : kept_) graph_.outputs.push_back(Arg::of(kept));
    return std::move(graph_);
  }

 private:
  static void replace(Arg& arg, std::optional<ValueId> operand, ValueId instead) {
    if (arg.kind == Arg::Kind::ref && operand && arg.ref == *operand) arg.ref = instead;
    for (Arg& item : arg.list.items()) replace(item, operand, instead);
  }

  Step step_;
  Graph graph_;
  std::vector<ValueId> kept_;
};

Case joined(const golden::GoldenCall& call, Graph before, Graph after) {
  Case out = call.value;
  out.before = std::move(before);
  out.after = std::move(after);
  for (Graph* graph : {&*out.before, &out.after})
    for (Input& input : graph->inputs) input.may_write = true;
  return out;
}

/// An operand is written after the operator has read it. Right: the operator reads a copy taken before.
/// Wrong: it reads what was written.
Twins late_write(const golden::GoldenCall& call, ValueId operand, bool forgets) {
  Around before(call), right(call), wrong(call);
  before.run();
  before.keep();
  before.spoil(operand, forgets);
  const ValueId copy = right.copy(operand);
  right.spoil(operand, forgets);
  right.run(operand, copy);
  right.keep();
  wrong.spoil(operand, forgets);
  wrong.run();
  wrong.keep();
  Graph meant = before.done();
  return {joined(call, meant, right.done()), joined(call, meant, wrong.done())};
}

/// The result is written. Right: after it was copied. Wrong: before.
Twins spoilt_result(const golden::GoldenCall& call, bool forgets) {
  const ValueId result = call.value.after.steps[0].results[0];
  Around before(call), right(call), wrong(call);
  before.run();
  before.keep();
  right.run();
  right.keep();
  right.spoil(result, forgets);
  wrong.run();
  wrong.spoil(result, forgets);
  wrong.keep();
  Graph meant = before.done();
  return {joined(call, meant, right.done()), joined(call, meant, wrong.done())};
}

/// An operator that writes its first operand. Right: what was there is copied first. Wrong: afterwards.
Twins early_copy(const golden::GoldenCall& call) {
  Around before(call), right(call), wrong(call);
  const ValueId operand(0);
  before.keep(operand);
  before.run();
  right.keep(right.copy(operand));
  right.run();
  wrong.run();
  wrong.keep(operand);
  Graph meant = before.done();
  return {joined(call, meant, right.done()), joined(call, meant, wrong.done())};
}

Status status_of(const Case& value) {
  bool contradiction = false;
  const CheckRecord record = check_case(value, {}, contradiction);
  INFO(record.contradiction);
  REQUIRE_FALSE(contradiction);
  return record.status;
}

/// Is the right one proved and the wrong one refuted? Never the other way round.
bool told_apart(const std::string& op, const Twins& twins) {
  INFO(op);
  const Status wrong = status_of(twins.wrong);
  if (wrong != Status::refuted) return false;
  const Status right = status_of(twins.right);
  CHECK(right != Status::refuted);
  return right == Status::proved;
}

bool told_apart(const golden::GoldenCall& call, int& tries) {
  const Step& step = call.value.after.steps[0];
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr) return false;
  if (schema->writes()) return call.inputs > 0 && tries-- > 0 && told_apart(step.op, early_copy(call));
  const bool shown = !step.results.empty() && step.results[0].valid();
  for (const bool forgets : {false, true}) {
    for (std::size_t k = 0; k < call.inputs && tries > 0; ++k) {
      const auto& type = call.value.after.values[k].type;
      if (!type || (!is_floating(type->dtype) && call.inputs > 1)) continue;
      if (!(type->offset == SymExpr(0))) continue;  // a copy of a part is no copy for as_strided
      if (tries-- > 0 && told_apart(step.op, late_write(call, ValueId(k), forgets))) return true;
    }
    // A result may lie on elements of a storage that no input shows: these must survive.
    const bool hidden = step.op->find("as_strided") != std::string::npos &&
                        std::ranges::any_of(call.value.after.inputs, [](const Input& input) {
                          return input.storage_numel.has_value();
                        });
    if (shown && !hidden && tries-- > 0 && told_apart(step.op, spoilt_result(call, forgets))) return true;
  }
  return false;
}

/// Recorded calls by the operator whose row they are about.
std::map<std::string, std::vector<std::string>> recorded_files() {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(in_sources("/corpus/golden"))) {
    if (entry.path().extension() != ".json") continue;
    const std::string op = entry.path().stem().string(), functional = functional_op(op);
    out[std::string(base_name(op))].push_back(entry.path().string());
    if (!functional.empty() && base_name(functional) != base_name(op))
      out[std::string(base_name(functional))].push_back(entry.path().string());
  }
  for (auto& [op, files] : out) std::sort(files.begin(), files.end());
  return out;
}

bool has_pair(const std::vector<std::string>& files) {
  int tries = kMostTries;
  for (const std::string& file : files)
    for (const golden::GoldenCall& call : golden::calls_of(file, true))
      if (tries > 0 && told_apart(call, tries)) return true;
  return false;
}

/// corpus/golden/unpaired.tsv: rows without a pair, and why.
std::map<std::string, std::string> unpaired() {
  std::map<std::string, std::string> out;
  std::ifstream file(in_sources("/corpus/golden/unpaired.tsv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) out[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
  return out;
}

}  // namespace

TEST_CASE("every row has a right pair that is proved and a wrong twin that is refuted", "[rows]") {
  const auto files = recorded_files();
  const auto without = unpaired();
  std::size_t paired = 0, number = 0;
  for (const OpRow& row : op_rows()) {
    if (!testing::is_sampled(number++)) continue;
    const auto at = files.find(std::string(row.op));
    const bool has = at != files.end() && has_pair(at->second);
    paired += has ? 1 : 0;
    INFO(row.op << (has ? " has a pair and is listed" : " has no pair and is not listed"));
    CHECK(has != without.contains(std::string(row.op)));
  }
  std::printf("rows: %zu, with a proved pair and its refuted twin: %zu, listed with a reason: %zu\n",
              op_rows().size(), paired, without.size());
  for (const auto& [op, why] : without) {
    INFO(op);
    CHECK(find_row(op) != nullptr);
    CHECK(why.size() > 10);
  }
}

}  // namespace row_pairs_test
