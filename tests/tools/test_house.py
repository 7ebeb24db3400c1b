#!/usr/bin/env python3
"""Each house check accepts a clean tree and refuses a planted violation, with file and line."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def function(name, lines):
    """A function of exactly so many lines."""
    return "\n".join([f"int {name}() {{", *["  step();"] * (lines - 2), "}"]) + "\n"


class House(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def run_on(self, files, *command):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        ran = subprocess.run([*command, str(self.root)], capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    def accepts(self, files, *command):
        code, said = self.run_on(files, *command)
        self.assertEqual(code, 0, said)

    def refuses(self, where, files, *command):
        code, said = self.run_on(files, *command)
        self.assertEqual(code, 1, said)
        self.assertIn(where, said)


class Layers(House):
    def command(self):
        return sys.executable, str(ROOT / "tools/check_layers.py")

    def test_allowed(self):
        self.accepts({
            "src/ops/table.cpp": '#include "src/graph/case.h"\n#include "src/trace/trace.h"\n#include "src/base/ids.h"\n',
            "src/graph/case.h": '#include <vector>\n#include "src/graph/type.h"\n#include "src/base/ids.h"\n',
            "src/prover/z3.cpp": "#include <z3++.h>\n",
            "src/prover/solver.cpp": '#include "src/prover/z3_loader.h"\n',
            "checker/kernel/trace.h": '#include <vector>\n#include "checker/kernel/limits.h"\n',
            "src/trace/trace.h": '#include <vector>\n#include "checker/kernel/limits.h"\n',
            "src/values/term.h": '#include "src/trace/trace.h"\n',
            "src/check/check.cpp": '#include "src/prover/prove.h"\n#include "src/trace/trace.h"\n',
        }, *self.command())

    def test_types(self):
        one = "namespace noclobber {\nstruct Guard;\nstruct Guard {\n};\n"
        self.accepts({"src/plan/placed.h": one, "src/interp/guard.h": one.replace("noclobber {", "noclobber::interp {"),
                      "src/report/guard.h": "namespace noclobber {\nstruct Guard;\n"}, *self.command())
        self.refuses("src/plan/placed.h:3: noclobber::Guard is defined in src/interp/guard.h:3 too", {"src/interp/guard.h": one},
                     *self.command())

    def test_casts(self):
        cast = "auto* at = reinterpret_cast<{}>(data);\n"
        self.accepts({"checker/text/hash.cpp": cast.format("const unsigned char*"), "src/base/packed.cpp": cast.format("Bytef*"),
                      "src/prover/solver.cpp": cast.format("Open")}, *self.command())
        self.refuses("src/formats/flat.cpp:1: a cast to const std::uint32_t*, which is no byte",
                     {"src/formats/flat.cpp": cast.format("const std::uint32_t*")}, *self.command())

    def test_upward(self):
        self.refuses("src/graph/case.h:2:", {"src/graph/case.h": '\n#include "src/ops/table.h"\n'}, *self.command())

    def test_the_kernel_knows_no_text(self):
        self.accepts({"checker/text/a.h": '#include "checker/kernel/trace.h"\n', "checker/a.cpp": '#include "checker/plan/plan.h"\n'}, *self.command())
        self.refuses("checker/kernel/a.h:1: checker/kernel may not include checker/text", {"checker/kernel/a.h": '#include "checker/text/scan.h"\n'},
                     *self.command())

    def test_not_transitive(self):
        self.refuses("src/formats/file.h:1:", {"src/formats/file.h": '#include "src/trace/trace.h"\n'}, *self.command())

    def test_checker_includes_nothing(self):
        for other in ("src/base/ids.h", "src/graph/case.h"):
            with self.subTest(other):
                self.refuses("checker/a.cpp:1:", {"checker/a.cpp": f'#include "{other}"\n'}, *self.command())

    def test_checker_is_standard_only(self):
        for other in ("fmt/format.h", "nlohmann/json.hpp", "zlib.h", "z3++.h"):
            with self.subTest(other):
                self.refuses("checker/a.cpp:1:", {"checker/a.cpp": f"#include <{other}>\n"}, *self.command())

    def test_z3_in_one_file(self):
        for header in ("<z3++.h>", '"z3.h"', "<z3_api.h>", "<z3/z3++.h>"):
            with self.subTest(header):
                self.refuses("src/prover/rules.cpp:1:", {"src/prover/rules.cpp": f"#include {header}\n"},
                             *self.command())

    def test_relative_path(self):
        self.refuses("src/ops/a.cpp:1:", {"src/ops/a.cpp": '#include "table.h"\n'}, *self.command())

    def test_unknown_folder(self):
        self.refuses("src/misc/a.cpp:1:", {"src/misc/a.cpp": '#include "src/misc/a.h"\n'}, *self.command())


class Budget(House):
    def command(self):
        return sys.executable, str(ROOT / "tools/check_budget.py")

    def test_within(self):
        short = "".join(function(f"f{i}", 5) for i in range(9))
        self.accepts({"src/a/a.cpp": short + function("long_one", 60), "checker/b.cpp": function("g", 30)},
                     *self.command())

    def test_long_function(self):
        short = "".join(function(f"f{i}", 5) for i in range(30))
        self.refuses("src/a/a.cpp:151: longer has 61", {"src/a/a.cpp": short + function("longer", 61)},
                     *self.command())

    def test_long_test(self):
        body = 'TEST_CASE("a; title {", "[x]") {\n' + "  step();\n" * 60 + "}\n"
        self.refuses("tests/unit/a_test.cpp:1:", {"tests/unit/a_test.cpp": body}, *self.command())

    def test_methods_operators_and_constructors_are_seen(self):
        body = "".join("    step();\n" for _ in range(60))
        for head in ("  int run() const override {", "  bool operator==(const A& o) const {",
                     "  template <class T> A(T x) : x_{x}, y_(2) {", "  auto at(int i = 3) -> std::vector<int> {"):
            with self.subTest(head):
                self.refuses("src/a/a.h:4:", {"src/a/a.h": f"namespace n {{\nclass A : public B {{\n public:\n{head}\n"
                                              + body + "  }\n  int x_{1};\n};\n}\n"}, *self.command())

    def test_branches_of_the_preprocessor(self):
        text = "#if X\nint f() {\n#else\nint g() {\n#endif\n" + "  step();\n" * 60 + "}\n"
        self.refuses("src/a/a.cpp:2:", {"src/a/a.cpp": text}, *self.command())

    def test_p90(self):
        few = "".join(function(f"f{i}", 31) for i in range(2)) + "".join(function(f"g{i}", 5) for i in range(8))
        self.refuses("p90", {"src/a/a.cpp": few}, *self.command())

    def test_checker_function(self):
        self.refuses("checker/a.cpp:1:", {"checker/a.cpp": function("f", 31)}, *self.command())

    def test_checker_total(self):
        text = (ROOT / "tools" / "check_budget.py").read_text(encoding="utf-8")
        limit = int(re.search(r"^CHECKER_LINES = (\d+)", text, re.M).group(1))
        files = {f"checker/{i}.h": "int x;\n" * (limit // 10) for i in range(10)}
        self.accepts(files, *self.command())
        files["checker/more.h"] = "int x;\n" * (limit - limit // 10 * 10 + 1)
        self.refuses(f"{limit + 1} lines", files, *self.command())

    def test_long_file(self):
        self.refuses("src/a/a.h:400:", {"src/a/a.h": "int x;\n" * 401}, *self.command())

    def test_table_is_exempt(self):
        rows = "const Row kRows[] = {\n" + "  {1, 2},\n" * 500 + "};\n"
        self.accepts({"src/a/a.cpp": "// table\n" + rows}, *self.command())
        self.refuses("src/a/a.cpp:400:", {"src/a/a.cpp": rows}, *self.command())

    def test_table_exempts_one_block_only(self):
        text = "// table\nconst int kRow[] = {\n1};\n" + function("f", 61)
        self.refuses("src/a/a.cpp:4:", {"src/a/a.cpp": text}, *self.command())


class Classes(House):
    def command(self):
        return sys.executable, str(ROOT / "tools/check_classes.py")

    def holds(self, methods, body, key="class"):
        """Is `body` counted as so many methods? With as many others as are allowed it is accepted, with one more refused."""
        for others in (40 - methods, 41 - methods):
            text = f"namespace n {{\n{key} A {{\n" + "  void f(int a, int b) const;\n" * others + body + "\n};\n}\n"
            if others + methods <= 40:
                self.accepts({"src/a/a.h": text}, *self.command())
            else:
                self.refuses("src/a/a.h:2: A has 41 methods, 40 are allowed", {"src/a/a.h": text}, *self.command())

    def test_what_counts(self):
        for methods, body in {
            1: "  int one() { return x_ ? f() : g(2); }",
            2: "  A(int x, B y) noexcept : x_(x), y_{std::move(y), {1, 2}}, all_(y.size()) {}\n  ~A();",
            3: "  A() = default;\n  A(const A&) = delete;\n  friend bool operator==(const A&, const A&) = default;",
            4: "  int operator()(int x) const;\n  bool operator<(const A& o) const { return o; }\n  explicit operator bool() const;\n"
               "  A& operator[](int x) requires(x < 3);",
            5: "  template <class T, int N = (1 > 2)> std::map<T, int> at(T t) requires std::integral<T> && (sizeof(T) > 1) { return {}; }\n"
               "  template <class T>\n    requires requires(T t) { t.f(); }\n  void g(T);\n  auto h(auto&& each) -> std::vector<decltype(each())>;\n"
               "  [[nodiscard]] static constexpr int k() { return 1; }\n  void (*gives())(int);",
            6: "  int a(), b(int), c;\n  int d() const, e();\n  friend void swap(A& x, A& y) { x.f(); }\n  virtual void z() = 0;",
        }.items():
            with self.subTest(body):
                self.holds(methods, body)

    def test_what_does_not(self):
        for body in ("  std::function<void(int)> f_ = [this](int x) { g(x); };", "  void (*f_)(int) = nullptr;", "  int x_ = f(1), y_{g(2)}, z_[h(3)];",
                     "  using F = int (*)(int);\n  typedef int G(int);\n  friend class B;\n  static_assert(f(1) == 2);",
                     "  // void f();\n  /* void g(); */\n  const char* text_ = \"void f(); }\";\n  char c_ = '{';",
                     "  enum class Kind : std::uint8_t { one = f(1), two };\n  Kind kind_ = Kind(1);\n  alignas(8) decltype(f(1)) x_;",
                     "  std::array<int, (1 << 2)> all_{f(1)};\n  unsigned low_ : 3 = f(1);\n  int (*table_)[3];",
                     "  struct Inner {\n    int f();\n    int g() { struct Local { void h(); }; return 1; }\n  } inner_;"):
            for key in ("class", "struct"):
                with self.subTest(body, key=key):
                    self.holds(0, body, key)

    def test_outside(self):
        self.accepts({"src/a/a.cpp": "void f();\n" * 50 + "void A::g() {}\n" * 50 + "struct B f(struct B b) { return b; }\n"}, *self.command())

    def test_nested_and_local(self):
        many = "  void f();\n" * 41
        self.refuses("src/a/a.h:2: A::B has 41", {"src/a/a.h": "class A {\n  template <class T> struct B : C<T> {\n" + many + "  };\n};\n"},
                     *self.command())
        self.refuses("checker/a.cpp:2: B has 41", {"src/a/a.h": "", "checker/a.cpp": "int f(int x) {\n  struct B {\n" + many + "  };\n}\n"},
                     *self.command())
        self.refuses("checker/a.cpp:1: B has 41", {"checker/a.cpp": "template <> class n::B<int> final : public C, D {\n" + many + "};\n"},
                     *self.command())

    def test_a_class_in_two_pieces(self):
        half = "  void f();\n" * 21
        pieces = "class A {\n" + half + "};\nclass B : protected n::A {\n" + half + "};\n"
        self.refuses("src/a/a.h:24: B has 42", {"src/a/a.h": pieces}, *self.command())
        self.accepts({"src/a/a.h": pieces + "class C : A {};\n"}, *self.command())


class Rooms(House):
    def command(self):
        return sys.executable, str(ROOT / "tools/check_rooms.py")

    TABLE = "constexpr const InputFormat* kFormats[] = {\n    &kAFormat,\n    &kBFormat,\n};\n"
    ROW = 'const InputFormat k{}Format = {{"{}", begins, looks, open,\n    side}};\n'

    def tree(self, **more):
        return {"src/inputs/format.cpp": self.TABLE, "src/inputs/format_a.cpp": self.ROW.format("A", "a"),
                "src/inputs/format_b.cpp": self.ROW.format("B", "b"),
                "src/formats/a.h": "Result<Case> read_a(std::string_view text);\nResult<Side> read_plan(const Json& json);\n",
                **{name.replace("__", "/").replace("_dot_", "."): text for name, text in more.items()}}

    def test_formats(self):
        self.accepts(self.tree(), *self.command())
        self.refuses("src/inputs/format_a.cpp:3: the row of a format stands alone",
                     self.tree(src__inputs__format_a_dot_cpp=self.ROW.format("A", "a") + self.ROW.format("B", "b")), *self.command())
        self.refuses("src/inputs/other.cpp:1: the row of a format stands alone",
                     self.tree(src__inputs__other_dot_cpp=self.ROW.format("C", "c")), *self.command())

    def test_formats_are_listed_once(self):
        self.refuses("src/inputs/format_c.cpp:1: kCFormat is listed 0 times",
                     self.tree(src__inputs__format_c_dot_cpp=self.ROW.format("C", "c")), *self.command())

    def test_formats_with_one_name(self):
        self.refuses("a is a row in src/inputs/format_a.cpp:1 too",
                     self.tree(src__inputs__format_b_dot_cpp=self.ROW.format("B", "a")), *self.command())

    def test_formats_listed_without_a_row(self):
        tree = self.tree()
        del tree["src/inputs/format_b.cpp"]
        self.refuses("src/inputs/format.cpp:1: kBFormat has no row", tree, *self.command())

    def test_readers_without_a_row(self):
        self.accepts(self.tree(src__fuzz__a_dot_cpp="// read_a(text)\nread_plan(text);\n", src__lower__a__c_dot_cpp="read_a(text);\n"), *self.command())
        self.refuses("src/cli/a.cpp:2: read_a is not read by", self.tree(src__cli__a_dot_cpp="\nreturn read_a(text);\n"), *self.command())

    def test_operators(self):
        naming = 'if (op == "aten.clone.default") return;\n'
        listed = {"tests/unit/ops/table_test.cpp": 'constexpr Speller kSpellers[] = {\n    {"src/formats/", 2,\n     "readers"},\n};\n'}
        self.accepts({**listed, "src/ops/table.def": naming, "src/formats/a.cpp": naming * 2, "src/formats/b.cpp": naming,
                      "src/report/a.cpp": '// "aten.clone.default"\nsay("aten.");\nsay("an.other");\n'}, *self.command())
        self.refuses("src/report/b.cpp:1: 1 operators are named, 0 are allowed", {"src/report/b.cpp": naming}, *self.command())
        self.refuses("src/formats/b.cpp:3: 3 operators are named, 2 are allowed", {"src/report/b.cpp": "", "src/formats/b.cpp": naming * 3},
                     *self.command())

    def test_nothing_is_listed_for_nothing(self):
        self.refuses("src/plan/ is listed, and names no operator",
                     {"tests/unit/ops/table_test.cpp": '{"src/plan/", 2, "a reason"},\n', "src/plan/a.cpp": ""}, *self.command())

    def test_grammars(self):
        reader = "if (take({0}({0}))\n  while (!take({0}){0}) && !failed()) if (peek() != {0},{0}) fail();\n"
        self.accepts({"src/text/python_expr.h": reader.format("'"), "src/report/a.cpp": 'out += "(" + text + ", " + ")";\n'}, *self.command())
        for quote in ("'", '"'):
            with self.subTest(quote):
                self.refuses("src/formats/mine.cpp:1: brackets and commas are read here", {"src/formats/mine.cpp": reader.format(quote)},
                             *self.command())


    def test_lemmas(self):
        page = "**1. Constant bounds** (`f`). Each\n\n**7a. Identities** (`g`). A\n"
        kept = "/// So it is. Lemma 1.\nbool f();\n  /// Lemma 7a.\n  bool g();\n// Lemma 3.\n"
        self.accepts({"docs/trust.md": page, "checker/kernel/a.h": kept}, *self.command())
        self.refuses("docs/trust.md:1: lemma 7a stands above no function", {"checker/kernel/a.h": kept.replace("7a", "1")}, *self.command())
        self.refuses("checker/kernel/a.h:1: lemma 2 is not in docs/trust.md", {"checker/kernel/a.h": kept + "/// Lemma 2.\n"}, *self.command())


@unittest.skipUnless(shutil.which("clang-format") or shutil.which("clang-format-14"), "no clang-format")
class Format(House):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / ".clang-format", self.root)

    def command(self):
        return (str(ROOT / "tools/check_format.sh"),)

    def test_both(self):
        self.accepts({"src/a/a.cpp": "int f() { return 1; }\n"}, *self.command())
        self.refuses("src/a/b.cpp:2:", {"src/a/b.cpp": "\nint  f( ){return 1;}\n"}, *self.command())

    def test_fix(self):
        self.accepts({"src/a/b.cpp": "int  f( ){return 1;}\n"}, *self.command(), "--fix")
        self.accepts({}, *self.command())


class Docs(House):
    def command(self):
        return sys.executable, str(ROOT / "tools/check_docs.py")

    def test_both(self):
        listing = {"docs/generated.txt": "# what is generated\ndocs/a.md\tprintf 'one\\ntwo\\n'\n"}
        self.accepts({**listing, "docs/a.md": "one\ntwo\n"}, *self.command())
        self.refuses("docs/a.md:2:", {**listing, "docs/a.md": "one\n2\n"}, *self.command())

    def test_failing_command(self):
        self.refuses("docs/generated.txt:1:", {"docs/generated.txt": "docs/a.md\tfalse\n"}, *self.command())

    def test_no_list(self):
        self.accepts({}, *self.command())


if __name__ == "__main__":
    unittest.main()
