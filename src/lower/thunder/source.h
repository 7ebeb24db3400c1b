// A trace of a sequence, and the meaning of its names there. Internal to lower/thunder.
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
  std::map<std::string, std::string> undefined = {};  // types of tensors read while not bound, by name
  bool unreadable = false;                            // no graph can be made of it
  bool whole = false;     // its parameters denote the whole tensors that a later trace gathers
  ThunderTied tied = {};  // parameters whose gather is dropped, since another one gathers the same tensor
};

ThunderSource thunder_source(std::string name, std::string_view text, ThunderTrace trace);

/// The source in a comparison with another one: an unbound name is an input if it is unbound in both, or if
/// the source is the earlier one (`before`).
ThunderSource thunder_beside(const ThunderSource& source, const ThunderSource& other, bool before);
/// The source in a check by itself. `reported`: another check reports its unbound names, which are inputs
/// here.
ThunderSource thunder_alone(const ThunderSource& source, bool reported = false);
/// Rewrites the traces before one that gathers parameters: their names of parameters denote the whole
/// tensors.
void gather_thunder_parameters(std::vector<ThunderSource>& all, const ThunderFacts& facts);

}  // namespace noclobber
