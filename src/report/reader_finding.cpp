#include "src/report/reader_finding.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace noclobber {

namespace {

using Range = std::optional<std::pair<std::int64_t, std::int64_t>>;

std::string text(const Json& json, const char* name) { return json.value(name, std::string()); }

const Json* member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

Range range(const Json& json) {
  if (const Json* bytes = member(json, "bytes"))
    return std::pair{bytes->at(0).get<std::int64_t>(), bytes->at(1).get<std::int64_t>()};
  return std::nullopt;
}

std::optional<FindingPlace> place(const Json& json, const char* name) {
  const Json* found = member(json, name);
  return found == nullptr ? std::nullopt : std::optional(read_place(*found));
}

Lane lane(const Json& json) {
  Lane out;
  out.storage = text(json, "storage");
  if (const Json* bytes = member(json, "bytes")) out.bytes = bytes->get<std::int64_t>();
  if (const Json* values = member(json, "values"))
    for (const Json& value : *values)
      out.values.push_back({text(value, "name"), value.value("begin", std::int64_t{-1}),
                            value.value("end", std::int64_t{0}), range(value), text(value, "of")});
  out.reads = json.value("reads", std::vector<std::int64_t>());
  out.writes = json.value("writes", std::vector<std::int64_t>());
  return out;
}

double element(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string word = json.get<std::string>();
  if (word == "nan") return std::nan("");
  return word == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

WitnessInput witness_input(const std::string& name, const Json& json) {
  WitnessInput out{name, text(json, "dtype"), json.value("shape", std::vector<std::int64_t>()), {}};
  if (const Json* data = member(json, "data"))
    for (const Json& one : *data) out.elements.push_back(element(one));
  return out;
}

void read_witness(const Json& json, Finding& out) {
  if (const Json* symbols = member(json, "symbols"))
    for (const auto& [name, value] : symbols->items()) out.witness_symbols[name] = value.get<std::int64_t>();
  if (const Json* inputs = member(json, "inputs"))
    for (const auto& [name, value] : inputs->items())
      out.witness_inputs.emplace_back(name, value.get<std::string>());
  out.witness_where = text(json, "where");
  if (const Json* seed = member(json, "seed")) out.witness_seed = seed->get<std::uint64_t>();
  out.expected = text(json, "expected");
  out.actual = text(json, "actual");
  out.index = json.value("index", std::vector<std::int64_t>());
  const Json* numbers = member(json, "numbers");
  const Json* inputs = numbers == nullptr ? nullptr : member(*numbers, "inputs");
  if (inputs == nullptr) return;
  for (const auto& [name, value] : inputs->items()) out.witness_numbers.push_back(witness_input(name, value));
}

void read_consequences(const Json& json, Finding& out) {
  out.follows = text(json, "follows");
  if (const Json* breaks = member(json, "also_breaks"))
    for (const Json& one : *breaks)
      out.also_breaks.push_back({text(one, "rule"), text(one, "property"), text(one, "message")});
  out.reaches = json.value("reaches", std::vector<std::string>());
}

PlanPicture plan(const Json& json) {
  PlanPicture out;
  out.arena = text(json, "arena");
  if (const Json* bytes = member(json, "bytes")) out.bytes = bytes->get<std::int64_t>();
  const auto number = [](const Json& of, const char* name) { return of.value(name, std::int64_t{0}); };
  if (const Json* boxes = member(json, "buffers"))
    for (const Json& box : *boxes)
      out.boxes.push_back({text(box, "name"), number(box, "offset"), number(box, "size"),
                           number(box, "begin"), number(box, "end")});
  return out;
}

void read_pictures(const Json& json, Finding& out) {
  if (const Json* inside = member(json, "inside"))
    for (const Json& one : *inside) out.inside.emplace_back(text(one, "role"), read_place(one));
  const Json* slice = member(json, "slice");
  const Json* steps = slice == nullptr ? nullptr : member(*slice, "steps");
  if (steps != nullptr)
    for (const Json& one : *steps) out.slice.push_back(read_place(one));
  if (const Json* lanes = member(json, "lanes"))
    for (const Json& one : *lanes) out.lanes.push_back(lane(one));
  if (const Json* found = member(json, "plan")) out.plan = plan(*found);
  if (const Json* types = member(json, "types"))
    for (const auto& [name, type] : types->items()) out.types.emplace_back(name, type.get<std::string>());
}

/// "6d0f#2" -> "6d0f" and 2.
void read_fingerprint(const std::string& counted, Finding& out) {
  const std::size_t mark = counted.rfind('#');
  out.fingerprint = counted.substr(0, mark);
  if (mark != std::string::npos) out.nth = std::stoull(counted.substr(mark + 1));
}

}  // namespace

FindingPlace read_place(const Json& json) {
  FindingPlace out;
  out.graph = text(json, "graph");
  out.step = json.value("step", 0U);
  out.name = text(json, "name");
  out.loc = text(json, "loc");
  out.statement = text(json, "statement");
  out.note = text(json, "note");
  out.body = text(json, "body");
  out.views = json.value("views", std::vector<std::string>());
  out.uses = json.value("uses", std::vector<std::string>());
  return out;
}

std::optional<Acceptance> read_accepted(const Json& json) {
  const Json* found = member(json, "accepted");
  if (found == nullptr) return std::nullopt;
  return Acceptance{text(*found, "reason"), text(*found, "owner"), text(*found, "expires")};
}

Finding read_finding(const Json& json) {
  Finding out;
  out.rule = json.at("rule").get<std::string>();
  out.property = text(json, "property");
  const std::string status = text(json, "status");
  out.status = status.empty() || status == "refuted" ? Status::refuted : Status::unknown;
  read_fingerprint(text(json, "fingerprint"), out);
  out.pass = text(json, "pass");
  out.storage = text(json, "storage");
  out.storage_type = text(json, "storage_type");
  out.bytes = range(json);
  out.define = place(json, "define");
  out.clobber = place(json, "clobber");
  out.read = place(json, "read");
  out.before = place(json, "before");
  out.code = text(json, "code");
  out.message = text(json, "message");
  if (const Json* witness = member(json, "witness")) read_witness(*witness, out);
  out.replayed = json.value("replayed", false);
  out.help = text(json, "help");
  out.help_model = text(json, "help_model");
  out.aspect = text(json, "aspect");
  read_consequences(json, out);
  read_pictures(json, out);
  out.accepted = read_accepted(json);
  return out;
}

}  // namespace noclobber
