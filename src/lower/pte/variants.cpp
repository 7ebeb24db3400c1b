#include "src/lower/pte/variants.h"

#include <algorithm>
#include <cctype>

#include "src/lower/pte/builder.h"

namespace noclobber {
namespace {

/// The overload "choose_qparams.Tensor_out" derives from "choose_qparams.Tensor" if it exists, else from
/// "choose_qparams.tensor".
const Schema* functional_of(std::string_view op) {
  constexpr std::string_view kOut = "out";
  const std::size_t dot = op.rfind('.');
  if (dot == std::string_view::npos || !op.ends_with(kOut)) return nullptr;
  std::string stem(op.substr(dot + 1, op.size() - dot - 1 - kOut.size()));
  if (!stem.empty() && stem.back() != '_') return nullptr;
  if (!stem.empty()) stem.pop_back();
  const std::string name(op.substr(0, dot + 1));
  if (stem.empty()) return find_schema(name + "default");
  if (const Schema* same = find_schema(name + stem)) return same;
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return std::tolower(c); });
  return find_schema(name + stem);
}

std::optional<Schema> writing(const Schema& pure, const std::string& op) {
  const auto is_tensor = [](const SchemaSlot& slot) { return slot.type == SchemaSlot::Type::tensor; };
  if (pure.writes() || pure.returns.empty() || !std::ranges::all_of(pure.returns, is_tensor))
    return std::nullopt;
  Schema out = pure;
  out.op = op;
  for (std::size_t k = 0; k < pure.returns.size(); ++k) {
    SchemaSlot slot = pure.returns[k];
    slot.written = slot.keyword_only = true;
    out.arguments.push_back(std::move(slot));
  }
  return out;
}

}  // namespace

const PteOperator& operator_of(const PteBuilder& p, const std::string& op) {
  const auto [at, fresh] = p.operators.try_emplace(op);
  PteOperator& out = at->second;
  if (!fresh) return out;
  if (const Schema* known = find_schema(op)) {
    out.schema = *known;
    if (const std::string pure = functional_op(op); !pure.empty()) out.pure = find_schema(pure);
  } else if (const Schema* pure = functional_of(op)) {
    out.schema = writing(*pure, op);
    out.derived = out.schema.has_value();
    if (out.derived) out.pure = pure;
  }
  return out;
}

const Schema* schema_of(const PteBuilder& p, const PteInstruction& step) {
  if (step.kind != PteInstruction::Kind::kernel) return nullptr;
  const auto& schema = operator_of(p, p.method.operators[step.target]).schema;
  return schema ? &*schema : nullptr;
}

}  // namespace noclobber
