#include "src/advise/repair.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/advise/clone_cover.h"
#include "src/graph/uses.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr int kMostRounds = 64;
constexpr std::uint64_t kUnknownBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kInserted = 0xffffffffU;  // origin of a step that a repair inserted
constexpr const char* kCopy = "aten.clone.default";

/// The positions of the positional arguments that a step writes, by its schema.
std::vector<std::size_t> written_places(const Step& step) {
  std::vector<std::size_t> out;
  const Schema* schema = find_schema(step.op);
  for (std::size_t k = 0; schema != nullptr && k < std::min(step.args.size(), schema->arguments.size()); ++k)
    if (schema->arguments[k].written && step.args[k].kind == Arg::Kind::ref) out.push_back(k);
  return out;
}

/// The operand whose storage the result shares: the first operand of a view or of a write. Invalid if the
/// result is new.
ValueId shown_operand(const Step& step) {
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr || step.args.empty() || step.args[0].kind != Arg::Kind::ref) return {};
  const Meaning meaning = meaning_of(base_name(step.op), *schema);
  const bool shares = schema->writes() || meaning == Meaning::view || meaning == Meaning::may_view;
  return shares ? step.args[0].ref : ValueId{};
}

/// The chain of views and writes from a value to its root, the value itself first.
std::vector<ValueId> line_of(const Graph& graph, ValueId value) {
  std::vector<ValueId> out{value};
  while (graph.value(out.back()).from == Value::From::step) {
    const ValueId above = shown_operand(graph.steps[graph.value(out.back()).at]);
    if (!above.valid()) break;
    out.push_back(above);
  }
  return out;
}

bool stands_before(const Graph& graph, ValueId value, std::uint32_t step) {
  const Value& at = graph.value(value);
  return at.from == Value::From::input || at.at < step;
}

/// A graph with copies inserted, and for each step its index in the original graph or kInserted.
struct Patched {
  Graph graph;
  std::vector<std::uint32_t> origin;
};

/// A hazard by names of the graph as it was read. `value` "": this end cannot be copied.
struct NamedHazard {
  std::string value;
  std::uint32_t write = 0;
  friend auto operator<=>(const NamedHazard&, const NamedHazard&) = default;
};

/// The state of one repair.
class Repairer {
 public:
  Repairer(const Case& value, const CheckOptions& options) : value_(value), options_(options) {
    options_.certificates.clear(), options_.questions.clear();
    options_.advise = false;
  }

  Repair run() {
    for (int round = 0; round < kMostRounds; ++round) {
      const Case tried = with_copies();
      const CheckRecord record = check(tried);
      if (record.status == Status::proved) return finish();
      if (record.status != Status::refuted) return none("with the copies it is unknown");
      if (!learn(record, tried)) return none("no copy removes: " + first_message(record));
      if (!solve()) return none("a hazard has two ends that cannot be copied");
    }
    return none("too many hazards");
  }

 private:
  CheckRecord check(const Case& value) const {
    bool contradiction = false;
    CheckRecord out = check_case(value, options_, contradiction);
    if (contradiction) out.status = Status::unknown;
    return out;
  }

  static std::string first_message(const CheckRecord& record) {
    return record.findings.empty() ? "nothing that is named" : record.findings[0].message;
  }

  Repair none(std::string why) const {
    Repair out;
    out.why = std::move(why);
    return out;
  }

  std::pair<std::uint64_t, bool> bytes_of(const Graph& graph, ValueId id) const {
    SharedType type = graph.value(id).type;
    if (!type && value_.before) {
      const ValueId partner = value_.before->find(graph.value(id).name);
      if (partner.valid()) type = value_.before->value(partner).type;
    }
    if (!type) return {kUnknownBytes, false};
    std::map<std::string, std::int64_t> sizes;
    for (const auto& [name, range] : value_.symbols)
      sizes[name] = range.hint.value_or(std::max<std::int64_t>(range.min, 2));
    SymExpr bits = static_cast<std::int64_t>(bit_width(type->dtype));
    for (const SymExpr& size : type->shape) bits = bits * size;
    const auto number = bits.evaluate(sizes);
    if (!number || *number < 0) return {kUnknownBytes, false};
    return {static_cast<std::uint64_t>(*number + 7) / 8, true};
  }

  // --- hazards of a record
  // -----------------------------------------------------------------------------------

  /// Adds the hazards of a record. False if it has no new one.
  bool learn(const CheckRecord& record, const Case& tried) {
    const std::size_t before = hazards_.size() + barred_.size();
    for (const Finding& finding : record.findings)
      if (finding.clobber && finding.clobber->graph == "after" && finding.clobber->body.empty())
        learn_one(finding, tried.after);
    if (hazards_.size() + barred_.size() > before) return true;
    for (const Finding& finding : record.findings) learn_output(finding, tried.after);
    if (hazards_.size() + barred_.size() > before) return true;
    for (const std::uint32_t write : cover_writes_)  // the target misses what was written to a copy
      if (barred_.insert(write).second) return true;
    return false;
  }

  void learn_one(const Finding& finding, const Graph& graph) {
    const std::uint32_t at = finding.clobber->step;
    if (at >= graph.steps.size() || origin_[at] == kInserted) return;
    const auto places = written_places(graph.steps[at]);
    if (places.empty()) return;
    const ValueId root = line_of(graph, graph.steps[at].args[places[0]].ref).back();
    std::set<ValueId> needed;
    if (finding.read && finding.read->graph == "after")
      for (const ValueId used : read_by(graph, finding.read->step))
        if (const auto kept = kept_value(graph, used, root, at)) needed.insert(*kept);
    const bool of_input =
        graph.value(root).from == Value::From::input &&
        (!finding.read || finding.read->step >= graph.steps.size() || finding.rule == "NC003");
    if (needed.empty() || of_input) hazards_.insert({"", origin_[at]});
    if (!of_input)
      for (const ValueId id : needed) hazards_.insert({name_of(graph, id), origin_[at]});
  }

  static std::vector<ValueId> read_by(const Graph& graph, std::uint32_t step) {
    if (step < graph.steps.size()) return uses_of(graph.steps[step]);
    std::vector<ValueId> out;
    for (const Arg& arg : graph.outputs) collect_uses(arg, out);
    for (const auto& [input, arg] : graph.finals) collect_uses(arg, out);
    return out;
  }

  /// The value nearest to `used` in its chain that is defined before the write. Empty if `used` does not
  /// share the storage, or is made by the write.
  std::optional<ValueId> kept_value(const Graph& graph, ValueId used, ValueId root,
                                    std::uint32_t write) const {
    const auto line = line_of(graph, used);
    if (line.back() != root) return std::nullopt;
    const auto& made = graph.steps[write].results;
    for (const ValueId id : line) {
      if (std::ranges::find(made, id) != made.end()) return std::nullopt;
      if (stands_before(graph, id, write)) return id;
    }
    return std::nullopt;
  }

  /// The name of the value; "" for a copy that a repair inserted, which is not copied again.
  std::string name_of(const Graph& graph, ValueId id) const {
    const Value& value = graph.value(id);
    const bool inserted = value.from == Value::From::step && origin_[value.at] == kInserted;
    return inserted ? "" : value.name;
  }

  /// For a finding about an output: lets every write that `before` does not make go to a copy.
  void learn_output(const Finding& finding, const Graph& graph) {
    if (finding.rule != "NC005" && finding.rule != "NC004" && finding.rule != "NC007" &&
        finding.rule != "NC006")
      return;
    for (std::uint32_t k = 0; k < graph.steps.size(); ++k)
      if (origin_[k] != kInserted && is_new_write(graph, k)) hazards_.insert({"", origin_[k]});
  }

  bool is_new_write(const Graph& graph, std::uint32_t at) const {
    if (written_places(graph.steps[at]).empty() || !value_.before) return false;
    for (const ValueId id : graph.steps[at].results) {
      const ValueId old = id.valid() ? value_.before->find(graph.value(id).name) : ValueId{};
      if (old.valid() && value_.before->value(old).from == Value::From::step)
        return value_.before->steps[value_.before->value(old).at].op != graph.steps[at].op;
    }
    return false;
  }

  // --- the cover
  // -----------------------------------------------------------------------------------------------

  bool solve() {
    HazardGraph graph;
    std::map<std::string, std::size_t> values;
    std::map<std::uint32_t, std::size_t> writes;
    for (const NamedHazard& hazard : hazards_) {
      if (const auto [at, is_new] = values.emplace(hazard.value, values.size()); is_new)
        graph.keep_cost.push_back(
            hazard.value.empty() ? kNever : bytes_of(value_.after, value_.after.find(hazard.value)).first);
      if (const auto [at, is_new] = writes.emplace(hazard.write, writes.size()); is_new)
        graph.write_cost.push_back(barred_.contains(hazard.write) ? kNever : write_bytes(hazard.write));
      graph.hazards.emplace_back(values[hazard.value], writes[hazard.write]);
    }
    const CloneCover cover = cheapest_cover(graph);
    cover_values_.clear(), cover_writes_.clear();
    for (const auto& [name, k] : values)
      if (cover.keep.contains(k)) cover_values_.insert(name);
    for (const auto& [step, k] : writes)
      if (cover.write.contains(k)) cover_writes_.insert(step);
    return cover.possible;
  }

  ValueId target_of(std::uint32_t step) const {
    const Step& at = value_.after.steps[step];
    return at.args[written_places(at)[0]].ref;
  }
  std::uint64_t write_bytes(std::uint32_t step) const {
    return bytes_of(value_.after, target_of(step)).first;
  }

  // --- copies
  // --------------------------------------------------------------------------------------------------

  /// The first write that overwrites the value.
  std::uint32_t first_write(const std::string& value) const {
    std::uint32_t out = kInserted;
    for (const NamedHazard& hazard : hazards_)
      if (hazard.value == value) out = std::min(out, hazard.write);
    return out;
  }

  Case with_copies() {
    std::vector<RepairCopy> copies;
    for (const std::string& value : cover_values_)
      copies.push_back(copy_of(true, value_.after.find(value), first_write(value)));
    for (const std::uint32_t step : cover_writes_) copies.push_back(copy_of(false, target_of(step), step));
    std::ranges::stable_sort(copies, {}, &RepairCopy::step);
    copies_ = copies;
    Patched patched{value_.after, {}};
    for (std::uint32_t k = 0; k < value_.after.steps.size(); ++k) patched.origin.push_back(k);
    for (const RepairCopy& copy : copies) put(patched, copy);
    origin_ = patched.origin;
    Case out = value_;
    out.after = std::move(patched.graph);
    return out;
  }

  RepairCopy copy_of(bool keeps, ValueId id, std::uint32_t step) const {
    const auto [bytes, known] = bytes_of(value_.after, id);
    return {keeps, value_.after.value(id).name, step, bytes, known};
  }

  static std::string free_name(const Graph& graph, std::string name) {
    while (graph.find(name).valid()) name += "_";
    return name;
  }

  static void exchange(Arg& arg, ValueId from, ValueId to) {
    if (arg.kind == Arg::Kind::ref && arg.ref == from) arg.ref = to;
    for (Arg& item : arg.list.items()) exchange(item, from, to);
  }

  void put(Patched& patched, const RepairCopy& copy) const {
    Graph& graph = patched.graph;
    const auto at =
        static_cast<std::size_t>(std::ranges::find(patched.origin, copy.step) - patched.origin.begin());
    const ValueId source =
        copy.keeps ? graph.find(copy.value) : graph.steps[at].args[written_places(graph.steps[at])[0]].ref;
    Value made;
    made.name = free_name(graph, copy.value + (copy.keeps ? "_kept" : "_copy"));
    made.from = Value::From::step;
    if (const SharedType& type = graph.value(source).type) {  // a copy is dense, whatever the source is
      Type plain = *type;
      soften(plain);
      made.type = plain;
    }
    Step step;
    step.op = kCopy, step.args = {Arg::of(source)}, step.results = {ValueId(graph.values.size())};
    const ValueId id = step.results[0];
    graph.values.push_back(std::move(made));
    Step& write = graph.steps[at];
    const auto targets = written_places(write);
    for (std::size_t k = 0; k < write.args.size(); ++k)
      if ((std::ranges::find(targets, k) == targets.end()) == copy.keeps) exchange(write.args[k], source, id);
    if (copy.keeps) replace_after(graph, at, source, id);
    graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(at), std::move(step));
    patched.origin.insert(patched.origin.begin() + static_cast<std::ptrdiff_t>(at), kInserted);
    number_values(graph);
    for (Value& value : graph.values)
      if (value.type && lies_on(graph, value, id)) soften(value.type.edit());
  }

  /// True if the value is made from the copy by views and writes.
  static bool lies_on(const Graph& graph, const Value& value, ValueId copy) {
    if (value.from == Value::From::input) return false;
    const ValueId above = shown_operand(graph.steps[value.at]);
    if (!above.valid()) return false;
    const auto line = line_of(graph, above);
    return std::ranges::find(line, copy) != line.end();
  }

  /// Drops strides and offset: the graph as it was read does not state where the value lies now.
  static void soften(Type& type) {
    type.strides = Type::Strides::unknown, type.stride.clear(), type.offset = 0;
  }

  static void replace_after(Graph& graph, std::size_t at, ValueId from, ValueId to) {
    for (std::size_t k = at + 1; k < graph.steps.size(); ++k) {
      for (Arg& arg : graph.steps[k].args) exchange(arg, from, to);
      for (auto& [name, arg] : graph.steps[k].kwargs.items()) exchange(arg, from, to);
    }
    for (Arg& arg : graph.outputs) exchange(arg, from, to);
    for (auto& [input, arg] : graph.finals) exchange(arg, from, to);
  }

  /// Leaves out each copy without which the graph is still proved.
  Repair finish() {
    const auto tries = [&](auto& set, const auto& item) {
      set.erase(item);
      if (check(with_copies()).status != Status::proved) set.insert(item);
    };
    for (const std::string& value : std::set<std::string>(cover_values_)) tries(cover_values_, value);
    for (const std::uint32_t step : std::set<std::uint32_t>(cover_writes_)) tries(cover_writes_, step);
    Repair out;
    out.value = with_copies();
    out.copies = copies_;
    for (const RepairCopy& copy : copies_) out.bytes += copy.bytes;
    out.status = check(out.value).status;
    if (out.status != Status::proved) out.why = "it is not proved again";
    return out;
  }

  const Case& value_;
  CheckOptions options_;
  std::set<NamedHazard> hazards_;
  std::set<std::uint32_t> barred_;  // writes that may not go to a copy
  std::set<std::string> cover_values_;
  std::set<std::uint32_t> cover_writes_;
  std::vector<std::uint32_t> origin_;
  std::vector<RepairCopy> copies_;
};

}  // namespace

Repair repair_case(const Case& value, const CheckOptions& options) { return Repairer(value, options).run(); }

}  // namespace noclobber
