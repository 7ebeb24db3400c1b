#!/usr/bin/env python3
"""Runs build/bin/noclobber on files and folders: nothing is lost, and each file is believed about itself.

NC_BIN_DIR names another folder with the program.  Standard library only.
"""
import gzip
import io
import json
import os
import shutil
import struct
import unittest
import zipfile

from cli_test import FX, PROVED, REFUTED, ROOT, SIN, Cli, case, log, record

LAST = json.dumps({"after": SIN, "before": SIN, "name": "last", "title": "x" * 100000, "format": "noclobber.case/1"})
PLAN = "id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,8\n"
CORPUS = ROOT / "corpus"


def corpus(name):
    return (CORPUS / name).read_bytes()


class Corpus(Cli):
    def test_no_run_contradicts_a_proof(self):
        for folder in sorted(p for p in CORPUS.iterdir() if p.is_dir() and p.name not in ("golden", "schemas", "fuzz")):
            with self.subTest(folder=folder.name):
                run = self.run_it("check", folder, "--json", "--quiet")
                self.assertIn(run.returncode, (0, 1, 2, 3), run.stderr)
                self.assertNotIn(b"contradiction", run.stdout)


class Folders(Cli):
    FILES = {
        "a.json": PROVED, "last.json": LAST, "packed.json.gz": gzip.compress(REFUTED.encode()), "no-ending": PROVED,
        "graph.txt": FX.format(x="a", op="sin"), "graph.py.gz": gzip.compress(FX.format(x="a", op="cos").encode()),
        "plan.csv": PLAN, "plan.gz": gzip.compress(PLAN.encode()), "rows.pt2": corpus("pt2/rows.pt2"),
        "renamed-program": corpus("pt2/rows.pt2"), "p.pte": corpus("programs/cond-result-overwritten.pte"),
        "q": corpus("programs/cond-result-overwritten.pte"), "payload.mlx": corpus("programs/mlx-unary-chain.mlx"),
        "payload": corpus("programs/mlx-unary-chain.mlx"), "x.log": log(), "y": log("sin_"),
        "z.log.gz": gzip.compress(log().encode()),
    }

    def outcomes(self, *arguments):
        run = self.run_it("check", *arguments, "--json")
        records = [json.loads(line) for line in run.stdout.splitlines()]
        found = [(r.get("id"), r.get("what"), r.get("status"), r["kind"]) for r in records if r["kind"] != "summary"]
        self.assertGreater(len(found), 0, (arguments, run.stderr))
        return found, records[-1], run

    def thunder(self, name, source="a5-view-war"):
        shutil.copytree(CORPUS / "thunder" / source, self.folder / name)

    def test_each_format_is_checked_as_when_it_is_named(self):
        for k, (name, content) in enumerate(self.FILES.items()):
            with self.subTest(name):
                alone, _, _ = self.outcomes(self.write(f"alone{k}/{name}", content))
                self.write(f"in{k}/deeper/{name}", content)
                within, summary, _ = self.outcomes(str(self.folder / f"in{k}"))
                self.assertEqual(alone, within)
                self.assertEqual(summary["skipped"], 0)

    def test_all_formats_in_one_folder(self):
        wanted = []
        for name, content in sorted(self.FILES.items()):
            wanted += self.outcomes(self.write(f"alone/{name}", content))[0]
            self.write(f"all/{name}", content)
        found, _, run = self.outcomes(str(self.folder / "all"))
        self.assertEqual(found, wanted)
        self.assertNotIn(b"skipped", run.stderr)
        self.assertEqual(run.stdout, self.run_it("check", str(self.folder / "all"), "--json", "--jobs", "1").stdout)

    def test_folders_that_are_one_input(self):
        self.thunder("t")
        self.write("d/model__0/fx_graph_readable.py", FX.format(x="a", op="sin"))
        self.write("d/model__0/fx_graph_transformed.py", FX.format(x="a", op="sin"))
        self.write("d/model__0/output_code.py", "x = 1\n")
        self.write("l/-_0_0_0/before_post_grad_graph_1.txt", FX.format(x="a", op="sin"))
        self.write("l/-_0_0_0/after_post_grad_graph_2.txt", FX.format(x="a", op="sin_"))
        self.write("l/index.html", "<html>")
        self.write("l/compile_directory.json", "{}")
        for name, least in (("t", 2), ("d/model__0", 1), ("l", 1)):
            alone, _, _ = self.outcomes(str(self.folder / name))
            self.assertGreaterEqual(len(alone), least)
            shutil.copytree(self.folder / name, self.folder / "below" / name / "deep" / name)
            self.write(f"below/{name}/deep/beside.json", PROVED)
            within, _, _ = self.outcomes(str(self.folder / "below" / name))
            self.assertCountEqual(within, alone + [("same", "pair", "proved", "check")])

    def test_what_lies_in_a_folder_that_is_one_input(self):
        self.thunder("t")
        traces, _, _ = self.outcomes(str(self.folder / "t"))
        self.write("t/case.json", PROVED)
        self.write("t/notes.md", "hello")
        self.write("t/more/x.log", log())
        self.write("t/7.txt", "seven")
        found, summary, run = self.outcomes(str(self.folder / "t"))
        self.assertCountEqual(found, traces + [("same", "pair", "proved", "check"),
                                               ("-_0_0_0/post_grad", "pair", "proved", "check")])
        self.assertEqual(summary["skipped"], 2)
        self.assertIn(b"skipped: 2 files (7.txt, notes.md)", run.stderr)
        self.write("l/raw.log", log())
        self.write("l/raw.jsonl", "")
        self.write("l/own.json", PROVED)
        found, _, _ = self.outcomes(str(self.folder / "l"))
        self.assertCountEqual(found, [("same", "pair", "proved", "check"),
                                      ("-_0_0_0/post_grad", "pair", "proved", "check")])

    def test_what_is_not_read_is_named(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("weights/a.npy", b"\0" * 100)
        strange = {
            "README.md": "# Read me\n", "empty.txt": "", "other.json": '{"format": "other/1"}', "list.json": "[1]",
            "data.npz": packed.getvalue(), "junk.bin": bytes(range(256)) * 40,
            "model.py": "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        pass\n"
                        "    def forward(self, x):\n        return [x for _ in range(3)]\n",
            "script.py": "import thunder\n\nprint(thunder)\n", "problem.csv": "id,lower,upper,size\na,0,1,8\n",
            ".hidden": "x", "noise.gz": gzip.compress(b"hello"), "half\xff.txt": "y",
        }
        for name, content in strange.items():
            self.write(f"d/{name}", content)
        os.symlink("nowhere", self.folder / "d" / "lost")
        os.mkfifo(self.folder / "d" / "pipe")
        self.write("d/good.json", PROVED)
        found, summary, run = self.outcomes(str(self.folder / "d"))
        self.assertEqual(found, [("same", "pair", "proved", "check")])
        self.assertEqual((run.returncode, summary["skipped"]), (0, len(strange) + 2))
        lines = [line for line in run.stderr.splitlines() if b"skipped" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn(b"skipped: 14 files (.hidden, README.md, data.npz, ...)", lines[0])
        os.unlink(self.folder / "d" / "good.json")
        run = self.expect(2, "check", str(self.folder / "d"))
        self.assertIn(b"nothing in this directory", run.stderr)

    def test_ours_that_cannot_be_read_is_an_error(self):
        broken = {
            "bad.json": '{"format": "noclobber.case/1", "after": 3}', "later.json": '{"format" : "noclobber.case/9"}',
            "bad.pt2": "hello", "bad.pte": "hello", "cut.log.gz": gzip.compress(log().encode())[:-20],
            "g.txt": FX.format(x="a", op="sin").replace("torch.ops", "<<"), "bad.csv": PLAN + "c,d\n",
            "header-alone.csv": PLAN.splitlines()[0] + "\n",
            "one.txt": "# Constructed by X\nimport thunder\ndef computation(a):\n   return (",
        }
        for name, content in broken.items():
            with self.subTest(name):
                self.write(f"{name}.d/{name}", content)
                self.write(f"{name}.d/good.json", PROVED)
                found, summary, run = self.outcomes(str(self.folder / f"{name}.d"))
                self.assertCountEqual([kind for *_, kind in found], ["check", "error"])
                self.assertEqual((run.returncode, summary["skipped"]), (2, 0))
        self.write("links/good.json", PROVED)
        os.symlink("nowhere", self.folder / "links" / "lost.log")
        self.assertEqual(self.outcomes(str(self.folder / "links"))[2].returncode, 2)
        if os.geteuid() != 0:
            path = self.write("locked/x.json", PROVED)
            os.chmod(path, 0)
            self.assertEqual(self.outcomes(str(self.folder / "locked"))[2].returncode, 2)

    def test_as_many_checks_as_expected(self):
        one, other = self.write("a/p.json", PROVED), self.write("a/q.json", PROVED)
        self.records(0, "check", one, other, "--expect-checks", "2")
        self.records(0, "check", str(self.folder / "a"), "--expect-checks", "1")
        records = self.records(2, "check", one, other, "--expect-checks", "3")
        self.assertIn("3 expected, 2 made", records[-2]["message"])
        self.records(1, "check", self.write("r.json", REFUTED), "--expect-checks", "3")  # refuted comes first


class Texts(Cli):
    """Pairs of printed graphs."""
    HEAD = "class <lambda>(torch.nn.Module):\n    def forward(self, {inputs}):\n{lines}        return {out}\n"

    def text(self, name, inputs, lines, out):
        lines = "".join(f"        {line}\n" for line in lines)
        return self.write(name, self.HEAD.format(inputs=inputs, lines=lines, out=out))

    def pair(self, before, after):
        run = self.run_it("compare", self.text("before.txt", *before), self.text("after.txt", *after), "--json")
        return json.loads(run.stdout.splitlines()[0])

    COND = '''class <lambda>(torch.nn.Module):
    def forward(self, x: "f32[4][1]cpu", p: "b8[][]cpu"):
        first = self.first
        second = self.second
        cond = torch.ops.higher_order.cond(p, {first}, {second}, (x,))
        getitem: "f32[4][1]cpu" = cond[0];  cond = None
        return getitem

    class first(torch.nn.Module):
        def forward(self, x: "f32[4][1]cpu"):
            {name}: "f32[4][1]cpu" = self.{name}
            add: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, {name});  x = {name} = None
            return (add,)

    class second(torch.nn.Module):
        def forward(self, x: "f32[4][1]cpu"):
            {name}: "f32[4][1]cpu" = self.{name}
            add: "f32[4][1]cpu" = torch.ops.aten.add.Tensor(x, {name});  x = {name} = None
            return (add,)
'''

    def test_constants_belong_to_their_module(self):
        for name in ("_tensor_constant0", "weight"):
            straight = self.write("a.txt", self.COND.format(first="first", second="second", name=name))
            crossed = self.write("b.txt", self.COND.format(first="second", second="first", name=name))
            self.assertEqual(self.run_it("compare", straight, straight).returncode, 0)
            self.assertIn(self.run_it("compare", straight, crossed).returncode, (1, 3))

    X = 's0: "Sym(s0)", x: "f32[s0]"'

    def scaled(self, code, said):
        return (self.X, [f'k: "Sym({said})" = {code}', 'r: "f32[s0]" = torch.ops.aten.mul.Tensor(x, k)'], "(r,)")

    def test_what_runs_is_the_code(self):
        plain = self.scaled("s0", "s0")
        for code in ("min(s0, 2000000)", "max(s0, 7)", "s0 + (s0 // 2000000)", "s0 // 2 * 2", "s0 % 1000003",
                     "operator.sub(s0, 1)", "torch.sym_max(s0, 1)"):
            self.assertNotEqual(self.pair(plain, self.scaled(code, "s0"))["status"], "proved", code)
        for code, said in (("s0 + 0", "s0"), ("s0 * 2 // 2", "s0"), ("operator.mul(s0, 1)", "s0"),
                           ("2 * s0 - s0", "s0")):
            self.assertEqual(self.pair(plain, self.scaled(code, said))["status"], "proved", code)

    def strided(self, *lines):
        return ('x: "f32[4][1]cpu", y: "f32[4][1]cpu"', [*lines, 'r: "f32[4][1]cpu" = torch.ops.aten.neg.default(w)'],
                "(r,)")

    def test_where_an_input_begins_is_an_assumption(self):
        says = "inputs begin at the start of their storage"
        plain = ('x: "f32[4][1]cpu", y: "f32[4][1]cpu"', ['r: "f32[4][1]cpu" = torch.ops.aten.neg.default(x)'], "(r,)")
        shown = 'w: "f32[4][1]cpu" = torch.ops.aten.as_strided.default(x, [4], [1]{})'
        told = self.pair(self.strided(shown.format(", 0")), plain)
        self.assertIn(says, told["assumptions"])
        self.assertNotIn(says, self.pair(self.strided(shown.format("")), plain)["assumptions"])
        own = self.strided('c: "f32[4][1]cpu" = torch.ops.aten.clone.default(x)', shown.format(", 0").replace("(x", "(c"))
        self.assertNotIn(says, self.pair(own, plain)["assumptions"])
        through = self.strided('c: "f32[4][1]cpu" = torch.ops.aten.view.default(x, [4])',
                               shown.format(", 0").replace("(x", "(c"))
        self.assertIn(says, self.pair(through, plain)["assumptions"])

    def test_outputs_by_their_keys(self):
        lines = ['a: "f32[2]" = torch.ops.aten.sin.default(x)', 'b: "f32[2]" = torch.ops.aten.cos.default(x)']
        given = lambda out: ('x: "f32[2]"', lines, out)
        before = given("{'p': a, 'q': b}")
        self.assertEqual(self.pair(before, given("{'p': a, 'q': b}"))["status"], "proved")
        self.assertEqual(self.pair(before, given("{'q': b, 'p': a}"))["status"], "proved")
        self.assertEqual(self.pair(before, given("{'q': a, 'p': b}"))["status"], "refuted")
        self.assertEqual(self.pair(before, given("{'p': b, 'q': a}"))["status"], "refuted")
        self.assertEqual(self.pair(before, given("{'p': a, 'r': b}"))["kind"], "error")
        listed = self.pair(before, given("(a, b)"))
        self.assertEqual(listed["status"], "proved")
        self.assertIn("outputs match by position", listed["assumptions"])

    def test_a_size_that_one_side_has_specialised(self):
        def of(size, op):
            return (f's0: "Sym(s0)", x: "f32[{size}]"', [f'r: "f32[{size}]" = torch.ops.aten.{op}.default(x)'], "(r,)")
        same = self.pair(of("s0", "sin"), of("8", "sin"))
        self.assertEqual(same["status"], "proved")
        self.assertIn("AFTER is meant for s0 = 8 alone", same["assumptions"])
        self.assertEqual(self.pair(of("s0", "sin"), of("8", "sin_"))["status"], "refuted")
        self.assertEqual(self.pair(of("s0", "sin"), of("1000", "cos"))["status"], "refuted")

    def test_a_symbol_without_range_is_no_witness(self):
        def of(code):
            return ('s0: "Sym(s0)", x: "f32[4]"', [f'k: "Sym({code})" = {code}',
                                                   'r: "f32[4]" = torch.ops.aten.mul.Tensor(x, k)'], "(r,)")
        self.assertEqual(self.pair(of("s0"), of("max(s0, 0)"))["status"], "unknown")
        self.assertEqual(self.pair(of("s0"), of("min(s0, 2000000)"))["status"], "unknown")
        self.assertEqual(self.pair(of("s0"), of("s0 + 1"))["status"], "refuted")


class Logs(Cli):
    def graph(self, kind, op, x="a"):
        name = {"artifact": {"name": kind, "encoding": "string"}}
        return record("artifact", name["artifact"], FX.format(x=x, op=op))

    def outcomes(self, *graphs):
        run = self.run_it("check", self.write("x.log", "".join(graphs)), "--json")
        records = [json.loads(line) for line in run.stdout.splitlines()]
        return [(r["id"], r["what"], r["status"]) for r in records[:-1]], run.stderr

    def test_two_graphs_that_claim_one_place(self):
        before, after = self.graph("before_post_grad_graph", "sin"), self.graph("after_post_grad_graph", "sin")
        wrong = self.graph("after_post_grad_graph", "sin_")
        one = ("-_0_0_0/post_grad", "pair", "proved")
        self.assertEqual(self.outcomes(before, after)[0], [one])
        self.assertEqual(self.outcomes(before, after, after)[0], [one])  # it says the same
        self.assertEqual(self.outcomes(before, after, wrong)[0], [one, ("-_0_0_0/post_grad_1", "pair", "refuted")])
        self.assertEqual(self.outcomes(before, wrong, after)[0],
                         [("-_0_0_0/post_grad", "pair", "refuted"), ("-_0_0_0/post_grad_1", "pair", "proved")])
        self.assertEqual([status for *_, status in self.outcomes(before, wrong, before, after)[0]], ["refuted", "proved"])
        other = self.graph("after_post_grad_graph", "cos", x="b")  # of other inputs: nothing stands before it
        self.assertEqual([what for _, what, _ in self.outcomes(before, after, other)[0]], ["pair", "single"])
        found, said = self.outcomes(before, before, after)
        self.assertEqual(found, [one])
        self.assertIn(b"before_post_grad_graph has no graph behind it", said)
        found, said = self.outcomes(*(self.graph(f"{when}_joint_graph", "sin") for when in ("before", "after")), before)
        self.assertEqual([status for *_, status in found], ["proved"])
        self.assertIn(b"before_post_grad_graph has no graph behind it", said)  # nor any other of its kind

    def test_what_runs_beside_the_joint_graph(self):
        joint = [self.graph(f"{when}_joint_graph", "sin") for when in ("before", "after")]
        runs = self.graph("after_post_grad_graph", "sin")
        self.assertEqual([what for _, what, _ in self.outcomes(*joint, runs)[0]], ["pair", "single"])


def tensor(name):
    return {"as_tensor": {"name": name}}


def meta(shape=(2,), offset=0):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, {"as_int": step})
        step *= size
    return {"dtype": 7, "sizes": [{"as_int": s} for s in shape], "requires_grad": False,
            "device": {"type": "cpu", "index": None}, "strides": strides, "storage_offset": {"as_int": offset},
            "layout": 7}


def leaf():
    return {"type": None, "context": None, "children_spec": []}


def tree(kind, context, *children):
    return {"type": kind, "context": json.dumps(context), "children_spec": list(children)}


class Payloads(Cli):
    """Payloads of MLX against graphs that write in place."""

    def test_what_is_written_under_two_names_is_unknown(self):
        kind = {"dtype": "f32", "shape": [2, 3]}

        def step(name, op, *args):
            return {"name": name, "op": op, "args": list(args), "types": [kind]}

        inputs = [{"name": n, "type": kind, "kind": "user", "mutable": n == "y"} for n in "xy"]
        x, y, a, v = ({"ref": n} for n in "xyav")
        graph = {"inputs": inputs, "outputs": [a], "steps": [
            step("a", "aten.sigmoid.default", x), step("v", "aten.view.default", a, [2, 3]), step("w", "aten.add_.Tensor", v, x),
            step("z", "aten.add_.Tensor", y, x)]}
        self.write("viewed.case.json", json.dumps({"format": "noclobber.case/1", "name": "viewed", "after": graph}))
        run = self.run_it("compare", self.folder / "viewed.case.json", ROOT / "corpus/programs/mlx-chain.mlx", "--json")
        said = [json.loads(line) for line in run.stdout.splitlines()]
        checks = [r for r in said if r["kind"] == "check"]
        self.assertEqual((run.returncode, [r["status"] for r in checks]), (3, ["unknown"]))
        self.assertIn("mlx.graph_that_writes_what_is_seen_under_two_names.default", checks[0]["unknown"][0]["names"])


class Programs(Cli):
    """Pairs of exported programs, written here as torch.export writes them."""

    def pt2(self, name, weights=(), steps=(), outputs=(), spec=None, inputs=("x",), sizes=None):
        """weights: (kind, name, file, contents); steps: (result, op, arguments)."""
        tag = {"parameter": "p_", "buffer": "b_", "tensor_constant": "c_"}
        values = {i: meta() for i in inputs}
        specs, held, files = [], {}, {}
        for kind, own, file, contents in weights:
            arg = tag[kind] + own
            values[arg] = meta()
            more = {"persistent": True} if kind == "buffer" else {}
            specs.append({kind: {"arg": {"name": arg}, f"{kind}_name": own, **more}})
            held[own] = {"path_name": file, "is_param": kind == "parameter", "use_pickle": False, "tensor_meta": meta()}
            files[file] = struct.pack("2f", *contents)
        specs += [{"user_input": {"arg": tensor(i)}} for i in inputs]
        nodes = []
        for result, op, arguments in steps:
            values[result] = meta()
            nodes.append({"target": f"torch.ops.aten.{op}", "outputs": [tensor(result)], "metadata": {},
                          "inputs": [{"name": f"a{k}", "arg": tensor(a), "kind": 1} for k, a in enumerate(arguments)]})
        spec = spec or tree("builtins.tuple", None, *[leaf() for _ in outputs])
        order = [tag[kind] + own for kind, own, *_ in weights] + list(inputs)
        model = {"graph_module": {
            "graph": {"inputs": [tensor(i) for i in order], "outputs": [tensor(o) for o in outputs], "nodes": nodes,
                      "tensor_values": values, "sym_int_values": {}, "sym_bool_values": {}, "sym_float_values": {},
                      "custom_obj_values": {}, "is_single_tensor_return": False},
            "signature": {"input_specs": specs, "output_specs": [{"user_output": {"arg": tensor(o)}} for o in outputs]},
            "module_call_graph": [{"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": "",
                                                            "out_spec": json.dumps([1, spec])}}]},
            "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20}}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("m/archive_format", "pt2")
            archive.writestr("m/models/model.json", json.dumps(model))
            for folder in ("weights", "constants"):
                own = {k: v for k, v in held.items() if (folder == "constants") == v["path_name"].startswith("tensor")}
                archive.writestr(f"m/data/{folder}/model_{folder}_config.json", json.dumps({"config": own}))
                for file, contents in files.items():
                    if (folder == "constants") == file.startswith("tensor"):
                        archive.writestr(f"m/data/{folder}/{file}", contents)
        return self.write(name, packed.getvalue())

    def pair(self, before, after):
        run = self.run_it("compare", self.pt2("a.pt2", **before), self.pt2("b.pt2", **after), "--json")
        return json.loads(run.stdout.splitlines()[0])

    def adds(self, kind, contents, file="tensor_0"):
        tag = {"parameter": "p_c", "buffer": "b_c", "tensor_constant": "c_c"}[kind]
        return {"weights": [(kind, "c", file, contents)], "steps": [("r", "add.Tensor", ("x", tag))], "outputs": ["r"]}

    def test_each_file_knows_what_its_weights_hold(self):
        for kind, file in (("tensor_constant", "tensor_0"), ("parameter", "weight_0"), ("buffer", "weight_0")):
            with self.subTest(kind):
                one, other = self.adds(kind, (1, 2), file), self.adds(kind, (3, 4), file)
                self.assertEqual(self.pair(one, one)["status"], "proved")
                self.assertEqual(self.pair(one, self.adds(kind, (1, 2), file.replace("0", "7")))["status"], "proved")
                self.assertEqual(self.pair(one, other)["status"], "refuted")

    def tied(self, files, steps, contents=((1, 2), (1, 2))):
        weights = [("buffer", n, f, c) for n, f, c in zip("ab", files, contents)]
        return {"weights": weights, "steps": steps, "outputs": [steps[-1][0]]}

    WRITES_A = (("w", "add_.Tensor", ("b_a", "x")), ("r", "add.Tensor", ("x", "b_b")))
    WRITES_B = (("w", "add_.Tensor", ("b_b", "x")), ("r", "add.Tensor", ("x", "w")))
    READS = (("s", "add.Tensor", ("b_a", "b_b")), ("r", "add.Tensor", ("x", "s")))

    def test_each_file_knows_which_weights_are_tied(self):
        one, two, renamed = ("weight_0", "weight_0"), ("weight_0", "weight_1"), ("weight_5", "weight_5")
        swapped = ("weight_1", "weight_0")
        for files, others in ((one, one), (one, renamed), (two, two), (two, swapped)):
            for steps in (self.WRITES_A, self.WRITES_B, self.READS):
                self.assertEqual(self.pair(self.tied(files, steps), self.tied(others, steps))["status"], "proved")
        self.assertEqual(self.pair(self.tied(one, self.WRITES_A), self.tied(one, self.WRITES_B))["status"], "proved")
        self.assertEqual(self.pair(self.tied(two, self.WRITES_A), self.tied(two, self.WRITES_B))["status"], "refuted")
        for files, others in ((one, two), (two, one)):
            for steps in (self.WRITES_A, self.WRITES_B):
                said = self.pair(self.tied(files, steps), self.tied(others, steps))
                self.assertIn("shares storage with", said.get("message", ""))
        # What is never written may be taken apart, and not be put together.
        self.assertEqual(self.pair(self.tied(one, self.READS), self.tied(two, self.READS))["status"], "proved")
        self.assertEqual(self.pair(self.tied(two, self.READS), self.tied(one, self.READS))["kind"], "error")
        apart = self.tied(two, self.READS, ((1, 2), (3, 4)))
        self.assertEqual(self.pair(self.tied(one, self.READS), apart)["status"], "unknown")
        # Nobody reads what differs: no fault.
        others = self.tied(one, self.READS, ((3, 4), (3, 4)))
        self.assertEqual(self.pair(self.tied(one, self.READS), others)["status"], "unknown")
        unread = [("r", "sin.default", ("x",))]
        self.assertEqual(self.pair(self.tied(one, unread), self.tied(one, unread, ((3, 4), (3, 4))))["status"], "proved")

    def outputs(self, spec, order):
        steps = (("s", "sin.default", ("x",)), ("c", "cos.default", ("x",)), ("t", "tan.default", ("x",)))
        return {"steps": steps, "outputs": order, "spec": spec}

    def test_outputs_by_their_keys(self):
        def dictionary(*keys):
            return tree("builtins.dict", list(keys), *[leaf() for _ in keys])
        before = self.outputs(dictionary("p", "q", "r"), ["s", "c", "t"])
        for keys, order, status in ((("p", "q", "r"), "sct", "proved"), (("q", "r", "p"), "cts", "proved"),
                                    (("r", "q", "p"), "tcs", "proved"), (("q", "p", "r"), "sct", "refuted"),
                                    (("p", "q", "r"), "cst", "refuted")):
            self.assertEqual(self.pair(before, self.outputs(dictionary(*keys), list(order)))["status"], status)
        self.assertEqual(self.pair(before, self.outputs(dictionary("p", "q", "z"), list("sct")))["kind"], "error")
        listed = self.pair(before, self.outputs(None, list("sct")))
        self.assertEqual(listed["status"], "proved")
        self.assertIn("outputs match by position", listed["assumptions"])

    def test_outputs_of_other_trees(self):
        inside = tree("builtins.tuple", None, leaf(), leaf())
        def nested(*keys):
            return tree("builtins.dict", list(keys), *[inside if k == "q" else leaf() for k in keys])
        before = self.outputs(nested("p", "q"), list("sct"))
        self.assertEqual(self.pair(before, self.outputs(nested("q", "p"), list("cts")))["status"], "proved")
        self.assertEqual(self.pair(before, self.outputs(nested("q", "p"), list("sct")))["status"], "refuted")
        shape = tree("m.Out", [["x", "y", "z"], []], leaf(), leaf(), leaf())
        turned = tree("m.Out", [["z", "x", "y"], []], leaf(), leaf(), leaf())
        self.assertEqual(self.pair(self.outputs(shape, list("sct")), self.outputs(turned, list("tsc")))["status"],
                         "proved")
        self.assertEqual(self.pair(self.outputs(shape, list("sct")), self.outputs(turned, list("sct")))["status"],
                         "refuted")
        for spec in (tree("builtins.list", None, leaf(), leaf(), leaf()),
                     tree("builtins.tuple", None, inside, leaf())):  # no names: by position, as before
            said = self.pair(self.outputs(None, list("sct")), self.outputs(spec, list("sct")))
            self.assertEqual(said["status"], "proved")
            self.assertNotIn("outputs match by position", said["assumptions"])

    def test_what_one_file_alone_knows_is_named(self):
        text = self.write("t.txt", 'class <lambda>(torch.nn.Module):\n    def forward(self, c_c: "f32[2][1]cpu", '
                          'x: "f32[2][1]cpu"):\n        r: "f32[2][1]cpu" = torch.ops.aten.add.Tensor(x, c_c)\n'
                          "        return (r,)\n")
        program = self.pt2("p.pt2", **self.adds("tensor_constant", (1, 2)))
        for pair, one, other in (((program, text), "AFTER", "BEFORE"), ((text, program), "BEFORE", "AFTER")):
            said = self.records(0, "compare", *pair)[0]["assumptions"]
            self.assertIn(f"inputs of {one} lie as {other} says: c_c", said)
            self.assertIn(f"inputs of {one} hold what {other} says: c_c", said)
        self.records(3, "compare", program, text, "--no-assumptions")

    def test_what_is_no_side_says_what_it_is(self):
        """Files that `check` reads, and that hold no graph to compare: an error that names the file and what reads it."""
        case = self.write("p.json", PROVED)
        trace = "# Constructed by Dead Code Elimination\nimport thunder\n\ndef computation(a):\n  # a: \"cpu f32[2]\"\n  return a\n"
        recording = {"format": "noclobber.recording/1", "links": 1, "unchanged": 1}
        for path, words in ((self.write("plan.csv", PLAN), "is a plan without a graph; `noclobber check` reads it"),
                            (self.write("recording.json", recording), "says what a recorder wrote; `noclobber check` reads its folder"),
                            (self.write("3.trace.py", trace), "is a Thunder trace; it is compared with another one")):
            for pair in ((case, path), (path, case)):
                (error, _) = self.records(2, "compare", *pair)
                self.assertEqual((error["kind"], error["input"], error["message"]), ("error", path, words))
        self.assertNotEqual(self.run_it("check", str(self.folder / "plan.csv")).returncode, 2)
        self.assertNotEqual(self.run_it("compare", path, path).returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=1)
