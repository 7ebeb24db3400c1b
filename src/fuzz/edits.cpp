#include "src/fuzz/edits.h"

#include "src/ops/meaning.h"

namespace noclobber::fuzz {

bool is_scatter(const Draft::Call& call) {
  return call.op == "aten.slice_scatter.default" || call.op == "aten.select_scatter.default" ||
         call.op == "aten.diagonal_scatter.default";
}

bool disturbs(const Draft& draft, const Draft::Call& writer, const Draft::Call& other) {
  const auto targets = written(writer);
  auto all = operands(other);
  const auto made = other.results();
  all.insert(all.end(), made.begin(), made.end());
  const auto storage = [&](int v) { return draft.shown.at(v).storage; };
  return std::any_of(all.begin(), all.end(), [&](int v) {
    return std::any_of(targets.begin(), targets.end(), [&](int w) { return storage(v) == storage(w); });
  });
}

bool is_pure(const Draft::Call& call) { return !writes(call) && !is_effect(call); }

bool uses(const Draft& draft, int value, std::size_t from) {
  for (std::size_t k = from; k < draft.calls.size(); ++k) {
    const auto all = operands(draft.calls[k]);
    if (std::find(all.begin(), all.end(), value) != all.end()) return true;
  }
  return std::find(draft.outputs.begin(), draft.outputs.end(), value) != draft.outputs.end();
}

std::string in_place_form(const std::string& op) {
  if (op.rfind("aten.", 0) != 0) return "";
  std::string out = op;
  out.insert(out.find('.', 5), "_");
  const Schema* schema = find_schema(out);
  if (schema == nullptr || schema->arguments.empty() || !schema->arguments[0].written ||
      schema->arguments[0].type != SchemaSlot::Type::tensor || schema->has(Tag::inplace_view) ||
      schema_is_silent(base_name(out), *schema) || functional_op(out) != op)
    return "";
  return out;
}

void erase_as(Draft& draft, std::size_t at, const std::vector<int>& by) {
  const auto made = draft.calls[at].results();
  draft.calls.erase(draft.calls.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t k = 0; k < std::min(made.size(), by.size()); ++k) draft.replace(made[k], by[k]);
}

bool well_ordered(const Draft& draft) {
  std::map<int, bool> known;
  for (const Draft::Entry& entry : draft.inputs) known[entry.value] = true;
  for (const Draft::Call& call : draft.calls) {
    for (const int v : operands(call))
      if (!known[v]) return false;
    for (const int r : call.results()) known[r] = true;
  }
  return true;
}

}  // namespace noclobber::fuzz
