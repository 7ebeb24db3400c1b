// Nodes of XNNPACK over curves, images and lines: each against a program that means something else.
#include <optional>

#include "tests/unit/lower/pte_xnnpack.h"

namespace pte_xnnpack_nodes_test {

using namespace noclobber;

namespace {

constexpr const char* kNodes[] = {"../xnnpack/curves", "../xnnpack/images", "../xnnpack/lines",
                                  "../xnnpack/last",   "../xnnpack/turned", "../xnnpack/lines-quantised"};

Arg whole(std::int64_t value) { return Arg::of(SymExpr(value)); }
Arg list(const std::vector<std::int64_t>& all) {
  std::vector<Arg> out;
  for (const std::int64_t one : all) out.push_back(whole(one));
  return Arg::of(std::move(out));
}

/// What is said where argument `at` of call number `call` of an operator of the exported program is another.
Status with_argument(const std::string& name, const std::string& op, std::size_t call, std::size_t at,
                     const Arg& other) {
  const auto change = [&](Graph& exported) {
    for (Step& step : exported.steps) {
      if (step.op != op || call-- > 0) continue;
      const Schema* schema = find_schema(op);
      REQUIRE(schema != nullptr);
      for (std::size_t k = step.args.size(); k <= at; ++k)
        step.args.push_back(schema->arguments[k].fallback.value_or(Arg{}));
      step.args[at] = other;
      return;
    }
    FAIL("no such call");
  };
  return xnn_against(
             name, [](PteMethod&) {}, change)
      .status;
}

XnnProgram& payload_of(PteMethod& method) { return *method.delegates.at(0).xnnpack; }

/// The node number `which` of that kind.
XnnNode& node_of(PteMethod& method, std::string_view kind, std::size_t which = 0) {
  for (XnnNode& node : payload_of(method).nodes)
    if (node.kind == kind && which-- == 0) return node;
  FAIL("no such node");
  return payload_of(method).nodes.front();
}

/// Puts a node of that kind between the node and what takes its result, of `given` or of that result.
void put_behind(PteMethod& method, std::size_t at, std::string_view kind,
                std::optional<std::uint32_t> given = {}) {
  XnnProgram& payload = payload_of(method);
  const std::uint32_t made = payload.nodes.at(at).output, fresh = 1000;
  XnnValue value;
  for (const XnnValue& one : payload.values)
    if (one.id == made) value = one;
  REQUIRE(value.external == kNoXnnId);
  value.id = fresh;
  payload.values.push_back(value);
  for (XnnNode& node : payload.nodes) std::ranges::replace(node.inputs, made, fresh);
  XnnNode node;
  node.kind = kind;
  node.inputs = {given.value_or(made)};
  node.output = fresh;
  payload.nodes.insert(payload.nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1, node);
}

}  // namespace

TEST_CASE("pte: XNNPACK runs curves, images, lines and turned operands as exported", "[pte]") {
  for (const char* name : kNodes) {
    INFO(name);
    CHECK(xnn_against(name, [](PteMethod&) {}).status == Status::proved);
  }
}

TEST_CASE("pte: no number of curves, images and lines of XNNPACK can be another", "[pte]") {
  xnn_all_seen_but("../xnnpack/curves", {});
  xnn_all_seen_but("../xnnpack/images", {});
  // The dilation of a kernel of one column, and more than infinity.
  xnn_all_seen_but("../xnnpack/lines",
                   {"0.2 Conv2d 12", "0.7 Conv2d 12", "0.7 Conv2d 19", "0.12 ConvTranspose2d 12"});
  xnn_all_seen_but("../xnnpack/lines-quantised", {"0.3 Conv2d 12", "0.3 Conv2d 19", "0.8 Conv2d 12"});
  xnn_all_seen_but("../xnnpack/last", {"0.0 Conv2d 19"}, 20);
  xnn_all_seen_but("../xnnpack/turned", {"0.1 FullyConnected 4"}, 20);
  for (const char* name : kNodes) xnn_values_seen(name);
}

TEST_CASE("pte: constants of curves, images and lines of XNNPACK are those of the exported program",
          "[pte]") {
  for (const char* name : kNodes) {
    const PteMethod method = method_of(bytes_of(name));
    for (std::size_t k = 1; k < method.delegates.at(0).xnnpack->data.size(); ++k) {
      INFO(name << " " << k);
      CHECK(xnn_against(name, [&](PteMethod& own) { payload_of(own).data[k].bytes->front() ^= 1; }).status !=
            Status::proved);
    }
  }
}

TEST_CASE("pte: an ELU of XNNPACK has the alpha of the program, and no scale", "[pte]") {
  const auto elu = [](std::size_t call, std::size_t at, const Arg& other) {
    return with_argument("../xnnpack/curves", "aten.elu.default", call, at, other);
  };
  CHECK(elu(0, 1, whole(1)) == Status::proved);
  CHECK(elu(0, 1, Arg::of_real(1)) == Status::proved);
  CHECK(elu(0, 1, Arg::of_real(0.5)) != Status::proved);
  CHECK(elu(1, 1, Arg::of_real(0.5)) == Status::proved);
  CHECK(elu(1, 1, Arg::of_real(1)) != Status::proved);
  for (const std::size_t scale : {2U, 3U}) CHECK(elu(1, scale, Arg::of_real(2)) != Status::proved);
  const auto exchanged = [](PteMethod& own) {
    std::swap(node_of(own, "ELU", 0).reals, node_of(own, "ELU", 1).reals);
  };
  CHECK(xnn_against("../xnnpack/curves", exchanged).status == Status::refuted);
}

TEST_CASE("pte: a square of XNNPACK is the second power, and no other", "[pte]") {
  const auto power = [](const Arg& other) {
    return with_argument("../xnnpack/curves", "aten.pow.Tensor_Scalar", 0, 1, other);
  };
  CHECK(power(whole(2)) == Status::proved);
  CHECK(power(Arg::of_real(2)) == Status::proved);
  CHECK(power(whole(3)) != Status::proved);
  CHECK(power(Arg::of_real(2.5)) != Status::proved);
  const auto of_the_other = [](PteMethod& own) {
    std::swap(node_of(own, "Square", 0).inputs, node_of(own, "Square", 1).inputs);
  };
  CHECK(xnn_against("../xnnpack/curves", of_the_other).status != Status::proved);
}

TEST_CASE("pte: an average of XNNPACK leaves padding out, and divides by the elements of a window", "[pte]") {
  const auto pool = [](std::size_t call, std::size_t at, const Arg& other) {
    return with_argument("../xnnpack/images", "aten.avg_pool2d.default", call, at, other);
  };
  constexpr std::size_t kKernel = 1, kStride = 2, kPadding = 3, kCounts = 5, kDivisor = 6;
  CHECK(pool(0, kKernel, list({3})) == Status::proved);  // one number for both
  CHECK(pool(0, kStride, list({2})) == Status::proved);
  CHECK(pool(0, kPadding, list({1})) == Status::proved);
  CHECK(pool(0, kCounts, Arg::of_bool(true)) != Status::proved);
  CHECK(pool(0, kDivisor, whole(9)) != Status::proved);  // at the rim it divides by less
  // Windows of two rows and one column, without padding.
  CHECK(pool(1, kDivisor, whole(2)) == Status::proved);
  CHECK(pool(1, kDivisor, Arg{}) == Status::proved);
  CHECK(pool(1, kDivisor, whole(3)) != Status::proved);
  CHECK(pool(1, kCounts, Arg::of_bool(false)) == Status::proved);
  CHECK(pool(1, kStride, list({})) != Status::proved);  // as the kernel: two and one
  CHECK(pool(1, kKernel, list({1, 2})) != Status::proved);
}

TEST_CASE("pte: a picture is resized by XNNPACK with the corners and factors of the program", "[pte]") {
  const auto resized = [](std::size_t call, std::size_t at, const Arg& other) {
    return with_argument("../xnnpack/images", "aten.upsample_bilinear2d.vec", call, at, other);
  };
  constexpr std::size_t kCorners = 2, kFactors = 3;
  const auto factors = [](double rows, double columns) {
    return Arg::of({Arg::of_real(rows), Arg::of_real(columns)});
  };
  CHECK(resized(0, kFactors, factors(2, 2)) == Status::proved);
  CHECK(resized(0, kFactors, factors(2, 1.9)) != Status::proved);
  CHECK(resized(0, kFactors, factors(2.05, 2)) != Status::proved);
  CHECK(resized(0, kCorners, Arg::of_bool(true)) != Status::proved);
  CHECK(resized(1, kCorners, Arg::of_bool(false)) != Status::proved);
  const auto legacy = [](PteMethod& own) { node_of(own, "StaticResizeBilinear2D").flags = 4; };
  CHECK(xnn_against("../xnnpack/images", legacy).status != Status::proved);
}

/// docs/found/executorch-xnnpack-resize-by-a-factor.md: 5 x 5 by 1.5 samples at steps of 1 / 1.5, and of 5 /
/// 7 in XNNPACK. By its size, 7 x 7, it would be right.
TEST_CASE("pte: a resize by a factor is not the resize to a size that XNNPACK makes of it", "[pte]") {
  const std::string name = "../xnnpack/resize-by-a-factor";
  const CheckRecord record = xnn_against(name, [](PteMethod&) {});
  CHECK(record.status == Status::unknown);
  const auto node = [](const Unknown& one) { return one.reason == "unsupported-op"; };
  REQUIRE(std::ranges::count_if(record.unknown, node) == 1);
  CHECK(std::ranges::find_if(record.unknown, node)->names[0].starts_with("xnnpack.StaticResizeBilinear2D"));
  const auto by_size = [](Graph& exported) {
    Step& step = exported.steps.at(0);
    REQUIRE(step.op == "aten.upsample_bilinear2d.vec");
    REQUIRE(step.args.size() == 4);
    step.args[1] = list({7, 7}), step.args[3] = Arg{};
  };
  CHECK(xnn_against(
            name, [](PteMethod&) {}, by_size)
            .status == Status::proved);
}

TEST_CASE("pte: a copy of XNNPACK is what it copies, not something else of its sizes", "[pte]") {
  const auto copied = [](std::string_view kind, bool of_the_other) {
    return xnn_against("../xnnpack/curves",
                       [&](PteMethod& own) {
                         const std::uint32_t other = payload_of(own).nodes.at(1).inputs.at(0);
                         put_behind(own, 0, kind, of_the_other ? std::optional(other) : std::nullopt);
                       })
        .status;
  };
  CHECK(copied("Copy", false) == Status::proved);
  CHECK(copied("Copy", true) == Status::refuted);
  CHECK(copied("Negate", false) == Status::refuted);
  // An image that is copied stays one; so do integers.
  const auto image = [](std::string_view kind) {
    return xnn_against("../xnnpack/images", [&](PteMethod& own) { put_behind(own, 2, kind); }).status;
  };
  CHECK(image("Copy") == Status::proved);
  CHECK(image("Abs") != Status::proved);
  const auto integers = [](std::string_view kind) {
    return xnn_against("../xnnpack/lines-quantised", [&](PteMethod& own) { put_behind(own, 3, kind); })
        .status;
  };
  CHECK(integers("Copy") == Status::proved);
  CHECK(integers("Negate") != Status::proved);
}

TEST_CASE("pte: a product of turned rows is that of the program, with its bias", "[pte]") {
  const auto biased = [](PteMethod& own) { node_of(own, "FullyConnected").inputs[2] = kNoXnnId; };
  CHECK(xnn_against("../xnnpack/turned", biased).status != Status::proved);
  const auto turned = [](PteMethod& own) { node_of(own, "FullyConnected").flags ^= 1; };
  CHECK(xnn_against("../xnnpack/turned", turned).status != Status::proved);
  const auto unbounded = [](PteMethod& own) { node_of(own, "FullyConnected").clamp.reset(); };
  CHECK(xnn_against("../xnnpack/turned", unbounded).status != Status::proved);
}

TEST_CASE("pte: a picture that is given channels-last is turned, and the result is turned back", "[pte]") {
  const auto with_order = [](bool of_result, const std::vector<std::uint8_t>& order) {
    return xnn_against("../xnnpack/last",
                       [&](PteMethod& own) {
                         const auto call = std::ranges::find(own.instructions, PteInstruction::Kind::delegate,
                                                             &PteInstruction::kind);
                         REQUIRE(call != own.instructions.end());
                         own.values[of_result ? call->args.back() : call->args.front()].tensor.dim_order =
                             order;
                       })
        .status;
  };
  const std::vector<std::uint8_t> last = {0, 2, 3, 1};
  CHECK(with_order(false, last) == Status::proved);
  CHECK(with_order(true, last) == Status::proved);
  for (const bool of_result : {false, true})
    for (const std::vector<std::uint8_t>& order :
         {std::vector<std::uint8_t>{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 3, 2, 1}}) {
      INFO(of_result << " " << static_cast<int>(order[1]));
      CHECK(with_order(of_result, order) != Status::proved);
    }
}

}  // namespace pte_xnnpack_nodes_test
