#include "src/lower/pairs/pairing_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/graph/constant_bytes.h"
#include "src/lower/pairs/silent_constants.h"
#include "src/ops/schema.h"

namespace noclobber {

namespace {

/// An exported program knows its weights, but nothing about what its caller passes.
bool knows(const Side& side, const Input& input) {
  return side.knows_storages || (side.knows_kinds && input.kind != Input::Kind::user);
}

using Pairs = std::vector<std::pair<Input*, Input*>>;

Pairs matched(Graph& before, Graph& after) {
  std::map<std::string, Input*> places;
  for (Input& input : before.inputs) places.emplace(before.value(input.value).name, &input);
  Pairs out;
  for (Input& input : after.inputs)
    if (const auto same = places.find(after.value(input.value).name); same != places.end())
      out.emplace_back(same->second, &input);
  return out;
}

void tell(const Input& known, Input& input) {
  input.kind = known.kind;
  input.may_write = known.may_write;
  input.exit = known.exit;
  input.storage = known.storage;
  input.storage_numel = known.storage_numel;
  input.contents = known.contents;
}

/// The inputs that a graph may write, directly or through views.
class WrittenInputs {
 public:
  explicit WrittenInputs(const Graph& graph) : graph_(graph), seen_(graph.values.size(), false) {
    for (const Step& step : graph.steps) note(step);
    for (const auto& [input, content] : graph.finals) reach(Arg::of(input));
  }
  std::set<std::string> take() { return std::move(names_); }

 private:
  void note(const Step& step) {
    const Schema* schema = find_schema(step.op);
    const auto arguments = schema != nullptr ? bind_arguments(*schema, step) : Diagnostic{};
    if (!arguments) return reach_all(step);
    for (std::size_t k = 0; k < std::min(arguments->size(), schema->arguments.size()); ++k)
      if (schema->arguments[k].written) reach((*arguments)[k]);
  }
  void reach_all(const Step& step) {
    for (const Arg& arg : step.args) reach(arg);
    for (const auto& [key, arg] : step.kwargs) reach(arg);
  }
  void reach(const Arg& arg) {
    for (const Arg& item : arg.list) reach(item);
    if (arg.kind != Arg::Kind::ref || !arg.ref.valid() || seen_[arg.ref.index]) return;
    seen_[arg.ref.index] = true;
    const Value& value = graph_.value(arg.ref);
    if (value.from == Value::From::input) {
      names_.insert(value.name);
      return;
    }
    const Step& step = graph_.steps[value.at];
    const Schema* schema = find_schema(step.op);
    const bool is_fresh = schema != nullptr && value.result < schema->returns.size() &&
                          schema->returns[value.result].alias.empty() && !schema->writes();
    if (!is_fresh) reach_all(step);
  }

  const Graph& graph_;
  std::vector<bool> seen_;
  std::set<std::string> names_;
};

/// For each input in `of`, the first of them on its storage: two files may name one storage differently.
std::map<std::string, std::string> leaders(const Graph& graph, const std::set<std::string>& of) {
  std::map<std::string, std::string> first, out;
  for (const Input& input : graph.inputs) {
    const std::string& name = graph.value(input.value).name;
    if (!of.contains(name)) continue;
    out[name] = input.storage.empty() ? name : first.emplace(input.storage, name).first->second;
  }
  return out;
}

/// Compares the storages of inputs that both files know. Gives `after` the storage names of `before`. `after`
/// may split a storage of `before` that neither graph writes.
std::optional<Diagnostic> match_storages(Side& before, Side& after, const Pairs& pairs) {
  std::set<std::string> both;
  for (const auto& [left, right] : pairs)
    if (knows(before, *left) && knows(after, *right)) both.insert(before.graph.value(left->value).name);
  const auto first = leaders(before.graph, both), other = leaders(after.graph, both);
  std::set<std::string> written;  // the first inputs of storages
  for (const Graph* graph : {&before.graph, &after.graph})
    for (const std::string& name : WrittenInputs(*graph).take())
      if (both.contains(name)) written.insert({first.at(name), other.at(name)});
  for (const auto& [left, right] : pairs) {
    const std::string& name = before.graph.value(left->value).name;
    if (!both.contains(name)) continue;
    const std::string &with = first.at(name), &with_after = other.at(name);
    const bool is_alike = first.at(with_after) == with, is_apart = with != with_after;
    const bool is_written = written.contains(with) || written.contains(with_after);
    if (!is_alike || (is_apart && is_written))
      return Diagnostic{"", fmt::format("'{}' shares storage with '{}' in {} alone", name,
                                        is_alike ? with : with_after, is_alike ? "BEFORE" : "AFTER")};
    right->storage = left->storage;
    if (right->storage.empty()) right->storage_numel = left->storage_numel;
  }
  return std::nullopt;
}

}  // namespace

namespace {

bool tells_contents(const Input& input) { return input.contents.has_value() || !input.digest.empty(); }

std::vector<std::string> given(const Graph& graph) {
  std::vector<std::string> out;
  for (const Input& input : graph.inputs)
    if (input.kind == Input::Kind::user) out.push_back(graph.value(input.value).name);
  return out;
}

/// Names of inputs by what the files state about them. Index 0: BEFORE alone states it; 1: AFTER alone.
struct Said {
  std::vector<std::string> told[2], held[2], silent;

  void note(const Side& before, const Input& left, const Side& after, const Input& right);
  void assume(std::vector<std::string>& assumed) const;
};

void Said::note(const Side& before, const Input& left, const Side& after, const Input& right) {
  const std::string& name = before.graph.value(left.value).name;
  const bool is_known = knows(before, left), is_known_after = knows(after, right);
  if (is_known != is_known_after) told[is_known ? 0 : 1].push_back(name);
  if (tells_contents(left) != tells_contents(right)) held[tells_contents(left) ? 0 : 1].push_back(name);
  const bool is_given = left.kind == Input::Kind::user && right.kind == Input::Kind::user;
  const bool is_silent = !is_given && !tells_contents(left) && !tells_contents(right);
  if (is_silent && !before.knows_storages && !after.knows_storages) silent.push_back(name);
}

void Said::assume(std::vector<std::string>& assumed) const {
  for (const int side : {0, 1}) {
    const char *one = "AFTER", *other = "BEFORE";
    if (side == 1) std::swap(one, other);
    if (!told[side].empty())
      assumed.push_back(fmt::format("inputs of {} lie as {} says: {}", one, other, listed_names(told[side])));
    if (!held[side].empty())
      assumed.push_back(
          fmt::format("inputs of {} hold what {} says: {}", one, other, listed_names(held[side])));
  }
  if (!silent.empty()) assumed.push_back(same_constants(silent));
}

/// Writes the contents of small constants as numbers, which a run can use.
void write_out_constants(Graph& graph) {
  constexpr std::size_t kSmall = 4096;  // bytes
  for (Input& input : graph.inputs) {
    const SharedType& type = graph.value(input.value).type;
    if (input.kind == Input::Kind::constant && !input.contents && !input.bytes.empty() && type &&
        input.bytes->size() <= kSmall)
      input.contents = numbers_of(*input.bytes, type->dtype);
  }
}

/// True if one program gets the input from its caller and the other from its file.
bool is_moved(const Side& before, const Input& left, const Side& after, const Input& right) {
  const bool both_say = before.knows_kinds && after.knows_kinds;
  return both_say && (left.kind == Input::Kind::user) != (right.kind == Input::Kind::user);
}

}  // namespace

std::optional<Diagnostic> share_facts(Side& before, Side& after, std::vector<std::string>& assumed) {
  for (Graph* graph : {&before.graph, &after.graph}) write_out_constants(*graph);
  const Pairs pairs = matched(before.graph, after.graph);
  Said said;
  for (const auto& [left, right] : pairs) {
    if (is_moved(before, *left, after, *right))
      return Diagnostic{
          "", fmt::format("'{}' is given by the caller in {} alone", before.graph.value(left->value).name,
                          left->kind == Input::Kind::user ? "BEFORE" : "AFTER")};
    said.note(before, *left, after, *right);
    const bool is_known = knows(before, *left);
    if (is_known != knows(after, *right)) tell(is_known ? *left : *right, is_known ? *right : *left);
    if (!tells_contents(*left)) left->contents = right->contents;
    if (!tells_contents(*right)) right->contents = left->contents;
  }
  said.assume(assumed);
  if (!(before.knows_storages && after.knows_storages) && given(before.graph) != given(after.graph))
    assumed.emplace_back("inputs match by name");
  return match_storages(before, after, pairs);
}

void take_from_program(const Graph& program, Graph& before) {
  std::map<std::string, const Input*> known;
  for (const Input& input : program.inputs) known.emplace(program.value(input.value).name, &input);
  for (Input& input : before.inputs)
    if (const auto same = known.find(before.value(input.value).name); same != known.end())
      tell(*same->second, input);
}

std::optional<Diagnostic> match_outputs(const Graph& before, Graph& after,
                                        std::vector<std::string>& assumed) {
  const std::vector<std::string>&keys = before.output_keys, own = after.output_keys;
  const auto is_named = [](const std::string& key) { return key.find('\'') != std::string::npos; };
  const bool named = std::ranges::any_of(keys, is_named), named_after = std::ranges::any_of(own, is_named);
  if (keys == own || before.outputs.size() != after.outputs.size()) return std::nullopt;
  if (named != named_after) assumed.emplace_back("outputs match by position");
  if (!named || !named_after) return std::nullopt;
  std::vector<Arg> outputs;
  for (const std::string& key : keys) {
    const auto at = std::ranges::find(own, key);
    if (at == own.end()) return Diagnostic{"", "outputs do not match: AFTER returns nothing at " + key};
    outputs.push_back(after.outputs[static_cast<std::size_t>(at - own.begin())]);
  }
  after.outputs = std::move(outputs);
  after.output_keys = keys;
  return std::nullopt;
}

}  // namespace noclobber
