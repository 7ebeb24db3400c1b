// Is a file in a directory one of ours?
#pragma once
#include <cstdint>
#include <string>

namespace noclobber {

/// What is said of a file before it is read for good.
enum class Looks : std::uint8_t {
  ours,     // a format that is read; or named like one, and reading it will say what is wrong
  thunder,  // a Thunder trace
  strange   // none
};

/// Sniffed as a file that is named on the command line, but for what every text of Python or JSON begins
/// with: a class is a graph if it was printed as one, or reads as one; an object is a case if it says so,
/// wherever it does.
Looks looks_of(const std::string& path);

}  // namespace noclobber
