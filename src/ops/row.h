// THE operator table: properties of an operator beyond its schema. One row each, in table_*.def.
//
//   OP("aten.slice", .meaning = view, .view = slice_rule)
//
// A row holds for the functional operator of that name, whatever its overload; in-place, out= and *_copy
// forms are derived from it (row_of_overload). "c10d.*" stands for every operator of a namespace that has no
// row of its own. An operator without a row is described by its schema alone.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/ops/infer.h"
#include "src/ops/meaning.h"
#include "src/ops/moves.h"
#include "src/ops/views.h"

namespace noclobber {

/// The elements of its operands on which an element of the result depends.
enum class Reach : std::uint8_t {
  schema,      // elementwise if PyTorch tags it so
  elementwise  // those at the same place after broadcasting, although no tag says so
};

/// State other than storage that an operator reads and writes.
enum class Token : std::uint8_t {
  schema,     // the generator if PyTorch tags it so
  effects,    // the sequence of impure effects: none may be dropped, repeated or reordered
  generator,  // draws random numbers, although no tag says so
  both
};

/// The storages in use until wait_tensor: none, those of the results, or also those of the operands.
enum class Flight : std::uint8_t { none, results, all };

/// The calls for which only the shape and dtype of the first argument matter.
enum class Unread : std::uint8_t {
  never,
  always,    // draws that fill their first argument, or take its shape
  given_p,   // the overloads of bernoulli that take a probability
  beta_zero  // the summand of a product, if it is multiplied by zero
};

/// The order in which numbers are drawn for elements.
enum class Drawn : std::uint8_t {
  in_order,  // in the order of the written elements in memory
  in_bulk,   // likewise, but by another method if they are contiguous
  as_read    // also depends on the order of the first operand in memory
};

struct OpRow {
  std::string_view op;
  Meaning meaning = Meaning::opaque;
  ViewRule view = nullptr;     // of the view that it returns, copies or replaces
  bool of_contiguous = false;  // with Meaning::may_view: a view only if the argument is contiguous
  MoveRule moves = nullptr;    // with Meaning::moved
  ShapeRule shape = nullptr;
  FitRule fits = nullptr;        // calls that PyTorch accepts; `shape` is not asked for others
  bool keeps_dims = false;       // `keepdim` keeps reduced dimensions with extent 1
  std::string_view kernel = {};  // computes those overloads that the kernel has: see kernels.h
  Reach reach = Reach::schema;
  Token token = Token::schema;
  Flight in_flight = Flight::none;
  Unread unread = Unread::never;
  Drawn drawn = Drawn::in_order;
  std::string_view same_as = {};  // an operator that computes the same from the same arguments
  bool writes_silently = false;   // or replaces a storage; holds for every overload
  std::string_view note = {};     // why the schema is not enough
};

/// `op` has no overload; nullptr: no row.
const OpRow* find_row(std::string_view op);
/// The row that applies to an overload. `op` is its name without overload. An overload that writes and has no
/// row of its own has the effects, tokens and flights of its functional operator. nullptr if there is none.
const OpRow* row_of_overload(std::string_view op, const Schema& schema);
/// Sorted by name.
std::span<const OpRow> op_rows();

}  // namespace noclobber
