// Graphs in FX text as lines of their Traces, for tests of what each step becomes.
#pragma once
#include <string>

#include "src/certify/nonnegative.h"
#include "src/effects/effects.h"
#include "src/effects/trace_text.h"
#include "src/formats/case/case_json.h"
#include "src/formats/fx_text/fx_text.h"
#include "tests/catch.h"

namespace noclobber::trace_lines {

/// A graph alone. Statements end with ";", operators stand without "torch.ops.": "y = aten.mul.Tensor(x,
/// 1);".
inline Case alone(const std::string& inputs, const std::string& statements, const std::string& outputs) {
  std::string text = "def forward(self, " + inputs + "):\n";
  for (std::size_t at = 0, end = 0; (end = statements.find(';', at)) != std::string::npos; at = end + 1) {
    std::string line = statements.substr(at, end - at);
    line.erase(0, line.find_first_not_of(' '));
    for (const char* family : {"= aten.", "= prims.", "= higher_order.", "= _c10d_functional."})
      if (const std::size_t op = line.find(family); op != std::string::npos)
        line.insert(op + 2, "torch.ops.");
    text += "    " + line + "\n";
  }
  text += "    return (" + outputs + ",)\n";
  auto read = read_fx_text(text);
  INFO(text << (read ? "" : read.fault().where + " " + read.fault().message));
  REQUIRE(read);
  Case out;
  out.name = "t";
  out.after = std::move(read->graph);
  out.symbols = std::move(read->symbols);
  return out;
}

inline Traced traced(Space& space, const Case& value, Identities use = Identities::none) {
  const auto ops = make_op_set(value.ops);
  REQUIRE(ops);
  Sizes sizes(space);
  sizes.declare(value.symbols, value.assume);
  return trace_case(value, *ops, sizes, use);
}

/// Lines of a Trace that begin with one of the words; of a step, what it does, and where it comes from if
/// that is asked.
inline std::string lines_of(const Space& space, const Trace& trace, const std::string& words,
                            bool places = false) {
  const std::string text = text_of(space, trace);
  std::string out;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    std::string line = text.substr(at, (places ? end : std::min(end, text.find("  # graph step", at))) - at);
    if (words.find(line.substr(0, line.find(' '))) == std::string::npos) continue;
    if (line.find(" token ") != std::string::npos) continue;
    if (line.starts_with("step ")) line.erase(0, line.find(' ', 5) + 1);
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

inline std::string lines(const Case& value, const std::string& words, Identities use = Identities::none) {
  Space space = searching_space();
  const Traced out = traced(space, value, use);
  return lines_of(space, out.after, words);
}

inline std::string last_line(const std::string& text) {
  const std::size_t at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

}  // namespace noclobber::trace_lines
