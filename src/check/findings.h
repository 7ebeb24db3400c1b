// Converts answers of the checker and the replay into fields of a record.
#pragma once
#include "src/effects/effects.h"
#include "src/interp/replay.h"
#include "src/report/record.h"
#include "src/values/obligation.h"

namespace noclobber {

/// Adds a refuted finding for each witness; sets the status to refuted if there is one.
void report_replay(CheckRecord& record, const Case& value, const ReplayResult& shown);

/// A step of `after`, or the return, with its statement.
FindingPlace place_of_step(const Graph& graph, std::uint32_t step);
/// The step of `after` that defines the value, or the input that it is.
FindingPlace place_of_value(const Graph& graph, const Value& value);

/// Adds a refuted finding for each certain access to memory that a collective or a copy in flight uses.
void report_flights(CheckRecord& record, const Case& value, const std::vector<Flown>& flown);

/// Adds why the case is undecided: one entry per reason, with the names involved.
void explain_open(CheckRecord& record, const Trace& after, const Trace* before,
                  const std::vector<Obligation>& open, const Case& value, const ReplayResult& shown);

/// Completes the keys of the reasons for fingerprints: what each is about, without names of values.
void complete_reasons(CheckRecord& record, const Case& value);

/// Sets the status of each property that was asked: that of a finding about it, else proved or unknown as the
/// record is.
void fill_properties(CheckRecord& record, const Case& value);

}  // namespace noclobber
