// Arguments of exported programs, one of each kind, and expressions as sympy prints them.
#include "src/lower/pt2/expr.h"
#include "src/lower/pt2/pt2.h"
#include "tests/unit/formats/arg_text.h"
#include "tests/unit/lower/pt2_text.h"

namespace pt2_arguments_test {

using namespace noclobber;

namespace {

/// What an argument is read as, or the fault with its place in the argument.
std::string argument_of(const std::string& json) {
  const std::string node =
      node_of(kSelf + json_of(", {'name': 'k', 'arg': ") + json_of(json) + "}", "torch.ops.zoo.f.default");
  const auto cases = read_pt2(zipped(program_with(node)));
  if (!cases) {
    const std::string& where = cases.fault().where;
    const std::size_t at = where.find("/arg");
    return (at == where.npos ? where : where.substr(at)) + ": " + cases.fault().message;
  }
  const Graph& graph = cases->front().after;
  const Step& step = graph.steps.at(0);
  return step.kwargs.empty() ? text_of(graph, step.args.back()) : text_of(graph, step.kwargs.at(0).second);
}

std::string scalar_of(const std::string& text) {
  const auto value = parse_pt2_scalar(text);
  return value ? text_of(Graph(), *value) : value.fault().where + ": " + value.fault().message;
}

struct Row {
  const char *given, *said;
};

// table
constexpr Row kArguments[] = {
    {"{'as_none': true}", "None"},
    {"{'as_tensor': {'name': 'x'}}", "x"},
    {"{'as_tensors': [{'name': 'x'}, {'name': 'x'}]}", "[x x ]"},
    {"{'as_nested_tensors': [[{'name': 'x'}], []]}", "[[x ] [] ]"},
    {"{'as_optional_tensors': [{'as_tensor': {'name': 'x'}}, {'as_none': true}]}", "[x None ]"},
    {"{'as_optional_tensor': {'as_tensor': {'name': 'x'}}}", "x"},
    {"{'as_int': -3}", "-3"},
    {"{'as_ints': [1, 2]}", "[1 2 ]"},
    {"{'as_int_lists': [[1, 2], [3]]}", "[[1 2 ] [3 ] ]"},
    {"{'as_float': 0.5}", "0.50"},
    {"{'as_floats': [0.5, 'Infinity', '-Infinity', 'NaN']}", "[0.50 inf -inf nan ]"},
    {"{'as_bool': true}", "True"},
    {"{'as_bools': [true, false]}", "[True False ]"},
    {"{'as_string': 'a'}", "'a'"},
    {"{'as_strings': ['a', 'b']}", "['a' 'b' ]"},
    {"{'as_sym_int': {'as_int': 4}}", "4"},
    {"{'as_sym_ints': [{'as_int': 4}, {'as_int': 5}]}", "[4 5 ]"},
    {"{'as_sym_float': {'as_float': 0.5}}", "0.50"},
    {"{'as_sym_floats': [{'as_float': 0.5}]}", "[0.50 ]"},
    {"{'as_sym_bool': {'as_bool': true}}", "True"},
    {"{'as_sym_bools': [{'as_bool': false}]}", "[False ]"},
    {"{'as_scalar_type': 7}", "dtype:f32"},
    {"{'as_memory_format': 1}", "'contiguous_format'"},
    {"{'as_memory_format': 4}", "'preserve_format'"},
    {"{'as_layout': 1}", "'sparse_coo'"},
    {"{'as_layout': 7}", "'strided'"},
    {"{'as_device': {'type': 'cuda', 'index': 1}}", "device:cuda:1"},
    {"{'as_device': {'type': 'cpu', 'index': null}}", "device:cpu"},
    {"{'as_custom_obj': {'name': 'o', 'class_fqn': 'c'}}", "'o'"},
    {"{'as_operator': 'torch.ops.aten.sin.default'}", "'aten.sin.default'"},
    {"{'as_operator': 'zoo.sin'}", "'zoo.sin'"},
    {"{'as_complex': {'real': 1.0, 'imag': 2.0}}", "'1+2j'"},
    {"{'as_complex': {'real': 0.0, 'imag': -2.0}}", "'-2j'"},
    {"{'as_string_to_argument': {'k': {'as_int': 1}, 'l': {'as_tensor': {'name': 'x'}}}}",
     "[['k' 1 ] ['l' x ] ]"},
};

// table
constexpr Row kRefused[] = {
    {"{'as_int': null}", "/arg/as_int: expected an integer, got null"},
    {"{'as_int': 1, 'as_float': null}", "1"},
    {"{'as_int': 1, 'as_float': 2.0}", "/arg: a union has several members"},
    {"{'as_optional_tensors': [{'as_int': 1}]}",
     "/arg/as_optional_tensors/0: unknown kind of optional tensor 'as_int'"},
    {"{'as_optional_tensor': [{'as_none': true}]}",
     "/arg/as_optional_tensor: expected an object, got [{\"as_none\":true}]"},
    {"{'as_nested_tensors': [{'name': 'x'}]}",
     "/arg/as_nested_tensors/0: expected an array, got {\"name\":\"x\"}"},
    {"{'as_int_lists': [1]}", "/arg/as_int_lists/0: expected an array, got 1"},
    {"{'as_float': 'one'}", "/arg/as_float: 'one' is no number"},
    {"{'as_sym_int': {'as_name': 'n'}}", "/arg/as_sym_int/as_name: 'n' is not defined"},
    {"{'as_sym_int': {'as_text': 'n'}}", "/arg/as_sym_int/as_text: unknown kind of scalar"},
    {"{'as_memory_format': 0}", "/arg/as_memory_format: unknown memory format"},
    {"{'as_memory_format': 5}", "/arg/as_memory_format: unknown memory format"},
    {"{'as_layout': 0}", "/arg/as_layout: unknown layout"},
    {"{'as_layout': 8}", "/arg/as_layout: unknown layout"},
    {"{'as_custom_obj': 1}", "/arg/as_custom_obj: expected an object, got 1"},
    {"{'as_complex': 1}", "/arg/as_complex: expected an object, got 1"},
    {"{'as_complex': {'real': 1.0}}", "/arg/as_complex: missing field 'imag'"},
    {"{'as_string_to_argument': 1}", "/arg/as_string_to_argument: expected an object, got 1"},
};

// table
constexpr Row kExpressions[] = {
    {"Add( Integer(1) ,  Symbol('s0') )", "s0 + 1"},
    {"Add(Symbol('s0', integer=True), Integer(1), Integer(2))", "s0 + 3"},
    {"Mul(Integer(2), Symbol('s0'), Symbol('s1'))", "2*s0*s1"},
    {"Max(Integer(1), Symbol('s0'), Symbol('s1'))", "max(1, s0, s1)"},
    {"Min(Integer(1), Symbol('s0'), Symbol('s1'))", "min(1, s0, s1)"},
    {" Add( Symbol('s0') , Integer(1) )", "s0 + 1"},
    {"FloorDiv(Symbol('s0'), Integer(2))", "s0//2"},
    {"CleanDiv(Symbol('s0'), Integer(2))", "s0//2"},
    {"Mod(Symbol('s0'), Integer(2))", "s0 % 2"},
    {"PythonMod(Symbol('s0'), Integer(2))", "s0 % 2"},
    {"Pow(Symbol('s0'), Integer(2))", "s0**2"},
    {"PowByNatural(Symbol('s0'), Integer(2))", "s0**2"},
    {"ModularIndexing(Symbol('s0'), Integer(2), Integer(3))", "s0//2 % 3"},
    {"Identity(Symbol('s0'))", "s0"},
    {"FloorDiv(Symbol('s0'), Integer(2), Integer(3))", "FloorDiv(s0, 2, 3)"},
    {"CleanDiv(Symbol('s0'))", "CleanDiv(s0)"},
    {"Mod(Symbol('s0'), Integer(2), Integer(3))", "Mod(s0, 2, 3)"},
    {"PythonMod(Symbol('s0'))", "PythonMod(s0)"},
    {"Pow(Symbol('s0'))", "Pow(s0)"},
    {"PowByNatural(Symbol('s0'))", "PowByNatural(s0)"},
    {"ModularIndexing(Symbol('s0'), Integer(2))", "ModularIndexing(s0, 2)"},
    {"Identity(Symbol('s0'), Integer(2))", "Identity(s0, 2)"},
    {"Float('2', precision=53)", "2.00"},
    {"Float('0.5', precision=53)", "0.50"},
    {"Add(Symbol('s0'), Float('0.5', precision=53))", "Add(s0, 0.5)"},
    {"Ne(Symbol('s0'), true)", "Ne(s0, True())"},
    {"Ne(Symbol('s0'), False)", "Ne(s0, False())"},
    {"Max(Symbol('s0'), int_oo)", "max(s0, int_oo())"},
    {"Add(Symbol('s0'), 'text')", "column 1: an argument of 'Add' is no number"},
};

}  // namespace

TEST_CASE("pt2: an argument of each kind") {
  for (const Row& row : kArguments) {
    INFO(row.given);
    CHECK(argument_of(row.given) == row.said);
  }
}

TEST_CASE("pt2: arguments that are none name their place") {
  for (const Row& row : kRefused) {
    INFO(row.given);
    CHECK(argument_of(row.given) == row.said);
  }
}

TEST_CASE("pt2: expressions as sympy prints them, and functions that take another number of arguments") {
  for (const Row& row : kExpressions) {
    INFO(row.given);
    CHECK(scalar_of(row.given) == row.said);
  }
}

}  // namespace pt2_arguments_test
