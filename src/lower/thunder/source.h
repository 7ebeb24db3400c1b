// A trace among the others of its sequence: what its names stand for there. Internal to thunder*.cpp.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/lower/thunder/shards.h"

namespace noclobber {

/// A parsed trace with the text that places refer to.
struct ThunderSource {
  std::string name;
  std::string_view text;
  ThunderTrace trace;
  bool joint = false;
  std::map<std::string, std::string> undefined = {};  // tensors that it reads and nothing binds
  bool unreadable = false;                            // no graph of it can be made
  bool whole = false;     // its parameters stand for all of what a later trace gathers of them
  ThunderTied tied = {};  // parameters that it gathers as another one, the call that nobody reads left out
};

ThunderSource thunder_source(std::string name, std::string_view text, ThunderTrace trace);

/// What a source means beside another one: a name that both do not bind is one input of both.
ThunderSource thunder_beside(const ThunderSource& source, const ThunderSource& other, bool before);
/// A source by itself. `reported`: that it binds some names nowhere is another check's finding.
ThunderSource thunder_alone(const ThunderSource& source, bool reported = false);
/// In traces before the one that gathers parameters, names of parameters mean the whole of them.
void gather_thunder_parameters(std::vector<ThunderSource>& all, const ThunderFacts& facts);

}  // namespace noclobber
