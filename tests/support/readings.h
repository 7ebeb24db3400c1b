// What the readers (readers.h) make of files, as corpus/readings.tsv holds it: any change of it is seen in a
// review.
#pragma once
#include <string>
#include <vector>

namespace noclobber::testing {

/// Lines of the page, a tab between the columns: reader, file or folder beneath corpus/, how many bytes its
/// reading has, the first 48 bits of the SHA-256 of that.
using Readings = std::vector<std::string>;

/// The whole page, its head first: what the fuzzing of readers kept, and programs, traces and logs as they
/// are.
Readings readings();
/// Lines of the page that is held, of one reader.
Readings held_readings(const std::string& reader);
/// One of them anew.
std::string read_again(const std::string& line);

}  // namespace noclobber::testing
