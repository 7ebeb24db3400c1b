// Names in a graph for tensors that no statement of its trace defines.
#pragma once
#include <string>

namespace noclobber {

/// The value of such a name's contents, which is an output of the graph.
inline std::string seen_as_undefined(const std::string& name) { return name + "__undefined"; }
/// The inverse of `seen_as_undefined`: the name itself.
inline std::string undefined_name(const std::string& seen) {
  return seen.substr(0, seen.rfind("__undefined"));
}
/// The input of the earlier graph that holds the contents which the name is meant to have.
inline std::string name_as_meant(const std::string& name) { return name + "__meant"; }

}  // namespace noclobber
