// Folders of tlparse and of TORCH_COMPILE_DEBUG.
#include <filesystem>
#include <fstream>

#include "src/formats/fx_text/fx_text.h"
#include "src/formats/fx_text/load_args.h"
#include "src/inputs/trace_folder.h"
#include "src/lower/checks.h"
#include "tests/catch.h"
#include "tests/support/temp_folder.h"

namespace trace_folder_test {

using namespace noclobber;

namespace {

namespace fs = std::filesystem;

using LogFolder = testing::TempFolder;

std::string folder_graph(const std::string& op) {
  return "class <lambda>(torch.nn.Module):\n    def forward(self, a: \"f32[5]\", b: \"f32[5]\"):\n"
         "        r: \"f32[5]\" = torch.ops.aten." +
         op + ".Tensor(a, b)\n        return (r,)\n";
}

TraceLog read_whole_folder(const std::string& path) {
  TraceLog log = read_tlparse_folder(path);
  for (TraceCheck& check : log.checks) check.read();
  return log;
}

std::string ids_of(const TraceLog& log) {
  std::string ids;
  for (const TraceCheck& check : log.checks) ids += check.id + (check.value ? " " : "! ");
  return ids;
}

const std::string kRunnable =
    "class Repro(torch.nn.Module):\n    def forward(self, a, b):\n        return (a,)\n\n"
    "def load_args(reader):\n    buf0 = reader.storage(None, 40)\n"
    "    reader.tensor(buf0, (5,), is_leaf=True)  # a\n"
    "    reader.tensor(buf0, (5,), storage_offset=5, is_leaf=True)  # b\nload_args._version = 0\n";

}  // namespace

TEST_CASE("tlparse folders: compilations are paired by the numbers in their names") {
  const LogFolder folder;
  folder.write("-_0_0_0/before_post_grad_graph_10.txt", folder_graph("add"));
  folder.write("-_0_0_0/inductor_post_grad_graph_12.txt", folder_graph("add_"));
  folder.write("-_0_0_0/inductor_output_code_abc_13.html", "<html>");
  folder.write("1_2_0/before_joint_graph_3.txt", folder_graph("add"));
  folder.write("1_2_0/after_joint_graph_4.txt", "class <lambda>(torch.nn.Module):\n    def forward(self:\n");
  const TraceLog log = read_whole_folder(folder.path());
  CHECK(ids_of(log) == "-_1_2_0/joint! -_0_0_0/post_grad ");
  CHECK(log.checks[0].value.fault().where == "1_2_0/after_joint_graph_4.txt, line 2, column 21");
  CHECK(log.checks[1].what == TraceCheck::What::pair);
  CHECK(log.checks[1].line == 13);
  CHECK(log.checks[1].file == "-_0_0_0/inductor_post_grad_graph_12.txt");
  CHECK(log.notes.empty());
  CHECK(log.checks[1].value->inputs_may_overlap);
  CHECK(log.unchecked == std::vector<std::string>{"output_code"});
  CHECK(ids_of(read_whole_folder(folder.path("-_0_0_0"))) == "-_0_0_0/post_grad ");
  CHECK_FALSE(read_whole_folder(folder.path("none")).any_graph);
}

TEST_CASE("tlparse folders: raw.jsonl names the files, and tells what the caller passed") {
  const LogFolder folder;
  const std::string id = R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})";
  std::string records = "{\"string_table\": []}\n";
  for (const std::string k : {"0", "1"})
    records += R"({"describe_storage": {"id": )" + k + R"(, "describer_id": 5, "size": 20})" + id + "\n" +
               R"({"describe_tensor": {"id": )" + k +
               R"(, "dtype": "torch.float32", "size": [5], "stride": [1], "storage": )" + k +
               R"(, "describer_id": 5})" + id + "\n" + R"({"describe_source": {"describer_id": 5, "id": )" +
               k + "}" + id + "\n";
  const auto graph = [&](const std::string& name, const std::string& file) {
    return R"({"artifact": {"name": ")" + name + R"("}, "payload_filename": ")" + file + "\"" + id + "\n";
  };
  folder.write("x/before.txt", folder_graph("add"));
  folder.write("x/after.txt", folder_graph("add_"));
  folder.write("raw.jsonl", records + graph("before_post_grad_graph", "x/before.txt") + "{broken\n" +
                                graph("inductor_post_grad_graph", "x/after.txt") +
                                graph("before_post_grad_graph", "../outside.txt") +
                                graph("before_post_grad_graph", "x/missing.txt"));
  const TraceLog log = read_whole_folder(folder.path());
  CHECK(ids_of(log) == "-_0_0_0/post_grad ");
  CHECK_FALSE(log.checks[0].value->inputs_may_overlap);
  CHECK(log.checks[0].line == 10);
  CHECK(log.records == 8);
  REQUIRE(log.notes.size() == 3);
  CHECK(log.notes[0] == Diagnostic{"raw.jsonl, line 9", "the record's JSON is broken"});
  CHECK(log.notes[1] == Diagnostic{"raw.jsonl, line 11", "the record's file lies outside the folder"});
  CHECK(log.notes[2].where == "x/missing.txt");
}

TEST_CASE("tlparse folders: ranks, equal numbers, and a graph whose file is missing") {
  const LogFolder folder;
  for (const std::string rank : {"rank_0/", "rank_1/"}) {
    folder.write(rank + "-_0_0_0/before_post_grad_graph_10.txt", folder_graph("add"));
    folder.write(rank + "-_0_0_0/inductor_post_grad_graph_12.txt", folder_graph("add_"));
  }
  for (const std::string number : {"0", "1"}) {
    folder.write("-_" + number + "_0_0/before_post_grad_graph_10.txt", folder_graph("add"));
    folder.write("-_" + number + "_0_0/inductor_post_grad_graph_12.txt", folder_graph("add_"));
  }
  CHECK(ids_of(read_whole_folder(folder.path())) == "-_0_0_0/post_grad -_1_0_0/post_grad ");
  CHECK(ids_of(read_whole_folder(folder.path("rank_1"))) == "rank_1/-_0_0_0/post_grad ");
  const LogFolder half;
  const std::string id = R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})";
  half.write("before.txt", folder_graph("add"));
  half.write("raw.jsonl",
             R"({"artifact": {"name": "before_post_grad_graph"}, "payload_filename": "before.txt")" + id +
                 "\n" + R"({"artifact": {"name": "after_post_grad_graph"}, "payload_filename": "after.txt")" +
                 id + "\n");
  const TraceLog log = read_whole_folder(half.path());
  CHECK(log.checks.empty());
  REQUIRE(log.notes.size() == 2);  // the file, and the graph that nothing follows
  CHECK(log.notes[1].message == "before_post_grad_graph has no graph behind it");
}

TEST_CASE("tlparse folders: names of compilations") {
  CHECK_FALSE(is_compilation_folder("-_0_0_"));
  CHECK(is_compilation_folder("-_0_0_0"));
  CHECK(is_compilation_folder("0_0_0"));
  CHECK(is_compilation_folder("!_0_0_0") == false);
  CHECK(is_compilation_folder("unknown_17"));
  CHECK_FALSE(is_compilation_folder("unknown_x"));
  CHECK_FALSE(is_compilation_folder("0_0"));
  CHECK_FALSE(is_compilation_folder("0_0_0_0_0"));
  CHECK_FALSE(is_compilation_folder(""));
}

TEST_CASE("debug folders: readable and transformed are a pair, the runnable file has the storages") {
  const LogFolder folder;
  const std::string name = "model__0_inference_0.0";
  folder.write(name + "/fx_graph_readable.py", folder_graph("add"));
  folder.write(name + "/fx_graph_transformed.py", folder_graph("add_"));
  folder.write(name + "/output_code.py", "x");
  const TraceLog bare = read_debug_folder(folder.path(name));
  REQUIRE(ids_of(bare) == name + "/post_grad ");
  CHECK(bare.checks[0].value->inputs_may_overlap);
  CHECK(bare.checks[0].value->name == name + "/post_grad");
  CHECK(bare.checks[0].value->source == "TORCH_COMPILE_DEBUG");
  CHECK(bare.checks[0].file == "fx_graph_transformed.py");
  CHECK(bare.checks[0].unchecked == bare.unchecked);
  CHECK(bare.records == 2);
  CHECK(bare.unchecked == std::vector<std::string>{"output_code"});
  folder.write(name + "/fx_graph_runnable.py", kRunnable);
  const TraceLog log = read_debug_folder(folder.path(name) + "/");
  REQUIRE(ids_of(log) == name + "/post_grad ");
  const Case& value = *log.checks[0].value;
  CHECK_FALSE(value.inputs_may_overlap);
  REQUIRE(value.before);
  for (const Graph* graph : {&*value.before, &value.after}) {
    CHECK(graph->inputs[1].storage == graph->inputs[0].storage);
    CHECK(graph->inputs[1].storage_numel == SymExpr(10));
    CHECK(graph->value(graph->inputs[1].value).type->offset == SymExpr(5));
    CHECK(graph->value(graph->inputs[1].value).type->strides == Type::Strides::given);
  }
  fs::remove(folder.path(name + "/fx_graph_transformed.py"));
  const TraceLog alone = read_debug_folder(folder.path(name));
  CHECK(alone.checks.at(0).what == TraceCheck::What::single);
  CHECK(alone.records == 1);
  CHECK_FALSE(read_debug_folder(folder.path("none")).any_graph);
}

TEST_CASE("load_args: strides, dtypes, symbols; another form says nothing") {
  const std::string head =
      "def load_args(reader):\n    buf0 = reader.storage('x', 16*s77, device=device(type='cuda', index=0), "
      "dtype_hint=torch.int64)\n";
  const auto tensors =
      read_load_args(head +
                     "    reader.symint(3, expr='s77')\n"
                     "    reader.tensor(buf0, (s77, 2), (1, s77), dtype=torch.int64)  # a\n");
  REQUIRE(tensors);
  REQUIRE(tensors->size() == 1);
  const SymExpr s = SymExpr::symbol("s77");
  CHECK(tensors->at(0).type.stride == std::vector<SymExpr>{1, s});
  CHECK(tensors->at(0).type.dtype == Dtype::i64);
  CHECK(tensors->at(0).bytes == SymExpr(16) * s);
  CHECK_FALSE(read_load_args("x = 1\n"));
  CHECK_FALSE(read_load_args(head + "    reader.tensor(buf1, (2,))\n"));
  CHECK_FALSE(read_load_args(head + "    reader.tensor(buf0, (2, 'x'))\n"));
  CHECK_FALSE(read_load_args(head + "    reader.tensor(buf0, (2,), (1, 1))\n"));
}

TEST_CASE("load_args: broken texts say nothing or something, and end") {
  int silent = 0;
  for (std::size_t at = kRunnable.find("def load_args"); at < kRunnable.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string broken = kRunnable;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      silent += !read_load_args(broken);
    }
    silent += !read_load_args(kRunnable.substr(0, at));
  }
  CHECK(silent > 300);
}

TEST_CASE("load_args: what is said of inputs is placed where all of them are these tensors, or nowhere") {
  const std::string text =
      "def load_args(reader):\n    buf0 = reader.storage(None, 80)\n    buf1 = reader.storage(None, 16)\n"
      "    reader.tensor(buf0, (2, 0, 5))  # a\n    reader.tensor(buf0, (5,), storage_offset=5)  # b\n"
      "    reader.tensor(buf1, (2, 2), (1, 2))  # c\nload_args._version = 0\n    reader.tensor(buf1, (1,))\n";
  const auto tensors = read_load_args(text);
  REQUIRE(tensors);
  REQUIRE(tensors->size() == 3);  // what comes behind the version is none
  CHECK(tensors->at(0).type.stride == std::vector<SymExpr>{5, 5, 1});
  CHECK(tensors->at(0).type.strides == Type::Strides::given);
  CHECK(tensors->at(2).type.stride == std::vector<SymExpr>{1, 2});
  const auto given = [](const std::string& inputs) {
    auto read = read_fx_text("def forward(self, " + inputs + "):\n    return ()\n");
    REQUIRE(read);
    Case out;
    out.before = read->graph;
    out.after = std::move(read->graph);
    return out;
  };
  Case value = given("a: \"f32[2, 0, 5]\", b: \"f32[5]\", c: \"f32[2, 2]\"");
  REQUIRE(place_inputs(value, *tensors));
  for (const Graph* graph : {&*value.before, &value.after}) {
    CHECK(graph->inputs[0].storage == "buf0");
    CHECK(graph->inputs[1].storage == "buf0");
    CHECK(graph->inputs[1].storage_numel == SymExpr(20));
    CHECK(graph->value(graph->inputs[1].value).type->offset == SymExpr(5));
    CHECK(graph->inputs[2].storage.empty());
    CHECK(graph->value(graph->inputs[2].value).type->stride == std::vector<SymExpr>{1, 2});
  }
  for (const char* other : {
           "a: \"f32[2, 0, 5]\", b: \"f32[5]\"",
           "a: \"f32[2, 0, 5]\", b: \"f32[5]\", c: \"f32[2, 2]\", d: \"f32[1]\"",
           "a: \"f32[2, 0, 5]\", b: \"f32[6]\", c: \"f32[2, 2]\"",
           "a: \"f32[2, 0, 5]\", b: \"i32[5]\", c: \"f32[2, 2]\"",
           "a: \"f32[2, 0, 5]\", b: \"f32[5]\", c: \"f32[2, 2][2, 1]\"",
       }) {
    INFO(other);
    Case wrong = given(other);
    CHECK_FALSE(place_inputs(wrong, *tensors));
    CHECK(wrong.after.inputs[1].storage.empty());
  }
  Case half = given("a: \"f32[2, 0, 5]\", b: \"f32[5]\", c: \"f32[2, 2]\"");
  half.before = given("a: \"f32[2, 0, 5]\"").after;
  CHECK_FALSE(place_inputs(half, *tensors));
  CHECK(half.after.inputs[0].storage.empty());
  // How large a storage of open size is, is not known, and two of its tensors may overlap.
  const auto open = read_load_args(
      "def load_args(reader):\n    buf0 = reader.storage(None, 16*s77)\n    reader.tensor(buf0, (2,))\n    "
      "reader.tensor(buf0, (2,))\n");
  REQUIRE(open);
  Case two = given("a: \"f32[2]\", b: \"f32[2]\"");
  CHECK_FALSE(place_inputs(two, *open));
}

}  // namespace trace_folder_test
