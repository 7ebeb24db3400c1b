// What the checker says of a probe, against everything else that is known of it; and the score of many.
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
  std::string kind;  // "proved-but-differs", "refuted-but-sound", "engines", "certificate", "text", "alarm"
  std::string fault, text, fingerprint;
  Case value, reduced;
};

/// Of one seed.
struct Examined {
  bool usable = false;
  bool beyond = false;       // unknown, and so is `before` beside itself
  bool conditional = false;  // proved, but for an assumption that the verdict names and the run shows false
  Probe probe;
  Status status = Status::unknown;
  CheckRecord record;
  std::set<std::string> evidence;  // of its certificate, where one was made
  std::vector<std::string> lints;  // rules that are no part of a verdict
  std::vector<std::string> also;   // reasons for unknown of the cross-checks
  std::vector<std::string> made;   // cross-checks that were made: see Score
  std::vector<Contradiction> contradictions;
};

/// Which cross-checks of a probe are made: by the seed, as each costs as much as the check.
struct Depth {
  // Every so many seeds; 0: never.
  std::uint64_t engine = 4, certificate = 4, text = 8, starved = 32, damage = 8, log = 8, advice = 64;
  std::size_t reduction = 400;  // checks spent on making a contradiction small
};
Examined examine(std::uint64_t seed, const Checker& checker, const Depth& depth);

/// One line of the score: of a class of faults, or of the sound rewrites ("").
struct Tally {
  std::uint64_t made = 0;     // probes
  std::uint64_t visible = 0;  // must not be proved: a run or the construction shows it
  std::uint64_t proved = 0, refuted = 0, unknown = 0;  // of the visible ones; of all where sound
  std::uint64_t beyond = 0;  // unknown, and so is the program beside itself: it is not supported
  std::uint64_t harmless = 0, harmless_refuted = 0;  // faults that no run showed
};

struct Score {
  std::uint64_t seeds = 0, checks = 0;
  std::map<std::string, Tally> classes;
  std::map<std::string, std::uint64_t> kinds, operators, rules, evidence, reasons, unknown_names;
  /// Of what was also asked: "engines" (of these "engines-decided": both said proved or refuted), likewise
  /// "starved"; "certificates" judged again, "texts" read again, "damaged" texts (of these "damaged-read":
  /// still a case), "advice".
  std::map<std::string, std::uint64_t> made;
  void add(const Examined& one);
  /// Lines for a terminal.
  std::string text() const;
  /// One line of JSON.
  std::string json() const;
};

}  // namespace noclobber::fuzz
