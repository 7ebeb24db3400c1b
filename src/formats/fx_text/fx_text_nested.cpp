// Nested modules: inside a module, or listed after it.
#include <utility>

#include "src/formats/fx_text/fx_text_module.h"

namespace noclobber {
namespace {

constexpr int kDeepestModule = 32;

}  // namespace

/// An attribute belongs to the module whose `forward` reads it: two bodies have a `_tensor_constant0` each.
void fx_qualify_attributes(Graph& graph, const std::string& path) {
  for (const Input& input : graph.inputs)
    if (std::string& name = graph.values[input.value.index].name; input.kind == Input::Kind::constant)
      name.insert(0, path);
  for (auto& [name, body] : graph.bodies) fx_qualify_attributes(body, path + name + ".");
}

std::string_view fx_last_name(std::string_view name) { return name.substr(name.rfind('/') + 1); }

void FxModule::nested() {
  while (!cursor_.at_end()) {
    const std::size_t width = fx_indentation(cursor_);
    const bool is_class = cursor_.rest().substr(width).starts_with("class ");
    if (is_class && width == start_ && depth_ == 0 && start_ < indent_) {
      sibling();
      continue;
    }
    if (!is_class || width != indent_) return;
    if (depth_ == kDeepestModule) return cursor_.fail("modules are nested too deep");
    Graph body;
    FxModule(text_, body, depth_ + 1).read();
    if (cursor_.failed()) return;
    const std::string name(fx_last_name(body.name));
    if (!graph_.bodies.try_emplace(name, std::move(body)).second)
      return cursor_.fail("two modules have one name");
  }
}

/// `class <lambda>/true_graph_0/body_graph_0(...)` after the module that it belongs to.
void FxModule::sibling() {
  Graph body;
  FxModule(text_, body, depth_ + 1).read();
  if (cursor_.failed()) return;
  std::string_view path = body.name;
  if (path.starts_with(graph_.name + "/")) path.remove_prefix(graph_.name.size() + 1);
  Graph* owner = &graph_;
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    const auto found = owner->bodies.find(std::string(path.substr(0, slash)));
    if (found == owner->bodies.end()) return cursor_.fail("a module stands before the one it belongs to");
    owner = &found->second;
    path.remove_prefix(slash + 1);
  }
  const std::string name(path);
  if (!owner->bodies.try_emplace(name, std::move(body)).second) cursor_.fail("two modules have one name");
}

}  // namespace noclobber
