// What kind of thing an operator does, where its schema alone does not say it.
#pragma once
#include <cstdint>
#include <string_view>

#include "src/ops/schema.h"

namespace noclobber {

enum class Meaning : std::uint8_t {
  opaque,        // results are a function of what it reads; its schema says what it reads and writes
  view,          // shows its first argument through a view rule
  may_view,      // a view where strides allow it, else a copy (reshape, flatten)
  rebind,        // changes only the view its first argument's name stands for (t_, unsqueeze_)
  clone,         // fresh, the elements of the first argument
  view_copy,     // fresh, the elements of a view
  convert,       // fresh, the elements stored in another type (_to_copy)
  may_convert,   // the argument itself where nothing changes, else fresh (to, contiguous)
  copy_into,     // copy_
  copy,          // fresh, of the first argument's shape, the elements of the second
  fill_into,     // fill_, zero_
  fill,          // fresh, one scalar everywhere (full, zeros, fill)
  empty,         // fresh, undefined
  view_scatter,  // fresh: the first argument with a view of it replaced by the second (slice_scatter)
  concatenate,   // cat
  stack,         // stack
  ignored,       // no effect on memory and none that a caller sees (a symbolic size)
  wait,          // ends a collective: its argument itself, and a token
  unsupported    // changes storages in a way that is not modelled (set_, resize_)
};

/// `op` has no overload: "aten.slice_scatter".
Meaning meaning_of(std::string_view op, const Schema& schema);
/// The view operator whose view a scatter replaces ("aten.slice" for "aten.slice_scatter"), or "".
std::string_view scattered_view(std::string_view op);
/// Threads the token of impure effects: assertions, collectives, reads by the host.
bool is_impure(std::string_view op, const Schema& schema);
/// Element k of the result reads only element k (after broadcasting) of each tensor argument.
bool is_elementwise(std::string_view op, const Schema& schema);
/// "aten.add" of "aten.add.Tensor".
std::string_view base_name(std::string_view op);

}  // namespace noclobber
