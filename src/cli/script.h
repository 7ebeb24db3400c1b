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

/// A text as a Python string literal.
std::string python_text(std::string_view text);

/// A graph to be written as a Python function.
struct ScriptGraph {
  std::string function;  // its name in the script
  const Graph* graph = nullptr;
  std::vector<std::uint32_t> order = {};  // of the steps; empty: as listed
  bool on_copies = false;                 // each step writes to copies, so that every name keeps its value
  const Plan* plan = nullptr;             // nullptr: values are not placed in arenas
  std::optional<std::uint32_t> declared =
      {};  // the step whose declared result types are compared with those that PyTorch computes
};

/// The Python function of a graph. error: a part of it cannot be expressed with PyTorch alone.
Result<std::string> script_function(const Case& value, const OpSet& ops, const ScriptGraph& wanted,
                                    const std::map<std::string, std::int64_t>& symbols);

/// A Python function that returns a dictionary of the inputs of `graph` in the run of the finding. Inputs
/// that `contents_of` has too get its contents. error: the inputs cannot be made, are too large, or have
/// elements that PyTorch does not have.
Result<std::string> script_inputs(const Case& value, const Graph& graph, const Graph& contents_of,
                                  const std::string& function, const Finding& finding);

/// The whole script. require: `value` went through prepare_case(). error: `record` has no refuted finding, or
/// the script cannot be made. `compile`: the script runs the original under torch.compile as well.
Result<std::string> pytorch_script(const Case& value, const CheckRecord& record, bool compile);

}  // namespace noclobber
