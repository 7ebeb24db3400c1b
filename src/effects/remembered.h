// Calls that were met before. An operator with the same numbers, of tensors of the same types, shapes and
// strides, makes a step that differs from the one before in its storages alone: it is written down once, by
// `opaque`, and copied from then on. A log of 35,000 steps has some hundred such forms.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/effects/tracer.h"

namespace noclobber::effects {

/// What a call of a form makes. `refs` are counted as the step lists its tensors.
struct RememberedCall {
  struct Read {
    std::size_t ref = 0;
    bool spread = false;  // to the shape of what is written
  };
  /// Of one that is made, on a storage of its own; of one that is written in place `ref` and `bound` count.
  struct Written {
    std::size_t result = 0;  // of the step; kUnnamed: nobody can ask for it
    std::optional<std::size_t> ref = {};
    Layout layout = {};
    TraceStorage storage = {};  // but for its key
    TraceView view = {};        // but for its storage
    Binding bound = {};         // what its name stands for then, but for its storage
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

/// Of both graphs of a case. Their sizes have one Space.
struct RememberedCalls {
  std::unordered_map<std::string, RememberedCall> forms;
  std::unordered_map<const Type*, std::size_t> types;  // a number for each
};

/// Pushes what the step makes, if its form was met before. Otherwise notes the form, as far as it has one.
bool recalled(Tracer& t, const Step& step, std::uint32_t number);
/// At the end of `opaque`: the last step is what the call makes.
void propose(Tracer& t, const Call& call, const Parts& parts);
/// Once the step is done: keeps what was proposed, if that is all that came of it.
void remember(Tracer& t);

}  // namespace noclobber::effects
