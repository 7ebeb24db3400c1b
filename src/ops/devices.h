// On which device values lie.
#pragma once
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Of each value of a graph what is said of it, else what its operator was asked for, else where all its
/// operands lie. Operators that nobody knows tell nothing.
class Devices {
 public:
  explicit Devices(const Graph& graph);
  /// "cpu", "cuda:0"; "" where nothing tells it, or for what is no value.
  const std::string& of(const Arg& value) const;

 private:
  std::vector<std::string> told_;  // per value; empty if nothing tells a device
};

/// Is any value said to lie somewhere, or asked to?
bool names_device(const Graph& graph);
/// Do the graphs together name two devices or more? "cuda" and "cuda:0" count as two.
bool name_several_devices(std::initializer_list<const Graph*> graphs);

/// Every device that a graph names: "cpu", "cuda:0".
std::set<std::string> named_devices(const Graph& graph);

/// "cuda" of "cuda:1".
std::string device_kind(const std::string& device);
/// Of all devices that a graph names: "cpu", "cuda".
std::set<std::string> device_kinds(const Graph& graph);

/// Are both names of one device, "cuda" and "cuda:0"? Nothing where either is not told, or says no number.
std::optional<bool> same_device(const std::string& a, const std::string& b);

}  // namespace noclobber
