// Symbols, bodies, loops and results of exported programs.
#include "tests/support/graph_text.h"
#include "tests/support/zip_text.h"
#include "tests/unit/lower/pt2_text.h"

namespace pt2_parts_test {

using namespace noclobber;

namespace {

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::string was = json_of(from), is = json_of(to);
  REQUIRE(text.find(was) != std::string::npos);
  return text.replace(text.find(was), was.size(), is);
}

Case read(const std::string& text) {
  const auto cases = read_pt2(zipped(text));
  INFO((cases ? "" : cases.fault().where + ": " + cases.fault().message));
  REQUIRE(cases);
  return cases->front();
}

std::string symbols(const std::string& text) {
  std::string out;
  for (const auto& [name, range] : read(text).symbols) out += name + " ";
  return out;
}

/// A body of x that gives neg(x), as an argument of a node; `inside`: an argument of the body's own node.
std::string body(const std::string& name, const std::string& inside = "") {
  return json_of("{'name': '', 'arg': {'as_graph': {'name': '" + name +
                 "', 'graph': {'inputs': [{'as_tensor': {'name': 'x'}}], 'outputs': [") +
         kOutput + json_of("], 'nodes': [") + node_of(kSelf + (inside.empty() ? "" : ", " + inside)) +
         json_of("], 'tensor_values': {'x': ") + kMeta + json_of(", 'y': ") + kMeta +
         "}, \"sym_int_values\": {}}}}}";
}

}  // namespace

TEST_CASE("pt2: symbols of offsets and of numbers are those of the case", "[pt2]") {
  CHECK(symbols(kPlain).empty());
  CHECK(symbols(changed(kPlain, "'storage_offset': {'as_int': 0}",
                        "'storage_offset': {'as_expr': {'expr_str': 's7'}}")) == "s7 ");
  CHECK(symbols(changed(kPlain, "'sym_int_values': {}",
                        "'sym_int_values': {'n': {'as_expr': {'expr_str': 's5 + 1'}}}")) == "s5 ");
}

TEST_CASE("pt2: an input that is no tensor must be a value that there is", "[pt2]") {
  CHECK(
      pt2_fault(zipped(changed(kPlain, "'inputs': [{'as_tensor': {'name': 'x'}}]",
                               "'inputs': [{'as_tensor': {'name': 'x'}}, {'as_sym_int': {'as_text': 'n'}}]")))
          .find("unknown kind of scalar") != std::string::npos);
}

TEST_CASE("pt2: a signature that names a number as a tensor is refused there", "[pt2]") {
  std::string text =
      changed(kPlain, "'sym_int_values': {}", "'sym_int_values': {'n': {'as_expr': {'expr_str': 's3'}}}");
  text = changed(text, "'inputs': [{'as_tensor': {'name': 'x'}}]",
                 "'inputs': [{'as_tensor': {'name': 'x'}}, {'as_sym_int': {'as_name': 'n'}}]");
  const std::string user = "{'user_input': {'arg': {'as_tensor': {'name': 'x'}}}}";
  const auto fault = [&](const std::string& spec) {
    return pt2_fault(
        zipped(changed(text, "'input_specs': [" + user, "'input_specs': [" + user + ", " + spec)));
  };
  CHECK(fault("{'user_input': {'arg': {'as_tensor': {'name': 'n'}}}}")
            .find("input_specs/1/user_input/arg/as_tensor: is no tensor") != std::string::npos);
  CHECK(fault("{'parameter': {'arg': {'name': 'n'}, 'parameter_name': 'p'}}")
            .find("input_specs/1/parameter/arg: is no tensor") != std::string::npos);
  CHECK(fault("{'user_input': {'arg': {'as_sym_int': {'as_name': 'n'}}}}") == "accepted");
}

TEST_CASE("pt2: results that are symbols tell them, others nothing", "[pt2]") {
  const auto tells = [](const std::string& result) {
    std::string text = program_with(changed(node_of(kSelf), "[{'as_tensor': {'name': 'y'}}]",
                                            "[{'as_tensor': {'name': 'y'}}, " + result + "]"));
    text = changed(text, "'sym_int_values': {}", "'sym_int_values': {'n': {'as_expr': {'expr_str': 's3'}}}");
    return std::string(read(text).after.steps.at(0).extras->tells);
  };
  CHECK(tells("{'as_sym_int': {'as_name': 'n'}}") == "s3");
  CHECK(tells("{'as_sym_int': {'as_int': 4}}").empty());
  CHECK(tells("{'as_bool': true}").empty());
}

TEST_CASE("pt2: bodies of one name are two, each under its own, and bodies stand in bodies up to a depth",
          "[pt2]") {
  const Case value = read(program_with(node_of(kSelf + ", " + body("b") + ", " + body("b"))));
  const Graph& graph = value.after;
  std::string names;
  for (const auto& [name, inner] : graph.bodies) names += name + "=" + inner.name + " ";
  for (const auto& [name, inner] : value.bodies) names += name + "=" + inner.name + " ";
  CHECK(names == "b=b b_1=b_1 ");
  const auto deep = [](int depth) {
    std::string inside = body("b");
    for (int k = 1; k < depth; ++k) inside = body("b", inside);
    const auto cases = read_pt2(zipped(program_with(node_of(kSelf + ", " + inside))));
    return cases ? "" : cases.fault().message;
  };
  CHECK(deep(4).empty());
  CHECK(deep(24) == "bodies are nested too deep");
}

TEST_CASE("pt2: a loop that may not run gives copies of what it is given", "[pt2]") {
  const std::string given = json_of("{'name': '', 'arg': {'as_tensors': [{'name': 'x'}]}}");
  const std::string text =
      program_with(node_of(body("c") + ", " + body("b") + ", " + given, "torch.ops.higher_order.while_loop"));
  CHECK(testing::graph_text(read(text).after) ==
        R"x(y:f32 = higher_order.while_loop('c', 'b', [x], without_trips='clone')
-> y
)x");
}

}  // namespace pt2_parts_test
