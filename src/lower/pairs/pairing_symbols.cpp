#include "src/lower/pairs/pairing_symbols.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/graph/uses.h"

namespace noclobber {

namespace {

using Meanings = std::map<std::string, SymExpr>;

SymExpr substituted(const SymExpr& value, const Meanings& meanings) {
  if (value.is_constant()) return value;
  std::vector<SymExpr> stack;
  const auto pop = [&] {
    SymExpr top = std::move(stack.back());
    stack.pop_back();
    return top;
  };
  for (const SymExpr::Node& node : value.nodes()) {
    if (node.op == SymExpr::Op::constant) {
      stack.emplace_back(node.number);
    } else if (node.op == SymExpr::Op::symbol) {
      const auto found = meanings.find(node.text);
      stack.push_back(found == meanings.end() ? SymExpr::symbol(node.text) : found->second);
    } else if (node.op == SymExpr::Op::opaque) {
      std::vector<SymExpr> arguments(static_cast<std::size_t>(node.number));
      for (std::size_t k = arguments.size(); k > 0; --k) arguments[k - 1] = pop();
      stack.push_back(SymExpr::opaque(node.text, arguments));
    } else {
      const SymExpr right = pop();
      SymExpr left = pop();
      stack.push_back(SymExpr::binary(node.op, std::move(left), right));
    }
  }
  return pop();
}

void substitute(SymExpr& value, const Meanings& meanings) { value = substituted(value, meanings); }

void substitute(Arg& arg, const Meanings& meanings) {
  substitute(arg.sym, meanings);
  for (Arg& item : arg.list.items()) substitute(item, meanings);
}

void substitute(Type& type, const Meanings& meanings) {
  for (SymExpr& size : type.shape) substitute(size, meanings);
  for (SymExpr& step : type.stride) substitute(step, meanings);
  substitute(type.offset, meanings);
}

void substitute(Graph& graph, const Meanings& meanings) {
  for (Value& value : graph.values)
    if (value.type) substitute(value.type.edit(), meanings);
  for (Input& input : graph.inputs)
    if (input.storage_numel) substitute(*input.storage_numel, meanings);
  for (auto& [name, number] : graph.numbers) substitute(number, meanings);
  for (Step& step : graph.steps) {
    for (Arg& arg : step.args) substitute(arg, meanings);
    for (auto& [key, arg] : step.kwargs.items()) substitute(arg, meanings);
    if (const auto told = meanings.find(step.extras->tells); told != meanings.end())
      step.extras.edit().tells = told->second.text();
  }
  for (Arg& output : graph.outputs) substitute(output, meanings);
  for (auto& [input, content] : graph.finals) substitute(content, meanings);
  for (auto& [name, body] : graph.bodies) substitute(body, meanings);
}

Meanings shown_meanings(const Graph& before, const Graph& after) {
  std::map<std::string, const Type*> types;
  for (const Input& input : before.inputs) {
    const Value& value = before.value(input.value);
    if (value.type) types[value.name] = &*value.type;
  }
  Meanings meanings;
  for (const Input& input : after.inputs) {
    const Value& value = after.value(input.value);
    const auto same = types.find(value.name);
    if (!value.type || same == types.end() || same->second->shape.size() != value.type->shape.size())
      continue;
    for (std::size_t k = 0; k < value.type->shape.size(); ++k)
      if (const std::string& name = value.type->shape[k].bare_symbol(); !name.empty())
        meanings.emplace(name, same->second->shape[k]);
  }
  const std::map<std::string, SymExpr> numbers(before.numbers.begin(), before.numbers.end());
  for (const auto& [name, number] : after.numbers)
    if (const auto same = numbers.find(name); same != numbers.end() && !number.bare_symbol().empty())
      meanings.emplace(number.bare_symbol(), same->second);
  return meanings;
}

using MadeSizes = std::map<std::string, std::optional<SizeMade>>;

/// The operators that introduce symbols which `other`, with the sizes `known`, does not have, in step order:
/// (operator, symbol).
std::vector<std::pair<std::string, std::string>> own_symbols(const Graph& graph, const MadeSizes& sizes,
                                                             const Graph& other, const MadeSizes& known) {
  std::set<std::string> told;
  for (const Step& step : other.steps) told.insert(step.extras->tells);
  std::vector<std::pair<std::string, std::string>> out;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    const auto take = [&](const std::string& symbol) {
      if (!known.contains(symbol) && !told.contains(symbol)) out.emplace_back(step.op, symbol);
    };
    if (!step.extras->tells.empty()) take(step.extras->tells);
    for (const auto& [symbol, made] : sizes)
      if (made && made->step == k) take(symbol);
  }
  return out;
}

/// Graphs that were traced separately name data-dependent sizes differently. If the same operators introduce
/// them in the same order, they are taken for the same symbols, which the proof must then confirm.
void match_made(const Graph& before, const Graph& after, Meanings& meanings) {
  const MadeSizes was = sizes_made(before), is = sizes_made(after);
  const auto ours = own_symbols(before, was, after, is), theirs = own_symbols(after, is, before, was);
  const auto same_op = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!std::ranges::equal(ours, theirs, same_op)) return;
  for (std::size_t k = 0; k < ours.size(); ++k)
    meanings.emplace(theirs[k].second, SymExpr::symbol(ours[k].second));
}

bool is_identity(const Meanings& meanings) {
  return std::ranges::all_of(meanings, [](const auto& row) { return row.second.bare_symbol() == row.first; });
}

}  // namespace

void match_symbols(const Side& before, Side& after) {
  Meanings meanings = shown_meanings(before.graph, after.graph);
  match_made(before.graph, after.graph, meanings);
  if (is_identity(meanings)) return;
  std::set<std::string> taken;
  for (const auto& [name, range] : before.facts.symbols) taken.insert(name);
  for (const auto& [name, range] : after.facts.symbols) taken.insert(name);
  std::set<std::string> used;
  for (const auto& [name, meaning] : meanings)
    for (std::string& symbol : meaning.symbols()) used.insert(std::move(symbol));
  std::map<std::string, SymbolRange> ranges;
  for (const auto& [name, range] : after.facts.symbols) {
    if (meanings.contains(name)) continue;
    std::string fresh = name;
    for (int k = 1; used.contains(name) && taken.contains(fresh); ++k) fresh = name + "_" + std::to_string(k);
    taken.insert(fresh);
    if (fresh != name) meanings.emplace(name, SymExpr::symbol(fresh));
    ranges.emplace(std::move(fresh), range);
  }
  after.facts.symbols = std::move(ranges);
  for (SymRelation& relation : after.facts.assume) {
    substitute(relation.left, meanings);
    substitute(relation.right, meanings);
  }
  substitute(after.graph, meanings);
  for (auto& [name, body] : after.facts.bodies) substitute(body, meanings);
}

}  // namespace noclobber
