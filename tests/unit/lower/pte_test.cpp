#include <algorithm>
#include <map>
#include <random>

#include "src/formats/case/case_json.h"
#include "src/text/file.h"
#include "tests/unit/lower/pte_program.h"

namespace pte_test {

using namespace noclobber;

TEST_CASE("pte: what the file says is what was recorded", "[pte]") {
  const auto methods = open_pte(bytes_of("ok-counter"));
  REQUIRE(methods);
  const PteMethod& method = methods->at(0);
  CHECK(method.name == "forward");
  CHECK(method.inputs == std::vector<std::uint32_t>{2});
  CHECK(method.outputs == std::vector<std::uint32_t>{8});
  CHECK(method.arenas == std::vector<std::int64_t>{0, 64});
  CHECK(method.operators.at(0) == "dim_order_ops._to_dim_order_copy.out");
  CHECK(method.instructions.size() == 4);
  const PteTensor& counter = method.values.at(0).tensor;
  CHECK((counter.dtype == Dtype::f32 && counter.sizes == std::vector<std::int64_t>{1}));
  REQUIRE(counter.place);
  CHECK((counter.place->arena == 1 && counter.place->offset == 48));
  CHECK(method.values.at(1).tensor.data == 1);
}

TEST_CASE("pte: right programs are proved, with and without the functional program", "[pte]") {
  for (const char* name :
       {"ok-counter", "ok-views", "ok-cond", "ok-mutated-input", "ok-dynamic-batch", "ok-nested-branches"}) {
    INFO(name);
    CHECK(compared(name).status == Status::proved);
    CHECK(alone(name).status == Status::proved);
  }
}

TEST_CASE("pte: wrong programs are refuted for what is wrong with them", "[pte]") {
  CHECK(found(compared("plan-inplace-chain"), "plan-overlap"));
  CHECK(found(alone("plan-inplace-chain"), "plan-overlap"));
  CHECK(found(compared("share-non-elementwise-mm"), "plan-overlap"));
  CHECK(found(alone("share-two-consumers-maximum"), "plan-overlap"));
  CHECK(found(compared("cond-result-overwritten"), "plan-overlap"));
  CHECK(found(compared("nested-result-overwritten"), "plan-overlap"));
  CHECK(found(alone("nested-result-overwritten"), "plan-overlap"));
  CHECK(found(alone("view-of-state-update"), "uninitialized-read"));
  CHECK(found(alone("view-of-constant-written"), "immutable-write"));
  CHECK(found(alone("precondition-two-indices"), "precondition"));
  CHECK(compared("view-of-state-update").status == Status::refuted);
}

TEST_CASE("pte: an input without a place is the caller's own memory, a constant that of all calls", "[pte]") {
  for (const char* name : {"unplanned-input", "unplanned-view", "out-of-its-own"}) {
    INFO(name);
    CHECK(compared(name).status == Status::proved);
    CHECK(alone(name).status == Status::proved);
  }
  CHECK(found(compared_files("unplanned-view.case.json", "unplanned-view-overwritten.pte"), "stale-read"));
  CHECK(found(alone("unplanned-view-overwritten"), "immutable-write"));
  CHECK(found(alone("out-is-constant"), "immutable-write"));
  CHECK(compared_files("out-of-its-own.case.json", "out-is-constant.pte").status == Status::refuted);
}

TEST_CASE("pte: all that is written, or has a place, must lie in an arena", "[pte]") {
  CHECK(alone("moved").status == Status::proved);
  CHECK(compared("moved").status == Status::proved);
  const CheckRecord outside = alone("moved-outside"), unplaced = alone("unplaced");
  CHECK(outside.status == Status::refuted);
  CHECK(unplaced.status == Status::refuted);
  for (const CheckRecord* record : {&outside, &unplaced}) {
    REQUIRE(record->findings.size() == 1);
    CHECK(record->findings[0].rule == "NC031");
  }
  const auto methods = open_pte(bytes_of("moved-no-arena"));
  REQUIRE(methods);
  const auto value = case_of_pte(methods->front(), nullptr);
  REQUIRE_FALSE(value);
  CHECK(value.fault().message == "a tensor in an arena that does not exist");
}

TEST_CASE("pte: what a call leaves for the next one is not proved by looking at one", "[pte]") {
  CHECK(alone("moved-twice").status == Status::unknown);
  CHECK(names_unknown(alone("moved-twice"), "name that another call finds elsewhere"));
  CHECK(alone("moved-freed").status == Status::unknown);
  CHECK(names_unknown(alone("moved-freed"), "release of planned memory"));
  CHECK(compared_files("moved.case.json", "moved-freed.pte").status == Status::unknown);
}

TEST_CASE("pte: branches on a truth value and on its negation take no arm together that excludes another",
          "[pte]") {
  CHECK(compared("contrary-branches").status == Status::proved);
  CHECK(alone("contrary-branches").status == Status::proved);
  CHECK(found(compared("same-branches"), "plan-overlap"));
  CHECK(found(alone("same-branches"), "plan-overlap"));
}

TEST_CASE("pte: exported programs are compared as their cases are, whoever wrote them", "[pte]") {
  CHECK(compared("pt2-l1b-off", ".edge.pt2").status == Status::proved);  // ExecuTorch's dialect and archive
  CHECK(found(compared("pt2-l1b", ".edge.pt2"), "stale-read"));
  CHECK(compared("pt2-l14-twin", ".functional.pt2").status == Status::proved);  // numbers inside of branches
  CHECK(found(compared("pt2-l14", ".functional.pt2"), "plan-overlap"));
  CHECK(compared("pt2-l11-off", ".exported.pt2").status == Status::proved);  // an input and a buffer written
  CHECK(found(compared("pt2-l11", ".exported.pt2"), "alias-growth"));
}

TEST_CASE("pte: constants are told apart by what they hold, not by their order in the file", "[pte]") {
  for (const char* functional : {"constants.case.json", "constants.functional.pt2"}) {
    INFO(functional);
    const CheckRecord right = compared_files(functional, "constants.pte");
    CHECK(right.status == Status::proved);
    CHECK(right.assumptions.empty());  // contents are evidence, also of two that hold the same
    // Entries of the file's table of constants exchanged or moved, a byte of one changed.
    for (const char* wrong : {"constants-swapped.pte", "constants-moved.pte", "constants-other-bytes.pte"}) {
      INFO(wrong);
      CHECK(found(compared_files(functional, wrong), "value-mismatch"));
    }
  }
}

TEST_CASE("pte: methods that share state leave each other's alone and agree where it lies", "[pte]") {
  const auto of = [](const char* name) {
    std::map<std::string, CheckRecord> out;
    const auto methods = open_pte(bytes_of(name));
    REQUIRE(methods);
    for (const PteMethod& method : *methods) {
      const auto value = case_of_pte(method, nullptr);
      REQUIRE(value);
      bool contradiction = false;
      out[method.name] = check_case(*value, {}, contradiction);
    }
    REQUIRE(out.size() == 3);
    return out;
  };
  for (const auto& [name, record] : of("methods")) CHECK(record.status == Status::proved);
  // The result of `second` lies where `first` and `both` keep a, which `second` does not touch.
  CHECK(found(of("methods-overlap").at("second"), "plan-overlap"));
  CHECK(of("methods-overlap").at("first").status == Status::proved);
  // `both` has a and b the other way round.
  CHECK(found(of("methods-exchanged").at("second"), "plan-bounds"));
  const Work work = work_of_pair(kPrograms + "methods.second.case.json", kPrograms + "methods.pte");
  REQUIRE(work.kind == Work::Kind::check);
  bool contradiction = false;
  CHECK(check_case(work.value, {}, contradiction).status == Status::proved);
}

TEST_CASE("pte: constants without evidence are named", "[pte]") {
  auto functional = read_case_json(*read_file(kPrograms + "constants.case.json"));
  REQUIRE(functional);
  for (Input& input : functional->after.inputs) {
    input.digest = "";
    input.contents.reset();
  }
  auto before = read_side(write_case_json(*functional), true),
       after = read_side(bytes_of("constants"), false);
  REQUIRE((before && after));
  const auto pair = pair_of(*std::move(before), *std::move(after));
  REQUIRE(pair);
  CHECK(std::ranges::find(pair->assumed, "constants hold what the functional program's do") !=
        pair->assumed.end());
}

TEST_CASE("pte: products and softmax of exported programs are those of the dialect", "[pte]") {
  CHECK(compared("lowered", ".exported.pt2").status == Status::proved);
  const Work work =
      work_of_pair(kPrograms + "lowered.exported.pt2", kPrograms + "lowered-other-dimension.pte");
  REQUIRE(work.kind == Work::Kind::check);
  bool contradiction = false;
  CHECK(found(check_case(work.value, {}, contradiction), "value-mismatch"));
}

TEST_CASE("pte: numbers that a method returns are results like any other", "[pte]") {
  // (x.shape[0] * 2, x + 1): the same; times 3; a flag returned as well; a flag given for an order of
  // dimensions.
  const auto of = [](const std::string& program) {
    const Work work = work_of_pair(kPrograms + "returned-size.case.json", kPrograms + program + ".pte");
    if (work.kind != Work::Kind::check) return CheckRecord{};
    bool contradiction = false;
    return check_case(work.value, {}, contradiction);
  };
  CHECK(of("returned-size").status == Status::proved);
  CHECK(alone("returned-size").status == Status::proved);
  CHECK(found(of("returned-size-tripled"), "value-mismatch"));
  CHECK(found(of("returned-size-and-flag"), "signature"));
  const Work unread =
      work_of_pair(kPrograms + "returned-size.case.json", kPrograms + "returned-size-flag-for-order.pte");
  CHECK(unread.kind != Work::Kind::check);
  CHECK(unread.fault.message.find("do not fit the operator dim_order_ops._to_dim_order_copy.out") !=
        std::string::npos);
}

TEST_CASE("pte: what a call writes first without an out has a place like any other", "[pte]") {
  CHECK(compared("scanned").status == Status::proved);
  const Work wrong =
      work_of_pair(kPrograms + "scanned.case.json", kPrograms + "scanned-carry-overwritten.pte");
  REQUIRE(wrong.kind == Work::Kind::check);
  bool contradiction = false;
  CHECK(found(check_case(wrong.value, {}, contradiction), "plan-overlap"));
}

TEST_CASE("pte: what a call leaves behind is what the next one begins with", "[pte]") {
  CHECK(compared("mapped").status == Status::proved);
  const Work left = work_of_pair(kPrograms + "mapped.case.json", kPrograms + "mapped-counter-left.pte");
  REQUIRE(left.kind == Work::Kind::check);
  bool contradiction = false;
  CHECK(names_unknown(check_case(left.value, {}, contradiction), "number that another call begins with"));
  // A buffer that begins with numbers, of which the file says nothing; the same with zeros.
  CHECK(names_unknown(compared("state-begins"), "state that begins with other contents"));
  const Work empty = work_of_pair(kPrograms + "state-begins-empty.case.json", kPrograms + "state-begins.pte");
  REQUIRE(empty.kind == Work::Kind::check);
  CHECK(check_case(empty.value, {}, contradiction).status == Status::proved);
}

TEST_CASE("pte: a buffer that is copied onto itself is none of the file's", "[pte]") {
  CHECK(compared("seed-266").status == Status::proved);
  const Work other = work_of_pair(kPrograms + "seed-266-other-state.case.json", kPrograms + "seed-266.pte");
  REQUIRE(other.kind == Work::Kind::check);
  bool contradiction = false;
  CHECK(found(check_case(other.value, {}, contradiction), "value-mismatch"));
}

TEST_CASE("pte: a number beside a tensor is a constant, converted to what the result is", "[pte]") {
  Graph graph;
  graph.values = {
      {"x", Value::From::input, 0, 0, Type{Dtype::f32, Type::Strides::contiguous, {SymExpr(2)}, {}, 0, ""}},
      {"y", Value::From::step, 0, 0, Type{Dtype::f32, Type::Strides::contiguous, {SymExpr(2)}, {}, 0, ""}}};
  graph.inputs.emplace_back().value = ValueId(0);
  Step& step = graph.steps.emplace_back();
  step.op = "aten.add.Tensor";
  step.args = {Arg::of(ValueId(0)), Arg::of(SymExpr(3))};
  step.results = {ValueId(1)};
  graph.outputs = {Arg::of(ValueId(1))};
  std::map<std::string, Graph> bodies;
  as_executorch_lowers(graph, bodies);
  REQUIRE(graph.steps.size() == 3);
  CHECK((graph.steps[0].op == "aten.full.default" && graph.steps[0].args[1] == Arg::of(SymExpr(3))));
  CHECK((graph.steps[1].op == "aten._to_copy.default" &&
         graph.steps[2].args[1].ref == graph.steps[1].results[0]));
  as_executorch_lowers(graph, bodies);  // there is nothing left to do
  CHECK(graph.steps.size() == 3);
}

TEST_CASE("pte: damaged files are read or refused with a place, never worse", "[pte]") {
  std::mt19937 random(3);
  int refused = 0, read_well = 0;
  for (const char* name : {"ok-counter", "ok-cond", "view-of-state-update"}) {
    const std::string good = bytes_of(name);
    for (int round = 0; round < 1500; ++round) {
      std::string bad = good;
      for (unsigned k = 0; k < 1 + random() % 4; ++k)
        bad[random() % bad.size()] ^= static_cast<char>(1U << (random() % 8));
      if (round % 3 == 0) bad.resize(random() % bad.size());
      const auto methods = open_pte(bad);
      if (!methods) {
        ++refused;
        CHECK(methods.fault().where.starts_with("byte "));
        continue;
      }
      ++read_well;
      for (const PteMethod& method : *methods) case_of_pte(method, nullptr);
    }
  }
  CHECK(refused > 1000);
  CHECK(read_well > 100);
}

// Found by flipping bits of programs that ran: the runtime then reads constants from the start of the file.
TEST_CASE("pte: a program with segments needs the header that places them", "[pte]") {
  const std::string good = bytes_of("ok-views");
  REQUIRE(good.substr(8, 4) == "eh00");
  REQUIRE(open_pte(good));
  const auto refused = [&](std::size_t at, int flip, const std::string& why) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ flip);
    const auto read = open_pte(bad);
    REQUIRE_FALSE(read);
    CHECK(read.fault().message.find(why) != std::string::npos);
  };
  refused(8, 8, "no extended header");
  refused(9, 1, "no extended header");
  refused(30, 64, "not inside of the file");
  std::string inside = good;
  inside.replace(24, 8, std::string(8, '\0'));
  const auto read = open_pte(inside);
  REQUIRE_FALSE(read);
  CHECK(read.fault().message.find("inside of the program") != std::string::npos);
}

TEST_CASE("pte: inputs and results are of the shape and order that the functional program names", "[pte]") {
  const auto unknown = [](const std::string& functional, const std::string& program) {
    const Work work = work_of_pair(kPrograms + functional + ".case.json", kPrograms + program + ".pte");
    REQUIRE(work.kind == Work::Kind::check);
    bool contradiction = false;
    const CheckRecord record = check_case(work.value, {}, contradiction);
    std::string out = record.status == Status::unknown ? "" : "not unknown";
    for (const Unknown& one : record.unknown)
      for (const std::string& name : one.names) out += name + "; ";
    return out;
  };
  const auto says = [&](const std::string& functional, const std::string& program, const std::string& text) {
    const std::string names = unknown(functional, program);
    INFO(names);
    return names.find(text) != std::string::npos && !names.starts_with("not");
  };
  // x * 2; its input as four dimensions in another order, and of sizes in another order.
  CHECK(compared("plain").status == Status::proved);
  CHECK(says("plain", "plain-input-order", "input of another order of dimensions"));
  CHECK(says("plain", "plain-input-shape", "input of another shape"));
  // A result whose sizes are bounds, put into a tensor of another rank or dtype.
  CHECK(compared("returned-size").status == Status::proved);
  CHECK(says("returned-size", "returned-size-result-flat", "result of another type than its tensor"));
  CHECK(says("returned-size", "returned-size-result-whole", "result of another type than its tensor"));
  CHECK(says("returned-size", "returned-size-flag-on", "copy that does not wait"));
  // Rows of what is above one: `-turned` names columns first, and the kernel writes rows.
  CHECK(compared("rows").status == Status::proved);
  CHECK(says("rows", "rows-turned", "an order of dimensions that kernels do not write"));
}

}  // namespace pte_test
