// Generates unique names.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

namespace noclobber {

class UniqueNames {
 public:
  UniqueNames() = default;
  explicit UniqueNames(std::set<std::string> taken) : taken_(std::move(taken)) {}

  void take(const std::string& name) { taken_.insert(name); }
  /// Returns "x" if it is free, else the first free name of "x_1", "x_2", ... after those returned before,
  /// and takes it.
  std::string fresh(const std::string& wanted) {
    std::string name = wanted;
    for (int& number = numbers_[wanted]; !taken_.insert(name).second;)
      name = wanted + "_" + std::to_string(++number);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  // the last number tried for a name
};

}  // namespace noclobber
