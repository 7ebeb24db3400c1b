// Graphs that end by a return step and statements that only order, as recorded traces have them; and damaged
// texts.
#include <algorithm>

#include "src/fuzz/probe.h"
#include "src/ops/schema.h"

namespace noclobber::fuzz {
namespace {

constexpr const char* kReturn = "prims.return.default";

/// The last step that writes; empty if it or a later step makes an output.
std::optional<std::size_t> last_write(const Graph& graph) {
  for (std::size_t k = graph.steps.size(); k-- > 0;) {
    const auto shown = [&](const Arg& output) {
      const Value* value = output.kind == Arg::Kind::ref ? &graph.value(output.ref) : nullptr;
      return value != nullptr && value->from == Value::From::step && value->at >= k;
    };
    if (std::any_of(graph.outputs.begin(), graph.outputs.end(), shown)) return std::nullopt;
    const Schema* schema = find_schema(graph.steps[k].op);
    if (schema != nullptr && schema->writes()) return k;
  }
  return std::nullopt;
}

void leave_before(Graph& graph, std::size_t step) {
  Step leaves;
  leaves.op = kReturn;
  leaves.args = graph.outputs;
  graph.steps.insert(graph.steps.begin() + static_cast<std::ptrdiff_t>(step), std::move(leaves));
  for (Value& value : graph.values)
    if (value.from == Value::From::step && value.at >= step) ++value.at;
}

}  // namespace

bool leave_by_step(Case& value, bool early) {
  if (!value.before->finals.empty()) return false;
  const auto write = early ? last_write(value.after) : value.after.steps.size();
  if (!write) return false;
  value.return_is_last = true;
  leave_before(*value.before, value.before->steps.size());
  leave_before(value.after, *write);
  return true;
}

void add_barrier(Draft& draft, Random& random) {
  if (draft.calls.empty()) return;
  const auto at = random.place_in(draft.calls);
  const auto made = draft.calls[at].results();
  if (made.empty()) return;
  Draft::Call call;
  call.op = "aten.alias.default";
  call.args = {Arg::of(ValueId(static_cast<std::size_t>(made[0])))};
  call.result = draft.values++;
  call.barrier = true;
  draft.shown[call.result] = draft.shown.at(made[0]);
  draft.replace(made[0], call.result, at + 1);
  draft.calls.insert(draft.calls.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(call));
}

std::string damaged_text(std::string text, Random& random) {
  const auto any = [&] { return random.place_in(text); };
  for (std::int64_t times = random.between(1, 3); times > 0 && text.size() > 8; --times) {
    std::size_t at = any();
    const std::int64_t how = random.below(8);
    if (how < 4) {  // changes a digit
      at = std::min(text.find_first_of("0123456789", at), text.size() - 1);
      if (text[at] >= '0' && text[at] <= '9') text[at] = static_cast<char>('0' + random.below(5));
    } else if (how == 4) {
      text.erase(at, static_cast<std::size_t>(random.between(1, 4)));
    } else if (how == 5) {
      text.insert(at, text.substr(any(), static_cast<std::size_t>(random.between(1, 12))));
    } else if (how == 6) {
      text[at] = static_cast<char>(random.between(32, 126));
    } else {
      text.resize(at);
    }
  }
  return text;
}

}  // namespace noclobber::fuzz
