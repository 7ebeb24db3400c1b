// Logs of TORCH_TRACE as text, record by record.
#pragma once
#include <string>

#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"
#include "tests/catch.h"

namespace noclobber {

inline constexpr const char* kTraceId = ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";

inline std::string trace_record(const std::string& members, const std::string& payload = "",
                                const std::string& id = kTraceId) {
  std::string text = "V0521 11:50:42.931000 17 torch/a.py:1] {" + members + id;
  text += payload.empty() ? "}\n" : ", \"has_payload\": \"0\"}\n";
  if (payload.empty()) return text;
  text += '\t';
  for (const char c : payload) text += c == '\n' ? std::string("\n\t") : std::string(1, c);
  return text + '\n';
}

inline std::string trace_artifact(const std::string& name, const std::string& payload,
                                  const std::string& id = kTraceId) {
  return trace_record("\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}", payload, id);
}

inline std::string trace_graph(const std::string& op, const std::string& a = "a",
                               const std::string& b = "b") {
  return "class <lambda>(torch.nn.Module):\n    def forward(self, " + a + ": \"f32[5][1]cpu\", " + b +
         ": \"f32[5][1]cpu\"):\n        r: \"f32[5][1]cpu\" = torch.ops.aten." + op + ".Tensor(" + a + ", " +
         b + ")\n        return (r,)\n";
}

inline std::string trace_tensor(int id, int storage, int size, int offset) {
  const std::string number = std::to_string(id);
  return trace_record("\"describe_storage\": {\"id\": " + std::to_string(storage) +
                      ", \"describer_id\": 5, \"size\": 40}") +
         trace_record("\"describe_tensor\": {\"id\": " + number +
                      ", \"dtype\": \"torch.float32\", \"size\": [" + std::to_string(size) +
                      "], \"stride\": [1], \"storage_offset\": " + std::to_string(offset) +
                      ", \"storage\": " + std::to_string(storage) + ", \"describer_id\": 5}") +
         trace_record("\"describe_source\": {\"describer_id\": 5, \"id\": " + number +
                      ", \"source\": \"L['a']\"}");
}

inline const std::string kTracePair = trace_artifact("before_post_grad_graph", trace_graph("add")) +
                                      trace_artifact("inductor_post_grad_graph", trace_graph("add_"));

/// The log with all that it holds.
inline TraceLog read_whole(std::string text) {
  TraceLog log = read_torch_trace(std::move(text));
  for (TraceCheck& check : log.checks) check.read();
  return log;
}

}  // namespace noclobber
