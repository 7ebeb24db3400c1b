// What a verdict rests on besides the solver. With --no-assumptions what rests on any stays undecided.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/ops/decl.h"
#include "src/report/record.h"

namespace noclobber {

/// What the reader of the case could not know. `dropped`: the record gets a reason to stay unknown as well.
void assume(CheckRecord& record, const Case& value, bool dropped);

/// That the table's rows are right where nobody compared them with PyTorch: one assumption per operator, of
/// both graphs and their bodies. Declared operators are the declarer's word, and no row.
void assume_untested(CheckRecord& record, const Case& value, const OpSet& ops, bool dropped);

/// Rows of the table of identities by which calls are one, where no lemma shows the checker why.
void assume_rows(CheckRecord& record, const std::set<std::string>& rows);

/// That the strides of these outputs are those of `before`: nothing says what they are.
void assume_strides(CheckRecord& record, const std::set<std::uint32_t>& outputs, bool dropped);

/// That what a plan says nothing of has memory of its own.
void assume_outside(CheckRecord& record, const std::vector<std::string>& values, bool dropped);

/// A proof that rests on more than that inputs do not overlap is unknown, and says on what.
void be_strict(CheckRecord& record);

}  // namespace noclobber
