#include "tests/support/evidence.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "src/effects/effects.h"
#include "src/kernels/kernels.h"
#include "tests/support/source_dir.h"
#include "tests/support/trace_run.h"

namespace noclobber::golden {
namespace {

using testing::run_trace;
using testing::TraceRun;

struct Modelled {
  Space space;
  std::optional<Traced> traced;
  bool known() const { return traced && traced->after.unknown.empty(); }
};

void model(const Case& value, Modelled& m) {
  const auto ops = make_op_set(value.ops);
  Sizes sizes(m.space);
  if (ops) m.traced = trace_case(value, *ops, sizes);
}

Geometry geometry(const Tensor& t) { return {t.dtype, t.shape, t.stride, t.offset, t.conjugated}; }

/// The table's promise for the one step of this Trace, if it is the same for all its operands.
std::string contract_of(const Trace& trace) {
  if (trace.steps.size() != 1 || trace.steps[0].kind != TraceStep::Kind::opaque) return "none";
  const TraceStep& step = trace.steps[0];
  if (step.elementwise) return "elementwise";
  std::set<Access> all;
  for (std::size_t r = 0; r < step.access.size(); ++r)  // what is overwritten may be read at any time
    for (std::size_t w = 0; w < step.access[r].size(); ++w)
      if (!(step.reads[r] == step.writes[w])) all.insert(step.access[r][w]);
  if (all == std::set{Access::elementwise}) return "elementwise";
  return all == std::set{Access::before_write} ? "before_write" : "none";
}

/// One run with everything its kernels touched.
struct Watched {
  std::optional<Run> run;
  std::vector<Contact> touches;
};

void watch(const GoldenCall& call, Watched& w) {
  RunOptions options = call.options;
  options.watched = &w.touches;
  auto run = run_graph(call.value, call.value.after, call.may_write, options);
  if (run && !run->raised && run->unsupported.empty() && run->hashed.empty()) w.run = std::move(*run);
}

/// Byte positions of an operand's elements, broadcast to `shape`.
struct Shown {
  const std::uint8_t* storage;
  std::vector<std::int64_t> at;
};

std::optional<Shown> shown(const Run& run, const Tensor& t, const Extents& shape) {
  const auto both = broadcast_shapes(t.shape, shape);
  if (!both || *both != shape) return std::nullopt;
  Shown s{run.storages[t.storage].bytes.data(), {}};
  const Elements elements(geometry(t), shape);
  const std::int64_t count = *element_count(shape), width = item_bytes(t.dtype);
  for (std::int64_t k = 0; k < count; ++k) s.at.push_back(elements.at(k) * width);
  return s;
}

/// A read for element k at its own place, or for an element that the call leaves alone (masked_fill_).
bool harmless(const std::vector<Shown>& operands, const Shown& target, const std::set<std::int64_t>& written,
              const Contact& read, std::size_t k) {
  for (const Shown& s : operands) {
    if (s.storage != read.storage) continue;
    if (s.at[k] == read.at) return true;
    for (std::size_t j = 0; j < s.at.size(); ++j)
      if (s.at[j] == read.at && !written.contains(target.at[j])) return true;
  }
  return false;
}

/// Was every element written from elements at its own place only?
void watch_elementwise(const GoldenCall& call, const Watched& w, Evidence& evidence) {
  const Run& run = *w.run;
  if (run.outputs.empty() || !run.outputs[0].tensor) return;
  const Tensor& out = *run.outputs[0].tensor;
  std::vector<Shown> operands;
  for (std::size_t i = 0; i < call.inputs; ++i)
    if (run.values[i])
      if (auto s = shown(run, *run.values[i], out.shape)) operands.push_back(std::move(*s));
  const auto target = shown(run, out, out.shape);
  std::map<std::int64_t, std::size_t> element;
  for (std::size_t k = 0; k < target->at.size(); ++k) element.emplace(target->at[k], k);
  if (element.size() != target->at.size()) return;  // it overlaps itself: no place is one element's own
  std::set<std::int64_t> written;
  for (const Contact& touch : w.touches)
    if (touch.write && touch.storage == target->storage) written.insert(touch.at);
  std::vector<Contact> reads;
  for (const Contact& touch : w.touches) {
    if (!touch.write) {
      reads.push_back(touch);
      continue;
    }
    const auto at = element.find(touch.at);
    if (touch.storage != target->storage || at == element.end()) {
      evidence.faults.push_back("a write outside the result");
      return;
    }
    for (const Contact& read : reads)
      if (!harmless(operands, *target, written, read, at->second)) {
        evidence.faults.push_back("element " + std::to_string(at->second) + " reads another place");
        return;
      }
    reads.clear();
    ++evidence.watched;
  }
}

void watch_before_write(const Watched& w, Evidence& evidence) {
  bool written = false;
  for (const Contact& touch : w.touches) {
    if (written && !touch.write) return evidence.faults.push_back("a read after the first write"), void();
    written = written || touch.write;
    evidence.watched += touch.write ? 1 : 0;
  }
}

/// Where a cell's initial contents lie: input, and element of it.
using Places = std::map<std::uint64_t, std::pair<std::size_t, std::size_t>>;

/// Hashes of the inputs' elements before the step.
std::optional<Places> initial_places(GoldenCall call) {
  call.value.after.steps.clear();
  call.value.after.outputs.clear();
  for (std::size_t i = 0; i < call.inputs; ++i) call.value.after.outputs.push_back(Arg::of(ValueId(i)));
  Modelled m;
  model(call.value, m);
  if (!m.known()) return std::nullopt;
  const TraceRun run = run_trace(m.space, m.traced->after, {}, 1);
  if (!run.usable) return std::nullopt;
  Places places;
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    for (std::size_t k = 0; run.outputs[i] && k < run.outputs[i]->size(); ++k)
      places.emplace((*run.outputs[i])[k], std::pair(i, k));
  return places;
}

std::vector<std::uint8_t> initial_element(const GoldenCall& call, std::size_t input, std::size_t k) {
  const Value& value = call.value.after.values[input];
  Geometry g{value.type->dtype, {}, {}, 0};
  const Symbols none;
  for (const SymExpr& s : value.type->shape) g.shape.push_back(s.evaluate(none).value_or(0));
  for (const SymExpr& s : value.type->stride) g.stride.push_back(s.evaluate(none).value_or(0));
  g.offset = value.type->offset.evaluate(none).value_or(0);
  const std::int64_t width = item_bytes(g.dtype), at = Elements(g).at(static_cast<std::int64_t>(k)) * width;
  const auto& bytes = call.options.contents.at(value.name);
  return {bytes.begin() + at, bytes.begin() + at + width};
}

/// Every result element that the Trace says is an element of an input: is it?
void compare_places(const GoldenCall& call, const Trace& trace, const Space& space, const Run& run,
                    Evidence& evidence) {
  const auto places = initial_places(call);
  const TraceRun traced = run_trace(space, trace, {}, 1);
  if (!places || !traced.usable || traced.outputs.size() != run.outputs.size()) return;
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    if (!traced.outputs[i] || !run.outputs[i].tensor) continue;
    const Tensor& t = *run.outputs[i].tensor;
    const auto width = static_cast<std::size_t>(item_bytes(t.dtype));
    for (std::size_t k = 0; k < traced.outputs[i]->size() && (k + 1) * width <= run.outputs[i].bytes.size();
         ++k) {
      const auto place = places->find((*traced.outputs[i])[k]);
      if (place == places->end()) continue;
      const auto expected = initial_element(call, place->second.first, place->second.second);
      if (expected.size() != width) continue;
      if (std::memcmp(expected.data(), run.outputs[i].bytes.data() + k * width, width) != 0)
        return evidence.faults.push_back("element " + std::to_string(k) + " is taken from another place"),
               void();
      ++evidence.placed;
    }
  }
}

/// The rule's shapes and dtypes against the recording; the recording is not shown to the rule.
void compare_shapes(const GoldenCall& untyped, Evidence& evidence) {
  Modelled m;
  model(untyped.value, m);
  if (!m.known()) return;
  const auto& outputs = m.traced->after.outputs;
  for (std::size_t i = 0; i < outputs.size() && i < untyped.shapes.size(); ++i) {
    if (!outputs[i].view) continue;
    Extents shape;
    for (const PolyId size : outputs[i].view->shape) shape.push_back(m.space.value(size).value_or(-1));
    const bool same = shape == untyped.shapes[i] && *outputs[i].view->type == name(untyped.dtypes[i]);
    if (same)
      ++evidence.shapes;
    else
      evidence.faults.push_back("the rule gives another shape or dtype");
  }
}

void examine(const GoldenCall& call, const std::string& forced, Evidence& evidence) {
  Modelled m;
  model(call.value, m);
  Watched w;
  watch(call, w);
  if (!m.known() || !w.run) return;
  const Trace& trace = m.traced->after;
  for (const TraceClaim& claim : trace.claims)
    if (claim.said != claim.computed) evidence.faults.push_back("the rule gives another " + claim.what);
  // An operator over lists is its item's operator for each item, and promises what that one does.
  const bool items = !item_op(call.op).empty();
  const std::string contract = !forced.empty() ? forced : items ? "none" : contract_of(trace);
  if (contract != "none") evidence.contract = contract;
  if (contract == "elementwise") watch_elementwise(call, w, evidence);
  if (contract == "before_write") watch_before_write(w, evidence);
  compare_places(call, trace, m.space, *w.run, evidence);
}

const char* text_of(BoundOf of) {
  switch (of) {
    case BoundOf::element:
      return "element";
    case BoundOf::largest:
      return "largest";
    case BoundOf::call:
      return "call";
  }
  return "";
}

}  // namespace

bool Evidence::tested() const {
  return kernel.calls > 0 && kernel.implemented && kernel.agreeing + exempt == kernel.calls &&
         faults.empty() && (contract == "none" || watched > 0);
}

std::vector<int> exceptions(const std::string& op) {
  std::vector<int> calls;
  std::ifstream file(in_sources("/corpus/golden/exceptions.tsv"));
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string named, number;
    std::getline(fields, named, '\t');
    std::getline(fields, number, '\t');
    if (named == op) calls.push_back(std::atoi(number.c_str()));
  }
  return calls;
}

Evidence evidence_of(const std::string& path, const std::string& forced) {
  Evidence evidence;
  evidence.op = std::filesystem::path(path).stem().string();
  evidence.bound = allowed(evidence.op);
  evidence.kernel = run_file(path, evidence.bound);
  if (std::filesystem::path(path).parent_path() == in_sources("/corpus/golden"))  // it names their calls
    for (const int call : exceptions(evidence.op))
      evidence.exempt += evidence.kernel.differing.erase(call) != 0;
  for (const GoldenCall& call : calls_of(path, true)) examine(call, forced, evidence);
  for (const GoldenCall& call : calls_of(path, false)) compare_shapes(call, evidence);
  return evidence;
}

std::vector<Evidence> all_evidence(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<Evidence> all;
  for (const std::string& path : paths) all.push_back(evidence_of(path));
  return all;
}

std::string totals(const std::vector<Evidence>& all, const std::string& folder) {
  std::size_t calls = 0, agree = 0, unrun = 0, named = 0, differ = 0, left_out = 0;
  for (const Evidence& e : all) {
    calls += static_cast<std::size_t>(e.kernel.calls);
    agree += static_cast<std::size_t>(e.kernel.agreeing);
    named += static_cast<std::size_t>(e.exempt);
    unrun += e.kernel.unrun.size();
    differ += e.kernel.differing.size();
  }
  std::ifstream open(folder + "/open.tsv");
  std::string line;
  for (std::getline(open, line); std::getline(open, line);)
    if (const auto tab = line.find('\t'); tab != std::string::npos)
      left_out += std::strtoul(line.c_str() + tab + 1, nullptr, 10);
  std::ostringstream out;
  out << calls << " calls: " << agree << " agree, " << unrun << " have no kernel, " << named
      << " are named exceptions, " << differ << " disagree";
  if (left_out > 0) out << " (" << left_out << " more were left out as named in open.tsv)";
  return out.str();
}

std::string evidence_table(const std::vector<Evidence>& all) {
  std::ostringstream out;
  out << "operator\tcalls\tagree\texempt\tulps\tof\tcontract\twatched\tplaced\tshapes\ttested\n";
  for (const Evidence& e : all)
    out << e.op << '\t' << e.kernel.calls << '\t' << e.kernel.agreeing << '\t' << e.exempt << '\t'
        << e.bound.ulps << '\t' << text_of(e.bound.of) << '\t' << e.contract << '\t' << e.watched << '\t'
        << e.placed << '\t' << e.shapes << '\t' << (e.tested() ? "yes" : "no") << '\n';
  return out.str();
}

}  // namespace noclobber::golden
