// Payloads of XNNPACK against the exported programs that were lowered to them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/formats/formats.h"
#include "src/formats/pte_xnnpack.h"
#include "tests/support/sample.h"
#include "tests/unit/formats/pte_program.h"

namespace pte_xnnpack_test {

using namespace noclobber;

namespace {

using XnnChange = std::function<void(XnnNode&)>;

/// The exported program against its .pte, of whose payloads something was changed.
CheckRecord xnn_against(const std::string& name, const std::function<void(PteMethod&)>& change) {
  const auto text = read_file(kPrograms + name + ".exported.pt2");
  REQUIRE(text);
  auto before = read_side(*text, true);
  auto after = read_side(bytes_of(name), false);
  REQUIRE((before && after));
  change(after->program.front());
  const auto value = pair_of(*std::move(before), *std::move(after));
  CheckRecord record;
  if (!value) return record;
  bool contradiction = false;
  CheckRecord out = check_case(*value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

bool xnn_assumes(const CheckRecord& record, const std::string& what) {
  return std::ranges::any_of(record.assumptions,
                             [&](const std::string& one) { return one.starts_with(what); });
}

/// Every way to change one number of a node by one.
std::vector<XnnChange> changes_of(const XnnNode& node) {
  std::vector<XnnChange> out;
  for (std::size_t k = 0; k < node.inputs.size(); ++k)
    if (node.inputs[k] != kNoXnnId) out.emplace_back([k](XnnNode& own) { ++own.inputs[k]; });
  for (std::size_t k = 0; k < node.numbers.size(); ++k)
    out.emplace_back([k](XnnNode& own) { ++own.numbers[k]; });
  for (std::size_t j = 0; j < node.lists.size(); ++j)
    for (std::size_t k = 0; k < node.lists[j].size(); ++k)
      out.emplace_back([j, k](XnnNode& own) { ++own.lists[j][k]; });
  for (std::size_t k = 0; k < node.reals.size(); ++k)
    out.emplace_back([k](XnnNode& own) { own.reals[k] += 0.25F; });
  if (node.clamp) {
    out.emplace_back([](XnnNode& own) { own.clamp->first += 0.25F; });
    out.emplace_back([](XnnNode& own) { own.clamp->second += 0.25F; });
    out.emplace_back([](XnnNode& own) { own.clamp.reset(); });
  }
  out.emplace_back([](XnnNode& own) { ++own.output; });
  for (const std::uint32_t flag : {1U, 4U, 8U, 64U, 128U})
    out.emplace_back([flag](XnnNode& own) { own.flags ^= flag; });
  return out;
}

void xnn_all_seen_but(const std::string& name, const std::vector<std::string>& needless) {
  const PteMethod method = method_of(bytes_of(name));
  std::size_t tried = 0;
  for (std::size_t d = 0; d < method.delegates.size(); ++d) {
    const XnnProgram& program = *method.delegates[d].xnnpack;
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const auto all = changes_of(program.nodes[n]);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (!testing::is_sampled(tried++)) continue;
        const std::string what = fmt::format("{}.{} {} {}", d, n, program.nodes[n].kind, k);
        const CheckRecord record =
            xnn_against(name, [&](PteMethod& own) { all[k](own.delegates[d].xnnpack->nodes[n]); });
        const bool is_needless = std::ranges::find(needless, what) != needless.end();
        INFO(name << ": " << what);
        CHECK((record.status == Status::proved) == is_needless);
      }
    }
  }
  CHECK(tried > 50);
}

/// What a payload says of its values besides: sizes, flags, types.
void xnn_values_seen(const std::string& name) {
  const PteMethod method = method_of(bytes_of(name));
  for (std::size_t d = 0; d < method.delegates.size(); ++d)
    for (std::size_t v = 0; v < method.delegates[d].xnnpack->values.size(); ++v) {
      const auto with = [&](const std::function<void(XnnValue&)>& change) {
        return xnn_against(name, [&](PteMethod& own) { change(own.delegates[d].xnnpack->values[v]); }).status;
      };
      INFO(name << ": " << d << ", value " << v);
      if (!testing::is_sampled(v)) continue;
      CHECK(with([](XnnValue& own) { ++own.dims.back(); }) != Status::proved);
      CHECK(with([](XnnValue& own) { own.flags ^= 64; }) != Status::proved);
      CHECK(with([](XnnValue& own) { own.dtype = Dtype::f16; }) != Status::proved);
      CHECK(with([](XnnValue& own) { ++own.id; }) != Status::proved);
      CHECK(with([](XnnValue& own) { ++own.data; }) != Status::proved);
    }
}

}  // namespace

TEST_CASE("pte: what XNNPACK is given to run is what was exported", "[pte]") {
  for (const char* name : {"../xnnpack/vision", "../xnnpack/text"}) {
    INFO(name);
    const CheckRecord record = xnn_against(name, [](PteMethod&) {});
    CHECK(record.status == Status::proved);
    CHECK(xnn_assumes(record, "nodes of XNNPACK compute what the operators of PyTorch do"));
  }
  CHECK(
      xnn_assumes(xnn_against("../xnnpack/vision", [](PteMethod&) {}), "a batch norm that ExecuTorch folds"));
}

TEST_CASE("pte: payloads of XNNPACK with other numbers are no proof, whatever was run differs", "[pte]") {
  for (const char* name : {"operands", "slope", "part", "constants", "bound"}) {
    INFO(name);
    CHECK(compared_files("../xnnpack/text.exported.pt2", std::string("../xnnpack/text-") + name + ".pte")
              .status == Status::refuted);
  }
  for (const char* name : {"dilation", "bound", "side", "left-out"}) {
    INFO(name);
    CHECK(compared_files("../xnnpack/vision.exported.pt2", std::string("../xnnpack/vision-") + name + ".pte")
              .status != Status::proved);
  }
}

TEST_CASE("pte: no number of a payload of XNNPACK can be another", "[pte]") {
  xnn_all_seen_but("../xnnpack/text", {});
  // Padding behind that no window reaches, and the dilation of a batch norm alone, a convolution of one by
  // one.
  xnn_all_seen_but("../xnnpack/vision",
                   {"1.4 MaxPooling2d 3", "1.5 DepthwiseConv2d 11", "1.5 DepthwiseConv2d 12"});
  xnn_values_seen("../xnnpack/text");
  xnn_values_seen("../xnnpack/vision");
}

TEST_CASE("pte: constants of a payload of XNNPACK hold what the exported program's do", "[pte]") {
  for (const char* name : {"../xnnpack/vision", "../xnnpack/text"}) {
    const PteMethod method = method_of(bytes_of(name));
    for (std::size_t d = 0; d < method.delegates.size(); ++d)
      for (std::size_t k = 1; k < method.delegates[d].xnnpack->data.size(); ++k) {
        INFO(name << ": " << d << " " << k);
        const CheckRecord record = xnn_against(name, [&](PteMethod& own) {
          own.delegates[d].xnnpack->data[k].bytes->front() ^= 1;  // the lowest bit of the first number
        });
        CHECK(record.status != Status::proved);
        const CheckRecord without =
            xnn_against(name, [&](PteMethod& own) { own.delegates[d].xnnpack->data[k].bytes.reset(); });
        CHECK(without.status == Status::unknown);
      }
  }
}

TEST_CASE("pte: a result of XNNPACK that lies on what the call is given is unknown", "[pte]") {
  const CheckRecord record = xnn_against("../xnnpack/text", [](PteMethod& own) {
    const auto at =
        std::ranges::find(own.instructions, PteInstruction::Kind::delegate, &PteInstruction::kind);
    REQUIRE((at != own.instructions.end() && at->results));
    auto &given = own.values[at->args[0]].tensor, &made = own.values[at->args.back()].tensor;
    made.place = given.place = PteTensor::Place{1, 0};
  });
  CHECK(names_unknown(record, "result that lies on an argument"));
}

}  // namespace pte_xnnpack_test
