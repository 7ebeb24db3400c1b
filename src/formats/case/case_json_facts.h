// What readers of other formats know and a case written by hand rarely says: members of their own, so that a
// Case reads back from its text as it was. Not for users: case_json.cpp and case_json_write.cpp put them
// together.
#pragma once
#include "src/graph/case.h"
#include "src/text/json.h"

namespace noclobber {

/// The member "facts" of a case, or null where there is nothing to say.
OrderedJson written_facts(const Case& value);
/// The members "barrier", "fused", "unit", "tells" and "line" of a step, each only where it says something.
void write_step_facts(const Step& value, OrderedJson& to);

/// require: `json` is an object; the first fault goes to `faults`.
void read_facts(const OrderedJson& json, const JsonAt& at, Case& to, JsonFaults& faults);
void read_step_facts(const OrderedJson& json, const JsonAt& at, Step& to, JsonFaults& faults);

/// Bytes in lower-case hexadecimal, and back; nothing for other texts.
std::string hex_of(std::string_view bytes);
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace noclobber
