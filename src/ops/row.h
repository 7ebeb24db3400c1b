// THE operator table: what is known of an operator beyond its schema. One row each, in table_*.def.
//
//   OP("aten.slice", .meaning = view, .view = slice_rule)
//
// A row is about the functional operator of that name, whatever its overload; in-place, out= and *_copy forms
// follow from it (row_of_overload). "c10d.*" stands for every operator of a namespace that has no row of its
// own. Operators without a row are what their schema says, and no more.
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

/// Which elements of its operands an element of the result depends on.
enum class Reach : std::uint8_t {
  schema,      // elementwise if PyTorch tags it so
  elementwise  // those at the same place after broadcasting, although no tag says so
};

/// What is not storage and yet read and written.
enum class Token : std::uint8_t {
  schema,     // the generator if PyTorch tags it so
  effects,    // the sequence of impure effects: none dropped, repeated or exchanged
  generator,  // draws random numbers, although no tag says so
  both
};

/// What is in use until wait_tensor: nothing, the results, or the operands as well.
enum class Flight : std::uint8_t { none, results, all };

/// When nothing but the shape and type of the first argument counts.
enum class Unread : std::uint8_t {
  never,
  always,    // draws that fill what they are given
  given_p,   // the overloads of bernoulli that are told a probability
  beta_zero  // the summand of a product that is counted no times
};

/// For which elements numbers are drawn, one after the other.
enum class Drawn : std::uint8_t {
  in_order,  // one after the other as they lie
  in_bulk,   // and in another way where they lie contiguously
  as_read    // for what is read, as that lies
};

struct OpRow {
  std::string_view op;
  Meaning meaning = Meaning::opaque;
  ViewRule view = nullptr;     // of what it shows, copies or replaces
  bool of_contiguous = false;  // with Meaning::may_view: a view of a contiguous argument alone
  MoveRule moves = nullptr;    // with Meaning::moved
  ShapeRule shape = nullptr;
  FitRule fits = nullptr;        // what PyTorch takes: of what does not fit, `shape` is not asked
  bool keeps_dims = false;       // `keepdim` puts back, as dimensions of one, what it took away
  std::string_view kernel = {};  // what computes it, for each overload that the kernel has: see kernels.h
  Reach reach = Reach::schema;
  Token token = Token::schema;
  Flight in_flight = Flight::none;
  Unread unread = Unread::never;
  Drawn drawn = Drawn::in_order;
  std::string_view same_as = {};  // computes what this operator does, from the same arguments
  bool writes_silently = false;   // or replaces a storage: so does every overload of it
  std::string_view note = {};     // why the schema is not enough
};

/// `op` has no overload; nullptr: no row.
const OpRow* find_row(std::string_view op);
/// The row that an overload goes by: `op` is its name without overload. Overloads that write without a row of
/// their own have the effects, tokens and flights of their functional operator.
const OpRow* row_of_overload(std::string_view op, const Schema& schema);
/// Sorted by name.
std::span<const OpRow> op_rows();

}  // namespace noclobber
