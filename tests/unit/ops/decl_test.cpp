#include "src/ops/decl.h"

#include "tests/catch.h"

namespace decl_test {

using namespace noclobber;

namespace {

OpDecl declared(std::string schema, std::string functional = "") {
  OpDecl decl;
  decl.schema = std::move(schema);
  decl.functional = std::move(functional);
  return decl;
}

std::string fault_of(const Result<std::vector<OpDecl>>& read) {
  REQUIRE_FALSE(read);
  return read.fault().where + ": " + read.fault().message;
}

const char* const kScale = "zoo::scale_(Tensor(a!) x, Tensor y) -> Tensor(a!)";

struct Twins {
  void (*accepted)(OpDecl&);
  void (*refused)(OpDecl&);
  Diagnostic why;
};
const Twins kContradictions[] = {
    {[](OpDecl& d) { d.access["y"] = "any"; },
     [](OpDecl& d) { d.access["z/"] = "any"; },
     {"/ops/0/access/z~1", "'z/' is not an argument"}},
    {[](OpDecl& d) { d.access["*"] = "elementwise"; },
     [](OpDecl& d) { d.access["*"] = "some"; },
     {"/ops/0/access/*", "unknown value 'some'"}},
    {[](OpDecl& d) { d.writes["x"] = "all"; },
     [](OpDecl& d) { d.writes["y"] = "all"; },
     {"/ops/0/writes/y", "the schema does not write 'y'"}},
    {[](OpDecl& d) { d.reads_old.emplace(); },
     [](OpDecl& d) {
       d.reads_old = {"x", "q"};
     },
     {"/ops/0/reads_old/1", "'q' is not an argument"}},
    {[](OpDecl& d) { d.result = {"view"}; },
     [](OpDecl& d) {
       d.result = {"view", "fresh"};
     },
     {"/ops/0/result", "2 entries, the schema has 1 results"}},
    {[](OpDecl& d) { d.result = {"fresh"}; },
     [](OpDecl& d) { d.result = {"stale"}; },
     {"/ops/0/result/0", "unknown value 'stale'"}},
    {[](OpDecl& d) {
       d.may_alias = {{0, "y"}};
     },
     [](OpDecl& d) {
       d.may_alias = {{1, "y"}};
     },
     {"/ops/0/may_alias/0/0", "no such result"}},
    {[](OpDecl& d) {
       d.may_alias = {{0, "y"}};
     },
     [](OpDecl& d) {
       d.may_alias = {{0, ""}};
     },
     {"/ops/0/may_alias/0/1", "'' is not an argument"}},
    {[](OpDecl& d) { d.functional = "zoo::scale.over"; },
     [](OpDecl& d) { d.functional = "zoo::"; },
     {"/ops/0/functional", "not an operator's name"}},
    {[](OpDecl&) {},
     [](OpDecl& d) { d.schema = "zoo::scale_(Tensor x, Tensor x) -> Tensor"; },
     {"/ops/0/schema", "two arguments are named 'x'"}},
    {[](OpDecl&) {},
     [](OpDecl& d) { d.schema = "zoo.scale_(Tensor x)"; },
     {"/ops/0/schema", "column 4: expected '::'"}},
};

}  // namespace

TEST_CASE("declared operators come before the vocabulary") {
  const std::vector<OpDecl> decls = {
      declared(kScale, "zoo::scale"), declared("zoo::scale(Tensor x, Tensor y) -> Tensor"),
      declared("zoo::w_(Tensor(a!) x) -> ()"),
      declared("aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)")};
  const Result<OpSet> set = make_op_set(decls);
  REQUIRE(set);
  REQUIRE(set->find("zoo.scale_.default") != nullptr);
  CHECK(set->find("zoo.scale_") == set->find("zoo.scale_.default"));
  CHECK(set->find("zoo.scale_.x") == nullptr);
  CHECK(set->find("aten.add.Tensor") == find_schema("aten.add.Tensor"));
  CHECK(set->declaration("zoo.scale_")->schema == kScale);
  CHECK(set->declaration("aten.add.Tensor") == nullptr);
  CHECK(set->functional("zoo.scale_.default") == "zoo.scale.default");
  CHECK(set->functional("zoo.scale.default") == "zoo.scale.default");
  CHECK(set->functional("zoo.w_.default") == "zoo.w_.default");
  CHECK(set->functional("aten.add_.Tensor") == "aten.add.Tensor");
  CHECK(set->functional("aten.mul_.Tensor") == "aten.mul.Tensor");  // declared, and known to have one
  CHECK(set->functional("zoo.other").empty());
  CHECK(make_op_set({})->find("zoo.scale_") == nullptr);
}

TEST_CASE("an operator that is built in cannot be declared otherwise") {
  const std::string add = "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)";
  CHECK(make_op_set(std::vector{declared(add)}));
  CHECK(make_op_set(std::vector{declared(add, "aten::add.Tensor")}));
  for (const OpDecl& decl :
       {declared("aten::add_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),  // no write
        declared("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=2) -> Tensor(a!)"),
        declared("aten::add_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"),
        declared(add, "aten::sub.Tensor"), declared("aten::view(Tensor self, SymInt[] size) -> Tensor"),
        declared("aten::mm(Tensor(a!) x) -> ()")}) {
    const Result<OpSet> refused = make_op_set(std::vector{decl});
    INFO(decl.schema);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().where == "/ops/0/schema");
  }
  OpDecl promising = declared(add);
  promising.access = {{"*", "elementwise"}};
  CHECK_FALSE(make_op_set(std::vector{promising}));
}

TEST_CASE("declarations that contradict their schema are refused") {
  for (const Twins& row : kContradictions) {
    std::vector<OpDecl> decls = {declared(kScale)};
    row.accepted(decls[0]);
    CHECK(make_op_set(decls));
    decls = {declared(kScale)};
    row.refused(decls[0]);
    const Result<OpSet> refused = make_op_set(decls);
    INFO(row.why.where);
    REQUIRE_FALSE(refused);
    CHECK(refused.fault() == row.why);
  }
}

TEST_CASE("one word for all results is spread over them") {
  OpDecl decl = declared("zoo::two(Tensor x) -> (Tensor, Tensor)");
  decl.result = {"view"};
  CHECK(declare_op(decl, "")->decl.result == std::vector<std::string>{"view", "view"});
  decl.schema = "zoo::none(Tensor x) -> ()";
  CHECK(declare_op(decl, "")->decl.result.empty());
}

TEST_CASE("the same declaration twice is fine, another of the same name is not") {
  std::vector<OpDecl> decls = {declared(kScale),
                               declared("zoo::scale_.default(Tensor(a!) x,Tensor y)->Tensor(a!)")};
  CHECK(make_op_set(decls));
  decls[1].pure = false;
  const Result<OpSet> refused = make_op_set(decls);
  REQUIRE_FALSE(refused);
  CHECK(refused.fault() == Diagnostic{"/ops/1/schema", "zoo.scale_.default is declared twice"});
}

TEST_CASE("names of operators in full") {
  for (const char* text : {"zoo::scale", "zoo.scale", "zoo::scale.default", "zoo.scale.default"}) {
    CHECK(full_op_name(text) == "zoo.scale.default");
  }
  for (const char* text : {"", "zoo", "zoo::", "zoo::a.b.c", "zoo::a::b", "zoo..a", "z o.a", "1.2"}) {
    INFO(text);
    CHECK(full_op_name(text).empty());
  }
}

TEST_CASE("a file of operators: lines") {
  const auto read = read_ops_file("# mine\n\n  zoo::f(Tensor x) -> Tensor\r\nzoo::g() -> ()");
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK(read->at(0).schema == "zoo::f(Tensor x) -> Tensor");
  CHECK(read->at(1).schema == "zoo::g() -> ()");
  CHECK(read_ops_file("")->empty());
  CHECK(fault_of(read_ops_file("# mine\nzoo::f(Tensor x -> Tensor\n")) ==
        "line 2: column 17: expected ',' or ')'");
}

TEST_CASE("a file of operators: JSON") {
  const auto read = read_ops_file(R"j( [{"schema": "zoo::f_(Tensor(a!) x, Tensor y) -> Tensor(a!)",
    "functional": "zoo::f", "access": {"x": "elementwise", "y": "any"}, "when": "before_write",
    "reads_old": [], "writes": {"x": "all"}, "result": "view", "may_alias": [[0, "y"]], "pure": false},
    {"schema": "zoo::g(Tensor x) -> (Tensor, Tensor)", "access": "elementwise", "result": ["fresh", "view"]}])j");
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  const OpDecl& f = read->at(0);
  CHECK(f.functional == "zoo::f");
  CHECK(f.access == std::map<std::string, std::string>{{"x", "elementwise"}, {"y", "any"}});
  CHECK(f.before_write);
  CHECK(f.reads_old == std::vector<std::string>{});
  CHECK(f.writes.at("x") == "all");
  CHECK(f.result == std::vector<std::string>{"view"});
  CHECK(f.may_alias == std::vector<std::pair<int, std::string>>{{0, "y"}});
  CHECK_FALSE(f.pure);
  CHECK(read->at(1).access.at("*") == "elementwise");
  CHECK_FALSE(read->at(1).reads_old);
  CHECK(read->at(1).pure);
}

TEST_CASE("a file of operators: refused JSON") {
  const auto refused = [](const std::string& fields) {
    return fault_of(read_ops_file(R"([{"schema": "zoo::f(Tensor x) -> Tensor")" + fields + "}]"));
  };
  REQUIRE(read_ops_file(R"([{"schema": "zoo::f(Tensor x) -> Tensor"}])"));
  CHECK(fault_of(read_ops_file("[")) == ": not JSON");
  CHECK(fault_of(read_ops_file("{}")) == ": expected an array");
  CHECK(fault_of(read_ops_file("[1]")) == "/0: expected an object");
  CHECK(fault_of(read_ops_file("[{}]")) == "/0: missing field 'schema'");
  CHECK(fault_of(read_ops_file(R"([{"schema": "f"}])")) == "/0/schema: column 2: expected '::'");
  CHECK(fault_of(read_ops_file(R"([{"schema": 3}])")) == "/0/schema: expected a string");
  CHECK(refused(R"(, "acces": "any")") == "/0/acces: unknown field");
  CHECK(refused(R"(, "access": "all")") == "/0/access: unknown value 'all'");
  CHECK(refused(R"(, "access": {"*": "any"})") == "/0/access/*: '*' is not an argument");
  CHECK(refused(R"(, "access": {"y": "any"})") == "/0/access/y: 'y' is not an argument");
  CHECK(refused(R"(, "access": 1)") == "/0/access: expected an object");
  CHECK(refused(R"(, "when": "later")") == "/0/when: unknown value 'later'");
  CHECK(refused(R"(, "reads_old": "x")") == "/0/reads_old: expected an array");
  CHECK(refused(R"(, "writes": {"x": "all"})") == "/0/writes/x: the schema does not write 'x'");
  CHECK(refused(R"(, "result": ["fresh", 1])") == "/0/result/1: expected a string");
  CHECK(refused(R"(, "may_alias": [[0]])") == "/0/may_alias/0: expected [result number, argument name]");
  CHECK(refused(R"(, "may_alias": [[-1, "x"]])") == "/0/may_alias/0/0: no such result");
  CHECK(refused(R"(, "may_alias": [[99999999999, "x"]])") == "/0/may_alias/0/0: no such result");
  CHECK(refused(R"(, "pure": 1)") == "/0/pure: expected true or false");
  CHECK(refused(R"(, "pure": true, "pure": false)") == ": the field 'pure' stands twice in one object");
  CHECK(fault_of(read_ops_file(std::string(100000, '['))) == ": not JSON");
}

}  // namespace decl_test
