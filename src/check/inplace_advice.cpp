#include "src/check/inplace_advice.h"

#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::uint64_t kMostTried = 200;
constexpr int kBitsPerByte = 8;

/// "aten.add_.Tensor" for "aten.add.Tensor"; "" if PyTorch has no such form that writes its first operand.
std::string in_place_form(const std::string& op) {
  const std::size_t overload = op.rfind('.');
  if (overload == std::string::npos) return "";
  const std::string form = op.substr(0, overload) + "_" + op.substr(overload);
  const Schema* schema = find_schema(form);
  const bool same = schema != nullptr && !schema->arguments.empty() && schema->arguments[0].written &&
                    !schema->has(Tag::inplace_view) && functional_op(form) == op;  // a view saves nothing
  return same ? form : "";
}

/// True if the step makes one tensor, has an in-place form, and its first operand is the result of a step.
bool is_candidate(const Graph& graph, const Step& step) {
  const bool plain = step.results.size() == 1 && step.results[0].valid() && !step.args.empty() &&
                     step.args[0].kind == Arg::Kind::ref &&
                     graph.value(step.args[0].ref).from == Value::From::step;
  return plain && !in_place_form(step.op).empty();
}

/// The size of the result in bytes, an expression over the symbols. Empty if its type does not state it.
std::optional<SymExpr> bytes_of(const Graph& graph, ValueId id) {
  const auto& type = graph.value(id).type;
  if (!type || bit_width(type->dtype) % kBitsPerByte != 0) return std::nullopt;
  SymExpr out = bit_width(type->dtype) / kBitsPerByte;
  for (const SymExpr& size : type->shape) out = out * size;
  return out;
}

InplaceLint::Rewrite described(const Graph& graph, std::uint32_t at) {
  const Step& step = graph.steps[at];
  InplaceLint::Rewrite out;
  out.at.graph = "after";
  out.at.step = at;
  out.at.name = graph.value(step.results[0]).name;
  out.at.loc = step.source->loc;
  out.at.statement = statement_text(graph, at);
  out.operand = graph.value(step.args[0].ref).name;
  out.op = in_place_form(step.op);
  if (const auto bytes = bytes_of(graph, step.results[0])) {
    out.bytes = bytes->text();
    if (bytes->is_constant()) out.known = static_cast<std::uint64_t>(bytes->constant());
  }
  return out;
}

}  // namespace

InplaceLint advise_inplace(const Case& value, const CheckOptions& options) {
  InplaceLint out;
  Case base = value;
  base.plan.reset();  // it fixes where the results lie
  base.registers.clear();
  if (!base.before) base.before = base.after;
  CheckOptions own = options;
  own.advise = false;
  own.certificates.clear();
  own.questions.clear();
  std::uint64_t tried = 0;
  for (std::uint32_t k = 0; k < base.after.steps.size(); ++k) {
    if (!is_candidate(base.after, base.after.steps[k])) continue;
    if (++tried > kMostTried) {
      ++out.left_out;
      continue;
    }
    InplaceLint::Rewrite rewrite = described(base.after, k);
    Case trial = base;
    trial.after.steps[k].op = rewrite.op;
    bool contradiction = false;
    const CheckRecord record = check_case(trial, own, contradiction);
    rewrite.safe = contradiction ? Status::unknown : record.status;
    if (!record.findings.empty()) rewrite.because = record.findings[0].property;
    if (rewrite.safe == Status::proved) base = std::move(trial);
    out.rewrites.push_back(std::move(rewrite));
  }
  return out;
}

}  // namespace noclobber
