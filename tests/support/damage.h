// Damaged certificates: below their hash, and above it.
#pragma once
#include <string>

#include "tests/support/generator.h"

namespace noclobber::testing {

enum class Wear : std::uint8_t {
  bit,            // one bit of the text
  line_dropped,   // a line less
  line_swapped,   // two lines in each other's place
  line_doubled,   // a line more
  line_of_other,  // a line from another run
  number,         // one number is another
  evidence,       // a number of a derivation: its goal, facts, multipliers
  lemma,          // a number of a lemma of the last check, or the list of these
  evidence_of_other,
  trace_of_other,  // `after`, views and numbers from another run
};
constexpr int kWears = 10;
const char* name(Wear wear);

/// The text without its last line, damaged; "" where there is no place for that. The list counts that the
/// damage makes wrong are put right where it is cheap, so that more texts are still readable.
std::string worn(const std::string& text, const std::string& other, Wear wear, Random& random);

/// The line `sum ...` of what stands before it, appended.
std::string hashed(const std::string& body);
/// The text before its last line.
std::string body_of(const std::string& text);

}  // namespace noclobber::testing
