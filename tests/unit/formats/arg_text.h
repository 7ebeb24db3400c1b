// An argument of a step, short.
#pragma once
#include <string>

#include "src/graph/case.h"

namespace noclobber {

/// "x", "s0 + 1", "0.50", "[1 None ]", "dtype:f32", "graph:body", "device:cpu", "'any text'".
inline std::string text_of(const Graph& graph, const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::ref:
      return graph.value(arg.ref).name;
    case Arg::Kind::sym:
      return arg.sym.text();
    case Arg::Kind::real:
      return std::to_string(arg.real).substr(0, 4);
    case Arg::Kind::boolean:
      return arg.boolean ? "True" : "False";
    case Arg::Kind::none:
      return "None";
    case Arg::Kind::dtype:
      return "dtype:" + std::string(name(arg.dtype));
    case Arg::Kind::list: {
      std::string out = "[";
      for (const Arg& item : arg.list) out += text_of(graph, item) + " ";
      return out + "]";
    }
    case Arg::Kind::graph:
      return "graph:" + arg.text;
    case Arg::Kind::device:
      return "device:" + arg.text;
    case Arg::Kind::text:
      break;
  }
  return "'" + arg.text + "'";
}

}  // namespace noclobber
