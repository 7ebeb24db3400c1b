// A refuted check as a Python script that needs PyTorch alone.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/ops/decl.h"
#include "src/report/record.h"

namespace noclobber {

/// A text as a literal of Python.
std::string python_text(std::string_view text);

/// How the steps of a graph are written as calls.
struct ScriptGraph {
  std::string function;  // its name in the script
  const Graph* graph = nullptr;
  std::vector<std::uint32_t> order = {};  // of the steps; empty: as listed
  bool on_copies = false;                 // what a step would write is copied first: names mean values
  const Plan* plan = nullptr;             // places its values
  std::optional<std::uint32_t> declared =
      {};  // the step of which the declared type is held against PyTorch's
};

/// The function in Python. error: what PyTorch has no word for.
Result<std::string> script_function(const Case& value, const OpSet& ops, const ScriptGraph& wanted,
                                    const std::map<std::string, std::int64_t>& symbols);

/// The inputs of a graph as that run has them: a Python function that makes a dictionary. error: no such run.
Result<std::string> script_inputs(const Case& value, const Graph& graph, const Graph& contents_of,
                                  const std::string& function, const Finding& finding);

/// The whole script. `value` is prepared (check.h), `record` is about it and refuted. error: why there is
/// none.
Result<std::string> pytorch_script(const Case& value, const CheckRecord& record, bool compile);

}  // namespace noclobber
