#include "src/cli/findings.h"

#include <algorithm>
#include <cstdlib>

#include "src/report/rules.h"

namespace noclobber {
namespace {

/// "i64[4, 6], 192 B" of the input or value that a storage is named after; "" if the dump does not say.
std::string type_text(const Graph& graph, const std::string& storage) {
  const ValueId id = graph.find(storage);
  if (!id.valid() || !graph.value(id).type) return "";
  const Type& type = *graph.value(id).type;
  std::string out = std::string(name(type.dtype)) + "[";
  std::int64_t bits = bit_width(type.dtype);
  bool concrete = true;
  for (std::size_t k = 0; k < type.shape.size(); ++k) {
    out += (k > 0 ? "," : "") + type.shape[k].text();
    concrete =
        concrete && type.shape[k].is_constant() &&
        !__builtin_mul_overflow(bits, type.shape[k].is_constant() ? type.shape[k].constant() : 1, &bits);
  }
  out += "]";
  return concrete ? out + ", " + std::to_string(bits / 8 + (bits % 8 != 0 ? 1 : 0)) + " B" : out;
}

std::optional<FindingPlace> place(const Graph& graph, const std::optional<Place>& from) {
  if (!from) return std::nullopt;
  FindingPlace out;
  out.graph = "after";
  out.step = from->step;
  out.name = from->name;
  out.loc = from->loc;
  out.statement = from->step == Place::kEntry ? "input " + from->name : statement_text(graph, from->step);
  return out;
}

std::string range_text(const Witness& w) {
  if (w.last_byte <= w.first_byte) return "";
  return " [" + std::to_string(w.first_byte) + ", " + std::to_string(w.last_byte) + ")";
}

FindingPlace place_before(const Graph& before, std::uint32_t step, const std::string& name,
                          const std::string& note) {
  FindingPlace out;
  out.graph = "before";
  out.step = step;
  out.name = name;
  out.loc = before.steps[step].loc;
  out.statement = statement_text(before, step);
  out.note = note;
  return out;
}

/// The step of `before` that made what is meant: of the output at fault, else the one whose result has the
/// name of a step at fault.
std::optional<FindingPlace> partner(const Case& value, const Finding& finding) {
  if (!value.before) return std::nullopt;
  const Graph& before = *value.before;
  if (finding.witness_where.starts_with("output ")) {
    const std::size_t k = static_cast<std::size_t>(std::atoi(finding.witness_where.c_str() + 7));
    const bool tensor = k < before.outputs.size() && before.outputs[k].kind == Arg::Kind::ref;
    const Value* meant = tensor ? &before.value(before.outputs[k].ref) : nullptr;
    if (meant != nullptr && meant->from == Value::From::step)
      return place_before(before, meant->at, meant->name, "makes what is meant");
  }
  for (const auto* at : {&finding.read, &finding.define, &finding.clobber}) {
    if (!*at) continue;
    for (std::uint32_t k = 0; k < before.steps.size(); ++k)
      for (ValueId id : before.steps[k].results)
        if (id.valid() && before.value(id).name == (*at)->name)
          return place_before(before, k, (*at)->name, "the same in before");
  }
  return std::nullopt;
}

/// What to do about it, where one sentence can say it.
std::string help_for(const Finding& finding) {
  const std::string at = finding.clobber ? finding.clobber->statement : "";
  if (finding.rule == "NC001" && finding.define && finding.before)
    return "keep " + finding.before->statement + " functional here, or clone it before " + at;
  if (finding.rule == "NC007") return "clone the operand that meets the target before " + at;
  if (finding.rule == "NC008")
    return "write into a tensor of its own, then copy: the target holds an element twice";
  if (finding.rule == "NC005") return "return a clone: the caller may write one of the two";
  if (finding.rule == "NC003")
    return "copy " + finding.storage + " first: the caller does not expect it to change";
  return "";
}

/// The user's line behind the fault: of the first place that has a location, in the order the terminal shows.
std::string code_of(const Case& value, const Finding& finding) {
  const auto code = [](const Graph& graph, const std::optional<FindingPlace>& place) {
    return place && place->step < graph.steps.size() ? *graph.steps[place->step].code : std::string();
  };
  std::string out = code(value.after, finding.define);
  if (out.empty() && value.before) out = code(*value.before, finding.before);
  if (out.empty()) out = code(value.after, finding.read);
  return out.empty() ? code(value.after, finding.clobber) : out;
}

Finding finding_of(const Case& value, const Witness& w) {
  Finding out;
  out.rule = w.rule;
  out.property = w.property;
  out.pass = value.pass;
  out.storage = w.storage;
  out.storage_type = type_text(value.after, w.storage);
  if (w.last_byte > w.first_byte) out.bytes = std::pair{w.first_byte, w.last_byte};
  out.define = place(value.after, w.define);
  out.clobber = place(value.after, w.clobber);
  out.read = place(value.after, w.read);
  const bool stale = out.define && out.clobber && out.read;
  if (stale) {
    out.define->note = "the value lives in " + w.storage;
    out.clobber->note = "overwritten" + range_text(w);
    const bool itself = out.clobber->step == out.read->step;
    if (itself) out.clobber->note = "writes" + range_text(w);
    out.read->note = itself ? "and still reads it: finds what it wrote itself"
                            : "read: means what 1 made, finds what 2 made";
  }
  out.message = w.message;
  out.witness_symbols = w.symbols;
  out.witness_inputs = w.inputs;
  out.witness_where = w.where;
  out.index = w.index;
  out.expected = w.expected;
  out.actual = w.actual;
  out.before = partner(value, out);
  out.code = code_of(value, out);
  out.replayed = true;
  out.help = help_for(out);
  const Graph none;
  out.fingerprint = fingerprint(out, value.before ? *value.before : none, value.after);
  return out;
}

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
      return trace.storages[o.a].key + " at exit";
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

void add(CheckRecord& record, const std::string& reason, const std::string& name) {
  auto at = std::find_if(record.unknown.begin(), record.unknown.end(),
                         [&](const Unknown& u) { return u.reason == reason; });
  if (at == record.unknown.end()) at = record.unknown.insert(record.unknown.end(), Unknown{reason, {}});
  if (std::find(at->names.begin(), at->names.end(), name) == at->names.end()) at->names.push_back(name);
}

}  // namespace

void report_replay(CheckRecord& record, const Case& value, const ReplayResult& shown) {
  for (const Witness& w : shown.witnesses) record.findings.push_back(finding_of(value, w));
  if (!shown.witnesses.empty()) record.status = Status::refuted;
}

void explain_open(CheckRecord& record, const Trace& after, const Trace* before,
                  const std::vector<Obligation>& open, const Case& value, const ReplayResult& shown) {
  bool modelled = true;
  for (const Obligation& o : open) {
    if (o.kind != Obligation::Kind::modelled) continue;
    modelled = false;
    const auto& [reason, name] = (o.of_before && before != nullptr ? *before : after).unknown[o.a];
    add(record, reason, name);
  }
  if (shown.approximated)
    for (const std::string& name : shown.names) add(record, "approximated", name);
  if (!modelled || shown.approximated) return;
  for (const Obligation& o : open)
    add(record, shown.unsupported ? "unsupported-op" : "not-replayed", name_of(o, after, before, value));
}

void fill_properties(CheckRecord& record, const Case& value) {
  std::vector<std::string> asked{"immutable-write", "intra-op-overlap", "metadata"};
  if (value.before)
    asked = {"stale-read",    "uninitialized-read", "immutable-write", "value-mismatch", "alias-growth",
             "lost-mutation", "intra-op-overlap",   "self-overlap",    "metadata",       "signature"};
  if (!value.before && value.names_are_values) asked.emplace_back("stale-read");
  if (value.plan) asked.insert(asked.end(), {"plan-overlap", "plan-bounds", "plan-lifetime", "size-fit"});
  // One refutation leaves the other properties undecided.
  const Status rest = record.status == Status::proved ? Status::proved : Status::unknown;
  for (const std::string& property : asked) record.properties[property] = rest;
  for (const Finding& finding : record.findings) record.properties[finding.property] = finding.status;
}

}  // namespace noclobber
