// From what the checker and the replay say to the fields of a record.
#pragma once
#include "src/effects/effects.h"
#include "src/interp/replay.h"
#include "src/report/record.h"
#include "src/values/obligation.h"

namespace noclobber {

/// Witnesses become refuted findings; sets the status to refuted if there is one.
void report_replay(CheckRecord& record, const Case& value, const ReplayResult& shown);

/// A step of `after`, or the return, with its statement.
FindingPlace place_of_step(const Graph& graph, std::uint32_t step);
/// The step of `after` that makes the value, or the input that it is.
FindingPlace place_of_value(const Graph& graph, const Value& value);

/// What is surely touched while a collective or a copy has it in use becomes refuted findings.
void report_flights(CheckRecord& record, const Case& value, const std::vector<Flown>& flown);

/// Why nothing was decided: one entry per reason, with the names involved.
void explain_open(CheckRecord& record, const Trace& after, const Trace* before,
                  const std::vector<Obligation>& open, const Case& value, const ReplayResult& shown);

/// For fingerprints: what each reason is about, without names of values.
void complete_reasons(CheckRecord& record, const Case& value);

/// The status of each property that was asked: refuted where a finding names it, else the record's own.
void fill_properties(CheckRecord& record, const Case& value);

}  // namespace noclobber
