#include <algorithm>

#include "src/formats/formats.h"
#include "src/formats/mlx.h"
#include "src/formats/pt2_archive.h"
#include "src/formats/pte_program.h"
#include "src/formats/torch_trace_records.h"

namespace noclobber {
namespace {

/// Before its `def`, a Thunder trace imports from thunder, or says which pass made it.
bool begins_thunder(std::string_view line) {
  for (const std::string_view start :
       {"# Constructed by ", "import thunder", "from thunder", "def computation(", "def backward_fn(",
        "def prologue(", "def epilogue(", "def augmented_forward_fn("})
    if (line.starts_with(start)) return true;
  return false;
}

constexpr std::size_t kSniffed = 65536;  // bytes

bool begins_fx_text(std::string_view line) {
  return line.starts_with("class ") || line.starts_with("def forward(") ||
         line.starts_with("ExportedProgram:");
}

}  // namespace

InputKind sniff(std::string_view text) {
  if (is_mlx(text)) return InputKind::mlx;
  if (is_pte(text)) return InputKind::pte;
  if (is_zip(text)) return InputKind::pt2;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = text.substr(0, kSniffed);
  while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  if (is_plan_csv(text)) return InputKind::plan_csv;
  if (text.starts_with('{')) return InputKind::case_json;
  bool only_comments = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_glog_line(line)) return InputKind::torch_trace;
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (only_comments && begins_thunder(line)) return InputKind::thunder;
    if (only_comments && begins_fx_text(line)) return InputKind::fx_text;
    const bool preamble = line.empty() || line == "\r" || line.starts_with('#') || line.starts_with('@') ||
                          line.starts_with("import ") || line.starts_with("from ");
    only_comments = only_comments && preamble;
  }
  return InputKind::unknown;
}

}  // namespace noclobber
