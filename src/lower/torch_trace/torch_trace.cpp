// Groups the graphs of a log. Records of one compilation carry the same numbers. A `before` is paired with
// the next `after` of the same stage, so a forward and a backward graph under one id are two pairs.
#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/base/fnv.h"
#include "src/base/unique_names.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/reader.h"
#include "src/lower/torch_trace/split.h"
#include "src/lower/torch_trace/torch_trace.h"

namespace noclobber {
namespace {

using json = OrderedJson;

struct TraceName {
  std::string_view name;
  TraceGraph::Kind kind;
};
constexpr std::array kTraceGraphs = {
    TraceName{"before_joint_graph", TraceGraph::Kind::before_joint},
    TraceName{"after_joint_graph", TraceGraph::Kind::after_joint},
    TraceName{"before_post_grad_graph", TraceGraph::Kind::before_post_grad},
    TraceName{"after_post_grad_graph", TraceGraph::Kind::after_post_grad},
    TraceName{"inductor_post_grad_graph", TraceGraph::Kind::after_post_grad},
    TraceName{"aot_inference_graph", TraceGraph::Kind::aot_inference},
    TraceName{"aot_forward_graph", TraceGraph::Kind::aot_forward},
    TraceName{"aot_backward_graph", TraceGraph::Kind::aot_backward},
    TraceName{"aot_joint_graph", TraceGraph::Kind::aot_joint},
};

struct TraceUnchecked {
  std::string_view name, unchecked;
  bool is_graph;
};
constexpr std::array kTraceUnchecked = {
    TraceUnchecked{"before_pre_grad_graph", "pre_grad", true},
    TraceUnchecked{"after_pre_grad_graph", "pre_grad", true},
    TraceUnchecked{"inductor_pre_grad_graph", "pre_grad", true},
    TraceUnchecked{"before_recompile_pre_grad", "recompile", true},
    TraceUnchecked{"after_recompile_pre_grad", "recompile", true},
    TraceUnchecked{"before_recompile_post_grad", "recompile", true},
    TraceUnchecked{"after_recompile_post_grad", "recompile", true},
    TraceUnchecked{"dynamo_output_graph", "dynamo_graph", true},
    TraceUnchecked{"inductor_output_code", "output_code", false},
    TraceUnchecked{"inductor_aot_wrapper_code", "output_code", false},
    TraceUnchecked{"aot_backward_graph", "backward", true},
};

/// The directory that tlparse uses for the record's compilation; "" if the record has no numbers.
std::string trace_directory(const json& meta) {
  constexpr std::array<const char*, 4> kKeys = {"compiled_autograd_id", "frame_id", "frame_compile_id",
                                                "attempt"};
  std::string name;
  bool has_any = false;
  for (const char* key : kKeys) {
    const auto number = trace_integer(meta, key);
    has_any = has_any || number;
    name += (name.empty() ? "" : "_") + (number ? std::to_string(*number) : "-");
  }
  if (!has_any) return "";
  const auto rank = trace_integer(meta, "rank");
  return rank ? "rank_" + std::to_string(*rank) + "/" + name : name;
}

/// The name of a record's contents: that of its artifact, else its key.
std::string trace_record_name(const json& meta) {
  if (const json* artifact = trace_object(meta, "artifact")) return trace_text(*artifact, "name");
  const auto& keys = meta.get_ref<const json::object_t&>();  // fewer than the names
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(keys, [&](const auto& member) { return member.first == name; });
  };
  for (const TraceName& row : kTraceGraphs)
    if (has(row.name)) return std::string(row.name);
  for (const TraceUnchecked& row : kTraceUnchecked)
    if (has(row.name)) return std::string(row.name);
  return "";
}

/// Names a frame whose compilation failed, so that PyTorch runs it uncompiled: "f (train.py:29) runs
/// uncompiled (InductorError)"; "" for any other record.
std::string uncompiled_frame(const json& meta) {
  const json* metrics = trace_object(meta, "compilation_metrics");
  const std::string fault = metrics != nullptr ? trace_text(*metrics, "fail_type") : "";
  if (fault.empty()) return "";
  std::string place = trace_text(*metrics, "co_filename");
  if (const auto line = trace_integer(*metrics, "co_firstlineno")) place += ":" + std::to_string(*line);
  return trace_text(*metrics, "co_name") + " (" + place + ") runs uncompiled (" + fault + ")";
}

}  // namespace

TraceLog TraceReader::finish(bool inside_a_line) {
  for (TraceCompile& compile : texts_->compiles) {
    compile.facts.settle();
    std::int64_t& last = last_attempts_[compile.attempts];
    if (!compile.graphs.empty()) last = std::max(last, compile.attempt);
  }
  for (TraceCompile& compile : texts_->compiles) checks_of(compile);
  std::stable_sort(log_.checks.begin(), log_.checks.end(),
                   [](const TraceCheck& a, const TraceCheck& b) { return a.line < b.line; });
  number_ids();
  forget_unlike();
  log_.unchecked.assign(unchecked_.begin(), unchecked_.end());
  note_cut_graph(inside_a_line);
  return std::move(log_);
}

bool TraceReader::wants_payload(const json& meta) {
  const std::string name = trace_record_name(meta);
  const auto is_graph = [&](const TraceName& row) { return row.name == name; };
  return name == "aot_forward_graph_fw_metadata" ||
         std::any_of(kTraceGraphs.begin(), kTraceGraphs.end(), is_graph);
}

/// The compilation of a record. `torch._dynamo.reset()` reuses numbers: a frame that starts again is another
/// compilation, and the facts of the first (the storages of its inputs, its outputs) do not hold for it.
TraceCompile& TraceReader::compile_of(const json& meta) {
  const auto without_attempt = [](const std::string& of) { return of.substr(0, of.rfind('_')); };
  const std::string directory = trace_directory(meta), attempts = without_attempt(directory);
  if (meta.contains("dynamo_start") && !directory.empty() && starts_[attempts]++ > 0)
    std::erase_if(by_directory_, [&](const auto& known) { return without_attempt(known.first) == attempts; });
  const auto [at, is_new] = by_directory_.try_emplace(directory, texts_->compiles.size());
  if (is_new) {
    TraceCompile& added = texts_->compiles.emplace_back();
    added.directory = directory;
    added.attempts = attempts + "#" + std::to_string(starts_[attempts]);
    added.attempt = trace_integer(meta, "attempt").value_or(0);
  }
  return texts_->compiles[at->second];
}

void TraceReader::take(const TraceRecord& record) {
  ++log_.records;
  last_line_ = record.line;
  if (record.meta.empty()) return;
  TraceCompile& compile = compile_of(record.meta);
  compile.facts.read(record.meta);
  if (std::string frame = uncompiled_frame(record.meta); !frame.empty())
    compile.unchecked.insert(std::move(frame));
  const std::string name = trace_record_name(record.meta);
  if (name == "aot_forward_graph_fw_metadata") compile.facts.read_aliases(record.payload);
  for (const TraceName& row : kTraceGraphs)
    if (row.name == name)
      compile.graphs.push_back({row.kind, name, record.line, record.payload, record.file});
  for (const TraceUnchecked& row : kTraceUnchecked) {
    if (row.name != name) continue;
    compile.unchecked.emplace(row.unchecked);
    log_.any_graph = log_.any_graph || row.is_graph;
  }
}

void TraceReader::checks_of(TraceCompile& compile) {
  using Kind = TraceGraph::Kind;
  // Unpaired graphs of an attempt that was abandoned for the next one never run.
  const bool is_given_up = compile.attempt < last_attempts_.at(compile.attempts);
  splits_of(compile, !is_given_up);
  unchecked_.insert(compile.unchecked.begin(), compile.unchecked.end());
  log_.any_graph = log_.any_graph || !compile.graphs.empty();
  const bool trains = std::any_of(compile.graphs.begin(), compile.graphs.end(), [](const TraceGraph& graph) {
    return graph.kind == Kind::aot_forward || graph.kind == Kind::aot_backward ||
           graph.kind == Kind::aot_joint;
  });
  const bool has_joint = pairs_of(compile, Kind::before_joint, Kind::after_joint, trains, !is_given_up);
  const bool has_post_grad =
      pairs_of(compile, Kind::before_post_grad, Kind::after_post_grad, trains, !is_given_up);
  if (!has_post_grad && !is_given_up) add_singles(compile, trains, has_joint);
}

namespace {

/// The line of a graph that names its inputs.
std::string_view trace_signature(const TraceGraph& graph) {
  const std::size_t at = graph.payload.find("def forward(");
  if (at == graph.payload.npos) return {};
  return graph.payload.substr(at, graph.payload.find('\n', at) - at);
}

}  // namespace

/// Pairs each `before` with the next `after`. A further `after` without a `before` of its own replaces the
/// last one if it has the same signature: it is then checked against the same `before`, else alone. Notes a
/// `before` without an `after` if `names_left`. Returns whether there is any pair.
bool TraceReader::pairs_of(const TraceCompile& compile, TraceGraph::Kind before_kind,
                           TraceGraph::Kind after_kind, bool trains, bool names_left) {
  const TraceGraph *open = nullptr, *last_before = nullptr, *last_after = nullptr;
  const auto unfinished = [&](const TraceGraph* before) {
    if (before != nullptr && names_left)
      log_.notes.push_back(
          {"line " + std::to_string(before->line), before->name + " has no graph behind it"});
  };
  for (const TraceGraph& graph : compile.graphs) {
    if (graph.kind == before_kind) {
      unfinished(std::exchange(open, &graph));
    } else if (graph.kind == after_kind && open != nullptr) {
      last_before = std::exchange(open, nullptr);
      last_after = &graph;
      add_pair(compile, *last_before, graph, trains);
    } else if (graph.kind == after_kind && last_after != nullptr && graph.payload != last_after->payload) {
      if (trace_signature(graph) == trace_signature(*last_after))
        add_pair(compile, *last_before, graph, trains);
      else
        add_single(compile, graph, trains);
    }
  }
  unfinished(open);
  return last_before != nullptr;
}

/// Groups a joint graph with the next forward graph and the next backward graph.
void TraceReader::splits_of(TraceCompile& compile, bool names_left) {
  const TraceGraph *joint = nullptr, *forward = nullptr;
  std::vector<std::array<const TraceGraph*, 3>> whole;
  bool all = true;
  const auto unfinished = [&] {
    if (joint != nullptr && names_left)
      log_.notes.push_back(
          {"line " + std::to_string(joint->line), joint->name + " has no forward and backward behind it"});
  };
  for (const TraceGraph& graph : compile.graphs) {
    if (graph.kind == TraceGraph::Kind::aot_joint) {
      unfinished();
      joint = &graph;
      forward = nullptr;
    } else if (graph.kind == TraceGraph::Kind::aot_forward) {
      forward = &graph;
    } else if (graph.kind == TraceGraph::Kind::aot_backward) {
      const bool is_whole = joint != nullptr && forward != nullptr;
      if (is_whole) whole.push_back({std::exchange(joint, nullptr), std::exchange(forward, nullptr), &graph});
      all = all && is_whole;
    }
  }
  unfinished();
  if (all) compile.unchecked.erase("backward");
  for (const auto& [cut, first, second] : whole) add_split(compile, *cut, *first, *second);
}

namespace {

std::string trace_directory_of(const TraceCompile& compile, const TraceGraph& graph) {
  return compile.directory.empty() ? "unknown_" + std::to_string(graph.line) : compile.directory;
}

}  // namespace

void TraceReader::add(TraceCheck check, const TraceCompile& compile, const TraceGraph& after) {
  check.unchecked.assign(compile.unchecked.begin(), compile.unchecked.end());
  check.line = after.line;
  check.file = after.file;
  log_.checks.push_back(std::move(check));
}

bool TraceReader::Source::is_as(const Source& other) const {
  const auto same_text = [](const TraceGraph* a, const TraceGraph* b) {
    return a->kind == b->kind && a->file.empty() == b->file.empty() && a->payload == b->payload;
  };
  return trains == other.trains && std::ranges::equal(graphs, other.graphs, same_text) &&
         facts->gives_as(*other.facts);
}

/// Gives a check with the same sources as an earlier one its number. Else announces a read of its texts.
void TraceReader::number_alike(TraceCheck& check, const TraceCompile& compile,
                               std::vector<const TraceGraph*> graphs, bool trains) {
  Fnv hash;
  for (const TraceGraph* graph : graphs)
    hash.add_part(std::to_string(std::hash<std::string_view>()(graph->payload)));
  Source source{std::move(graphs), trains, &compile.facts, sources_.size() + 1};
  const auto [first, last] = sources_.equal_range(hash.state());
  const auto known = std::find_if(first, last, [&](const auto& row) { return row.second.is_as(source); });
  check.alike = known != last ? known->second.number : source.number;
  if (known != last) return;
  for (const TraceGraph* graph : source.graphs) texts_->graphs.expect(*graph);
  sources_.emplace(hash.state(), std::move(source));
}

void TraceReader::add_pair(const TraceCompile& compile, const TraceGraph& before, const TraceGraph& after,
                           bool trains) {
  TraceCheck check;
  check.what = TraceCheck::What::pair;
  check.id = trace_directory_of(compile, after) +
             (after.kind == TraceGraph::Kind::after_joint ? "/joint" : "/post_grad");
  number_alike(check, compile, {&before, &after}, trains);
  check.unread = [texts = texts_, &compile, &before, &after, trains] {
    return trace_pair_case(texts->graphs, before, after, compile.facts, trains);
  };
  add(std::move(check), compile, after);
}

void TraceReader::add_split(const TraceCompile& compile, const TraceGraph& joint, const TraceGraph& forward,
                            const TraceGraph& backward) {
  TraceCheck check;
  check.what = TraceCheck::What::pair;
  check.id = trace_directory_of(compile, backward) + "/split";
  number_alike(check, compile, {&joint, &forward, &backward}, true);
  check.unread = [texts = texts_, &compile, &joint, &forward, &backward] {
    return trace_split_case(texts->graphs, joint, forward, backward, compile.facts);
  };
  add(std::move(check), compile, backward);
}

void TraceReader::add_single(const TraceCompile& compile, const TraceGraph& graph, bool trains) {
  TraceCheck check;
  check.what = TraceCheck::What::single;
  check.id = trace_directory_of(compile, graph) + "/" + graph.name;
  number_alike(check, compile, {&graph}, trains);
  check.unread = [texts = texts_, &compile, &graph, trains] {
    return trace_single_case(texts->graphs, graph, compile.facts, trains);
  };
  add(std::move(check), compile, graph);
}

/// Checks graphs without a partner alone: those after the passes if there are any, else those before them.
/// If the joint graph has a partner, only those after the passes, since these run.
void TraceReader::add_singles(const TraceCompile& compile, bool trains, bool has_joint) {
  using Kind = TraceGraph::Kind;
  constexpr std::array<std::array<Kind, 3>, 3> kPreferred = {{
      {Kind::after_post_grad, Kind::after_post_grad, Kind::after_post_grad},
      {Kind::aot_inference, Kind::aot_forward, Kind::aot_backward},
      {Kind::aot_joint, Kind::aot_joint, Kind::aot_joint},
  }};
  for (const auto& kinds : kPreferred) {
    const std::size_t before = log_.checks.size();
    for (const TraceGraph& graph : compile.graphs) {
      if (std::find(kinds.begin(), kinds.end(), graph.kind) == kinds.end()) continue;
      add_single(compile, graph, trains);
    }
    if (has_joint || log_.checks.size() > before) return;
  }
}

/// A repeated id gets the suffix _1, _2, ...
void TraceReader::number_ids() {
  UniqueNames ids;
  for (TraceCheck& check : log_.checks) check.id = ids.fresh(check.id);
}

/// Keeps `alike` only for numbers that several checks have.
void TraceReader::forget_unlike() {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const TraceCheck& check : log_.checks) ++counts[check.alike];
  for (TraceCheck& check : log_.checks)
    if (counts[check.alike] == 1) check.alike = 0;
}

/// If the last record holds a graph that ends too early, notes that the log is cut.
void TraceReader::note_cut_graph(bool inside_a_line) {
  for (TraceCheck& check : log_.checks) {
    if (check.line != last_line_ || !check.file.empty()) continue;
    check.read();
    if (check.value) continue;
    if (!inside_a_line && check.value.fault().message.find("the text ends") == std::string::npos) continue;
    log_.truncated = true;
    log_.notes.push_back({"line " + std::to_string(check.line), "the log ends inside a graph"});
  }
}

void TraceCheck::read() {
  if (!unread) return;
  value = std::exchange(unread, nullptr)();
  if (value) value->name = id;
}

TraceLog read_torch_trace(std::string text) {
  const auto kept = std::make_shared<const std::string>(std::move(text));
  TraceReader reader(kept);
  TraceScanner scanner(*kept, reader.log().notes);
  TraceRecord record;
  while (scanner.next(record)) reader.take(record);
  scanner.note_strays();
  reader.log().truncated = scanner.is_cut();
  return reader.finish(!kept->ends_with('\n'));
}

}  // namespace noclobber
