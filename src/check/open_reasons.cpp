// Why a case is undecided.
#include <algorithm>

#include "src/check/findings.h"

namespace noclobber {
namespace {

const char* property_of(Obligation::Kind kind) {
  switch (kind) {
    case Obligation::Kind::claim:
    case Obligation::Kind::type:
      return "metadata";
    case Obligation::Kind::frame:
      return "signature";
    case Obligation::Kind::value:
    case Obligation::Kind::exit:
      return "value-mismatch";
    case Obligation::Kind::store:
      return "immutable-write";
    case Obligation::Kind::clean:
      return "intra-op-overlap";
    case Obligation::Kind::sharing:
    case Obligation::Kind::together:
      return "alias-growth";
    case Obligation::Kind::current:
    case Obligation::Kind::current_output:
      return "stale-read";
    case Obligation::Kind::defined:
      return "uninitialized-read";
    case Obligation::Kind::order:
      return "order-hazard";
    case Obligation::Kind::placed:
      return "plan-overlap";
    case Obligation::Kind::modelled:
      return "";
  }
  return "";
}

/// What an open obligation is about, in the names of the graph.
std::string name_of(const Obligation& o, const Trace& after, const Trace* before, const Case& value) {
  const Trace& trace = o.of_before && before != nullptr ? *before : after;
  const Graph& graph = o.of_before && value.before ? *value.before : value.after;
  const auto step_name = [&](std::uint32_t origin) { return statement_text(graph, origin); };
  switch (o.kind) {
    case Obligation::Kind::value:
    case Obligation::Kind::type:
    case Obligation::Kind::sharing:
    case Obligation::Kind::together:
    case Obligation::Kind::current_output:
    case Obligation::Kind::defined:
      return std::string(property_of(o.kind)) + " of output " + std::to_string(o.a);
    case Obligation::Kind::exit:
      return trace.storages[o.a].key.text() + " at exit";
    case Obligation::Kind::store:
    case Obligation::Kind::clean:
    case Obligation::Kind::current:
      return std::string(property_of(o.kind)) + ": " + step_name(trace.steps[o.a].origin);
    case Obligation::Kind::claim:
      return trace.claims[o.a].what + ": " + step_name(trace.claims[o.a].origin);
    case Obligation::Kind::frame:
      return "inputs and outputs";
    case Obligation::Kind::order:
      return "the order of steps";
    case Obligation::Kind::placed:
      return "placement of " + trace.placements[o.a].name;
    case Obligation::Kind::modelled:
      return trace.unknown[o.a].second;
  }
  return "";
}

/// The same without names and positions, for fingerprints.
std::string key_of(const Obligation& o, const Trace& after, const Trace* before, const Case& value) {
  const Trace& trace = o.of_before && before != nullptr ? *before : after;
  const Graph& graph = o.of_before && value.before ? *value.before : value.after;
  switch (o.kind) {
    case Obligation::Kind::value:
    case Obligation::Kind::type:
    case Obligation::Kind::sharing:
    case Obligation::Kind::together:
    case Obligation::Kind::current_output:
    case Obligation::Kind::defined: {
      const bool tensor = o.a < graph.outputs.size() && graph.outputs[o.a].kind == Arg::Kind::ref;
      return std::string(property_of(o.kind)) + " of output " +
             (tensor ? value_key(graph, graph.outputs[o.a].ref) : "");
    }
    case Obligation::Kind::exit:
      return "at exit " + value_key(graph, graph.find(trace.storages[o.a].key.text()));
    case Obligation::Kind::store:
    case Obligation::Kind::clean:
    case Obligation::Kind::current:
      return std::string(property_of(o.kind)) + ": " + step_key(graph, trace.steps[o.a].origin);
    case Obligation::Kind::claim:
      return trace.claims[o.a].what + ": " + step_key(graph, trace.claims[o.a].origin);
    case Obligation::Kind::placed:
      return "placement of " + value_key(graph, graph.find(trace.placements[o.a].name));
    case Obligation::Kind::frame:
    case Obligation::Kind::order:
    case Obligation::Kind::modelled:
      return name_of(o, after, before, value);
  }
  return "";
}

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Replaces the names of values in a sentence by what they denote.
std::string without_names(const Graph& graph, const std::string& sentence) {
  std::string out;
  for (std::size_t k = 0; k < sentence.size();) {
    std::size_t end = k;
    while (end < sentence.size() && in_name(sentence[end])) ++end;
    const std::string word = sentence.substr(k, end - k);
    const ValueId id = word.empty() ? ValueId{} : graph.find(word);
    out += word.empty() ? sentence.substr(k, 1) : id.valid() ? value_key(graph, id) : word;
    k = std::max(end, k + 1);
  }
  return out;
}

void complete_keys(Unknown& unknown, const Graph& graph) {
  for (std::size_t k = unknown.keys.size(); k < unknown.names.size(); ++k)
    unknown.keys.push_back(without_names(graph, unknown.names[k]));
}

void add(CheckRecord& record, const std::string& reason, const std::string& name, const std::string& key,
         const Graph& graph) {
  auto at = std::find_if(record.unknown.begin(), record.unknown.end(),
                         [&](const Unknown& u) { return u.reason == reason; });
  if (at == record.unknown.end()) at = record.unknown.insert(record.unknown.end(), Unknown{reason, {}});
  if (std::find(at->names.begin(), at->names.end(), name) != at->names.end()) return;
  complete_keys(*at, graph);
  at->names.push_back(name);
  at->keys.push_back(key);
}

}  // namespace

void explain_open(CheckRecord& record, const Trace& after, const Trace* before,
                  const std::vector<Obligation>& open, const Case& value, const ReplayResult& shown) {
  bool modelled = true;
  for (const Obligation& o : open) {
    if (o.kind != Obligation::Kind::modelled) continue;
    modelled = false;
    const auto& [reason, name] = (o.of_before && before != nullptr ? *before : after).unknown[o.a];
    add(record, reason, name, name, value.after);
  }
  if (shown.approximated)
    for (const std::string& name : shown.names) add(record, "approximated", name, name, value.after);
  if (!modelled || shown.approximated) return;
  for (const Obligation& o : open)
    add(record, shown.unsupported ? "unsupported-op" : "not-replayed", name_of(o, after, before, value),
        key_of(o, after, before, value), value.after);
}

void complete_reasons(CheckRecord& record, const Case& value) {
  for (Unknown& unknown : record.unknown) complete_keys(unknown, value.after);
}

}  // namespace noclobber
