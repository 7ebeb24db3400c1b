// The devices of values.
#pragma once
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// The device of each value: from its type, else from the `device` argument of its operator, else the one
/// device of all its operands. An input, or a result without operands, defaults to the device of the graph.
/// Unknown operators give no device.
class Devices {
 public:
  explicit Devices(const Graph& graph);
  /// "cpu", "cuda:0"; "" if the device is unknown or `value` is not a value.
  const std::string& of(const Arg& value) const;

 private:
  std::vector<std::string> told_;  // per value; empty if the graph names no device
};

/// True if the type of a value or an argument names a device.
bool names_device(const Graph& graph);
/// True if the graphs together name two devices or more. "cuda" and "cuda:0" count as two.
bool name_several_devices(std::initializer_list<const Graph*> graphs);

/// Every device that a graph names: "cpu", "cuda:0".
std::set<std::string> named_devices(const Graph& graph);

/// "cuda" of "cuda:1".
std::string device_kind(const std::string& device);
/// The kinds of all devices that a graph names: "cpu", "cuda".
std::set<std::string> device_kinds(const Graph& graph);

/// True if both names are of one device. Empty if it is unknown: one name is "", or both are of one kind and
/// at least one has no index ("cuda" and "cuda:0").
std::optional<bool> same_device(const std::string& a, const std::string& b);

}  // namespace noclobber
