"""Exit code 0: the fault is there. Thunder takes truth values times a whole number for int8, and casts others to that."""
import sys
import warnings

warnings.filterwarnings("ignore")
import thunder
import torch

MASK, VALUES = torch.tensor([True, False, True]), torch.tensor([1000, 2, 3])
PROGRAMS = {
    "values.type_as(mask * 2)": lambda values, mask: values.type_as(mask * 2),
    "values.to((mask + 1).dtype)": lambda values, mask: values.to((mask + 1).dtype),
    "mask * 200": lambda values, mask: mask * 200,
}
differ = set()
for name, program in PROGRAMS.items():
    eager, compiled = program(VALUES, MASK), thunder.jit(program)(VALUES, MASK)
    print(f"{name}: eager {eager.dtype} {eager.tolist()}, compiled {compiled.dtype} {compiled.tolist()}")
    if eager.dtype != compiled.dtype or eager.tolist() != compiled.tolist():
        differ.add(name)
sys.exit(0 if differ == {*PROGRAMS} - {"mask * 200"} else 1)
