// Reader of noclobber.case/1: the document around the graphs.
#include <algorithm>
#include <array>
#include <utility>

#include "src/formats/case/case_json.h"
#include "src/formats/case/case_json_facts.h"
#include "src/formats/case/case_json_graph.h"
#include "src/formats/case/case_json_ops.h"
#include "src/formats/case/case_json_plan.h"
#include "src/ops/decl.h"
#include "src/ops/schema.h"
#include "src/ops/whole_calls.h"
#include "src/text/json.h"

namespace noclobber {
namespace {

constexpr std::string_view kCaseName = "noclobber.case/1";

class CaseJsonReader {
 public:
  /// `steps`: the steps that `json` leaves out, by the name of their graph.
  using Steps = std::map<std::string, PlainList, std::less<>>;
  explicit CaseJsonReader(Steps steps = {}) : steps_(std::move(steps)) {}

  Result<Case> read(const OrderedJson& json) {
    const JsonAt root;
    if (faults_.object(json, root)) {
      const bool bare = find_member(json, "format") == nullptr && find_member(json, "steps") != nullptr;
      if (bare) {
        bare_graph(json, root);
      } else {
        document(json, root);
      }
    }
    if (faults_.failed()) return faults_.first();
    return std::move(case_);
  }

 private:
  // The order of reading determines which fault is found first.
  void document(const OrderedJson& json, const JsonAt& root) {
    header(json, root);
    if (!faults_.failed()) choices(json, root);
    if (!faults_.failed()) symbols(json, root);
    if (!faults_.failed()) relations(json, root);
    if (!faults_.failed()) declarations(json, root);
    if (!faults_.failed()) bodies(json, root);
    if (!faults_.failed()) graphs(json, root);
    if (!faults_.failed()) complete();
    if (!faults_.failed()) plan(json, root);
    if (!faults_.failed() && case_.before) same_inputs(root);
  }

  // A bare graph does not declare that its names are values, so they are storages.
  void bare_graph(const OrderedJson& json, const JsonAt& root) {
    case_.name = "graph";
    case_.after = GraphJsonReader(context_, faults_).read(json, root);
    case_.after.name = "after";
    if (!faults_.failed()) check_order(case_.after, root, false, faults_);
  }

  void header(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* format = faults_.required(json, root, "format");
    const OrderedJson* name = faults_.required(json, root, "name");
    if (faults_.failed()) return;
    const JsonAt at_format(root, "format"), at_name(root, "name");
    if (faults_.text(*format, at_format) != kCaseName) {
      faults_.fail(at_format, "expected \"" + std::string(kCaseName) + "\", got " + show(*format));
    }
    case_.name = faults_.text(*name, at_name);
    const bool plain =
        std::all_of(case_.name.begin(), case_.name.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (case_.name.empty() || !plain) faults_.fail(at_name, show(*name) + " is not a slug");
    if (const OrderedJson* title = find_member(json, "title")) {
      case_.title = faults_.text(*title, JsonAt(root, "title"));
    }
    if (const OrderedJson* source = find_member(json, "source")) {
      case_.source = faults_.text(*source, JsonAt(root, "source"));
    }
  }

  // The number of the choice that the member makes; 0 if there is no such member.
  std::size_t choice(const OrderedJson& json, const JsonAt& root, std::string_view key,
                     std::span<const std::string_view> choices) {
    const OrderedJson* item = find_member(json, key);
    return item == nullptr ? 0 : faults_.one_of(*item, JsonAt(root, key), choices);
  }
  bool second(const OrderedJson& json, const JsonAt& root, std::string_view key,
              const std::array<std::string_view, 2>& either) {
    return choice(json, root, key, either) == 1;
  }

  void choices(const OrderedJson& json, const JsonAt& root) {
    case_.dataflow = second(json, root, "order", {"program", "dataflow"});
    case_.names_are_values = !second(json, root, "names", {"values", "storages"});
    case_.compare_strides = second(json, root, "strides", {"ignore", "compare"});
    constexpr std::array<std::string_view, 3> kSharing{"no-growth", "any", "same"};
    const std::size_t sharing = choice(json, root, "sharing", kSharing);
    case_.sharing_may_grow = sharing == 1;
    case_.sharing_may_shrink = sharing != 2;
    if (const OrderedJson* overlap = find_member(json, "inputs_may_overlap")) {
      case_.inputs_may_overlap = faults_.boolean(*overlap, JsonAt(root, "inputs_may_overlap"));
    }
    const JsonAt at_facts(root, "facts");
    const OrderedJson* facts = find_member(json, "facts");
    if (facts != nullptr && faults_.object(*facts, at_facts)) read_facts(*facts, at_facts, case_, faults_);
  }

  void symbols(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* listed = find_member(json, "symbols");
    const JsonAt at(root, "symbols");
    if (listed == nullptr || !faults_.object(*listed, at)) return;
    for (const auto& [name, item] : listed->get_ref<const OrderedJson::object_t&>()) {
      if (faults_.failed()) return;
      const JsonAt here(at, name);
      if (!is_identifier(name)) faults_.fail(here, in_quotes(name) + " is not a name");
      if (faults_.object(item, here)) context_.symbols.emplace(name, range(item, here));
    }
    case_.symbols = context_.symbols;
  }

  SymbolRange range(const OrderedJson& json, const JsonAt& at) {
    SymbolRange result;
    const auto integer = [&](std::string_view key, auto& to) {
      if (const OrderedJson* item = find_member(json, key)) to = faults_.integer(*item, JsonAt(at, key));
    };
    integer("min", result.min);
    integer("max", result.max);
    integer("multiple_of", result.multiple_of);
    integer("hint", result.hint);
    if (const OrderedJson* unbacked = find_member(json, "unbacked")) {
      result.unbacked = faults_.boolean(*unbacked, JsonAt(at, "unbacked"));
    }
    if (const OrderedJson* told = find_member(json, "told"))
      result.told = faults_.boolean(*told, JsonAt(at, "told"));
    if (result.multiple_of < 1) faults_.fail(JsonAt(at, "multiple_of"), "expected a positive integer");
    if (result.max && result.min > *result.max) faults_.fail(at, "min is above max");
    if (!faults_.failed() && !has_multiple(result)) faults_.fail(at, "no value in the range is a multiple");
    return result;
  }

  static bool has_multiple(const SymbolRange& range) {
    const std::int64_t past = range.min % range.multiple_of;
    std::int64_t first = range.min - past;  // towards zero
    if (past > 0 && __builtin_add_overflow(first, range.multiple_of, &first)) return false;
    return first <= range.max.value_or(INT64_MAX);
  }

  void relations(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* listed = find_member(json, "assume");
    const JsonAt at(root, "assume");
    if (listed == nullptr || !faults_.array(*listed, at)) return;
    GraphJsonReader reader(context_, faults_);
    for (std::size_t k = 0; k < listed->size() && !faults_.failed(); ++k) {
      const JsonAt here(at, k);
      const std::string text = faults_.text((*listed)[k], here);
      auto parsed = parse_relation(text);
      if (!parsed) {
        faults_.fail(here, parsed.fault().where + ": " + parsed.fault().message);
        return;
      }
      reader.check_symbols(parsed->left, here);
      reader.check_symbols(parsed->right, here);
      if (never_holds(*parsed)) faults_.fail(here, "relation never holds");
      case_.assume.push_back(*std::move(parsed));
    }
  }

  static bool never_holds(const SymRelation& relation) {
    if (!relation.left.is_constant() || !relation.right.is_constant()) return false;
    const std::int64_t left = relation.left.constant(), right = relation.right.constant();
    switch (relation.kind) {
      case SymRelation::Kind::eq:
        return left != right;
      case SymRelation::Kind::ne:
        return left == right;
      case SymRelation::Kind::lt:
        return left >= right;
      case SymRelation::Kind::le:
        return left > right;
    }
    NC_CHECK(false, "not a SymRelation::Kind");
  }

  void declarations(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* listed = find_member(json, "ops");
    const JsonAt at(root, "ops");
    if (listed == nullptr || !faults_.array(*listed, at)) return;
    for (std::size_t k = 0; k < listed->size() && !faults_.failed(); ++k) {
      const JsonAt here(at, k);
      ReadOpDecl read = read_op_decl((*listed)[k], here, faults_);
      if (faults_.failed()) return;
      if (context_.declared.emplace(read.op, read.results).second) {
        case_.ops.push_back(std::move(read.decl));
      } else if (!declared_longer(read)) {
        faults_.fail(JsonAt(here, "schema"), "operator " + in_quotes(read.op) + " is declared twice");
      }
    }
  }

  // True if it differs from the earlier declaration only in the number of results. Keeps the longer one.
  bool declared_longer(const ReadOpDecl& read) {
    const auto named = [&](const OpDecl& op) { return parse_schema(op.schema)->op == read.op; };
    OpDecl& known = *std::ranges::find_if(case_.ops, named);
    const std::string before = std::exchange(known.schema, read.decl.schema);
    const bool same = declared_alike(known, read.decl);
    int& results = context_.declared.at(read.op);
    if (read.results < results) known.schema = before;
    if (!same || !only_adds_results(before, read.decl.schema)) return false;
    results = std::max(results, read.results);
    context_.longest[read.op] = known.schema;
    return true;
  }

  void complete() {
    for (const auto& [op, schema] : context_.longest) complete_calls(case_, op, schema);
  }

  void bodies(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* listed = find_member(json, "graphs");
    const JsonAt at(root, "graphs");
    if (listed == nullptr || !faults_.object(*listed, at)) return;
    const auto& members = listed->get_ref<const OrderedJson::object_t&>();
    for (const auto& [name, item] : members) {
      const OrderedJson* inputs = item.is_object() ? find_member(item, "inputs") : nullptr;
      context_.body_inputs[name] = inputs != nullptr && inputs->is_array() ? inputs->size() : 0;
    }
    std::map<std::string, std::set<std::string>> uses;
    for (const auto& [name, item] : members) {
      if (faults_.failed()) return;
      const JsonAt here(at, name);
      GraphJsonReader reader(context_, faults_);
      Graph graph = reader.read(item, here);
      if (graph.name.empty()) graph.name = name;
      if (!faults_.failed()) check_order(graph, here, true, faults_);
      uses[name] = reader.used_bodies();
      case_.bodies.emplace(name, std::move(graph));
    }
    if (!faults_.failed()) no_recursion(uses, at);
  }

  // A recursive body never terminates. Removes bodies that refer only to removed ones; the rest has a cycle.
  void no_recursion(const std::map<std::string, std::set<std::string>>& uses, const JsonAt& at) {
    std::map<std::string, std::vector<std::string>> users;
    std::map<std::string, std::size_t> open;
    std::vector<std::string> done;
    for (const auto& [name, used] : uses) {
      open[name] = used.size();
      if (used.empty()) done.push_back(name);
      for (const std::string& body : used) users[body].push_back(name);
    }
    while (!done.empty()) {
      const std::string name = std::move(done.back());
      done.pop_back();
      open.erase(name);
      for (const std::string& user : users[name]) {
        if (--open[user] == 0) done.push_back(user);
      }
    }
    if (!open.empty()) faults_.fail(JsonAt(at, open.begin()->first), "body graph contains itself");
  }

  void graphs(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* before = find_member(json, "before");
    const OrderedJson* after = find_member(json, "after");
    if (after == nullptr && find_member(json, "plan") == nullptr) {
      faults_.fail(root, "neither 'after' nor 'plan'");
      return;
    }
    const JsonAt at_before(root, "before"), at_after(root, "after");
    GraphJsonReader reader(context_, faults_);
    const auto unread = [&](std::string_view name) {
      const auto found = steps_.find(name);
      return found == steps_.end() ? nullptr : &found->second;
    };
    if (before != nullptr) {
      case_.before = named(reader.read(*before, at_before, unread("before")), *before, "before");
      if (!faults_.failed()) check_order(*case_.before, at_before, false, faults_);
    }
    if (after == nullptr || faults_.failed()) return;
    case_.after = reader.read(*after, at_after, unread("after"));
    if (!faults_.failed()) check_order(case_.after, at_after, case_.dataflow, faults_);
    has_after_ = true;
    case_.after = named(std::move(case_.after), *after, "after");
  }

  // format.md: without a device, everything is on the CPU.
  static Graph named(Graph graph, const OrderedJson& json, const char* name) {
    if (graph.name.empty()) graph.name = name;
    if (!json.is_object() || find_member(json, "device") == nullptr) graph.device = "cpu";
    return graph;
  }

  void plan(const OrderedJson& json, const JsonAt& root) {
    const OrderedJson* item = find_member(json, "plan");
    if (item == nullptr) return;
    case_.plan = read_plan(*item, JsonAt(root, "plan"), case_, context_, faults_);
    if (!faults_.failed()) kept_alignments();
  }

  // A planner that keeps an alignment also rounds the arena's size up to a multiple of it. If the size is no
  // multiple, the recorded alignment comes from elsewhere: in ExecuTorch, constants have one of their own.
  void kept_alignments() {
    for (PlanArena& arena : case_.plan->arenas) {
      if (!arena.size.is_constant() || arena.size.constant() % arena.alignment == 0) continue;
      case_.assumed.push_back("the planner of arena " + arena.name + " kept no alignment of " +
                              std::to_string(arena.alignment) + ": its size " + arena.size.text() +
                              " is none");
      arena.alignment = 1;
    }
  }

  void same_inputs(const JsonAt& root) {
    if (!has_after_) return;
    std::map<std::string, const Input*> partners;
    for (const Input& input : case_.before->inputs) partners[case_.before->value(input.value).name] = &input;
    const JsonAt at_graph(root, "after"), at(at_graph, "inputs");
    for (std::size_t k = 0; k < case_.after.inputs.size(); ++k) {
      const JsonAt here(at, k);
      const Value& value = case_.after.value(case_.after.inputs[k].value);
      const auto partner = partners.find(value.name);
      if (partner == partners.end()) {
        faults_.fail(at, in_quotes(value.name) + " is no input of /before");
        return;
      }
      const auto& type = case_.before->value(partner->second->value).type;
      if (type && value.type && !agree(*type, *value.type)) {
        faults_.fail(here, "type of " + in_quotes(value.name) + " differs from /before");
      }
      if (partner->second->storage != case_.after.inputs[k].storage) {
        faults_.fail(here, "storage of " + in_quotes(value.name) + " differs from /before");
      }
      partners.erase(partner);
    }
    if (!partners.empty())
      faults_.fail(at, "input " + in_quotes(partners.begin()->first) + " of /before is missing");
  }

  // True if the types are equal as far as both are given.
  static bool agree(const Type& a, const Type& b) {
    if (a.dtype != b.dtype || a.shape != b.shape || a.offset != b.offset) return false;
    if (!a.device.empty() && !b.device.empty() && a.device != b.device) return false;
    if (a.strides == Type::Strides::unknown || b.strides == Type::Strides::unknown) return true;
    return a.strides == b.strides && a.stride == b.stride;
  }

  Steps steps_;
  Case case_;
  CaseJsonContext context_;
  JsonFaults faults_;
  bool has_after_ = false;
};

}  // namespace

Result<Case> read_case_json(std::string_view text) {
  // The JSON tree of a long graph is three times as large as the Case, so it is not built. A text with a
  // fault is read again as a tree, which finds the first fault.
  if (const auto frame = read_plain_frame(text, "steps"))
    if (auto read = CaseJsonReader(frame->lists).read(frame->json)) return read;
  const auto json = parse_strict_json(text);
  if (!json) return json.fault();
  return CaseJsonReader().read(*json);
}

}  // namespace noclobber
