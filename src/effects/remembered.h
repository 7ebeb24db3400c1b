// A cache of calls. An operator with the same numbers, on tensors of the same dtypes, shapes and strides,
// makes a step that differs from the earlier one in its storages only: `opaque` builds the first one, and
// later ones are copies. A log of 35,000 steps has some hundred such forms.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/effects/tracer.h"

namespace noclobber::effects {

/// The step that a call of a form makes. A `ref` is a position among the tensors that the step lists.
struct RememberedCall {
  struct Read {
    std::size_t ref = 0;
    bool spread = false;  // broadcast to the shape of what is written
  };
  /// A fresh result has a storage of its own; a result written in place uses `ref` and `bound` only.
  struct Written {
    std::size_t result = 0;  // of the step; kUnnamed: no value names it
    std::optional<std::size_t> ref = {};
    Layout layout = {};
    TraceStorage storage = {};  // without its key
    TraceView view = {};        // without its storage
    Binding bound = {};         // the binding of its name afterwards, without its storage
  };
  static constexpr std::size_t kUnnamed = ~std::size_t{0};
  Text key;
  bool elementwise = false;
  Shared<std::vector<std::vector<Access>>> access;
  std::vector<Read> reads;
  std::vector<Written> writes;

  std::size_t made() const {
    return static_cast<std::size_t>(std::ranges::count_if(writes, [](const Written& w) { return !w.ref; }));
  }
};

/// The cache of both graphs of a case, whose sizes share one Space.
struct RememberedCalls {
  std::unordered_map<std::string, RememberedCall> forms;
  std::unordered_map<const Type*, std::size_t> types;  // a number for each
};

/// Pushes a copy of the cached step if the step's form is known. Otherwise notes the form, if it has one.
bool recalled(Tracer& t, const Step& step, std::uint32_t number);
/// Called at the end of `opaque`: proposes the last step for the cache.
void propose(Tracer& t, const Call& call, const Parts& parts);
/// Called when the step is done: caches the proposal if the step had no other effect.
void remember(Tracer& t);

}  // namespace noclobber::effects
