// The assumptions of a verdict, besides trust in the solver. With --no-assumptions (`dropped`), a verdict
// that needs one stays unknown.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/ops/decl.h"
#include "src/report/record.h"

namespace noclobber {

/// Adds what the reader of the case had to assume. `dropped`: the record also gets a reason to stay unknown.
void assume(CheckRecord& record, const Case& value, bool dropped);

/// Assumes that rows of the table without a test against PyTorch are right: one assumption per operator of
/// both graphs and their bodies. Declared operators are left out: they are the declarer's responsibility and
/// have no row.
void assume_untested(CheckRecord& record, const Case& value, const OpSet& ops, bool dropped);

/// Assumes the rows of the identity table that make calls equal without a lemma for the checker.
void assume_rows(CheckRecord& record, const std::set<std::string>& rows);

/// Assumes that these outputs, whose strides are unknown, have the strides of `before`.
void assume_strides(CheckRecord& record, const std::set<std::uint32_t>& outputs, bool dropped);

/// Assumes that values without a place in the plan have memory of their own.
void assume_outside(CheckRecord& record, const std::vector<std::string>& values, bool dropped);

/// Turns a proof into unknown if it has any assumption but "inputs do not overlap", and lists those
/// assumptions.
void be_strict(CheckRecord& record);

}  // namespace noclobber
