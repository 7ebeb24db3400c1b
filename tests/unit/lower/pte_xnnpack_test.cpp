// Payloads of XNNPACK against the exported programs that were lowered to them.
#include <algorithm>
#include <functional>

#include "tests/unit/lower/pte_xnnpack.h"

namespace pte_xnnpack_test {

using namespace noclobber;

TEST_CASE("pte: what XNNPACK is given to run is what was exported", "[pte]") {
  for (const char* name : {"../xnnpack/vision", "../xnnpack/text"}) {
    INFO(name);
    const CheckRecord record = xnn_against(name, [](PteMethod&) {});
    CHECK(record.status == Status::proved);
    CHECK(xnn_assumes(record, "nodes of XNNPACK compute what the operators of PyTorch do"));
  }
  const CheckRecord quantised = xnn_against("../xnnpack/quantised", [](PteMethod&) {});
  CHECK(quantised.status == Status::proved);
  CHECK(xnn_assumes(quantised,
                    "quantised nodes of XNNPACK compute what operators of PyTorch do of the numbers"));
  CHECK(xnn_assumes(quantised, "biases that ExecuTorch quantises, computed again to the bit"));
  CHECK(
      xnn_assumes(xnn_against("../xnnpack/vision", [](PteMethod&) {}), "a batch norm that ExecuTorch folds"));
}

TEST_CASE("pte: payloads of XNNPACK with other numbers are no proof, whatever was run differs", "[pte]") {
  for (const char* name : {"operands", "slope", "part", "constants", "bound"}) {
    INFO(name);
    CHECK(compared_files("../xnnpack/text.exported.pt2", std::string("../xnnpack/text-") + name + ".pte")
              .status == Status::refuted);
  }
  for (const char* name : {"scale", "zero", "bound", "pad", "scales", "bias", "operands"}) {
    INFO(name);
    CHECK(compared_files("../xnnpack/quantised.exported.pt2",
                         std::string("../xnnpack/quantised-") + name + ".pte")
              .status != Status::proved);
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
  // Padding that no window reaches, and more than infinity.
  xnn_all_seen_but("../xnnpack/quantised", {"0.3 Conv2d 19", "0.9 MaxPooling2d 2", "0.9 MaxPooling2d 3"});
  xnn_values_seen("../xnnpack/text");
  xnn_values_seen("../xnnpack/vision");
}

TEST_CASE("pte: what integers of a payload of XNNPACK stand for is what the exported program says", "[pte]") {
  const PteMethod method = method_of(bytes_of("../xnnpack/quantised"));
  const auto& values = method.delegates[0].xnnpack->values;
  std::size_t tried = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (!values[v].quantum) continue;
    const auto with = [&](const std::function<void(XnnQuantum&)>& change) {
      return xnn_against("../xnnpack/quantised",
                         [&](PteMethod& own) { change(*own.delegates[0].xnnpack->values[v].quantum); })
          .status;
    };
    INFO(v);
    if (!testing::is_sampled(tried++)) continue;
    const bool by_channel = values[v].quantum->scales != 0;
    const auto other_place = [&](XnnQuantum& own) {
      if (by_channel) ++own.channel;
      if (!by_channel) ++own.zero;
    };
    const auto other_scale = [&](XnnQuantum& own) {
      if (by_channel) ++own.scales;
      if (!by_channel) own.scale += 0.25F;
    };
    CHECK(with(other_place) != Status::proved);
    CHECK(with(other_scale) != Status::proved);
    CHECK(with([](XnnQuantum& own) { own.scales = own.scales == 0 ? 1 : 0; }) != Status::proved);
    CHECK(xnn_against("../xnnpack/quantised", [&](PteMethod& own) {
            own.delegates[0].xnnpack->values[v].quantum.reset();
          }).status != Status::proved);
  }
  CHECK(tried > 10);
}

TEST_CASE("pte: a layer that is used twice has a bias for each use in XNNPACK", "[pte]") {
  // As ExecuTorch 1.5.1 writes it the second use has the bias of the first: docs/found.
  const auto record = compared_files("../xnnpack/shared-layer.exported.pt2", "../xnnpack/shared-layer.pte");
  CHECK(names_unknown(record, "a weight, or its bias, of unknown origin"));
}

TEST_CASE("pte: a byte returns from the number that it stands for, unless scales are none", "[pte]") {
  for (const double scale : {1.0, 0.003918899223208427, 3e-5, 1e30, 7.0})
    for (const std::int64_t zero : {-128, -1, 0, 37, 127}) CHECK(bytes_return(scale, zero));
  for (const double scale : {0.0, -1.0, 1e-46, 1e39}) CHECK_FALSE(bytes_return(scale, 0));
  CHECK_FALSE(bytes_return(1, 128));
}

TEST_CASE("pte: numbers that are made bytes again are the same ones, if nothing but moves is between",
          "[pte]") {
  const PteMethod method = method_of(bytes_of("../xnnpack/quantised"));
  const auto last = [&](const std::string& between, const char* again = "0.5, 3, -128, 127") {
    const std::string text =
        "def forward(self, x: \"f32[2, 3]\", y: \"f32[6]\"):\n"
        "    q: \"i8[2, 3]\" = torch.ops.quantized_decomposed.quantize_per_tensor.default(x, 0.5, 3, -128, "
        "127, "
        "torch.int8)\n"
        "    d: \"f32[2, 3]\" = torch.ops.quantized_decomposed.dequantize_per_tensor.default(q, 0.5, 3, "
        "-128, "
        "127, torch.int8)\n"
        "    v: \"f32[6]\" = torch.ops.aten.view.default(d, [6])\n" +
        between + "    r: \"i8[6]\" = torch.ops.quantized_decomposed.quantize_per_tensor.default(v, " +
        again +
        ", torch.int8)\n    e: \"f32[6]\" = "
        "torch.ops.quantized_decomposed.dequantize_per_tensor.default(r, " +
        again + ", torch.int8)\n    return (e, y)\n";
    auto side = read_side(text, true);
    REQUIRE(side);
    forget_requantised(side->graph, method);
    return side->graph.value(side->graph.outputs.at(0).ref).name;
  };
  CHECK(last("") == "v");
  CHECK(last("    w: \"f32[6]\" = torch.ops.aten.relu_.default(v)\n") == "e");
  CHECK(last("    w: \"f32[2, 3]\" = torch.ops.aten.add_.Scalar(d, 1)\n") == "e");
  CHECK(last("", "0.25, 3, -128, 127") == "e");
  CHECK(last("", "0.5, 4, -128, 127") == "e");
  CHECK(last("", "0.5, 3, -127, 127") == "e");
}

TEST_CASE("pte: constants of a payload of XNNPACK hold what the exported program's do", "[pte]") {
  for (const char* name : {"../xnnpack/vision", "../xnnpack/text", "../xnnpack/quantised"}) {
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
