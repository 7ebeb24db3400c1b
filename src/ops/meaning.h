// The kind of operation that an operator performs, where its schema alone does not determine it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

enum class Meaning : std::uint8_t {
  opaque,             // results are a function of its reads; the schema gives reads and writes
  view,               // a view of its first argument, by a view rule
  may_view,           // a view if strides allow it, else a copy (reshape, flatten)
  view_each,          // a view of each item of a list, all of one shape (broadcast_tensors, meshgrid)
  rebind,             // rebinds the first argument's name to another view of its storage (t_, unsqueeze_)
  set,                // rebinds the first argument's name to the view that the second one is (set_)
  resize,             // rebinds the first argument's name to a view of another size of its storage (resize_)
  clone,              // fresh: the elements of the first argument
  view_copy,          // fresh: the elements of a view
  moved,              // fresh: the elements of the first argument at other places (flip, constant_pad_nd)
  convert,            // fresh: the elements in another dtype (_to_copy)
  may_convert,        // the argument itself if nothing changes, else fresh (to, contiguous)
  copy_into,          // copy_
  copy_each,          // copy_ or zero_ for every item of a list
  copy,               // fresh: the elements of the second argument in the shape of the first
  fill_into,          // fill_, zero_
  fill,               // fresh: one scalar everywhere (full, zeros, fill)
  empty,              // fresh: undefined contents
  view_scatter,       // fresh: the first argument with a view of it replaced by the second (slice_scatter)
  concatenate,        // cat
  stack,              // stack
  self_if_real,       // the argument itself if it is real, else opaque (conj_physical)
  random_or_self,     // opaque in training, else the argument itself (dropout)
  reduce_or_self,     // the argument itself if the shape does not change, else opaque (sum_to_size)
  normalize_running,  // opaque; in training it writes running statistics, whatever its schema says
  ignored,            // no effect on memory and no result that a caller sees (a symbolic size)
  describe,           // asserts properties of a tensor: opaque, or no effect if its type implies them
  wait,               // ends a collective: the argument itself, and a token
  unsupported         // changes storages in a way that is not modelled
};

/// `op` has no overload: "aten.slice_scatter".
Meaning meaning_of(std::string_view op, const Schema& schema);
/// True only if result 0 always has a storage of its own with defined contents.
bool gives_fresh(Meaning meaning);
/// True only if, by its schema, the step writes no argument, and it has no bodies.
bool writes_nothing(const Step& step);
/// True if a result may share storage, or an argument may be written, without the schema saying so. Such an
/// operator is only run by a kernel of its own.
bool schema_is_silent(std::string_view op, const Schema& schema);
/// True if the operator threads the token of impure effects: assertions, collectives, reads by the host.
bool is_impure(std::string_view op, const Schema& schema);
/// True if the operator can draw from the generator.
bool is_random(std::string_view op, const Schema& schema);
/// True if this call draws. Dropout outside of training, or with a probability that leaves nothing to draw,
/// does not.
bool draws(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments);
/// True if only the shape and dtype of argument `at` matter. `op` is the functional operator.
bool contents_unread(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments,
                     std::size_t at);
/// The positions of running statistics that a normalization in training writes although its schema does not
/// say so.
std::vector<std::size_t> silently_written(std::string_view op, const Schema& schema,
                                          const std::vector<Arg>& arguments);
/// The normal form of an argument, for an operator whose first argument has rank `rank`: dimensions of that
/// argument count from the front, and a single dimension for an int[1] becomes a list. Unchanged if the rank
/// is unknown.
Arg as_taken(const Schema& schema, std::size_t at, const Arg& arg, std::optional<std::size_t> rank);
/// Element k of the result reads only element k (after broadcasting) of each tensor argument.
bool is_elementwise(std::string_view op, const Schema& schema);
/// True if the operator calls a delegate, a part of the program that another backend runs.
bool is_delegate(std::string_view op);
/// "aten.add" of "aten.add.Tensor".
std::string_view base_name(std::string_view op);

}  // namespace noclobber
