#include "src/ops/schema.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tests/catch.h"

namespace schema_test {

using namespace noclobber;

namespace {

/// Without white space, and with every real number as "%.17g" prints it.
std::string squeezed(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool number = text[i] >= '0' && text[i] <= '9' && !out.empty() &&
                        std::string_view("=[-,").find(out.back()) != std::string_view::npos;
    if (!number) {
      if (text[i] != ' ') out += text[i];
      ++i;
      continue;
    }
    std::size_t length = text.substr(i).find_first_not_of("0123456789.e-");
    length = std::min(length, text.size() - i);
    const std::string digits(text.substr(i, length));
    char printed[40];
    std::snprintf(printed, sizeof printed, "%.17g", std::strtod(digits.c_str(), nullptr));
    out += digits.find_first_of(".e") == std::string::npos ? digits : printed;
    i += length;
  }
  return out;
}

Schema parsed(std::string_view text) {
  const Result<Schema> schema = parse_schema(text);
  INFO(text << ": " << (schema ? "" : schema.fault().where + " " + schema.fault().message));
  REQUIRE(schema);
  return *schema;
}

std::string fault_of(std::string_view text) {
  const Result<Schema> schema = parse_schema(text);
  INFO(text);
  REQUIRE_FALSE(schema);
  return schema.fault().where + ": " + schema.fault().message;
}

/// What prints parses again, and prints the same.
void check_fixed_point(const Schema& schema) {
  const std::string printed = schema_text(schema);
  CHECK(schema_text(parsed(printed)) == printed);
}

Step call(std::vector<Arg> args, std::vector<std::pair<std::string, Arg>> kwargs = {}) {
  Step step;
  step.args = std::move(args);
  step.kwargs = std::move(kwargs);
  return step;
}

struct RecordedEntry {
  std::string_view op, text;
  std::uint16_t tags;
};
namespace recorded {
using VocabularyEntry = RecordedEntry;
#include "src/ops/vocabulary.inc"
}  // namespace recorded

}  // namespace

TEST_CASE("every schema of the vocabulary parses and prints back") {
  REQUIRE(vocabulary().size() == std::size(recorded::kVocabulary));
  REQUIRE(vocabulary().size() > 4500);
  for (const RecordedEntry& entry : recorded::kVocabulary) {
    const Schema* schema = find_schema(entry.op);
    REQUIRE(schema != nullptr);
    CHECK(schema->op == entry.op);
    CHECK(schema->tags == entry.tags);
    CHECK(squeezed(schema_text(*schema)) == squeezed(entry.text));
    check_fixed_point(*schema);
  }
}

TEST_CASE("the digest is that of names, texts and tags") {
  std::uint64_t value = 0xcbf29ce484222325U;
  const auto add = [&](std::string_view text) {
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  };
  for (const RecordedEntry& entry : recorded::kVocabulary) {
    add(entry.op), add("\t"), add(entry.text), add("\t"), add(std::to_string(entry.tags)), add("\n");
  }
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(value));
  CHECK(vocabulary_digest() == hex);
}

TEST_CASE("an operator is found by its full name; a missing overload means default") {
  REQUIRE(find_schema("aten.add.Tensor") != nullptr);
  CHECK(find_schema("aten.add.Tensor") == find_schema("aten.add.Tensor"));
  CHECK(find_schema("aten.mm") == find_schema("aten.mm.default"));
  CHECK(find_schema("aten.mm")->op == "aten.mm.default");
  CHECK(find_schema("higher_order.cond") != nullptr);
  for (const char* unknown :
       {"", ".", "..", "aten", "aten.", "aten.add.", "aten.scatter_add_.src", "aten::add.Tensor",
        "aten.add.Tensor.", "aten.add.Tensor.x", "aten.add.tensor", "zz.zz.zz"}) {
    INFO(unknown);
    CHECK(find_schema(unknown) == nullptr);
  }
}

TEST_CASE("many threads see one schema") {
  std::vector<const Schema*> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&seen, i] { seen[i] = find_schema("aten.copysign_.Tensor"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Schema* schema : seen) CHECK(schema == find_schema("aten.copysign_.Tensor"));
}

TEST_CASE("what a schema says of its arguments") {
  const Schema add =
      parsed("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  CHECK(add.op == "aten.add_.Tensor");
  CHECK(add.writes());
  REQUIRE(add.arguments.size() == 3);
  CHECK(add.arguments[0].alias == "a");
  CHECK(add.arguments[0].written);
  CHECK(add.arguments[0].type_text == "Tensor");
  CHECK_FALSE(add.arguments[1].written);
  CHECK(add.arguments[1].alias.empty());
  CHECK_FALSE(add.arguments[1].keyword_only);
  CHECK(add.arguments[2].keyword_only);
  CHECK(add.arguments[2].type == SchemaSlot::Type::other);
  REQUIRE(add.arguments[2].fallback);
  CHECK(*add.arguments[2].fallback == Arg::of(SymExpr(1)));
  REQUIRE(add.returns.size() == 1);
  CHECK(add.returns[0].alias == "a");

  const Schema view = parsed("zoo::split(Tensor(a -> *) self, Tensor? w) -> (Tensor(a)[] parts, Tensor)");
  CHECK_FALSE(view.writes());
  CHECK(view.overload == "default");
  CHECK(view.arguments[0].alias == "a");
  CHECK(view.arguments[1].type == SchemaSlot::Type::tensor);
  CHECK(view.arguments[1].type_text == "Tensor?");
  CHECK(view.returns[0].type == SchemaSlot::Type::tensor_list);
  CHECK(view.returns[0].alias == "a");
  CHECK(view.returns[0].name == "parts");
  CHECK(view.returns[1].alias.empty());
}

TEST_CASE("alias marks on lists, options and dictionaries") {
  const auto slot = [](const std::string& type) {
    return parsed("n::f(" + type + " x) -> ()").arguments.at(0);
  };
  CHECK(slot("Tensor(a!)[]").written);
  CHECK(slot("Tensor(a!)[]").type == SchemaSlot::Type::tensor_list);
  CHECK(slot("Tensor[](a!)").alias == "a");
  CHECK(slot("Tensor[](a!)").written);
  CHECK(slot("Tensor(a)[](b)").alias == "a");
  CHECK(slot("Tensor(a!)?").type_text == "Tensor?");
  CHECK(slot("Tensor(a!)?[]").type_text == "Tensor?[]");
  CHECK(slot("Tensor(a|b)").alias == "a|b");
  CHECK(slot("Tensor(*)").alias == "*");
  CHECK(slot("Tensor(a0! -> a0|*)").alias == "a0");
  CHECK(slot("Dict(str, Tensor(a!))").written);
  CHECK(slot("Dict(str, Tensor(a!))").type == SchemaSlot::Type::other);
  CHECK(slot("Tensor!").written);
  CHECK_FALSE(slot("Tensor!").alias.empty());
  CHECK(parsed("n::f(Tensor! x, Tensor! y) -> ()").arguments[0].alias !=
        parsed("n::f(Tensor! x, Tensor! y) -> ()").arguments[1].alias);
}

TEST_CASE("accepted schemas and their refused twins") {
  struct Twins {
    const char *accepted, *refused, *why;
  };
  const Twins table[] = {
      {"n::f() -> ()", "n::f()", "column 7: expected '->'"},
      {"n::f() -> ()", "f() -> ()", "column 2: expected '::'"},
      {"n::f() -> ()", "::f() -> ()", "column 1: expected a namespace"},
      {"n::f() -> ()", "", "column 1: expected a namespace"},
      {"n::f.g() -> ()", "n::f.() -> ()", "column 6: expected an overload name"},
      {"n::f() -> ()", "n::f() -> () x", "column 14: text after the schema"},
      {" n::f ( ) -> ( ) ", "n::f( -> ()", "column 7: expected a type"},
      {"n::f(Tensor x) -> ()", "n::f(Tensor) -> ()", "column 12: expected an argument name"},
      {"n::f(Tensor x) -> Tensor", "n::f(Tensor x -> Tensor", "column 15: expected ',' or ')'"},
      {"n::f(Tensor x, *, int y) -> ()", "n::f(Tensor x, *, *, int y) -> ()", "column 20: a second '*'"},
      {"n::f(Tensor(a!) x) -> ()", "n::f(Tensor(!) x) -> ()", "column 13: expected the name of an alias set"},
      {"n::f(Tensor(a -> *) x) -> ()", "n::f(Tensor(a ->) x) -> ()",
       "column 17: expected the name of an alias set"},
      {"n::f(Tensor[] x) -> ()", "n::f(Tensor[ x) -> ()", "column 14: expected ']'"},
      {"n::f(int[2] x) -> ()", "n::f(int[-2] x) -> ()", "column 10: the list's size is out of range"},
      {"n::f(int[64] x=1) -> ()", "n::f(int[65] x=1) -> ()", "column 17: the list is too long to fill"},
      {"n::f(int[2] x=1) -> ()", "n::f(int[] x=1) -> ()", "column 15: expected a list"},
      {"n::f(int[] x=[1]) -> ()", "n::f(int x=[1]) -> ()", "column 12: a list is no value of int"},
      {"n::f(int[] x=[1, 2]) -> ()", "n::f(int[] x=[1, 2) -> ()", "column 19: expected ']'"},
      {"n::f(int x=-1) -> ()", "n::f(int x=) -> ()", "column 12: expected a default value"},
      {"n::f(int x=9223372036854775807) -> ()", "n::f(int x=9223372036854775808) -> ()",
       "column 31: expected a default value"},
      {"n::f(float x=1e300) -> ()", "n::f(float x=1e400) -> ()", "column 19: expected a default value"},
      {"n::f(float x=-inf) -> ()", "n::f(float x=-None) -> ()", "column 19: expected a number"},
      {"n::f(str x=\"a\\n\") -> ()", "n::f(str x=\"a\\q\") -> ()", "column 15: unknown escape in a text"},
      {"n::f(str x='a') -> ()", "n::f(str x='a) -> ()", "column 21: the text does not end"},
      {"n::f(ScalarType x=long) -> ()", "n::f(ScalarType x=lang) -> ()",
       "column 23: unknown default value 'lang'"},
      {"n::f(ScalarType x=6) -> ()", "n::f(ScalarType x=99) -> ()",
       "column 21: an element type without a name here"},
      {"n::f(Dict(str, t) x) -> ()", "n::f(Dict x) -> ()", "column 11: expected the parameters of Dict"},
      {"n::f(__torch__.a.B x) -> ()", "n::f(__torch__. x) -> ()", "column 18: expected an argument name"},
      {"n::f(Tensor x, ...) -> ...", "n::f(..., Tensor x) -> ...", "column 9: expected ')'"},
      {"n::f() -> (Tensor a, Tensor? b)", "n::f() -> (Tensor a, Tensor? b", "column 31: expected ',' or ')'"},
  };
  for (const Twins& row : table) {
    check_fixed_point(parsed(row.accepted));
    CHECK(fault_of(row.refused) == row.why);
  }
}

TEST_CASE("hostile nesting ends in a fault, not in the stack") {
  const auto nested = [](std::size_t depth) {
    std::string type;
    for (std::size_t i = 0; i < depth; ++i) type += "Future(";
    return "n::f(" + type + "int" + std::string(depth, ')') + " x) -> ()";
  };
  check_fixed_point(parsed(nested(16)));
  CHECK(fault_of(nested(17)).find("nested too deeply") != std::string::npos);
  CHECK(fault_of(nested(100000)).find("nested too deeply") != std::string::npos);
  CHECK(fault_of("n::f(int[] x=" + std::string(100000, '[')).find("nested too deeply") != std::string::npos);
}

TEST_CASE("default values") {
  const auto value = [](const std::string& argument) {
    return *parsed("n::f(" + argument + ") -> ()").arguments.at(0).fallback;
  };
  CHECK(value("int x=-3") == Arg::of(SymExpr(-3)));
  CHECK(value("float x=1") == Arg::of_real(1));
  CHECK(value("float x=1e-05") == Arg::of_real(1e-5));
  CHECK(value("Scalar x=2.") == Arg::of_real(2));
  CHECK(value("Scalar x=2") == Arg::of(SymExpr(2)));
  CHECK(value("bool x=False") == Arg::of_bool(false));
  CHECK(value("Tensor? x=None") == Arg());
  CHECK(value("int[]? x=None") == Arg());
  CHECK(value("int[2] x=1") == Arg::of(std::vector<Arg>{Arg::of(SymExpr(1)), Arg::of(SymExpr(1))}));
  CHECK(value("SymInt[] x=[]") == Arg::of(std::vector<Arg>{}));
  CHECK(value("str x=\"\\\"\\n\\101\"") == Arg::of_text("\"\nA"));
  CHECK(value("ScalarType x=4") == Arg::of_dtype(Dtype::i64));
  CHECK(value("ScalarType? x=float32") == Arg::of_dtype(Dtype::f32));
  CHECK(value("MemoryFormat x=0") == Arg::of_text("contiguous_format"));
  CHECK(value("MemoryFormat? x=preserve_format") == Arg::of_text("preserve_format"));
  CHECK(value("Layout x=strided") == Arg::of_text("strided"));
  CHECK(value("Device x='cpu'") == Arg::of_device("cpu"));
  CHECK(value("int x=Mean") == Arg::of(SymExpr(1)));
}

TEST_CASE("binding puts arguments in the schema's order") {
  const Schema schema = parsed(
      "n::f(Tensor self, int[2] size, Scalar alpha=1, *, ScalarType? dtype, bool flag=False) -> Tensor");
  const Arg self = Arg::of(ValueId(7)), size = Arg::of(std::vector<Arg>{}), three = Arg::of(SymExpr(3));
  struct Row {
    Step step;
    std::vector<Arg> expected;  // empty: refused
    Diagnostic why;
  };
  const Arg one = Arg::of(SymExpr(1)), none, no = Arg::of_bool(false), yes = Arg::of_bool(true);
  const Row table[] = {
      {call({self, size}), {self, size, one, none, no}, {}},
      {call({self}), {}, {"size", "missing"}},
      {call({self, size, three}, {{"flag", yes}}), {self, size, three, none, yes}, {}},
      {call({self, size, three}, {{"alpha", three}}), {}, {"alpha", "given twice"}},
      {call({}, {{"size", size}, {"self", self}}), {self, size, one, none, no}, {}},
      {call({self, size}, {{"sizes", size}}), {}, {"sizes", "no argument of n.f.default"}},
      {call({self, size, three, none, yes}), {self, size, three, none, yes}, {}},
      {call({self, size, three, none, yes, yes}), {}, {"", "6 arguments, n.f.default takes at most 5"}},
      {call({self, three}), {self, three, one, none, no}, {}},
      {call({self, size}, {{"flag", yes}, {"flag", yes}}), {}, {"flag", "given twice"}},
  };
  for (const Row& row : table) {
    const Result<std::vector<Arg>> bound = bind_arguments(schema, row.step);
    REQUIRE(static_cast<bool>(bound) == !row.expected.empty());
    if (bound) {
      CHECK(*bound == row.expected);
    } else {
      CHECK(bound.fault() == row.why);
    }
  }
}

TEST_CASE("a variadic argument binds a list") {
  const Schema schema = parsed("n::f(Tensor a, ...) -> Tensor");
  const Arg x = Arg::of(ValueId(1)), y = Arg::of(ValueId(2));
  const auto bound = bind_arguments(schema, call({x, y, x}, {{"k", y}}));
  REQUIRE(bound);
  const Arg pair = Arg::of(std::vector<Arg>{Arg::of_text("k"), y});
  CHECK(*bound == std::vector<Arg>{x, Arg::of(std::vector<Arg>{y, x, pair})});
  CHECK_FALSE(bind_arguments(schema, call({})));
  CHECK(bind_arguments(schema, call({x}))->at(1) == Arg::of(std::vector<Arg>{}));
}

}  // namespace schema_test
