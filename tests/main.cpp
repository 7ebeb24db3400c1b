// Compiled once for all tests: the framework itself (Catch2 2.x) and main.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <string_view>

#include "tests/catch.h"
#include "tests/support/bare_ops.h"
#include "tests/support/decisions.h"
#include "tests/support/evidence.h"
#include "tests/support/readings.h"
#include "tests/support/row_facts.h"
#include "tests/support/source_dir.h"
#include "tests/support/timed_run.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--evidence") {  // prints corpus/ops_evidence.tsv
    std::fputs(noclobber::golden::evidence_table(
                   noclobber::golden::all_evidence(noclobber::in_sources("/corpus/golden")))
                   .c_str(),
               stdout);
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--bare") {  // prints corpus/ops_bare.tsv
    std::fputs(noclobber::golden::bare_table().c_str(), stdout);
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--rows") {  // prints corpus/rows.tsv
    for (const std::string& line : noclobber::golden::rows_page()) std::puts(line.c_str());
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--decisions") {  // prints corpus/decisions.tsv
    for (const std::string& line : noclobber::testing::decisions()) std::puts(line.c_str());
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--readings") {  // prints corpus/readings.tsv
    for (const std::string& line : noclobber::testing::readings()) std::puts(line.c_str());
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--golden") {  // compares calls that tools/golden.py recorded
    const auto all = noclobber::golden::all_evidence(argv[2]);
    for (const auto& e : all) {
      std::printf("%s: %d calls, %d agree%s\n", e.op.c_str(), e.kernel.calls, e.kernel.agreeing + e.exempt,
                  e.kernel.implemented ? "" : ", some without a kernel");
      for (const auto* faults : {&e.kernel.faults, &e.faults})
        for (const std::string& fault : *faults) std::printf("  %s\n", fault.c_str());
    }
    std::puts(noclobber::golden::totals(all, argv[2]).c_str());
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--time-graph") {  // for tools/bench.py
    std::puts(noclobber::testing::timed_run(argv[2]).c_str());
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--time-rules") {  // for tools/view_pairs.py
    std::puts(noclobber::testing::timed_rules(argv[2]).c_str());
    return 0;
  }
  return Catch::Session().run(argc, argv);
}
