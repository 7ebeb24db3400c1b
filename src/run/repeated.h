// Checks that a log holds several times, as compilations are begun anew: they are decided once.
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

/// Which checks of one input are the same: those of one number (TraceCheck::alike). All calls from any
/// thread.
class Repeated {
 public:
  /// A check that others are the same as.
  struct First {
    bool is_open = true;                // nobody has decided it so far
    std::optional<CheckRecord> answer;  // what holds of all that are the same
    std::vector<std::pair<std::uint64_t, Work>> waiting;
  };
  enum class Turn : std::uint8_t {
    decide,  // nothing is known of it: decide it, and settle() if there is a First
    copy,    // the answer stands in the First
    leave,   // it waits for another thread, which gets it from settle()
  };

  /// What to do with a check, which need not have been opened. `leave` takes it away.
  std::pair<Turn, std::shared_ptr<First>> turn(std::uint64_t sequence, Work& work);
  /// The first is decided. What waited for it is handed over, with its answer or to be decided by itself:
  /// only of what is proved and needs no place in its own graph to be told is the answer that of others too.
  std::vector<std::pair<std::uint64_t, Work>> settle(First& first, const CheckRecord& record,
                                                     bool contradiction);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::shared_ptr<First>> firsts_;  // by input and number
};

}  // namespace noclobber
