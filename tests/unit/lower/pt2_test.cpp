#include <algorithm>
#include <string>

#include "src/lower/pt2/expr.h"
#include "src/lower/pt2/pt2.h"
#include "src/text/file.h"
#include "src/text/zip.h"
#include "tests/support/source_dir.h"
#include "tests/unit/lower/pt2_text.h"

namespace pt2_test {

using namespace noclobber;

namespace {

std::string pt2_bytes(const std::string& name) {
  auto bytes = read_file(in_sources("/corpus/pt2/") + name + ".pt2");
  REQUIRE(bytes);
  return *std::move(bytes);
}

Case pt2_program(const std::string& name) {
  auto cases = read_pt2(pt2_bytes(name));
  INFO(name << ": " << (cases ? "" : cases.fault().where + ": " + cases.fault().message));
  REQUIRE(cases);
  REQUIRE(cases->size() == 1);
  return std::move(cases->front());
}

}  // namespace

TEST_CASE("pt2: buffers, parameters and constants, and what a buffer must hold at the end") {
  for (const std::string name : {"counter-core", "counter-core-torch26"}) {
    INFO(name);
    const Case program = pt2_program(name);
    const Graph& graph = program.after;
    REQUIRE(graph.inputs.size() == 4);
    CHECK(graph.inputs[0].kind == Input::Kind::parameter);
    CHECK(graph.inputs[1].kind == Input::Kind::buffer);
    CHECK(graph.inputs[2].kind == Input::Kind::constant);
    CHECK(graph.inputs[3].kind == Input::Kind::user);
    REQUIRE(graph.finals.size() == 1);
    CHECK(graph.finals[0].first == graph.inputs[1].value);
    CHECK(graph.outputs.size() == 1);
    CHECK(program.inputs_may_overlap);
    const Value& weight = graph.value(graph.inputs[0].value);
    REQUIRE(weight.type);
    CHECK(weight.type->strides == Type::Strides::given);
    CHECK(graph.steps.at(0).source->loc.starts_with("make_pt2.py:"));
    CHECK(graph.steps.at(0).source->code == "self.seen.add_(x)");
  }
}

TEST_CASE("pt2: symbols have their ranges, scalars their expressions") {
  for (const std::string name : {"rows", "rows-core", "rows-core-torch26"}) {
    INFO(name);
    const Case program = pt2_program(name);
    const Graph& graph = program.after;
    REQUIRE(graph.outputs.size() == 2);
    REQUIRE(graph.outputs[1].kind == Arg::Kind::sym);
    const auto names = graph.outputs[1].sym.symbols();
    REQUIRE(names.size() == 1);
    const SymbolRange range = program.symbols.at(names[0]);
    CHECK(range.min == 2);
    CHECK(range.max == 64);
    CHECK(range.hint == 4);
    CHECK(graph.outputs[1].sym == SymExpr(2) * SymExpr::symbol(names[0]));
    CHECK(graph.finals.size() == (name == "rows" ? 0 : 1));
    for (const Step& step : graph.steps) CHECK_FALSE(step.op->starts_with("operator."));
  }
  const Case item = pt2_program("item");
  CHECK(item.symbols.at("u0").unbacked);
  CHECK(item.symbols.at("u0").max == 8);
}

TEST_CASE("pt2: bodies, and arguments of every kind") {
  for (const std::string name : {"branch", "branch-torch26"}) {
    const Case program = pt2_program(name);
    REQUIRE(program.after.bodies.size() == 2);
    CHECK(program.after.bodies.at("false_graph_0").steps.size() == 2);
    CHECK(program.after.steps.at(0).args.at(1) == Arg::of_graph("true_graph_0"));
  }
  for (const std::string name : {"values-core", "values-core-torch26"}) {
    INFO(name);
    const Graph graph = pt2_program(name).after;
    const auto step = [&](std::string_view op) {
      for (const Step& candidate : graph.steps)
        if (candidate.op == op) return candidate;
      return Step();
    };
    CHECK(step("aten._to_copy.default").kwargs.at(1).second == Arg::of_text("channels_last"));
    CHECK(step("aten._to_copy.default").kwargs.at(0).second == Arg::of_dtype(Dtype::f64));
    CHECK(step("aten.clamp.default").args.at(1) == Arg::of_real(-INFINITY));
    CHECK(step("aten.topk.default").results.size() == 2);
    CHECK(step("aten.split_with_sizes.default").results.size() == 2);
    CHECK(graph.outputs.size() == 6);
    CHECK(graph.outputs[4].kind == Arg::Kind::none);
    CHECK(graph.outputs[5] == Arg::of(SymExpr(3)));
  }
}

TEST_CASE("pt2: faults name the member and the place in it") {
  REQUIRE(pt2_fault(zipped(kPlain)) == "accepted");
  const auto fault = [](const std::string& json) {
    const std::string text = pt2_fault(zipped(json));
    const std::string member = "root/models/model.json: ";
    REQUIRE(text.starts_with(member));
    return text.substr(member.size());
  };
  const std::string node = "/graph_module/graph/nodes/0";
  CHECK(fault("{").starts_with("line 1, column 2: "));
  CHECK(fault("{}") == "missing field 'graph_module'");
  CHECK(fault(program_with(node_of(R"({"name": "self", "arg": {"as_tensor": {"name": "q"}}})"))) ==
        node + "/inputs/0/arg/as_tensor/name: 'q' is not defined");
  CHECK(fault(program_with(node_of(R"({"name": "self", "arg": {"as_magic": 1}})"))) ==
        node + "/inputs/0/arg: unknown kind of argument 'as_magic'");
  CHECK(fault(program_with(node_of(R"({"name": "self", "arg": {"as_int": 1, "as_bool": true}})"))) ==
        node + "/inputs/0/arg: a union has several members");
  CHECK(fault(program_with(node_of(kSelf, "torch.ops.aten"))) == node + "/target: is no operator");
  CHECK(fault(program_with(node_of(kSelf) + "," + node_of(kSelf))) ==
        "/graph_module/graph/nodes/1/outputs/0/as_tensor/name: 'y' is defined twice");
  CHECK(fault(program_with(node_of(kSelf), R"({"as_tensor": {"name": "y"}})",
                           R"({"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "b"}})")) ==
        "/graph_module/signature/output_specs/0/buffer_mutation/buffer_name: 'b' is no such input");
  CHECK(fault(program_with(node_of(kSelf), R"({"as_tensor": {"name": "y"}}, {"as_none": true})")) ==
        "/graph_module/signature/output_specs: has not one entry per output of the graph");
  std::string newer = kPlain;
  newer.replace(newer.find("\"major\": 8"), 10, "\"major\": 9");
  CHECK(fault(newer) == "/schema_version: version 9 of the schema is not known");
  std::string negative = kPlain;
  negative.replace(negative.find("\"as_int\": 3"), 11, "\"as_int\":-3");
  CHECK(fault(negative) == "/graph_module/graph/tensor_values/x/sizes/0: is negative");
}

TEST_CASE("pt2: operators of ExecuTorch's dialect are PyTorch's, in both spellings") {
  const std::string self = json_of("{'name': 'self', 'arg': {'as_tensor': {'name': 'x'}}}");
  for (const char* dialect : {"executorch.exir.dialects.edge.ops.", "executorch.exir.dialects.edge._ops."}) {
    const auto read = [&](const std::string& op) {
      return read_pt2(zip_of({{"models/m.json", program_with(node_of(self, dialect + op))}}));
    };
    const auto plain = read("aten.neg.default");
    REQUIRE(plain);
    CHECK(plain->front().after.steps.at(0).op == "aten.neg.default");
    const auto own = read("dim_order_ops._clone_dim_order.default");  // whose schema nobody has
    REQUIRE(own);
    CHECK(own->front().after.steps.at(0).op == "dim_order_ops._clone_dim_order.default");
    CHECK(own->front().after.steps.at(0).args.size() == 1);
    const auto none = read("neg");
    REQUIRE(!none);
    CHECK(none.fault().message == "is no operator");
  }
}

TEST_CASE("pt2: several programs, tied weights, and archives that hold none") {
  const auto two = read_pt2(zip_of({{"models/a.json", kPlain}, {"models/b.json", kPlain}}));
  REQUIRE(two);
  REQUIRE(two->size() == 2);
  CHECK(two->at(0).name == "a");
  CHECK(two->at(0).after.value(two->at(0).after.inputs[0].value).type->device == "cuda:1");
  CHECK(pt2_fault(zip_of({{"a/b/models/model.json", kPlain}}))
            .find(": is an archive without an exported program") != std::string::npos);
  CHECK(pt2_fault("PK\x03\x04").find("the archive cannot be opened") != std::string::npos);
  std::string tied = program_with(node_of(kSelf));
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(tied.find(from) != std::string::npos);
    tied.replace(tied.find(from), from.size(), to);
  };
  replace(R"("inputs": [{"as_tensor": {"name": "x"}}])",
          R"("inputs": [{"as_tensor": {"name": "x"}}, {"as_tensor": {"name": "w"}}])");
  replace(R"("tensor_values": {)", R"("tensor_values": {"w": )" + kMeta + ", ");
  replace(
      R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})",
      R"({"parameter": {"arg": {"name": "x"}, "parameter_name": "p"}}, {"buffer": {"arg": {"name": "w"}, "buffer_name": "q", "persistent": true}})");
  const std::string config =
      R"({"config": {"p": {"path_name": "weight_0"}, "q": {"path_name": "weight_0"}}})";
  const auto shared = read_pt2(zip_of({{"r/models/model.json", tied},
                                       {"r/data/weights/model_weights_config.json", config},
                                       {"r/data/weights/weight_0", std::string(12, '\0')}}));
  REQUIRE(shared);
  CHECK(shared->at(0).after.inputs[0].storage == "weight_0");
  CHECK(shared->at(0).after.inputs[1].storage == "weight_0");
  CHECK(shared->at(0).after.inputs[0].storage_numel == SymExpr(3));
  for (std::size_t at = 0; (at = tied.find("\"dtype\": 7", at)) != tied.npos; ++at)
    tied.replace(at, 10, "\"dtype\": 2");
  const auto bytes = read_pt2(zip_of({{"r/models/model.json", tied},
                                      {"r/data/weights/model_weights_config.json", config},
                                      {"r/data/weights/weight_0", std::string(12, '\0')}}));
  REQUIRE(bytes);
  CHECK(bytes->at(0).after.inputs[1].storage_numel == SymExpr(12));
}

TEST_CASE("pt2: an archive that says a member has four gigabytes") {  // fuzzing of readers, 1fa7cd16
  std::string bytes = zip_of({{"models/model.json", kPlain}});
  const std::size_t entry = bytes.find("PK\x01\x02");
  REQUIRE(entry != std::string::npos);
  bytes.replace(entry + 24, 4, "\xf0\xf0\xf0\x0f");
  const auto archive = Pt2Archive::open(bytes);
  REQUIRE(archive);
  CHECK(archive->size("models/model.json") == 0x0ff0f0f0U);
  const auto text = archive->read("models/model.json", std::size_t{1} << 32);
  REQUIRE_FALSE(text);
  CHECK(text.fault().where == "models/model.json");
  CHECK(text.fault().message.starts_with("cannot be unpacked: "));
}

TEST_CASE("pt2: archives and programs with bits flipped or pieces cut out end in a Diagnostic or a graph") {
  const std::string bytes = pt2_bytes("branch");
  int refused = 0;
  const auto judge = [&](const std::string& broken) {
    const auto result = read_pt2(broken);
    if (result) return;
    ++refused;
    CHECK_FALSE(result.fault().message.empty());
    CHECK(result.fault().message.find('\n') == std::string::npos);
  };
  for (std::size_t at = 0; at < bytes.size(); at += 23) {
    std::string broken = bytes;
    broken[at] = static_cast<char>(broken[at] ^ (1 << (at % 8)));
    judge(broken);
    judge(bytes.substr(0, at));
  }
  CHECK(refused > 400);
  refused = 0;
  for (std::size_t at = 0; at < kPlain.size(); at += 3) {
    std::string broken = kPlain;
    broken[at] = static_cast<char>(broken[at] ^ (1 << (at % 7)));
    judge(zipped(broken));
    judge(zipped(kPlain.substr(0, at) + kPlain.substr(std::min(kPlain.size(), at + 5))));
  }
  CHECK(refused > 200);
}

TEST_CASE("pt2: a member that says it is larger than any program is not unpacked") {
  const std::string bomb = zip_of({{"models/model.json", std::string(std::size_t{300} << 20, ' ')}});
  CHECK(bomb.size() < 1000000);
  CHECK(pt2_fault(bomb) == "models/model.json: is larger than 268435456 bytes");
}

TEST_CASE("pt2: sizes in both of sympy's spellings") {
  const auto text = [](const std::string& srepr) {
    const auto value = parse_pt2_scalar(srepr);
    return value ? value->sym.text() : value.fault().where + ": " + value.fault().message;
  };
  const SymExpr s = SymExpr::symbol("s0");
  CHECK(text("Symbol('s0', positive=True, integer=True)") == "s0");
  CHECK(text("Add(Integer(2), Mul(Integer(-1), Symbol('s0', integer=True)))") ==
        (SymExpr(2) + SymExpr(-1) * s).text());
  CHECK(text("2 - s0") == (SymExpr(2) - s).text());
  CHECK(text("FloorDiv(Symbol('s0'), Integer(2))") == SymExpr::binary(SymExpr::Op::floor_div, s, 2).text());
  CHECK(text("Max(Integer(1), Symbol('s0'))") == SymExpr::binary(SymExpr::Op::max, 1, s).text());
  CHECK(parse_pt2_scalar("GreaterThan(Symbol('u0', integer=True), Integer(2))")->sym ==
        SymExpr::opaque("le", {2, SymExpr::symbol("u0")}));
  CHECK(parse_pt2_scalar("Float('0.5', precision=53)")->real == 0.5);
  CHECK(text("Symbol(3)") == "column 1: a symbol has no name");
  CHECK(text("Add(Integer(2), Symbol('s0')") == "column 29: the text ends where ',' is expected");
  CHECK(text("Integer(99999999999999999999)") == "column 9: bad number '99999999999999999999'");
  std::string deep = "Symbol('s0')";
  for (int k = 0; k < 300; ++k) deep = "Identity(" + deep + ")";
  CHECK(text(deep).find("nested too deep") != std::string::npos);
}

}  // namespace pt2_test
