#include "src/lower/pte/items.h"

#include <algorithm>

#include "src/lower/pte/builder.h"

namespace noclobber {
namespace {

/// True for a symbol such as "u7": a size or number that no input determines.
bool is_unbacked(const std::string& symbol) {
  return symbol.size() > 1 && symbol[0] == 'u' &&
         std::ranges::all_of(symbol.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

struct BySerial {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

using Unbacked = std::set<std::string, BySerial>;

void add(Unbacked& out, const SymExpr& expression) {
  for (const std::string& symbol : expression.symbols())
    if (is_unbacked(symbol)) out.insert(symbol);
}

void add(Unbacked& out, const Arg& arg) {
  if (arg.kind == Arg::Kind::sym) add(out, arg.sym);
  for (const Arg& item : arg.list) add(out, item);
}

/// The unbacked symbols in the arguments and result types of the steps [first, last).
Unbacked unbacked_of(const Graph& graph, std::size_t first, std::size_t last) {
  Unbacked out;
  for (std::size_t k = first; k < last; ++k) {
    const Step& step = graph.steps[k];
    for (const Arg& arg : step.args) add(out, arg);
    for (const auto& [name, arg] : step.kwargs) add(out, arg);
    for (const ValueId id : step.results) {
      const auto* type = id.valid() && graph.value(id).type ? &*graph.value(id).type : nullptr;
      for (std::size_t d = 0; type != nullptr && d < type->shape.size(); ++d) add(out, type->shape[d]);
    }
  }
  return out;
}

/// True if the symbol is not used before the step, and is among the symbols first used before the next number
/// is read, if there are any.
bool may_tell(const Graph& graph, const std::string& symbol, std::size_t step, std::size_t next) {
  const Unbacked before = unbacked_of(graph, 0, step), behind = unbacked_of(graph, step, next);
  const bool other = std::ranges::any_of(behind, [&](const std::string& s) { return !before.contains(s); });
  return !before.contains(symbol) && (!other || behind.contains(symbol));
}

/// The symbol of the nth number that the functional program reads, or "" if unknown. If the step does not
/// name it, symbols are assumed to be numbered in the order of the reads, provided that their number agrees
/// and none is used too early.
std::string told_by(PteBuilder& p, std::size_t nth, const std::string& op) {
  const Graph& graph = *p.functional;
  std::vector<std::size_t> reads;
  for (std::size_t k = 0; k < graph.steps.size(); ++k)
    if (graph.steps[k].op == op) reads.push_back(k);
  if (nth >= reads.size()) return "";
  const std::string& told = graph.steps[reads[nth]].extras->tells;
  if (!told.empty()) return told;
  const Unbacked symbols = unbacked_of(graph, 0, graph.steps.size());
  if (symbols.size() != reads.size()) return "";
  const std::string& symbol = *std::next(symbols.begin(), static_cast<std::ptrdiff_t>(nth));
  const std::size_t next = nth + 1 < reads.size() ? reads[nth + 1] : graph.steps.size();
  if (!may_tell(graph, symbol, reads[nth], next)) return "";
  p.assume("numbers that are read out of tensors have their symbols in order");
  return symbol;
}

}  // namespace

void item(PteBuilder& p, const std::string& op, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  if (args.size() < 2 || !p.is_tensor(args[0])) return p.misfit(instruction, op);
  const PteValue::Kind kind = p.method.values[args.back()].kind;
  const bool whole = kind == PteValue::Kind::integer || kind == PteValue::Kind::none;
  const Dtype dtype = p.tensor(args[0]).dtype;
  if (!whole || (dtype != Dtype::i64 && dtype != Dtype::i32) || p.functional == nullptr ||
      p.levels.size() > 1)
    return static_cast<void>(p.give_up("executorch.call of " + op));
  const std::string symbol = told_by(p, p.meant.calls[op]++, op);
  if (symbol.empty()) return static_cast<void>(p.give_up("executorch.call of " + op));
  const ValueId value = read(p, args[0]);
  if (!p.going()) return;
  Step made;
  made.op = op;
  made.args = {Arg::of(value)};
  const bool told =
      std::ranges::any_of(p.functional->steps, [&](const Step& s) { return s.extras->tells == symbol; });
  if (told) made.extras.edit().tells = symbol;
  p.graph().steps.push_back(std::move(made));
  p.now.numbers[args.back()] = SymExpr::symbol(symbol);
}

}  // namespace noclobber
