// What kind of thing an operator does, where its schema alone does not say it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

enum class Meaning : std::uint8_t {
  opaque,             // results are a function of what it reads; its schema says what it reads and writes
  view,               // shows its first argument through a view rule
  may_view,           // a view where strides allow it, else a copy (reshape, flatten)
  view_each,          // a view of each of a list, all of one shape (broadcast_tensors, meshgrid)
  rebind,             // changes only the view its first argument's name stands for (t_, unsqueeze_)
  set,                // the first argument's name stands for what the second one shows (set_)
  resize,             // the first argument's name stands for so many elements of its storage (resize_)
  clone,              // fresh, the elements of the first argument
  view_copy,          // fresh, the elements of a view
  moved,              // fresh, the elements of the first argument at other places (flip, constant_pad_nd)
  convert,            // fresh, the elements stored in another type (_to_copy)
  may_convert,        // the argument itself where nothing changes, else fresh (to, contiguous)
  copy_into,          // copy_
  copy_each,          // copy_ or zero_ for every item of a list
  copy,               // fresh, of the first argument's shape, the elements of the second
  fill_into,          // fill_, zero_
  fill,               // fresh, one scalar everywhere (full, zeros, fill)
  empty,              // fresh, undefined
  view_scatter,       // fresh: the first argument with a view of it replaced by the second (slice_scatter)
  concatenate,        // cat
  stack,              // stack
  self_if_real,       // the argument itself, or opaque for complex numbers (conj_physical)
  random_or_self,     // opaque in training, else the argument itself (dropout)
  reduce_or_self,     // opaque, or the argument itself where the shape is the same (sum_to_size)
  normalize_running,  // opaque; in training it writes running statistics, whatever its schema says
  ignored,            // no effect on memory and none that a caller sees (a symbolic size)
  describe,           // asserts what a tensor is: opaque, or nothing where its type says as much
  wait,               // ends a collective: its argument itself, and a token
  unsupported         // changes storages in a way that is not modelled
};

/// `op` has no overload: "aten.slice_scatter".
Meaning meaning_of(std::string_view op, const Schema& schema);
/// Is result 0 a storage of its own, whatever the arguments are?
bool gives_fresh(Meaning meaning);
/// Does the step, by its schema, write nothing that it is given, and run no body that might?
bool writes_nothing(const Step& step);
/// May a result share storage, or an argument be written, in a way that the schema does not tell? Such an
/// operator is only run by a kernel of its own.
bool schema_is_silent(std::string_view op, const Schema& schema);
/// Threads the token of impure effects: assertions, collectives, reads by the host.
bool is_impure(std::string_view op, const Schema& schema);
/// Draws from the generator.
bool is_random(std::string_view op, const Schema& schema);
/// Does this call draw? Dropout of nothing or outside of training does not.
bool draws(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments);
/// Do only shape and type of argument `at` count? `op` is the functional operator.
bool contents_unread(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments,
                     std::size_t at);
/// Places of running statistics that a normalization in training writes without saying so.
std::vector<std::size_t> silently_written(std::string_view op, const Schema& schema,
                                          const std::vector<Arg>& arguments);
/// The argument as the operator takes it, whose first argument has so many dimensions: dimensions of that one
/// counted from the front, whole numbers as floats where floats are meant.
Arg as_taken(const Schema& schema, std::size_t at, const Arg& arg, std::optional<std::size_t> rank);
/// Element k of the result reads only element k (after broadcasting) of each tensor argument.
bool is_elementwise(std::string_view op, const Schema& schema);
/// Does the operator stand for a delegate, a part of the program that another backend runs?
bool is_delegate(std::string_view op);
/// "aten.add" of "aten.add.Tensor".
std::string_view base_name(std::string_view op);

}  // namespace noclobber
