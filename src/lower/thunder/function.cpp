// Steps of operators that the reader of traces declares itself.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/lower/thunder/builder.h"

namespace noclobber {

namespace {

bool is_reference(const Arg& arg) { return arg.kind == Arg::Kind::ref; }

/// The arguments of a declared operator, and their types in its schema.
struct FunctionArguments {
  std::vector<Arg> args;
  std::string kinds, slots;

  /// Appends an argument. Tensors in a mixed list, as in `(slice(None,None,None), t3)`, are appended after
  /// that list.
  void take(Arg arg, const std::string& name, bool written) {
    const bool mixed = arg.kind == Arg::Kind::list && !std::ranges::all_of(arg.list, is_reference);
    std::vector<Arg> tensors;
    if (mixed) lift(arg, tensors);
    const bool list = arg.kind == Arg::Kind::list && !mixed && !arg.list.empty();
    if (written && is_reference(arg)) {
      kinds += 'w';
      slots += fmt::format("{}Tensor({}!) {}", slots.empty() ? "" : ", ", name, name);
      return args.push_back(std::move(arg));
    }
    add(std::move(arg), list ? "Tensor[]" : "Any", list ? 'l' : 'a', name);
    for (std::size_t k = 0; k < tensors.size(); ++k)
      add(std::move(tensors[k]), "Any", 'a', fmt::format("{}_{}", name, k));
  }

 private:
  static void lift(Arg& arg, std::vector<Arg>& into) {
    for (Arg& item : arg.list.items()) {
      lift(item, into);
      if (is_reference(item)) into.push_back(std::exchange(item, Arg::of_text("tensor")));
    }
  }

  void add(Arg arg, std::string_view type, char kind, const std::string& name) {
    const bool tensor = is_reference(arg);
    kinds += tensor ? 't' : kind;
    slots += fmt::format("{}{} {}", slots.empty() ? "" : ", ", tensor ? "Tensor" : type, name);
    args.push_back(std::move(arg));
  }
};

}  // namespace

bool emit_thunder_function(ThunderBuilder& builder, const ThunderBuilder::Call& call,
                           ThunderFootprint footprint) {
  FunctionArguments given;
  const auto take = [&](const ThunderThing& thing, const std::string& name, bool writes = false) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    given.take(*std::move(arg), name, writes);
    return true;
  };
  const auto& written = footprint.written;
  for (std::size_t k = 0; k < call.args.size(); ++k)
    if (!take(call.args[k], fmt::format("a{}", k), std::ranges::find(written, k) != written.end()))
      return false;
  for (const auto& [key, thing] : call.kwargs)
    if (!take(thing, "kw_" + key)) return false;
  const PythonExpr& target = call.statement->target;
  const bool many = target.kind == PythonExpr::Kind::sequence;
  const std::size_t results = many ? target.items.size() : 1;
  std::string returns;
  for (std::size_t k = 0; k < results; ++k) returns += k == 0 ? "Tensor" : ", Tensor";
  const std::string name =
      fmt::format("{}_{}{}", call.name, given.kinds, results == 1 ? "" : std::to_string(results));
  if (results != 1) returns = "(" + returns + ")";
  OpDecl decl;
  decl.schema = fmt::format("thunder::{}({}) -> {}", name, given.slots, returns);
  decl.pure = footprint.pure;
  for (std::size_t k = 0; k < results; ++k)
    for (const std::size_t at : footprint.shared)
      decl.may_alias.emplace_back(static_cast<int>(k), fmt::format("a{}", at));
  builder.declare(std::move(decl));
  builder.emit(call, {"thunder." + name + ".default",
                      std::move(given.args),
                      {},
                      footprint.layout,
                      std::move(footprint.types)});
  return true;
}

}  // namespace noclobber
