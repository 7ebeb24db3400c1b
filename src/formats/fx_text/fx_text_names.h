// The meaning of names in FX text, and the graph that grows as statements are read.
//
// A statement without an annotation may have one result, several, or none. Only its uses decide: `a[1]`
// makes it a step of several results, `f(a)` a step of one.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/formats/fx_text/fx_text_annotation.h"

namespace noclobber {

class FxNames {
 public:
  explicit FxNames(Graph& graph) : graph_(graph) {}
  FxNames(const FxNames&) = delete;
  FxNames& operator=(const FxNames&) = delete;

  // Each returns an error message, or "". Names are views into the text.
  std::string bind(std::string_view name, Arg value);
  std::string add_input(std::string_view name, Input::Kind kind, SharedType type);
  /// `name = self.attribute`, a tensor.
  std::string add_constant(std::string_view name, std::string_view attribute, SharedType type);
  /// Adds a step. If a type is given, it has one result.
  std::string add_step(std::string_view name, Step step, SharedType type);
  /// Adds a step without a tensor result.
  void add_effect(Step step);
  /// `name = tuple[index]`.
  std::string add_item(std::string_view name, std::string_view tuple, std::int64_t index,
                       const FxAnnotation& annotation);
  /// `name = dictionary['key']`: results are numbered as `tensors_to_clone` lists them, else in order of
  /// first use.
  std::string add_member(std::string_view name, std::string_view tuple, const std::string& key,
                         const FxAnnotation& annotation);
  /// True if an item of it may be a result of its step; false for tensors and results of Python functions.
  bool is_tuple(std::string_view name) const;
  /// Sets `out` to the meaning of a name that is used as a whole.
  std::string use(std::string_view name, Arg& out);
  /// The same for a name that is waited for but not read; `out` stays none if it may have several results.
  std::string wait_for(std::string_view name, Arg& out);
  /// All results of the step that `name` stands for, if its operator's schema returns several. Empty for any
  /// other name.
  std::vector<Arg> whole_tuple(std::string_view name);
  bool knows(std::string_view name) const { return meanings_.contains(name); }
  /// `name = None`: it cannot be used any more.
  void forget(std::string_view name);
  /// To be called at the end of the graph: adds the results that have a name but no use.
  void settle();

 private:
  struct Meaning {
    enum class Kind : std::uint8_t { arg, step, item };
    Kind kind = Kind::arg;
    Arg arg;
    std::uint32_t step = 0;
    std::uint32_t index = 0;
    bool is_inner = false;  // an item of a tuple that is itself an item
    bool is_dead = false;   // after `name = None`
  };
  struct StepState {
    std::uint32_t highest = 0;  // largest number of an item that has a name
    bool has_items = false;
    std::optional<std::uint32_t> nested;  // the item that is itself a tuple; the last one
    std::vector<std::string> keys;        // of a dictionary, in order of their first use
  };

  std::string remember(std::string_view name, Meaning meaning);
  std::string take(std::string_view name, Meaning& meaning, Arg& out);
  ValueId new_value(std::string_view name, Value::From from, std::uint32_t at, std::uint32_t result,
                    SharedType type);
  std::string element(std::string_view name, const Arg& list, std::int64_t index);
  std::string new_item(std::string_view name, const Meaning& tuple, std::uint32_t index,
                       const FxAnnotation& annotation);
  std::string flat_index(const Meaning& tuple, std::int64_t index, std::uint32_t& flat);
  ValueId result(std::string_view name, std::uint32_t step, std::uint32_t index, SharedType type);
  const Arg* written_list(std::uint32_t step) const;

  Graph& graph_;
  std::unordered_map<std::string_view, Meaning> meanings_;
  std::unordered_map<std::string_view, ValueId> attributes_;
  std::size_t copied_ = 0;               // bytes copied by uses of names
  std::vector<StepState> steps_;         // one per step of the graph
  std::vector<std::string_view> items_;  // items without an annotation, in order
};

}  // namespace noclobber
