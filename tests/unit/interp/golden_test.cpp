#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/ops/evidence.h"
#include "tests/catch.h"
#include "tests/support/evidence.h"
#include "tests/support/source_dir.h"

namespace golden_test {

namespace {

using namespace noclobber::golden;

std::string golden_file(const std::string& op) {
  return noclobber::in_sources("/corpus/golden/") + op + ".json";
}

const std::vector<Evidence>& evidence_of_all() {
  static const std::vector<Evidence> all = all_evidence(noclobber::in_sources("/corpus/golden"));
  return all;
}

}  // namespace

TEST_CASE("kernels agree with what PyTorch recorded") {
  int calls = 0;
  for (const Evidence& e : evidence_of_all()) {
    INFO(e.op << ": " << (e.kernel.faults.empty() ? "" : e.kernel.faults.front()));
    CHECK(e.kernel.implemented);
    CHECK(e.kernel.agreeing + e.exempt == e.kernel.calls);
    calls += e.kernel.calls;
  }
  CHECK(evidence_of_all().size() >= 293);
  CHECK(calls >= 2197);
  CHECK(totals(evidence_of_all(), noclobber::in_sources("/corpus/golden")).ends_with(" 0 disagree"));
}

TEST_CASE("an exception names calls of corpus/golden alone") {
  const auto named = evidence_of(golden_file("prims._unsafe_index_put_.default"));
  CHECK(named.exempt == 2);
  CHECK(named.kernel.differing.empty());
  CHECK(named.kernel.unrun.empty());
  const auto folder = std::filesystem::temp_directory_path() / "noclobber_golden";
  std::filesystem::create_directories(folder);
  const auto copy = folder / "prims._unsafe_index_put_.default.json";
  std::filesystem::copy_file(golden_file("prims._unsafe_index_put_.default"), copy,
                             std::filesystem::copy_options::overwrite_existing);
  const auto unnamed = evidence_of(copy.string());
  std::filesystem::remove(copy);
  CHECK(unnamed.exempt == 0);
  CHECK(totals({unnamed}, folder.string()).ends_with(" 2 disagree"));
}

TEST_CASE("corpus/ops_evidence.tsv says what the evidence is") {
  std::ifstream file(noclobber::in_sources("/corpus/ops_evidence.tsv"));
  std::ostringstream held;
  held << file.rdbuf();
  CHECK(held.str() == evidence_table(evidence_of_all()));
}

TEST_CASE("a row is tested if its evidence is complete") {
  for (const Evidence& e : evidence_of_all()) {
    INFO(e.op);
    CHECK(noclobber::row_tested(e.op) == e.tested());
  }
  CHECK(noclobber::row_tested("aten.mul.out"));  // by its functional form
  CHECK_FALSE(noclobber::row_tested("aten.cholesky.default"));
  CHECK_FALSE(noclobber::row_tested("mine.op.default"));
}

TEST_CASE("a bound below the recorded rounding is noticed") {
  const auto report = run_file(golden_file("aten.native_layer_norm.default"), {});
  CHECK(report.agreeing < report.calls);
  CHECK(report.ulps > 0);
}

TEST_CASE("a contract that a kernel does not keep is noticed") {
  CHECK(evidence_of(golden_file("aten.add.Tensor"), "elementwise").faults.empty());
  CHECK_FALSE(evidence_of(golden_file("aten.flip.default"), "elementwise").faults.empty());
  CHECK_FALSE(evidence_of(golden_file("aten.add_.Tensor"), "before_write").faults.empty());
}

TEST_CASE("results that the Trace takes from an input are compared element by element") {
  CHECK(evidence_of(golden_file("aten.as_strided.default")).placed > 0);
  CHECK(evidence_of(golden_file("aten.slice_scatter.default")).placed > 0);
  CHECK(evidence_of(golden_file("aten.mm.default")).placed == 0);
}

}  // namespace golden_test
