// One printed FX graph.
#include "src/formats/fx_text/fx_text.h"
#include "src/inputs/format.h"
#include "src/text/file.h"

namespace noclobber {
namespace {

bool begins_fx(std::string_view text) {
  return begins_with_line(text, [](std::string_view line) {
    return line.starts_with("class ") || line.starts_with("def forward(") ||
           line.starts_with("ExportedProgram:");
  });
}

/// An ordinary Python class begins like a printed graph, so the text must parse as one.
bool reads_as_graph(const std::string& path) {
  const auto text = read_file(path);
  return text && read_fx_text(*text);
}

Looks looks_fx(const Glimpse& file) {
  const bool is_printed =
      has_any(file.begin, {"class <lambda>", "class GraphModule(torch.nn.Module)", "torch.ops."});
  return is_printed || reads_as_graph(file.path) ? Looks::ours : Looks::strange;
}

Result<Opened> open_fx(FileText file) {
  auto graph = read_fx_text(file.text);
  if (!graph) return graph.fault();
  Case value;
  value.symbols = std::move(graph->symbols);
  value.ops = std::move(graph->ops);
  value.after = std::move(graph->graph);
  value.inputs_may_overlap = true;
  Opened out;
  FileCheck& check = out.checks.emplace_back();
  check.what = "single";
  check.value = std::move(value);
  return out;
}

Result<Side> side_of_fx(const std::string& text, bool /*is_before*/) {
  auto value = read_fx_text(text);
  if (!value) return value.fault();
  Side out;
  out.graph = std::move(value->graph);
  out.facts.symbols = std::move(value->symbols);
  out.facts.ops = std::move(value->ops);
  out.compares_strides = value->has_strides;
  return out;
}

}  // namespace

const InputFormat kFxTextFormat = {"FX graph text", begins_fx, looks_fx, open_fx, side_of_fx};

}  // namespace noclobber
