#include "src/ops/wrapper_sites.h"

#include <algorithm>
#include <map>

#include "src/ops/decl.h"

namespace noclobber {

namespace {

std::string type_of(const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::sym:
      return "SymInt";
    case Arg::Kind::real:
      return "float";
    case Arg::Kind::boolean:
      return "bool";
    case Arg::Kind::text:
    case Arg::Kind::graph:
      return "str";
    case Arg::Kind::dtype:
      return "ScalarType";
    case Arg::Kind::device:
      return "Device";
    case Arg::Kind::none:
    case Arg::Kind::ref:
      return "Tensor?";
    case Arg::Kind::list:
      return arg.list.empty()                      ? "Tensor[]"
             : arg.list[0].kind == Arg::Kind::sym  ? "SymInt[]"
             : arg.list[0].kind == Arg::Kind::real ? "float[]"
                                                   : "Tensor[]";
  }
  return "Tensor?";
}

std::size_t base_count(const Step& step) {
  const Arg* listed = keyword(step, "_all_bases");
  return listed != nullptr ? listed->list.size() : 0;
}

/// False if a result of the wrapper after the first `count` is known to differ in type from the base that it
/// replaces.
bool replaces_bases(const Site& site, std::size_t count) {
  const Arg* listed = keyword(*site.step, "_all_bases");
  for (std::size_t k = 0; listed != nullptr && k < listed->list.size(); ++k) {
    const Arg& base = listed->list[k];
    if (count + k >= site.step->results.size() || base.kind != Arg::Kind::ref) continue;
    const ValueId result = site.step->results[count + k];
    if (!result.valid()) continue;
    const auto &is = site.graph->value(result).type, &was = site.graph->value(base.ref).type;
    if (is && was && (is->dtype != was->dtype || is->shape != was->shape)) return false;
  }
  return true;
}

}  // namespace

bool is_wrapper(const Step& step) { return step.op == kV1 || step.op == kV2; }

const Arg* keyword(const Step& step, const std::string& name) {
  for (const auto& [key, arg] : step.kwargs)
    if (key == name) return &arg;
  return nullptr;
}

Given unwritten(std::string name, Arg plain) {
  Given out;
  out.name = std::move(name);
  out.plain = std::move(plain);
  return out;
}

std::vector<Given> given(const Step& step) {
  std::vector<Given> out;
  for (const auto& [key, arg] : step.kwargs) {
    if (key == "_all_bases" || key == "_only_clone_these_bases") {
      if (step.op == kV1) out.push_back(unwritten(key, arg));
    } else if (step.op == kV1 || key[0] != '_') {
      out.push_back(unwritten(key, arg));
    } else if (key.ends_with("_length") && arg.kind == Arg::Kind::sym && arg.sym.is_constant() &&
               arg.sym.constant() >= 0 && arg.sym.constant() < 1000) {
      Given list{key.substr(1, key.size() - 8), true, true, {}, {}};
      for (std::int64_t k = 0; k < arg.sym.constant(); ++k)
        list.view_prefix.push_back("_" + list.name + "_" + std::to_string(k));
      out.push_back(std::move(list));
    } else if (key.ends_with("_base_index")) {
      const std::string name = key.substr(1, key.size() - 12);
      const bool item = std::any_of(out.begin(), out.end(), [&](const Given& g) {
        return std::find(g.view_prefix.begin(), g.view_prefix.end(), "_" + name) != g.view_prefix.end();
      });
      if (!item) out.push_back({name, true, false, {}, {"_" + name}});
    }
  }
  return out;
}

std::string wrapped_op(const Step& step) {
  return step.args.empty() || step.args[0].kind != Arg::Kind::text ? "" : full_op_name(step.args[0].text);
}

std::vector<Site> sites(const Case& value, const std::string& op, bool wrapped) {
  std::vector<Site> out;
  for (const Graph* graph : {value.before ? &*value.before : nullptr, &value.after}) {
    if (graph == nullptr) continue;
    for (const Step& step : graph->steps)
      if (is_wrapper(step) == wrapped && (wrapped ? wrapped_op(step) : *step.op) == op)
        out.push_back({graph, &step});
  }
  return out;
}

bool gives_tensor(const std::vector<Site>& all) {
  return std::any_of(all.begin(), all.end(), [](const Site& s) {
    return !s.step->results.empty() && s.step->results[0].valid() && s.graph->value(s.step->results[0]).type;
  });
}

std::size_t result_count(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                         const Schema* known) {
  if (known != nullptr) return std::max<std::size_t>(known->returns.size(), 1);
  std::size_t least = 1, most = 1;
  for (const Site& call : calls) least = std::max(least, call.step->results.size());
  for (const Site& site : wrapped) {
    if (site.step->op == kV1) return 1;
    const std::size_t all = site.step->results.size(), bases = base_count(*site.step);
    least = std::max(least, all > bases ? all - bases : 1);
    most = std::max(most, all);
  }
  const auto fits = [&](std::size_t count) {
    return std::all_of(wrapped.begin(), wrapped.end(),
                       [&](const Site& s) { return replaces_bases(s, count); });
  };
  while (least < most && !fits(least)) ++least;
  return least;
}

OpDecl declaration(const std::string& op, const std::vector<Given>& order, std::size_t returns) {
  const std::size_t first = op.find('.'), second = op.find('.', first + 1);
  OpDecl out;
  const std::string overload = op.substr(second + 1);
  out.schema = op.substr(0, first) + "::" + op.substr(first + 1, second - first - 1) +
               (overload == "default" ? "" : "." + overload) + "(";
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Given& g = order[k];
    const std::string alias = "(a" + std::to_string(k) + "!)";
    out.schema += (k > 0 ? ", " : "") +
                  (g.written ? "Tensor" + alias + (g.list ? "[]" : "?") : type_of(g.plain)) + " " + g.name;
  }
  out.schema += ") -> ";
  if (returns != 1) out.schema += "(";
  for (std::size_t k = 0; k < returns; ++k) out.schema += k > 0 ? ", Tensor" : "Tensor";
  if (returns != 1) out.schema += ")";
  return out;
}

std::vector<OpDecl> effectful_ops(const Case& value) {
  const auto known = make_op_set(value.ops);
  std::map<std::string, OpDecl> found;
  std::map<std::string, std::size_t> results;
  for (const Graph* graph : {value.before ? &*value.before : nullptr, &value.after}) {
    if (graph == nullptr || !known) continue;
    for (const Step& step : graph->steps) {
      if (step.op != kEffects || step.args.size() < 2 || step.args[1].kind != Arg::Kind::text) continue;
      const std::string op = full_op_name(step.args[1].text);
      if (op.empty() || known->find(op) != nullptr) continue;
      std::size_t& count = results[op];
      count = std::max(count, std::max<std::size_t>(step.results.size(), 1) - 1);
      std::vector<Given> order;
      for (std::size_t k = 2; k < step.args.size(); ++k)
        order.push_back(unwritten("a" + std::to_string(k - 2), step.args[k]));
      for (const auto& [key, arg] : step.kwargs) order.push_back(unwritten(key, arg));
      found.insert_or_assign(op, declaration(op, order, count));
      found[op].pure = false;
    }
  }
  std::vector<OpDecl> out;
  for (auto& [op, decl] : found) out.push_back(std::move(decl));
  return out;
}

}  // namespace noclobber
