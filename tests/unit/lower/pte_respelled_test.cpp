#include <algorithm>

#include "src/text/file.h"
#include "tests/support/sample.h"
#include "tests/unit/lower/pte_program.h"

namespace pte_respelled_test {

using namespace noclobber;

namespace {

/// The exported program `name` against its method, in which `change` changed something.
template <class Change>
CheckRecord against(const std::string& name, const Change& change, const char* ending = ".exported.pt2") {
  const auto text = read_file(kPrograms + name + ending);
  REQUIRE(text);
  auto before = read_side(*text, true);
  REQUIRE(before);
  auto after = read_side(bytes_of(name), false);
  REQUIRE(after);
  change(after->program.front());
  const auto value = pair_of(*std::move(before), *std::move(after));
  CheckRecord record;
  if (!value) return record;  // unknown: the two do not fit together
  bool contradiction = false;
  return check_case(*value, {}, contradiction);
}

/// One more, the other sign, or the other truth value.
void change_number(PteValue& value) {
  if (value.kind == PteValue::Kind::integer) ++value.integer;
  if (value.kind == PteValue::Kind::boolean) value.integer = 1 - value.integer;
  if (value.kind == PteValue::Kind::real) value.real = value.real == 0 ? 1 : -value.real;
}

bool is_number(const PteValue& value) {
  return value.kind == PteValue::Kind::integer || value.kind == PteValue::Kind::boolean ||
         value.kind == PteValue::Kind::real;
}

/// Whatever number of the program is changed by one, that is seen; but for these, on which nothing rests.
void all_seen_but(const std::string& name, const std::vector<std::size_t>& needless, std::size_t least = 20) {
  const PteMethod method = method_of(bytes_of(name));
  std::size_t tried = 0;
  for (std::size_t k = 0; k < method.values.size(); ++k) {
    if (!is_number(method.values[k]) || !testing::is_sampled(k)) continue;
    ++tried;
    INFO(name << ", value " << k);
    const CheckRecord record = against(name, [&](PteMethod& own) { change_number(own.values[k]); });
    const bool is_needless = std::ranges::find(needless, k) != needless.end();
    CHECK((record.status == Status::proved) == is_needless);
  }
  CHECK(tried > testing::sampled(least));
}

}  // namespace

TEST_CASE("pte: operators that the core of ATen spells otherwise are what PyTorch makes of them", "[pte]") {
  for (const char* name :
       {"spelled-vision", "spelled-text", "spelled-more", "spelled-activations", "spelled-recurrent",
        "spelled-moves", "spelled-steps", "spelled-losses", "spelled-products", "spelled-places",
        "spelled-classes", "spelled-bag", "spelled-rest"}) {
    const CheckRecord record = against(name, [](PteMethod&) {});
    INFO(name);
    CHECK(record.status == Status::proved);
    CHECK(record.counts.modelled == record.counts.steps);
  }
}

TEST_CASE("pte: activations that are written in place are made beside it and copied there", "[pte]") {
  CHECK(against("written-activations", [](PteMethod&) {}).status == Status::proved);
  all_seen_but("written-activations", {}, 14);
}

TEST_CASE("pte: a number that half precision does not hold is none of it", "[pte]") {
  CHECK(against("half-within-range", [](PteMethod&) {}).status == Status::proved);
  const CheckRecord beyond = against("half-beyond-range", [](PteMethod&) {});  // a half / 100000
  CHECK(beyond.status == Status::refuted);
  REQUIRE_FALSE(beyond.findings.empty());
  CHECK(beyond.findings[0].rule == "NC004");
}

TEST_CASE("pte: doubles are computed with all digits of a number", "[pte]") {
  CHECK(against("double-kept", [](PteMethod&) {}).status == Status::proved);      // times 0.25
  CHECK(against("double-rounded", [](PteMethod&) {}).status == Status::refuted);  // times 0.1, made a float
  CHECK(compared_files("double-rounded.exported.pt2", "double-kept.pte").status == Status::refuted);
  CHECK(against("half-kept", [](PteMethod&) {}).status == Status::proved);      // times 0.125
  CHECK(against("half-rounded", [](PteMethod&) {}).status == Status::unknown);  // times 0.1: the last digit
  CHECK(compared_files("half-kept.exported.pt2", "half-rounded.pte").status != Status::proved);
}

TEST_CASE("pte: losses and products that are others are seen", "[pte]") {
  const auto said = [](const std::string& name) {
    return compared_files(name + ".exported.pt2", name + "-otherwise.pte").status;
  };
  CHECK(said("spelled-losses") == Status::refuted);    // another delta, operands of lerp exchanged
  CHECK(said("spelled-products") == Status::refuted);  // a product turned, states exchanged
  CHECK(said("spelled-places") == Status::refuted);    // reflected for repeated, turned back, another axis
  CHECK(said("spelled-classes") == Status::refuted);   // another class ignored, another end, other corners
  CHECK(said("spelled-bag") == Status::refuted);       // sums, not means
}

TEST_CASE("pte: where PyTorch rounds on the way, half precision is left as it is spelled", "[pte]") {
  const CheckRecord record = against("spelled-half", [](PteMethod&) {});
  CHECK(record.findings.empty());
  CHECK(names_unknown(record, "aten.rms_norm"));
}

TEST_CASE("pte: a number is chosen where the condition holds, products of all pairs are laid as said",
          "[pte]") {
  all_seen_but("spelled-rest", {36, 41, 60, 84, 89});  // dimensions of one beside others of one
  const PteMethod method = method_of(bytes_of("spelled-rest"));
  std::size_t tried = 0;
  for (std::size_t k = 0; k < method.instructions.size(); ++k) {
    const PteInstruction& one = method.instructions[k];
    if (one.kind != PteInstruction::Kind::kernel) continue;
    const std::string& op = method.operators[one.target];
    const bool chooses = op == "aten.where.self_out", permutes = op == "aten.permute_copy.out";
    if (!chooses && !permutes) continue;
    INFO(op << " " << k);
    CHECK(against("spelled-rest", [&](PteMethod& own) {
            auto& args = own.instructions[k].args;
            if (chooses) std::swap(args[1], args[2]);
            if (permutes) std::ranges::reverse(own.values[args[1]].items);
          }).status != Status::proved);
    ++tried;
  }
  CHECK(tried == 9);
}

TEST_CASE("pte: no number of a respelled operator can be another", "[pte]") {
  all_seen_but("spelled-vision", {});
  all_seen_but("spelled-more", {});
  // The end of a slice, which is that of the tensor, and what a size is before it is computed.
  all_seen_but("spelled-text", {114});
  all_seen_but("encoder-dynamic", {14});
  all_seen_but("spelled-activations", {});
  all_seen_but("spelled-moves", {142});  // the end of a slice as well
  all_seen_but("spelled-steps", {});
  all_seen_but("spelled-losses", {});
  all_seen_but("spelled-products", {});
  // Ends of slices that are those of the tensor, steps of slices of one, dimensions beside others of one.
  all_seen_but("spelled-places", {78, 90, 101, 106, 113, 117, 129, 139, 177, 264, 301});
  all_seen_but("spelled-classes", {});
  all_seen_but("spelled-bag", {}, 1);
}

TEST_CASE("pte: a recurrent layer is its trips, however they are written", "[pte]") {
  const auto said = [](const std::string& program) {
    return compared_files("spelled-recurrent.exported.pt2", "spelled-recurrent" + program + ".pte").status;
  };
  CHECK(said("-by-hand") == Status::proved);
  CHECK(said("-gates") == Status::refuted);  // two gates of the cells are exchanged
  CHECK(said("-state") == Status::refuted);  // the two states are returned in the other order
  CHECK(compared_files("spelled-activations.exported.pt2", "spelled-activations-not-causal.pte").status !=
        Status::proved);
}

TEST_CASE("pte: what a program transposes lies row by row, though the exported view does not", "[pte]") {
  const auto moved_onto_operand = [](PteMethod& method) {
    const auto is_permute = [&](const PteInstruction& step) {
      return step.kind == PteInstruction::Kind::kernel &&
             method.operators[step.target] == "aten.permute_copy.out" && step.args.size() > 3 &&
             method.values[step.args[0]].tensor.sizes.size() == 5;
    };
    const auto at = std::ranges::find_if(method.instructions, is_permute);
    REQUIRE(at != method.instructions.end());
    REQUIRE(method.values[at->args[0]].tensor.place);
    method.values[at->args[2]].tensor.place = method.values[at->args[0]].tensor.place;
  };
  CHECK(found(against("encoder-dynamic", moved_onto_operand), "plan-overlap"));
}

TEST_CASE("pte: a kernel that no schema is known of writes what the operator of that name returns", "[pte]") {
  const CheckRecord right = against(
      "quantized", [](PteMethod&) {}, ".case.json");
  CHECK(right.status == Status::proved);
  const std::string assumed = "quantized_decomposed.choose_qparams.Tensor_out writes what";
  CHECK(std::ranges::any_of(right.assumptions,
                            [&](const std::string& one) { return one.starts_with(assumed); }));
  const auto call_of = [](PteMethod& method, const std::string& op) -> PteInstruction& {
    const auto is_it = [&](const PteInstruction& step) {
      return step.kind == PteInstruction::Kind::kernel && method.operators[step.target] == op;
    };
    const auto at = std::ranges::find_if(method.instructions, is_it);
    REQUIRE(at != method.instructions.end());
    return *at;
  };
  const auto other_bound = [&](PteMethod& method) {
    change_number(
        method.values[call_of(method, "quantized_decomposed.quantize_per_tensor.Tensor_out").args[3]]);
  };
  CHECK(against("quantized", other_bound, ".case.json").status != Status::proved);
  const auto on_operand = [&](PteMethod& method) {
    const auto& args = call_of(method, "quantized_decomposed.dequantize_per_tensor.Tensor_out").args;
    method.values[args[7]].tensor.place = method.values[args[0]].tensor.place;
  };
  CHECK(against("quantized", on_operand, ".case.json").status == Status::refuted);
  const auto renamed = [&](PteMethod& method) {
    method.operators[0] = "quantized_decomposed.unheard_of.out";
  };
  CHECK(names_unknown(against("quantized", renamed, ".case.json"), "unheard_of"));
}

}  // namespace pte_respelled_test
