// Infers which arguments of wrapper calls are written, and the order in which the operator takes them.
#include <algorithm>
#include <functional>
#include <map>

#include "src/ops/wrapper_sites.h"

namespace noclobber {
namespace {

constexpr std::size_t kArguments = 12;

/// True if the value has that name, or was made by wrapped calls from a base that has it. After reinplacing,
/// the base appears under its original name.
bool is_called(const Graph& graph, ValueId id, const std::string& name) {
  const Value& value = graph.value(id);
  if (value.name == name) return true;
  if (value.from != Value::From::step || value.result == 0 || !is_wrapper(graph.steps[value.at]))
    return false;
  const Arg* bases = keyword(graph.steps[value.at], "_all_bases");
  return bases != nullptr && std::ranges::any_of(bases->list, [&](const Arg& base) {
           const bool is_earlier = base.kind == Arg::Kind::ref && base.ref.valid() && base.ref != id;
           return is_earlier && value.type && graph.value(base.ref).type == value.type &&
                  is_called(graph, base.ref, name);
         });
}

/// True for values of the same name, or the same constant.
bool same_argument(const Site& a, const Arg& x, const Site& b, const Arg& y) {
  if (x.kind != y.kind) return false;
  if (x.kind == Arg::Kind::ref) return is_called(*a.graph, x.ref, b.graph->value(y.ref).name);
  if (x.kind != Arg::Kind::list) return x == y;
  if (x.list.size() != y.list.size()) return false;
  for (std::size_t k = 0; k < x.list.size(); ++k)
    if (!same_argument(a, x.list[k], b, y.list[k])) return false;
  return true;
}

bool fits(const Site& site, const Given& g, const Site& call, const Arg& arg, bool by_name) {
  if (g.written)
    return g.list ? arg.kind == Arg::Kind::list && arg.list.size() == g.view_prefix.size()
                  : arg.kind == Arg::Kind::ref || arg.kind == Arg::Kind::none;
  return by_name ? same_argument(site, g.plain, call, arg) : g.plain.kind == arg.kind;
}

/// The orders that fit a direct call, with the written arguments and the others each in their own sequence.
std::vector<std::vector<Given>> orders(const Site& site, const std::vector<Given>& all,
                                       const std::vector<Site>& calls) {
  std::vector<Given> written, others;
  for (const Given& g : all) (g.written ? written : others).push_back(g);
  std::vector<std::vector<Given>> out;
  if (calls.empty() || site.step->op == kV1)
    return {site.step->op == kV1 ? all : [&] {
      std::vector<Given> joined = written;
      joined.insert(joined.end(), others.begin(), others.end());
      return joined;
    }()};
  for (const bool by_name : {true, false}) {
    for (const Site& call : calls) {
      if (!out.empty() || call.step->args.size() != all.size()) continue;
      std::vector<Given> order;
      const std::function<void(std::size_t, std::size_t)> place = [&](std::size_t w, std::size_t o) {
        const std::size_t at = w + o;
        if (out.size() > kReadings) return;
        if (at == all.size()) return out.push_back(order);
        const auto next = [&](const Given& g, std::size_t dw, std::size_t d_o) {
          if (!fits(site, g, call, call.step->args[at], by_name)) return;
          order.push_back(g);
          place(w + dw, o + d_o);
          order.pop_back();
        };
        if (w < written.size()) next(written[w], 1, 0);
        if (o < others.size()) next(others[o], 0, 1);
      };
      place(0, 0);
    }
  }
  return out;
}

/// For v1: the choices of written tensor arguments that copies back into inputs do not contradict.
std::vector<std::vector<Given>> with_written(const std::vector<Site>& wrapped,
                                             const std::vector<Given>& all) {
  const Step& step = *wrapped.front().step;
  const std::size_t count = std::max<std::size_t>(step.results.size(), 2) - 1;
  std::vector<std::vector<Given>> out;
  for (std::uint32_t mask = 0; mask < (1U << all.size()); ++mask) {
    std::vector<Given> choice = all;
    std::vector<std::size_t> written;
    bool tensors = true;
    for (std::size_t k = 0; k < all.size(); ++k) {
      choice[k].written = ((mask >> k) & 1U) != 0;
      if (choice[k].written) written.push_back(k);
      tensors = tensors && (!choice[k].written || all[k].plain.kind == Arg::Kind::ref);
    }
    if (!tensors || written.size() != count) continue;
    std::map<ValueId, ValueId> origin;  // result of a wrapper -> the input it replaces, under this choice
    bool agrees = true;
    for (const Site& site : wrapped) {
      if (site.graph != wrapped.front().graph) continue;
      const std::vector<Given> here = given(*site.step);
      for (std::size_t k = 0; k < written.size() && k + 1 < site.step->results.size(); ++k) {
        if (here.size() != all.size() || here[written[k]].plain.kind != Arg::Kind::ref) continue;
        const ValueId from = here[written[k]].plain.ref;
        origin[site.step->results[k + 1]] = origin.contains(from) ? origin[from] : from;
      }
    }
    for (const Step& s : wrapped.front().graph->steps)
      if (s.op == "aten.copy_.default" && s.args.size() > 1 && s.args[1].kind == Arg::Kind::ref &&
          origin.contains(s.args[1].ref))
        agrees = agrees && s.args[0].kind == Arg::Kind::ref && origin[s.args[1].ref] == s.args[0].ref;
    if (agrees) out.push_back(std::move(choice));
  }
  return out;
}

}  // namespace

std::vector<std::vector<Given>> signatures(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                                           const Schema* known) {
  const std::vector<Given> all = given(*wrapped.front().step);
  if (all.size() > kArguments) return {};
  if (known == nullptr)
    return wrapped.front().step->op == kV1 ? with_written(wrapped, all) : orders(wrapped.front(), all, calls);
  std::vector<Given> order;
  for (const SchemaSlot& slot : known->arguments) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Given& g) { return g.name == slot.name; });
    Given g = at == all.end() ? unwritten(slot.name, {}) : *at;
    g.written = slot.written;
    g.fallback = slot.fallback.value_or(Arg{});
    order.push_back(std::move(g));
  }
  return {order};
}

}  // namespace noclobber
