// Members for facts that readers of other formats know and a hand-written case rarely has, so that a Case
// reads back from its text as it was. Internal to formats/case.
#pragma once
#include "src/graph/case.h"
#include "src/text/json.h"

namespace noclobber {

/// The member "facts" of a case, or null if it would be empty.
OrderedJson written_facts(const Case& value);
/// The members "barrier", "fused", "unit", "tells" and "line" of a step, each only if it is not the default.
void write_step_facts(const Step& value, OrderedJson& to);

/// require: `json` is an object; the first fault goes to `faults`.
void read_facts(const OrderedJson& json, const JsonAt& at, Case& to, JsonFaults& faults);
void read_step_facts(const OrderedJson& json, const JsonAt& at, Step& to, JsonFaults& faults);

/// Bytes in lower-case hexadecimal, and back; empty for other texts.
std::string hex_of(std::string_view bytes);
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace noclobber
