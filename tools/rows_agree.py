#!/usr/bin/env python3
"""Asks PyTorch what every overload writes and shares, and compares it with the Trace. Needs torch 2.15.0.

  rows_agree.py NOCLOBBER OUT            calls every overload of corpus/schemas/aten.txt with small arguments, writes
                                         OUT/calls/*.json and OUT/overloads.tsv, lists what disagrees
  rows_agree.py NOCLOBBER OUT --ops RE   only overloads whose name matches
  rows_agree.py NOCLOBBER OUT --again    compares what OUT/seen.jsonl holds of an earlier run, without PyTorch

Each call runs in eager mode on the CPU. A storage counts as written if its bytes differ afterwards, a result as shared
if it lies on the storage of an argument or of another result. The same call is a case of one step, of which `noclobber
trace` says what it writes and where its results lie: what PyTorch writes the Trace must write, and each result must
lie where PyTorch puts it. A Trace that says "unknown" claims nothing. Exit code 1: something disagrees.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
TRIES, ENOUGH, SECONDS = 80, 12, 10
SHAPES = [(), (1,), (4,), (2, 3), (3, 3), (1, 3), (1, 1), (2, 3, 4), (2, 3, 4, 4), (1, 3, 4, 4), (1, 4, 4, 4)]
WORDS = {"reduction": ["mean"], "mode": ["constant", "floor", "trunc", "linear"], "rounding_mode": ["floor", "trunc"],
         "reduce": ["sum", "amax", "mean"], "indexing": ["ij", "xy"], "approximate": ["none", "tanh"],
         "UPLO": ["L"], "ord": ["fro"], "equation": ["ij->ij", "ij->ji", "i->i", "ij,jk->ik", "ij"], "side": ["left"],
         "interpolation": ["linear"]}
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
         "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128"}


def listed_overloads(pattern):
    """Full names ("aten.add.Tensor") of the overloads of tensors in corpus/schemas/aten.txt."""
    for line in (ROOT / "corpus/schemas/aten.txt").read_text().splitlines():
        head = re.match(r"(\w+)::(\w+)(?:\.(\w+))?\(", line)
        if head and "Tensor" in line and head[1] in ("aten", "prims", "inductor_prims", "quantized_decomposed"):
            name = f"{head[1]}.{head[2]}.{head[3] or 'default'}"
            if re.search(pattern, name):
                yield name


# ---------------------------------------------------------------------------------------------- one call of PyTorch


class Maker:
    """Arguments for a schema, by type and name."""

    def __init__(self, torch, rng):
        self.torch, self.rng = torch, rng
        self.shape = rng.choice(SHAPES)
        self.dtype = rng.choice([torch.float32] * 6 + [torch.int64, torch.float64, torch.complex64, torch.bool])

    def values(self, shape, dtype, name):
        torch, rng = self.torch, self.rng
        if dtype == torch.bool:
            return torch.tensor([rng.random() < 0.5 for _ in range(max(1, _count(shape)))][:_count(shape)]).reshape(shape)
        if dtype in (torch.float32, torch.float64, torch.complex64):
            drawn = torch.tensor([rng.randint(1, 16) / 8 for _ in range(_count(shape))]).reshape(shape)
            return (drawn if "var" in name or rng.random() < 0.5 else drawn - 1).to(dtype)
        top = 1 if any(w in name for w in ("ind", "target", "idx", "offset")) else 5
        return torch.tensor([rng.randint(0, top) for _ in range(_count(shape))], dtype=dtype).reshape(shape)

    def tensor(self, name):
        torch, rng = self.torch, self.rng
        shape, dtype = self.shape, self.dtype
        if any(w in name for w in ("running", "save", "weight", "bias", "invstd", "scale", "zero_point")) and shape:
            shape = rng.choice([(shape[min(1, len(shape) - 1)],), (shape[-1],), shape])
        elif rng.random() < 0.15:
            shape = rng.choice(SHAPES)
        elif rng.random() < 0.1 and shape:
            shape = (shape[-1],)
        if any(w in name for w in ("ind", "target", "idx", "offset", "lengths", "state_step")):
            dtype = torch.int64
        elif "mask" in name or "cond" in name:
            dtype = torch.bool
        elif rng.random() < 0.08:
            dtype = torch.float32
        value = self.values(shape, dtype, name)
        kind = rng.random()
        if len(shape) >= 2 and kind < 0.15:
            value = value.transpose(-1, -2).contiguous().transpose(-1, -2)
        elif kind < 0.25:
            wide = torch.cat([value.reshape(-1)[:1], value.reshape(-1)])
            value = wide[wide.numel() - value.numel():].reshape(shape) if value.numel() else value
        return value

    def argument(self, slot):
        torch, rng = self.torch, self.rng
        kind, name = str(slot.type), slot.name
        if kind.startswith("Optional["):
            if rng.random() < (0.35 if "Tensor" in kind else 0.7):
                return None
            kind = kind[9:-1]
        elif slot.has_default_value() and rng.random() < 0.5:
            return slot.default_value
        if kind == "Tensor":
            return self.tensor(name)
        if kind in ("List[Tensor]", "List[Optional[Tensor]]"):
            return [self.tensor(name) for _ in range(rng.choice([1, 2, 2, 3]))]
        if kind == "number":
            return rng.choice([0, 1, 2, 0.5, 1.0])
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "float":
            return rng.choice([0.0, 0.1, 0.5, 1.0])
        if kind in ("int", "SymInt"):
            return self.whole(name)
        if kind in ("List[int]", "List[SymInt]"):
            if "size" in name or "shape" in name:
                return list(self.shape if rng.random() < 0.7 else rng.choice(SHAPES))
            return [self.whole(name) for _ in range(rng.choice([0, 1, 2, len(self.shape)]))]
        if kind == "List[bool]":
            return [rng.random() < 0.7 for _ in range(3)]
        if kind == "List[number]" or kind == "List[float]":
            return [rng.choice([0.5, 1.0, 2.0]) for _ in range(rng.choice([1, 2]))]
        if kind == "str":
            return rng.choice(WORDS.get(name, ["none"]))
        raise NotImplementedError(kind)

    def whole(self, name):
        rng = self.rng
        if "dtype" in name or name == "layout" or name == "device":
            raise NotImplementedError(name)
        if name == "memory_format":
            return self.torch.contiguous_format
        if "dim" in name or "axis" in name or name == "start":
            return rng.choice([0, 0, -1, 1])
        return rng.choice([0, 1, 1, 2, 3, -1])


def _count(shape):
    out = 1
    for extent in shape:
        out *= extent
    return out


def make_arguments(torch, schema, rng):
    """Positional and keyword arguments; what `out=` is given is left open (None)."""
    maker, args, kwargs = Maker(torch, rng), [], {}
    for slot in schema.arguments:
        kind = str(slot.type)
        out = slot.kwarg_only and slot.alias_info is not None and slot.alias_info.is_write
        if out:
            kwargs[slot.name] = [] if "List" in kind else None
            continue
        if slot.name in ("generator", "layout", "pin_memory"):
            continue
        if slot.name == "dtype":
            if not slot.has_default_value() or rng.random() < 0.4:
                value = rng.choice([maker.dtype, torch.float32, torch.float64])
            else:
                continue
        elif slot.name == "device":
            if slot.has_default_value():
                continue
            value = torch.device("cpu")
        else:
            value = maker.argument(slot)
        if slot.kwarg_only:
            kwargs[slot.name] = value
        else:
            args.append(value)
    return args, kwargs


def tensors_in(torch, value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(torch, item)


def snapshot(torch, storage):
    flat = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))
    return bytes(flat.tolist())


def fill_out(torch, op, args, kwargs, outs):
    """Gives `out=` what it takes: an empty tensor first, to see the shape, then one of that shape."""
    trial = {**kwargs, **{name: torch.empty(0, dtype=_out_dtype(torch, args)) for name in outs}}
    results = op(*_copied(torch, args), **{k: _copied(torch, v) for k, v in trial.items()})
    for name, result in zip(outs, results if isinstance(results, (list, tuple)) else [results]):
        kwargs[name] = torch.full(tuple(result.shape), 77, dtype=result.dtype)


def _out_dtype(torch, args):
    first = next(tensors_in(torch, args), None)
    return torch.float32 if first is None else first.dtype


def _copied(torch, value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return [_copied(torch, v) for v in value] if isinstance(value, (list, tuple)) else value


def observe(torch, name, rng):
    """One call: the case of it and what PyTorch did, or None where it raised."""
    ns, base, overload = name.split(".")
    op = getattr(getattr(getattr(torch.ops, ns), base), overload)
    args, kwargs = make_arguments(torch, op._schema, rng)
    outs = [key for key, value in kwargs.items() if value is None and any(
        s.name == key and s.alias_info is not None and s.alias_info.is_write for s in op._schema.arguments)]
    if outs:
        fill_out(torch, op, args, kwargs, outs)
    given = [t for v in (*args, *kwargs.values()) for t in tensors_in(torch, v)]
    if any(str(t.dtype).removeprefix("torch.") not in NAMES or t.layout != torch.strided for t in given):
        return None
    storages = {}
    for t in given:
        storages.setdefault(t.untyped_storage()._cdata, t.untyped_storage())
    before = {key: snapshot(torch, s) for key, s in storages.items()}
    shown = [(tuple(t.shape), t.stride(), t.storage_offset()) for t in given]
    case_args = [encode(torch, a, given) for a in args]
    case_kwargs = {k: encode(torch, v, given) for k, v in kwargs.items()}
    results = op(*args, **kwargs)
    if any((tuple(t.shape), t.stride(), t.storage_offset()) != was for t, was in zip(given, shown)):
        return None  # a view of another shape: inplace_view operators have tests of their own
    listed = list(results) if isinstance(results, (list, tuple)) else [results]
    flat = list(tensors_in(torch, listed))
    nested = any(isinstance(r, (list, tuple)) for r in listed) and len(listed) > 1
    if nested or (not flat and any(r is not None for r in listed)):
        return None
    if any(str(t.dtype).removeprefix("torch.") not in NAMES or t.layout != torch.strided for t in flat):
        return None
    written = [k for k, t in enumerate(given) if snapshot(torch, storages[t.untyped_storage()._cdata])
               != before[t.untyped_storage()._cdata]]
    places = []
    keep = [t.untyped_storage() for t in (*given, *flat)]
    for k, result in enumerate(flat):
        where = result.untyped_storage()
        if where.nbytes() == 0:
            places.append("nowhere")  # memory that nobody has cannot be told apart
            continue
        at = next((f"in:t{j}" for j, t in enumerate(given) if same_storage(where, t.untyped_storage())), None)
        at = at or next((f"result {j}" for j in range(k) if same_storage(where, flat[j].untyped_storage())), "fresh")
        places.append(at)
    del keep
    whole = [r for r in listed]
    case = {"format": "noclobber.case/1", "name": name, "names": "storages",
            "graph": None, "after": case_graph(torch, name, given, shown, case_args, case_kwargs, whole, flat)}
    del case["graph"]
    return {"op": name, "case": case, "written": [f"t{k}" for k in written], "places": places}


def same_storage(a, b):
    return a.nbytes() > 0 and a.data_ptr() == b.data_ptr()


def encode(torch, value, given):
    if isinstance(value, torch.Tensor):
        return {"ref": f"t{next(k for k, t in enumerate(given) if t is value)}"}
    if isinstance(value, (list, tuple)):
        return [encode(torch, v, given) for v in value]
    if isinstance(value, torch.dtype):
        return {"dtype": NAMES[str(value).removeprefix("torch.")]}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, torch.memory_format):
        return str(value)
    return value


def type_of(torch, tensor):
    return {"dtype": NAMES[str(tensor.dtype).removeprefix("torch.")], "shape": list(tensor.shape),
            "stride": list(tensor.stride()), "device": "cpu"}


def case_graph(torch, name, given, shown, args, kwargs, results, flat):
    inputs = []
    for k, tensor in enumerate(given):
        kind = type_of(torch, tensor)
        kind["offset"] = shown[k][2]
        one = {"name": f"t{k}", "type": kind, "mutable": True}
        inputs.append(one)
    names, types = [], []
    for result in results:
        names.append(None if not isinstance(result, torch.Tensor) else f"r{sum(n is not None for n in names)}")
        types.append(None if not isinstance(result, torch.Tensor) else type_of(torch, result))
    if len(results) == 1 and isinstance(results[0], (list, tuple)):
        names = [f"r{k}" for k in range(len(flat))]
        types = [type_of(torch, t) for t in flat]
    step = {"names": [n or f"none{k}" for k, n in enumerate(names)], "op": name, "args": args, "kwargs": kwargs}
    if all(t is not None for t in types):
        step["types"] = types
    return {"inputs": inputs, "steps": [step], "outputs": [{"ref": f"r{k}"} for k in range(len(flat))]}


def worker():
    """Reads names of overloads, prints what their calls did. A line "op NAME" precedes each."""
    warnings.simplefilter("ignore")
    import torch
    import torch._inductor.inductor_prims
    import torch.ao.quantization.fx._decomposed
    torch.set_num_threads(1)

    def late(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, late)
    for name in sys.stdin.read().split():
        print("op", name, flush=True)
        rng, made = random.Random(name), 0
        signal.alarm(SECONDS)
        try:
            for _ in range(TRIES):
                try:
                    with torch.no_grad():
                        seen = observe(torch, name, rng)
                except TimeoutError:
                    raise
                except Exception:
                    continue
                if seen is not None:
                    print(json.dumps(seen), flush=True)
                    made += 1
                if made == ENOUGH:
                    break
        except TimeoutError:
            pass
        finally:
            signal.alarm(0)


def call_all(names):
    """What the calls did; an overload that ends the process is left out from there on."""
    left, seen, ended = list(names), [], []
    while left:
        with tempfile.TemporaryDirectory() as folder:  # some operators write files
            done = subprocess.run([sys.executable, str(pathlib.Path(__file__).resolve()), "--worker"], cwd=folder,
                                  input="\n".join(left), text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=False)
        at = None
        for line in done.stdout.splitlines():
            if line.startswith("op "):
                at = line[3:]
            elif line.startswith("{") and line.endswith("}"):
                seen.append(json.loads(line))
        if done.returncode == 0:
            break
        ended.append(at)
        left = left[left.index(at) + 1:]
    return seen, ended


# ------------------------------------------------------------------------------------------------------- comparison


def read_traces(text):
    """Per case: what is written, where outputs lie, what is unknown."""
    out, now, keys = {}, None, {}
    for line in text.splitlines():
        if line.startswith("# "):
            now = {"written": set(), "outputs": [], "unknown": []}
            out[line.split()[1]] = now
            keys = {}
        elif line.startswith("storage "):
            shown = re.match(r"storage (\S+) .*?(?:\]|token|B)\s+(?:input )?((?:in:|fresh|unwritten|generator|effects|raises).*)",
                             line)
            keys[line.split()[1]] = shown[2].split("  ")[0] if shown else line
        elif line.startswith("step "):
            writes = re.search(r"  write (.*?)(?:  read |  # |$)", line)
            for storage in re.findall(r"\bS\d+", writes[1] if writes else ""):
                now["written"].add(keys[storage])
        elif line.startswith("output "):
            storage = re.search(r"\bS\d+", line)
            key = keys[storage[0]] if storage else "?"
            now["outputs"].append((storage[0] if storage else "?", key))
        elif line.startswith("unknown"):
            now["unknown"].append(line)
    return out


def faults_of(seen, trace):
    faults = []
    for name in seen["written"]:
        if f"in:{name}" not in trace["written"]:
            faults.append(f"writes {name} and says nothing of it")
    for k, place in enumerate(seen["places"]):
        if k >= len(trace["outputs"]):
            continue
        storage, key = trace["outputs"][k]
        if place.startswith("in:") and key != place:
            faults.append(f"result {k} lies on {place}, said to lie on {key}")
        if place == "fresh" and key.startswith("in:"):
            faults.append(f"result {k} is fresh, said to lie on {key}")
        if place.startswith("result ") and storage != trace["outputs"][int(place[7:])][0]:
            faults.append(f"result {k} lies on {place}, said to lie on {key}")
    return faults


def compare(noclobber, out, seen):
    calls = out / "calls"
    calls.mkdir(parents=True, exist_ok=True)
    for old in calls.glob("*.json"):
        old.unlink()
    counts, paths = collections.Counter(), {}
    for one in seen:
        counts[one["op"]] += 1
        path = calls / f"{one['op']}.{counts[one['op']]}.json"
        path.write_text(json.dumps(one["case"]))
        paths[str(path)] = one
    done = subprocess.run([noclobber, "trace", str(calls)], text=True, capture_output=True, check=False)
    traces = read_traces(done.stdout)
    rows, faults = collections.defaultdict(collections.Counter), []
    for path, one in paths.items():
        row, trace = rows[one["op"]], traces.get(path)
        row["calls"] += 1
        row["wrote"] += bool(one["written"])
        row["shared"] += any(p.startswith("in:") for p in one["places"])
        if trace is None:
            faults.append((path, ["not read: " + done.stderr.strip()[-200:]]))
        elif trace["unknown"]:
            row["unknown"] += 1
        elif wrong := faults_of(one, trace):
            faults.append((path, wrong))
            row["wrong"] += 1
        else:
            row["agree"] += 1
    return rows, faults


def main():
    if "--worker" in sys.argv:
        return worker()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("noclobber")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--ops", default="", help="regular expression")
    parser.add_argument("--again", action="store_true", help="compare the calls of an earlier run")
    options = parser.parse_args()
    names = list(listed_overloads(options.ops))
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.out / "seen.jsonl"
    if options.again:
        seen, ended = [json.loads(line) for line in kept.read_text().splitlines()], []
    else:
        seen, ended = call_all(names)
        kept.write_text("".join(json.dumps(one) + "\n" for one in seen))
    rows, faults = compare(options.noclobber, options.out, seen)
    with open(options.out / "overloads.tsv", "w", encoding="utf-8") as file:
        file.write("overload\tcalls\tagree\tunknown\twrong\twrote\tshared\n")
        for name in names:
            row = rows[name]
            fields = [str(row[k]) for k in ("calls", "agree", "unknown", "wrong", "wrote", "shared")]
            file.write("\t".join([name, *fields]) + "\n")
    for path, wrong in faults:
        print(f"{path}: {'; '.join(wrong)}")
    for name in ended:
        print(f"{name}: ends the process")
    total = sum((rows[n] for n in names), collections.Counter())
    print(f"rows_agree: {len(names)} overloads, {sum(rows[n]['calls'] > 0 for n in names)} called, {total['calls']} calls: "
          f"{total['agree']} agree, {total['unknown']} unknown, {total['wrong']} wrong")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
