// What the operator table says of each operator, next to what its recorded calls say.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tests/support/golden.h"

namespace noclobber::golden {

/// What recorded calls of one row (those of in-place, out= and *_copy forms as well) say of its rules.
struct RowFacts {
  int results = 0;          // tensors that were recorded
  int shared = 0;           // of them lie in the storage of an argument
  int shapes = 0;           // of them have the shape that the row's shape rule gives
  int views = 0, seen = 0;  // results that the row's view rule is asked for, and gives
  std::string types;        // of the results for each type of the floating arguments
  std::vector<std::string> faults;
};

/// By row.
const std::map<std::string, RowFacts>& row_facts();

/// As corpus/rows.tsv holds it: a line per row, in the order of the table.
std::vector<std::string> rows_page();

/// The same call with arguments of type `to` where they are of type `from`: all elements 1.
GoldenCall retyped(const GoldenCall& call, Dtype from, Dtype to);
/// What the shape rule gives for the results of the call; empty: nothing.
struct Inferred {
  std::vector<std::vector<std::int64_t>> shapes;  // -1: an extent that is no number
  std::vector<std::optional<Dtype>> dtypes;
};
Inferred inferred(const GoldenCall& call);
/// Types that recorded calls are made of anew.
const std::vector<Dtype>& retypes();
/// The first floating type of the arguments, or that of the first one; nothing without any.
std::optional<Dtype> leading_type(const GoldenCall& call);

}  // namespace noclobber::golden
