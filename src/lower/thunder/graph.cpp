#include "src/lower/thunder/graph.h"

#include <algorithm>

#include "src/lower/thunder/builder.h"

namespace noclobber {

namespace {

bool mentions(const ThunderStatement& statement, std::string_view callee) {
  const bool here =
      statement.value.kind == PythonExpr::Kind::call &&
      (statement.value.text == callee || statement.value.text.ends_with("." + std::string(callee)));
  return here ||
         std::ranges::any_of(statement.inner, [&](const ThunderStatement& s) { return mentions(s, callee); });
}

}  // namespace

bool asks_thunder_gradients(const ThunderTrace& trace) {
  return std::ranges::any_of(trace.statements,
                             [](const ThunderStatement& s) { return mentions(s, "get_grad"); });
}

bool copies_in_thunder(const ThunderTrace& trace) {
  return std::ranges::any_of(trace.statements,
                             [](const ThunderStatement& s) { return mentions(s, "copy_"); });
}

bool is_thunder_joint(const ThunderTrace& trace) {
  const auto returns = [](const ThunderStatement& s) {
    return s.kind == ThunderStatement::Kind::leave && s.value.entry("fw_flat_out") != nullptr;
  };
  return asks_thunder_gradients(trace) || std::ranges::any_of(trace.statements, returns);
}

bool is_thunder_forward(const ThunderTrace& trace) {
  return std::ranges::any_of(trace.statements, [](const ThunderStatement& s) {
    return s.kind == ThunderStatement::Kind::leave && s.value.kind == PythonExpr::Kind::sequence &&
           s.value.items.size() == 2 && s.value.items[0].kind == PythonExpr::Kind::dict;
  });
}

Result<ThunderGraph> thunder_graph(const ThunderTrace& trace, std::string_view text,
                                   const ThunderFacts& facts, ThunderPart part) {
  ThunderBuilder builder(text, facts);
  builder.run(trace, part);
  ThunderGraph out = builder.finish();
  if (builder.failed()) return builder.fault();
  return out;
}

Result<ThunderGraph> thunder_joined(const ThunderTrace& forward, std::string_view text,
                                    const ThunderTrace& backward, std::string_view backward_text,
                                    const ThunderFacts& facts) {
  ThunderBuilder builder(text, facts);
  builder.run(forward, ThunderPart::whole);
  if (!builder.failed()) builder.run_backward(backward, backward_text);
  ThunderGraph out = builder.finish();
  if (builder.failed()) return builder.fault();
  return out;
}

}  // namespace noclobber
