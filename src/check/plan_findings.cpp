#include "src/check/plan_findings.h"

#include <algorithm>
#include <tuple>

#include "src/check/certificates.h"
#include "src/check/finding_picture.h"
#include "src/check/findings.h"
#include "src/graph/uses.h"
#include "src/report/rules.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostUses = 60;
constexpr std::size_t kMostBoxes = 40;  // of a picture
constexpr std::size_t kMostDrawn = 32;  // faults of a plan that get a picture

const char* plan_rule(PlanFault::Kind kind) {
  switch (kind) {
    case PlanFault::Kind::overlap:
      return "NC030";
    case PlanFault::Kind::bounds:
      return "NC031";
    case PlanFault::Kind::lifetime:
      return "NC032";
    case PlanFault::Kind::metadata:
      return "NC020";
    case PlanFault::Kind::size_fit:
      return "NC021";
    case PlanFault::Kind::refused:
      return "NC023";
    case PlanFault::Kind::undefined:
      return "NC002";
    case PlanFault::Kind::immutable:
      return "NC003";
    case PlanFault::Kind::signature:
      return "NC022";
  }
  return "";
}

std::optional<FindingPlace> step_place(const Graph& graph, std::optional<std::uint32_t> step) {
  return step ? std::optional(place_of_step(graph, *step)) : std::nullopt;
}

/// The key of a buffer: the operator that makes it.
std::string buffer_key(const Graph& graph, const std::string& name) {
  const ValueId id = graph.find(name);
  return id.valid() ? value_key(graph, id) : "buffer";
}

/// Adds the lane of a buffer, from the step that makes it to its last use by this name.
void add_lane(Finding& finding, const Graph& graph, const std::string& name) {
  const ValueId id = graph.find(name);
  if (!id.valid()) return;
  const Value& value = graph.value(id);
  Lane lane;
  lane.storage = name;
  const std::int64_t begin = value.from == Value::From::step ? std::int64_t{value.at} : -1;
  std::int64_t end = std::max<std::int64_t>(begin, 0);
  if (begin >= 0) lane.writes.push_back(begin);
  const auto use = [&](const std::vector<ValueId>& used, std::size_t step) {
    if (std::ranges::find(used, id) == used.end()) return;
    end = static_cast<std::int64_t>(step);
    if (lane.reads.size() < kMostUses) lane.reads.push_back(end);
  };
  for (std::size_t s = 0; s < graph.steps.size(); ++s) use(uses_of(graph.steps[s]), s);
  std::vector<ValueId> leaving;
  for (const Arg& output : graph.outputs) collect_uses(output, leaving);
  use(leaving, graph.steps.size());
  lane.values.push_back({name, begin, end, std::nullopt});
  finding.lanes.push_back(std::move(lane));
}

/// How the step names the buffer: it may use it by the name of a view or of an in-place result.
std::string used_as(const Graph& graph, std::uint32_t step, const std::string& name) {
  const ValueId id = graph.find(name);
  std::vector<ValueId> used;
  if (step < graph.steps.size()) used = uses_of(graph.steps[step]);
  if (step == graph.steps.size())
    for (const Arg& output : graph.outputs) collect_uses(output, used);
  const bool by_name = !id.valid() || std::ranges::find(used, id) != used.end();
  return by_name ? name : "the storage of " + name;
}

/// Help about the planner of a runtime, if that is known.
std::string model_help(const Case& value, const PlanFault& fault) {
  const bool shares = fault.kind == PlanFault::Kind::overlap || fault.kind == PlanFault::Kind::lifetime;
  return value.portable_kernels && shares ? "memory_planning_algo=MemoryPlanningAlgorithmSuite([naive]) "
                                            "gives every buffer bytes of its own"
                                          : "";
}

/// Why a result may not lie on an operand of its own step; "" if the fault is not of that kind.
std::string on_operand(const Case& value, const PlanFault& fault) {
  const Graph& graph = value.after;
  if (!fault.clobber || fault.clobber != fault.read || *fault.clobber >= graph.steps.size()) return "";
  const auto type = [&](const std::string& name) {
    const ValueId id = graph.find(name);
    return id.valid() ? graph.value(id).type : SharedType{};
  };
  const SharedType to = type(fault.second), from = type(fault.first);
  std::string why = "it does not work element by element";
  if (to && from && !(to->shape == from->shape)) why = "the result has another shape";
  if (to && from && to->dtype != from->dtype) why = "the result has another type";
  return statement_text(graph, *fault.clobber) + " writes before it has read all of " + fault.first + ": " +
         why;
}

/// The buffers that a buffer is placed in, by `inplace_of`, nearest first.
std::vector<std::string> bases_of(const Case& value, const std::string& name) {
  std::vector<std::string> out;
  const std::string* at = &name;
  while (value.plan && out.size() < value.plan->buffers.size()) {
    const auto found = std::ranges::find(value.plan->buffers, *at, &PlanBuffer::name);
    if (found == value.plan->buffers.end() || found->inplace_of.empty()) break;
    at = &out.emplace_back(found->inplace_of);
  }
  return out;
}

/// Help for a write over bytes whose old contents are still read.
std::string shared_help(const Case& value, const PlanFault& fault) {
  const std::vector<std::string> taken = bases_of(value, fault.second), base = bases_of(value, fault.first);
  const std::string reads = place_of_step(value.after, *fault.read).statement + " still reads " +
                            used_as(value.after, *fault.read, fault.first);
  if (std::ranges::find(taken, fault.first) != taken.end())
    return "do not put " + fault.second + " in the place of " + fault.first + ": " + reads +
           "; uses of its views and the return count as well";
  if (!base.empty())
    return "let " + base.back() + ", in whose place " + fault.first +
           " lies, live as long as that, or place " + fault.second + " elsewhere: " + reads;
  return "place " + fault.second + " elsewhere: " + reads + ", so count every use of it and of its views";
}

std::string bounds_help(const PlanFault& fault) {
  if (fault.aspect == "misaligned") return "place " + fault.first + " at " + fault.expected;
  if (fault.aspect == "negative-size") return "give " + fault.first + " the size of its type";
  if (fault.aspect == "placed-twice") return "leave one of the places of " + fault.first + " out";
  if (fault.aspect == "not-placed") return "give " + fault.first + " a place";
  return "place " + fault.first + " inside of its arena, or make the arena larger";
}

std::string help_of(const Case& value, const PlanFault& fault) {
  switch (fault.kind) {
    case PlanFault::Kind::overlap:
      if (const std::string why = on_operand(value, fault); !why.empty())
        return "place " + fault.second + " elsewhere: " + why;
      if (fault.read && *fault.read <= value.after.steps.size()) return shared_help(value, fault);
      return "place " + fault.second + " elsewhere, or count every use of " + fault.first +
             " and of its aliases";
    case PlanFault::Kind::lifetime:
      return "let " + fault.first + " live until the last use of its aliases";
    case PlanFault::Kind::metadata:
      return "place " + fault.first + " where " + fault.second + " is";
    case PlanFault::Kind::refused:
      return "keep the operator functional";
    case PlanFault::Kind::bounds:
      return bounds_help(fault);
    case PlanFault::Kind::size_fit:
      return "give " + fault.first + " a place of the size of its type";
    case PlanFault::Kind::undefined:
      return "list " + fault.first + " among what the caller gives, or write it before it is read";
    case PlanFault::Kind::immutable:
      return "write into a temporary: " + fault.first + " must hold the same at every call";
    case PlanFault::Kind::signature:
      return "list registers of that kind alone, each once";
  }
  return "";
}

bool at_fault(const PlanFault& fault, const NamedPlace& place) {
  return place.name == fault.first || place.name == fault.second;
}

/// The distance of two places: in time first, then in bytes.
std::pair<std::int64_t, std::int64_t> distance(const Placement& from, const Placement& to) {
  const auto gap = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return std::max<std::int64_t>({0, c - b, a - d});
  };
  return {gap(from.first, from.last, to.first, to.last), gap(from.offset, from.end(), to.offset, to.end())};
}

/// Draws the arena at fault: the buffers at fault, then the nearest ones.
void put_plan(Finding& finding, const Case& value, const PlanFault& fault,
              const std::vector<NamedPlace>& places, std::int64_t capacity) {
  const auto own = std::ranges::find_if(places, [&](const auto& place) { return at_fault(fault, place); });
  if (own == places.end()) return;
  std::vector<const NamedPlace*> near;
  for (const NamedPlace& place : places)
    if (place.at.arena == own->at.arena) near.push_back(&place);
  const auto rank = [&](const NamedPlace* place) {
    return std::tuple{!at_fault(fault, *place), distance(own->at, place->at), place - places.data()};
  };
  const std::size_t shown = std::min(near.size(), kMostBoxes);
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(shown), {}, rank);
  near.resize(shown);
  for (const NamedPlace* place : near)
    finding.plan.boxes.push_back(
        {place->name, place->at.offset, place->at.size, place->at.first, place->at.last});
  if (capacity > 0) finding.plan.bytes = capacity;
  if (!value.plan || own->at.arena >= value.plan->arenas.size()) return;
  const PlanArena& arena = value.plan->arenas[own->at.arena];
  finding.plan.arena = arena.name;
  finding.plan.bytes = arena.size.evaluate(fault.symbols);
}

/// For a fault without steps: adds the steps that make the buffers. No fingerprint includes them.
void put_makers(Finding& finding, const Graph& graph, const PlanFault& fault) {
  if (finding.define || finding.clobber || finding.read) return;
  const auto maker = [&](const std::string& name) -> std::optional<FindingPlace> {
    const ValueId id = graph.find(name);
    if (!id.valid()) return std::nullopt;
    FindingPlace out = place_of_value(graph, graph.value(id));
    out.note = (out.step == kEntryStep ? "gives " : "makes ") + name;
    return out;
  };
  const bool moved = fault.kind == PlanFault::Kind::metadata;
  finding.define = maker(moved ? fault.second : fault.first);
  if (fault.second.empty() || fault.second == fault.first) return;
  finding.clobber = maker(moved ? fault.first : fault.second);
  if (finding.clobber)
    finding.clobber->note += moved ? ", which shares its storage" : ", on some of the same bytes";
}

Finding plan_finding(const Case& value, const PlanFault& fault) {
  Finding out;
  out.rule = plan_rule(fault.kind);
  out.property = find_rule(out.rule)->property;
  out.storage = fault.first;
  out.bytes = fault.bytes;
  out.define = step_place(value.after, fault.define);
  out.clobber = step_place(value.after, fault.clobber);
  out.read = step_place(value.after, fault.read);
  const bool lost = out.clobber && out.read;
  if (!lost && out.define) out.define->note = "makes " + fault.first;
  if (!lost && out.read) out.read->note = "uses " + used_as(value.after, *fault.read, fault.first);
  if (lost && out.define) out.define->note = "makes " + fault.first;
  if (lost) out.clobber->note = "writes " + fault.second + " over it";
  if (lost) out.read->note = "still reads " + used_as(value.after, *fault.read, fault.first);
  out.message = fault.message;
  out.witness_symbols = fault.symbols;
  out.witness_where = fault.arena.empty() ? fault.first : "arena " + fault.arena;
  out.expected = fault.expected;
  out.actual = fault.actual;
  out.replayed = true;
  out.help = help_of(value, fault);
  out.help_model = model_help(value, fault);
  out.aspect = fault.aspect;
  for (const std::string& name : {fault.first, fault.second}) {
    if (name.empty()) continue;
    out.subjects.push_back(buffer_key(value.after, name));
    add_lane(out, value.after, name);
  }
  const Graph none;
  out.fingerprint = fingerprint(out, none, value.after);
  put_makers(out, value.after, fault);
  put_picture(out, value);
  return out;
}

}  // namespace

void report_plan(CheckRecord& record, const Case& value, const PlanAnswer& answer, std::int64_t capacity) {
  record.counts.obligations += answer.obligations;
  if (answer.faults.empty() && answer.open.empty()) record.counts.by_rule += answer.obligations;
  std::size_t drawn = 0;
  for (const PlanFault& fault : answer.faults) {
    record.findings.push_back(plan_finding(value, fault));
    if (drawn++ < kMostDrawn) put_plan(record.findings.back(), value, fault, answer.drawn, capacity);
  }
  for (const auto& [reason, name] : answer.open) {
    auto at = std::ranges::find_if(record.unknown, [&](const Unknown& u) { return u.reason == reason; });
    if (at == record.unknown.end()) at = record.unknown.insert(record.unknown.end(), Unknown{reason, {}});
    at->names.push_back(name);
  }
  if (!answer.faults.empty()) record.status = Status::refuted;
}

CheckRecord check_plan_table(const PlanTable& table, const PlanTable& instance, std::int64_t capacity,
                             const CheckOptions& options) {
  TableLimits limits;
  if (capacity > 0) limits.capacity = capacity;
  if (!instance.rows.empty()) limits.instance = &instance;
  CheckRecord record;
  const Case none;
  record.counts.storages = table.rows.size();
  record.status = Status::proved;
  const PlanAnswer answer = check_table(table, limits);
  report_plan(record, none, answer, capacity);
  if (record.status == Status::proved && record.unknown.empty()) {
    std::vector<std::string> assumed;
    if (limits.instance != nullptr) assumed.emplace_back("the plan has every row of its instance");
    agree(record, options, certify_plan(options, table, answer.below, capacity, std::move(assumed)));
  }
  const Status rest = record.status == Status::proved ? Status::proved : Status::unknown;
  for (const char* property : {"plan-overlap", "plan-bounds", "plan-lifetime", "size-fit"})
    record.properties[property] = rest;
  for (const Finding& finding : record.findings) record.properties[finding.property] = finding.status;
  return record;
}

}  // namespace noclobber
