// The folder that TORCH_COMPILE_DEBUG=1 writes for one graph: `torchinductor/model__0_inference_0.0/`.
#include <array>
#include <filesystem>
#include <utility>

#include "src/formats/fx_text/load_args.h"
#include "src/inputs/trace_folder.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/graphs.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestDebugFile = std::size_t{1} << 30;  // bytes

/// The text of a file; "" if it does not exist or cannot be read. Only the latter adds a note.
std::string debug_text(const fs::path& folder, const char* name, TraceLog& log) {
  std::error_code fault;
  if (!fs::exists(folder / name, fault)) return "";
  auto text = read_file((folder / name).string(), kLargestDebugFile);
  if (!text) log.notes.push_back({name, text.fault().message});
  return text ? *std::move(text) : "";
}

TraceGraph debug_graph(TraceGraph::Kind kind, const char* file, std::string_view text) {
  return {kind, "post_grad", 0, text, file};
}

}  // namespace

TraceLog read_debug_folder(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  TraceLog log;
  constexpr const char *kBefore = "fx_graph_readable.py", *kAfter = "fx_graph_transformed.py";
  const std::string first = debug_text(folder, kBefore, log), second = debug_text(folder, kAfter, log);
  log.any_graph = !first.empty() || !second.empty();
  log.records = (first.empty() ? 0 : 1) + (second.empty() ? 0 : 1);
  std::error_code fault;
  if (fs::exists(folder / "output_code.py", fault)) log.unchecked = {"output_code"};
  if (!log.any_graph) return log;
  const bool trains = name.find("_forward") != name.npos || name.find("_backward") != name.npos;
  const bool is_pair = !first.empty() && !second.empty();
  const TraceGraph before = debug_graph(TraceGraph::Kind::before_post_grad, kBefore, first);
  const TraceGraph after = debug_graph(TraceGraph::Kind::after_post_grad, second.empty() ? kBefore : kAfter,
                                       second.empty() ? first : second);
  TraceCheck check;
  check.what = is_pair ? TraceCheck::What::pair : TraceCheck::What::single;
  check.id = name + "/post_grad";
  check.file = after.file;
  check.unchecked = log.unchecked;
  TraceGraphs graphs;
  check.value = is_pair ? trace_pair_case(graphs, before, after, TraceFacts(), trains)
                        : trace_single_case(graphs, after, TraceFacts(), trains);
  if (check.value) check.value->name = check.id;
  if (check.value && check.value->title != "backward") {
    check.value->source = "TORCH_COMPILE_DEBUG";
    const auto tensors = read_load_args(debug_text(folder, "fx_graph_runnable.py", log));
    if (tensors && place_inputs(*check.value, *tensors)) check.value->inputs_may_overlap = false;
  }
  log.checks.push_back(std::move(check));
  return log;
}

}  // namespace noclobber
