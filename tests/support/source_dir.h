// Where the sources lie.  One object file knows it, so that the others are the same in every checkout.
#pragma once
#include <string>
#include <string_view>

namespace noclobber {

/// The path of what lies at `path` (it begins with "/", or is empty) in the sources that the tests were built
/// from.
std::string in_sources(std::string_view path = "");

}  // namespace noclobber
