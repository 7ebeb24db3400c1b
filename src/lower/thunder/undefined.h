// What stands in a graph for a name that no statement of its trace defines.
#pragma once
#include <string>

namespace noclobber {

/// Its contents, which leave the graph.
inline std::string seen_as_undefined(const std::string& name) { return name + "__undefined"; }
/// The name itself.
inline std::string undefined_name(const std::string& seen) {
  return seen.substr(0, seen.rfind("__undefined"));
}
/// An input of the graph before: what that means by the name.
inline std::string name_as_meant(const std::string& name) { return name + "__meant"; }

}  // namespace noclobber
