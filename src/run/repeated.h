// Checks that occur several times in a log, because compilations are restarted, are decided once.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/lower/checks.h"
#include "src/report/record.h"
#include "src/run/inputs.h"

namespace noclobber {

/// Checks of one input are equal if they have the same number TraceCheck::alike other than 0. Thread-safe.
class Repeated {
 public:
  /// The first of several equal checks.
  struct First {
    bool is_open = true;                // it is not decided yet
    std::optional<CheckRecord> answer;  // the answer for all equal checks; empty: none can be shared
    std::vector<std::pair<std::uint64_t, Work>> waiting;
  };
  enum class Turn : std::uint8_t {
    decide,  // decide the check, and call settle() if there is a First
    copy,    // use First::answer
    leave,   // the check waits: settle() hands it to the thread that decides the First
  };

  /// The action for a check, which need not have been opened. For `leave`, moves from `work`.
  std::pair<Turn, std::shared_ptr<First>> turn(std::uint64_t sequence, Work& work);
  /// Records the answer of the First, and returns the checks that waited for it. They share the answer if it
  /// is proved without findings and reasons, which would name places in its own graph; else each is decided.
  std::vector<std::pair<std::uint64_t, Work>> settle(First& first, const CheckRecord& record,
                                                     bool contradiction);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::shared_ptr<First>> firsts_;  // by input and number
};

}  // namespace noclobber
