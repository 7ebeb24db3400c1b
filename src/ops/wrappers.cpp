#include "src/ops/wrappers.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "src/graph/uses.h"
#include "src/ops/decl.h"
#include "src/ops/wrapper_sites.h"

namespace noclobber {
namespace {

constexpr std::size_t kReadings = 8;
constexpr std::size_t kArguments = 12;

/// Does the value, or the base that wrapped calls made it of, have that name? Once it is reinplaced, a base
/// has the name of what it was.
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

/// The same value by name, or the same constant.
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

/// Orders that keep the written ones and the others in their own sequence and fit a direct call.
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

/// For v1: which tensor arguments are written, as far as copies back into inputs do not contradict.
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

/// Replaces the wrapper calls of one operator in a graph.
class Writer {
 public:
  /// `returns`: results of the operator; without any the wrapper still has a place for one.
  Writer(Graph& graph, const std::string& op, const std::vector<Given>& order, std::size_t returns)
      : graph_(graph), op_(op), order_(order), returns_(returns) {}

  void run() {
    const std::vector<Step> old = std::exchange(graph_.steps, {});
    for (const Step& step : old) {
      if (is_wrapper(step) && wrapped_op(step) == op_) {
        write(step);
      } else {
        graph_.steps.push_back(step);
      }
    }
    number_values(graph_);
  }

 private:
  ValueId emit(const Step& like, const std::string& op, std::vector<Arg> args, const std::string& suffix) {
    Value value;
    value.name = "auto_functionalized_" + std::to_string(graph_.values.size()) + suffix;
    const ValueId id(graph_.values.size());
    graph_.values.push_back(std::move(value));
    push(like, op, std::move(args), {id});
    return id;
  }

  Step& push(const Step& like, const std::string& op, std::vector<Arg> args, std::vector<ValueId> results) {
    Step step;
    step.op = op;
    step.args = std::move(args);
    step.results = std::move(results);
    step.loc = like.loc;
    step.code = like.code;
    step.line = like.line;
    return graph_.steps.emplace_back(std::move(step));
  }

  Arg view(const Step& step, const std::string& prefix, const std::vector<ValueId>& bases) {
    const Arg* base = keyword(step, prefix + "_base_index");
    if (base == nullptr || base->kind != Arg::Kind::sym || !base->sym.is_constant()) return {};
    const std::int64_t at = base->sym.constant();
    if (at < 0 || at >= static_cast<std::int64_t>(bases.size())) return {};
    const Arg whole = Arg::of(bases[static_cast<std::size_t>(at)]);
    if (const Arg* dim = keyword(step, prefix + "_slice_dim")) {
      const Arg* start = keyword(step, prefix + "_slice_start");
      const Arg* end = keyword(step, prefix + "_slice_end");
      return Arg::of(emit(step, "aten.slice.Tensor",
                          {whole, *dim, start ? *start : Arg{}, end ? *end : Arg{}}, "_view"));
    }
    const Arg* size = keyword(step, prefix + "_size");
    const Arg* stride = keyword(step, prefix + "_stride");
    const Arg* offset = keyword(step, prefix + "_storage_offset");
    if (size == nullptr || stride == nullptr) return whole;
    return Arg::of(
        emit(step, "aten.as_strided.default", {whole, *size, *stride, offset ? *offset : Arg{}}, "_view"));
  }

  void write(const Step& step) {
    std::vector<ValueId> bases;
    std::vector<Arg> args;
    const Arg* listed = keyword(step, "_all_bases");
    for (const Arg& base : listed != nullptr ? listed->list : std::vector<Arg>{})
      bases.push_back(emit(step, "aten.clone.default", {base}, "_base"));
    for (const Given& g : order_) {
      const Arg* plain = keyword(step, g.name);
      if (!g.written) {
        args.push_back(plain != nullptr ? *plain : g.fallback);
      } else if (step.op == kV1) {
        bases.push_back(emit(step, "aten.clone.default", {plain != nullptr ? *plain : Arg{}}, "_base"));
        args.push_back(Arg::of(bases.back()));
      } else if (!g.list) {
        args.push_back(view(step, "_" + g.name, bases));
      } else {
        const Arg* length = keyword(step, "_" + g.name + "_length");
        std::vector<Arg> items;
        for (std::int64_t k = 0; length != nullptr && k < length->sym.constant(); ++k)
          items.push_back(view(step, "_" + g.name + "_" + std::to_string(k), bases));
        args.push_back(Arg::of(std::move(items)));
      }
    }
    const std::size_t first = std::max<std::size_t>(returns_, 1), all = step.results.size();
    std::vector<ValueId> own(step.results.begin(),
                             step.results.begin() + static_cast<std::ptrdiff_t>(std::min(returns_, all)));
    while (!own.empty() && !own.back().valid()) own.pop_back();
    push(step, op_, std::move(args), std::move(own));
    for (std::size_t k = 0; k < bases.size() && k + first < all; ++k)
      if (step.results[k + first].valid())  // what the call has made of the base
        push(step, "aten.alias.default", {Arg::of(bases[k])}, {step.results[k + first]}).barrier = true;
  }

  Graph& graph_;
  const std::string& op_;
  const std::vector<Given>& order_;
  std::size_t returns_;
};

std::set<std::string> wrapped_ops(const Case& value) {
  std::set<std::string> out;
  for (const Graph* graph : {value.before ? &*value.before : nullptr, &value.after}) {
    if (graph == nullptr) continue;
    for (const Step& step : graph->steps)
      if (is_wrapper(step)) out.insert(wrapped_op(step));
  }
  return out;
}

/// The orders of arguments, with the written ones marked, that the operator's declared schema gives or that
/// fit.
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

}  // namespace

bool has_wrappers(const Case& value) { return !wrapped_ops(value).empty() || !effectful_ops(value).empty(); }

Readings written_out(const Case& value) {
  Readings out;
  out.cases.push_back(value);
  for (OpDecl& decl : effectful_ops(value)) {
    const std::string name = decl.schema.substr(0, decl.schema.find('('));
    out.inferred.push_back(full_op_name(name));
    out.cases[0].ops.push_back(std::move(decl));
  }
  const auto declared = make_op_set(out.cases[0].ops);
  for (const std::string& op : wrapped_ops(value)) {
    const std::vector<Site> wrapped = sites(value, op, true), calls = sites(value, op, false);
    const Schema* known = declared ? declared->find(op) : nullptr;
    const auto fitting = signatures(wrapped, calls, known);
    const std::size_t count = result_count(wrapped, calls, known);
    const bool any = known != nullptr ? !known->returns.empty()
                                      : count > 1 || gives_tensor(wrapped) || gives_tensor(calls);
    const std::size_t returns = any ? count : 0;
    if (known == nullptr) out.inferred.push_back(op);
    std::vector<Case> next;
    for (const Case& reading : out.cases)
      for (const std::vector<Given>& order : fitting) {
        next.push_back(reading);
        if (known == nullptr) next.back().ops.push_back(declaration(op, order, returns));
        if (next.back().before) Writer(*next.back().before, op, order, returns).run();
        Writer(next.back().after, op, order, returns).run();
      }
    out.cases = std::move(next);
    if (out.cases.size() > kReadings) out.cases.clear();
    if (out.cases.empty()) return out;
  }
  return out;
}

Case filling(Case reading, const std::vector<std::string>& inferred) {
  for (OpDecl& decl : reading.ops) {
    const auto schema = parse_schema(decl.schema);
    if (!schema || std::ranges::find(inferred, schema->op) == inferred.end()) continue;
    decl.reads_old.emplace();
    for (const SchemaSlot& slot : schema->arguments)
      if (slot.written) decl.writes[slot.name] = "all";
  }
  return reading;
}

}  // namespace noclobber
