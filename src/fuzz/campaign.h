// Compares the checker's verdict on a probe with everything else that is known of it, and keeps the score of
// many probes.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/fuzz/checker.h"
#include "src/fuzz/probe.h"

namespace noclobber::fuzz {

struct Contradiction {
  std::uint64_t seed = 0;
  std::string kind;  // "proved-but-differs", "refuted-but-sound", "engines", "certificate", "text", ...
  std::string fault, text, fingerprint;
  Case value, reduced;
};

/// The result for one seed.
struct Examined {
  bool usable = false;
  bool beyond = false;       // unknown, and `before` compared with itself is not proved either
  bool conditional = false;  // proved under an assumption that the verdict names and the run refutes
  Probe probe;
  Status status = Status::unknown;
  CheckRecord record;
  std::set<std::string> evidence;  // kinds in its certificate, if one was made
  std::vector<std::string> lints;  // rules that do not affect the verdict
  std::vector<std::string> also;   // reasons for `unknown` in the cross-checks
  std::vector<std::string> made;   // cross-checks that were done: see Score
  std::vector<Contradiction> contradictions;
};

/// The cross-checks of a probe; chosen by the seed, since each costs as much as the check.
struct Depth {
  // A cross-check is done for one of this many seeds; 0: never.
  std::uint64_t engine = 4, certificate = 4, text = 8, starved = 32, damage = 8, log = 8, advice = 64;
  std::size_t reduction = 400;  // checks spent on the reduction of a contradiction
};
Examined examine(std::uint64_t seed, const Checker& checker, const Depth& depth);

/// One line of the score: for a class of faults, or for sound rewrites ("").
struct Tally {
  std::uint64_t made = 0;     // probes
  std::uint64_t visible = 0;  // must not be proved: a run or the construction shows it
  std::uint64_t proved = 0, refuted = 0, unknown = 0;  // of visible ones; of all if sound
  std::uint64_t beyond = 0;  // unknown, and the program compared with itself is not proved: unsupported
  std::uint64_t harmless = 0, harmless_refuted = 0;  // faults that no run shows
};

struct Score {
  std::uint64_t seeds = 0, checks = 0;
  std::map<std::string, Tally> classes;
  std::map<std::string, std::uint64_t> kinds, operators, rules, evidence, reasons, unknown_names;
  /// Counts of cross-checks: "engines" (and "engines-decided": both proved or refuted it), likewise
  /// "starved"; "certificates" checked again, "texts" read again, "damaged" texts (and "damaged-read": still
  /// a case), "logs", "advice".
  std::map<std::string, std::uint64_t> made;
  void add(const Examined& one);
  /// The score as lines for a terminal.
  std::string text() const;
  /// The score as one line of JSON.
  std::string json() const;
};

}  // namespace noclobber::fuzz
