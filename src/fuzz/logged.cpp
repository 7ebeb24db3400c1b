#include "src/fuzz/logged.h"

#include <algorithm>

#include "src/formats/fx_text/fx_text.h"

namespace noclobber::fuzz {
namespace {

/// One record; its payload is indented by tabs.
std::string record_of(const std::string& name, const Graph& graph) {
  std::string out =
      "V0101 00:00:00.000000 1 fuzz.py:1] {\"artifact\": {\"name\": \"" + name +
      "\", \"encoding\": \"string\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0, "
      "\"has_payload\": \"0\"}\n\t";
  for (const char c : write_fx_text(graph)) out += c == '\n' ? std::string("\n\t") : std::string(1, c);
  if (out.ends_with('\t')) out.pop_back();
  return out.ends_with('\n') ? out : out + "\n";
}

}  // namespace

std::string log_of(const Case& value) {
  if (!value.before || !value.bodies.empty() || value.plan || !value.registers.empty()) return "";
  return record_of("before_post_grad_graph", *value.before) + record_of("after_post_grad_graph", value.after);
}

std::string cut_log(std::string log, Random& random) {
  const std::size_t last = log.rfind("\n\t", log.size() - 2);
  const std::size_t graph = log.find("forward(", log.rfind("] {"));
  if (graph == std::string::npos || last <= graph) return "";
  log.resize(graph + 8 + static_cast<std::size_t>(random.below(static_cast<std::int64_t>(last - graph))));
  return log;
}

}  // namespace noclobber::fuzz
