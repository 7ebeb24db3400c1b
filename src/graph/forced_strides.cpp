#include "src/graph/forced_strides.h"

namespace noclobber {
namespace {

bool has_strides(const Graph& graph, const Arg& tensor, const Arg& wanted) {
  if (tensor.kind != Arg::Kind::ref || !tensor.ref.valid() || wanted.kind != Arg::Kind::list) return false;
  const SharedType& type = graph.value(tensor.ref).type;
  if (!type || type->strides != Type::Strides::given || type->stride.size() != wanted.list.size())
    return false;
  for (std::size_t k = 0; k < wanted.list.size(); ++k)
    if (wanted.list[k].kind != Arg::Kind::sym || !(wanted.list[k].sym == type->stride[k])) return false;
  return true;
}

void show(Graph& graph) {
  for (Step& step : graph.steps) {
    if (step.op != "prims.inductor_force_stride_order.default" || step.args.size() != 2 ||
        !step.kwargs.empty())
      continue;
    if (!has_strides(graph, step.args[0], step.args[1])) continue;
    step.op = "aten.alias.default";
    step.args.pop_back();
  }
}

}  // namespace

void show_forced_strides(Case& value) {
  if (value.before) show(*value.before);
  show(value.after);
}

}  // namespace noclobber
