// Turns a pair of programs into cases with symbols, orders, branches and plans.
#include <algorithm>

#include "src/fuzz/edits.h"
#include "src/fuzz/probe.h"
#include "src/ops/meaning.h"

namespace noclobber::fuzz {
namespace {

/// True if the operator takes sizes, where a constant may be the symbol's value.
bool takes_sizes(const std::string& op) {
  for (const char* known :
       {"aten.view.default", "aten.reshape.default", "aten.expand.default", "aten.full.default",
        "aten.zeros.default", "aten.empty.memory_format", "aten.new_zeros.default"})
    if (op == known) return true;
  return false;
}

struct Symbol {
  std::int64_t size;
  SymExpr symbol;
  bool ends;  // also ends of slices
  bool all;   // every argument that may be a symbol
};

void exchange_size(SymExpr& size, const Symbol& by) {
  if (size.is_constant() && size.constant() == by.size) size = by.symbol;
}

void exchange_anywhere(Step& step, const Symbol& by) {
  const Schema* schema = find_schema(step.op);
  for (std::size_t k = 0; schema != nullptr && k < std::min(step.args.size(), schema->arguments.size());
       ++k) {
    if (schema->arguments[k].type_text.find("SymInt") == std::string::npos) continue;
    Arg& arg = step.args[k];
    if (arg.kind == Arg::Kind::sym) exchange_size(arg.sym, by);
    for (Arg& item : arg.list.items())
      if (item.kind == Arg::Kind::sym) exchange_size(item.sym, by);
  }
}

void exchange_sizes(Graph& graph, const Symbol& by) {
  for (const Input& input : graph.inputs)
    if (!input.contents)
      for (SymExpr& size : graph.values[input.value.index].type.edit().shape) exchange_size(size, by);
  for (Step& step : graph.steps) {
    if (by.all) exchange_anywhere(step, by);
    if (takes_sizes(step.op))
      for (Arg& arg : step.args)
        for (Arg& item : arg.list.items())
          if (item.kind == Arg::Kind::sym) exchange_size(item.sym, by);
    const std::size_t end = step.op->find("scatter") != std::string::npos ? 4 : 3;
    if (by.ends && step.op->find("slice") != std::string::npos && step.args.size() > end &&
        step.args[end].kind == Arg::Kind::sym)
      exchange_size(step.args[end].sym, by);
  }
  for (Value& value : graph.values)
    if (value.from == Value::From::step && value.type)
      for (SymExpr& size : value.type.edit().shape) exchange_size(size, by);
}

std::vector<std::uint32_t> arenas_first_fit(const std::vector<std::pair<int, int>>& lives,
                                            const std::vector<std::int64_t>& sizes) {
  std::vector<std::uint32_t> out(sizes.size(), 0);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::int64_t low = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t j = 0; j < k; ++j) {
        const bool together = lives[j].first < lives[k].second && lives[k].first < lives[j].second;
        if (together && low < out[j] + sizes[j] && out[j] < low + sizes[k])
          low = out[j] + sizes[j], moved = true;
      }
    }
    out[k] = static_cast<std::uint32_t>(low);
  }
  return out;
}

/// One storage that the program makes, for a plan.
struct Buffer {
  int value = 0;  // the value that makes it
  int first = 0, last = 0;
  int last_read = -1;  // step of the last read; the number of steps: the return
  std::int64_t size = 0;
};

/// zeros_like, sym_storage_offset and the like read no byte of their operands.
bool reads_nothing(const Draft::Call& call) {
  const Schema* schema = find_schema(call.op);
  const Meaning meaning = schema == nullptr ? Meaning::opaque : meaning_of(base_name(call.op), *schema);
  return meaning == Meaning::fill || meaning == Meaning::empty || meaning == Meaning::ignored;
}

/// Empty if values do not lie as a planner would place them.
std::optional<std::vector<Buffer>> buffers_of(const Draft& program) {
  std::map<int, Buffer> out;
  const int n = static_cast<int>(program.calls.size());
  for (int k = 0; k < n; ++k) {
    const Draft::Call& call = program.calls[static_cast<std::size_t>(k)];
    for (const int v : operands(call))
      if (const auto at = out.find(program.shown.at(v).storage); at != out.end()) {
        at->second.last = k + 1;
        if (!program.is_view(call) && !reads_nothing(call)) at->second.last_read = k;
      }
    for (const int v : call.results()) {
      const Shown& at = program.shown.at(v);
      if (program.is_input_storage(at.storage)) continue;
      if (!at.known || bit_width(at.dtype) < 8) return std::nullopt;
      const auto [made, is_new] = out.emplace(at.storage, Buffer{v, k, k + 1});
      if (is_new && (!contiguous(at) || at.offset != 0)) return std::nullopt;
      if (is_new) made->second.size = fuzz::count(at.shape) * bit_width(at.dtype) / 8;
    }
  }
  for (const int v : program.outputs)
    if (const auto at = out.find(program.shown.at(v).storage); at != out.end())
      at->second.last_read = n, at->second.last = n + 2;
  std::vector<Buffer> list;
  for (const auto& [storage, buffer] : out) list.push_back(buffer);
  std::sort(list.begin(), list.end(), [](const Buffer& a, const Buffer& b) { return a.first < b.first; });
  return list;
}

/// Plants the fault where it is wrong for certain; false if there is no such place.
bool break_plan(Plan& plan, const std::vector<Buffer>& buffers, const std::string& fault, Random& random) {
  const auto at = random.place_in(buffers);
  PlanBuffer& one = plan.buffers[at];
  const Buffer& it = buffers[at];
  if (it.size == 0) return false;
  if (fault == "plan-small") {
    one.size = SymExpr(it.size - 1);
    return true;
  }
  if (fault == "plan-outside") {
    one.offset = plan.arenas[0].size;
    return true;
  }
  if (fault == "plan-short-life") {  // the planner believes that the value dies before its last read
    if (it.last_read <= it.first || it.last - it.first < 2) return false;
    one.lower = it.first, one.upper = it.last_read > it.first + 1 ? it.last_read : it.first + 1;
    return *one.upper <= it.last_read;
  }
  for (std::size_t k = 0; k < buffers.size(); ++k)  // written while `it` is still live
    if (buffers[k].first > it.first && buffers[k].first < it.last_read && buffers[k].size > 0) {
      plan.buffers[k].offset = one.offset;
      plan.arenas[0].size = SymExpr(plan.arenas[0].size.constant() + buffers[k].size);
      return true;
    }
  return false;
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// True if names and edges order `from` before `to`.
bool behind(const Edges& edges, const Draft& draft, std::size_t from, std::size_t to) {
  std::vector<bool> reached(draft.calls.size(), false);
  reached[from] = true;
  for (std::size_t k = from + 1; k <= to; ++k) {
    const auto used = operands(draft.calls[k]);
    for (std::size_t j = from; j < k; ++j) {
      const auto made = draft.calls[j].results();
      if (reached[j] && std::find_first_of(used.begin(), used.end(), made.begin(), made.end()) != used.end())
        reached[k] = true;
    }
    for (const auto& [a, b] : edges)
      if (b == k && reached[a]) reached[k] = true;
  }
  return reached[to];
}

/// Removes an edge that the other edges and names do not imply.
bool drop_edge(Edges& edges, const Draft& draft, Random& random) {
  for (int tries = 0; tries < 12 && !edges.empty(); ++tries) {
    const auto at = random.place_in(edges);
    Edges rest = edges;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    if (behind(rest, draft, edges[at].first, edges[at].second)) continue;
    edges = std::move(rest);
    return true;
  }
  return false;
}

void type_inputs(Graph& graph, const Draft& draft) {
  for (std::size_t k = 0; k < draft.outputs.size(); ++k) {
    const ValueId id = graph.outputs[k].ref;
    const Shown& at = draft.shown.at(draft.outputs[k]);
    if (graph.values[id.index].type) continue;
    graph.values[id.index].type = Type{};
    graph.values[id.index].type.edit().dtype = at.dtype;
    graph.values[id.index].type.edit().shape.assign(at.shape.begin(), at.shape.end());
    graph.values[id.index].type.edit().strides = Type::Strides::unknown;
  }
}

Graph branch_of(const Draft& draft, const std::string& name) {
  Graph out = draft.graph();
  out.name = name;
  out.device.clear();  // the device is that of its operands
  type_inputs(out, draft);
  return out;
}

Graph caller(const Draft& draft, const std::string& yes, const std::string& no) {
  Draft empty = draft;
  empty.calls.clear();
  empty.outputs.clear();
  Graph out = empty.graph();
  Value flag;
  flag.name = "flag";
  flag.at = static_cast<std::uint32_t>(out.inputs.size());
  flag.type = Type{};
  flag.type.edit().dtype = Dtype::boolean;
  const ValueId condition(out.values.size());
  out.values.push_back(flag);
  Input input;
  input.value = condition;
  Step step;
  step.op = "higher_order.cond";
  std::vector<Arg> given;
  for (const Input& one : out.inputs) given.push_back(Arg::of(one.value));
  out.inputs.push_back(input);
  step.args = {Arg::of(condition), Arg::of_graph(yes), Arg::of_graph(no), Arg::of(std::move(given))};
  for (std::size_t k = 0; k < draft.outputs.size(); ++k) {
    const Shown& at = draft.shown.at(draft.outputs[k]);
    Value made;
    made.name = "r" + std::to_string(k);
    made.from = Value::From::step;
    made.result = static_cast<std::uint32_t>(k);
    made.type = Type{};
    made.type.edit().dtype = at.dtype;
    made.type.edit().shape.assign(at.shape.begin(), at.shape.end());
    made.type.edit().strides = Type::Strides::unknown;
    step.results.emplace_back(out.values.size());
    out.outputs.push_back(Arg::of(ValueId(out.values.size())));
    out.values.push_back(std::move(made));
  }
  out.steps.push_back(std::move(step));
  return out;
}

bool same_outputs(const Draft& a, const Draft& b) {
  if (a.outputs.size() != b.outputs.size()) return false;
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    const Shown &x = a.shown.at(a.outputs[k]), &y = b.shown.at(b.outputs[k]);
    if (x.shape != y.shape || x.dtype != y.dtype || x.stride != y.stride) return false;
  }
  return true;
}

}  // namespace

bool symbolise(Case& value, Random& random) {
  std::set<std::int64_t> sizes;
  for (const Input& input : value.before->inputs) {
    if (!input.storage.empty()) return false;  // its size is constant
    const Type& type = *value.before->value(input.value).type;
    if (type.strides != Type::Strides::contiguous) return false;
    if (input.contents) continue;
    for (const SymExpr& size : type.shape) sizes.insert(size.constant());
  }
  int named = 0;
  std::string smaller;
  const bool all = random.chance(40);
  for (const std::int64_t size : sizes) {
    if (!random.chance(60)) continue;
    const std::string text = "s" + std::to_string(named++);
    SymbolRange range;
    // For sizes from the original one on, all slices are in range; below it they may not be.
    range.min = random.chance(80) ? size : random.below(3);
    if (random.chance(70)) range.max = range.min + random.between(size, size + 6);
    value.symbols[text] = range;
    const Symbol by{size, SymExpr::symbol(text), random.chance(70), all};
    exchange_sizes(*value.before, by);
    exchange_sizes(value.after, by);
    if (!smaller.empty() && random.chance(40))  // sizes in ascending order
      value.assume.push_back({SymRelation::Kind::le, SymExpr::symbol(smaller), by.symbol});
    smaller = text;
  }
  return named > 0;
}

bool loosen(Case& value, const Draft& after, bool drop, Random& random) {
  value.dataflow = true;
  Graph& graph = value.after;
  const auto storages = [&](const std::vector<int>& all) {
    std::set<int> out;
    for (const int v : all) out.insert(after.shown.at(v).storage);
    return out;
  };
  Edges edges;
  const bool apart = drop || random.chance(50);  // without streams, only names and edges order
  for (std::size_t k = 0; k < after.calls.size(); ++k) {
    graph.steps[k].extras.edit().id = graph.steps[k].results.empty() ? "w" + std::to_string(k) : "";
    graph.steps[k].extras.edit().stream = apart ? "" : "t" + std::to_string(random.below(3));
    for (std::size_t j = 0; j < k; ++j) {
      const Draft::Call &a = after.calls[j], &b = after.calls[k];
      const auto wa = storages(written(a)), wb = storages(written(b)), ua = storages(operands(a)),
                 ub = storages(operands(b));
      const auto meet = [](const std::set<int>& x, const std::set<int>& y) {
        return std::any_of(x.begin(), x.end(), [&](int s) { return y.contains(s); });
      };
      const auto made = storages(a.results());
      if (meet(wa, ub) || meet(wb, ua) || (meet(made, wb)) || (is_effect(a) && is_effect(b)))
        edges.emplace_back(j, k);
    }
  }
  if (drop && !drop_edge(edges, after, random)) return false;
  for (const auto& [from, to] : edges) {
    const Step& first = graph.steps[from];
    graph.steps[to].extras.edit().after.push_back(first.results.empty() ? first.extras->id
                                                                        : graph.value(first.results[0]).name);
  }
  return true;
}

std::optional<Case> branched(const Draft& before, const Draft& after, const Draft& other_before,
                             const Draft& other_after) {
  Draft ran = after, other_ran = other_after;
  if (!refresh(ran) || !refresh(other_ran)) return std::nullopt;
  if (before.outputs.empty() || !same_outputs(before, ran) || !same_outputs(before, other_before) ||
      !same_outputs(before, other_ran))
    return std::nullopt;
  for (const Draft::Entry& entry : before.inputs)
    if (!entry.contents.empty()) return std::nullopt;  // a body has no constants of its own
  Case out;
  out.bodies["yes"] = branch_of(before, "yes");
  out.bodies["yes2"] = branch_of(ran, "yes2");
  out.bodies["no"] = branch_of(other_before, "no");
  out.bodies["no2"] = branch_of(other_ran, "no2");
  for (auto& [name, body] : out.bodies)
    for (Input& input : body.inputs) input.storage.clear(), input.storage_numel.reset();
  out.before = caller(before, "yes", "no");
  out.after = caller(before, "yes2", "no2");
  return out;
}

std::optional<Case> planned(const Draft& program, const std::string& fault, Random& random) {
  for (const Draft::Call& call : program.calls)
    if (writes(call) || is_effect(call)) return std::nullopt;
  const auto buffers = buffers_of(program);
  if (!buffers || buffers->empty()) return std::nullopt;
  Case out;
  out.after = program.graph();
  std::vector<std::pair<int, int>> lives;
  std::vector<std::int64_t> sizes;
  for (const Buffer& b : *buffers) lives.emplace_back(b.first, b.last), sizes.push_back((b.size + 7) / 8 * 8);
  const auto offsets = arenas_first_fit(lives, sizes);
  Plan plan;
  std::int64_t top = 0;
  for (std::size_t k = 0; k < buffers->size(); ++k) {
    top = std::max(top, offsets[k] + sizes[k]);
    PlanBuffer one;
    one.name = program.prefix + std::to_string((*buffers)[k].value);
    one.is_value = true;
    one.offset = SymExpr(static_cast<std::int64_t>(offsets[k]));
    one.size = SymExpr((*buffers)[k].size);
    plan.buffers.push_back(std::move(one));
  }
  plan.arenas.push_back({"1", SymExpr(top), 1});
  if (!fault.empty() && !break_plan(plan, *buffers, fault, random)) return std::nullopt;
  out.plan = std::move(plan);
  return out;
}

}  // namespace noclobber::fuzz
