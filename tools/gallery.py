#!/usr/bin/env python3
"""Pictures of findings for docs/gallery.md, from the page of each in a headless Chromium: gallery.py [NAME...]

Each is a check of a file in corpus/, its first finding of the rule, from the headline to the three lines, in light and in
dark. They go to docs/gallery/. `--list` prints what would be drawn. NC_BIN_DIR names another folder with the program.
"""
import collections
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = str(pathlib.Path(os.environ.get("NC_BIN_DIR", ROOT / "build" / "bin")).resolve() / "noclobber")
HOME = ROOT / "docs" / "gallery"
LOOKS = ("light", "dark")
WIDTH, MOST_BYTES = 940, 1_000_000

# Name of the picture: the rule, and what is checked.
PICTURES = {
    "slice-zero": ("NC001", ["check", "corpus/logs/miscompiled/b198094-slice-zero.log.gz"]),
    "overlapping-views": ("NC007", ["check", "corpus/logs/miscompiled/g1-partial-overlap-op.log.gz"]),
    "kept-copy": ("NC005", ["check", "corpus/logs/miscompiled/clone-kept-copy.log.gz"]),
    "unfolded-target": ("NC008", ["check", "corpus/inductor/g3-unfold-indexput--01-reinplace-2-core.refute.json"]),
    "view-of-state": ("NC002", ["check", "corpus/programs/view-of-state-update.pte"]),
    "constant-written": ("NC003", ["check", "corpus/programs/view-of-constant-written.pte"]),
    "matmul-on-operand": ("NC030", ["check", "corpus/programs/share-non-elementwise-mm.pte"]),
    "chain-freed": ("NC030", ["check", "corpus/programs/plan-inplace-chain.pte"]),
    "outside-arena": ("NC031", ["check", "corpus/programs/moved-outside.pte"]),
    "grown-by-broadcast": ("NC021", ["check", "corpus/cases/sym-broadcast-growth.refute.json"]),
    "any-order": ("NC010", ["check", "--order", "dataflow", "corpus/thunder/pr2777-sin-nograd-dataflow/"
                            "04_before-fusion-dead-code-elimination.trace.txt"]),
    "write-dropped": ("NC006", ["check", "corpus/thunder/t15-split-intermediate"]),
}

# From the top of the finding to the end of its three lines.
AREA = """(() => {
  const finding = document.getElementById("%s"), box = finding.getBoundingClientRect();
  const end = (finding.querySelector(".lines") || finding.querySelector("figure")).getBoundingClientRect();
  return [box.left - 6, box.top + scrollY - 6, box.width + 12, end.bottom - box.top + 16];
})()"""


def first_finding(path, rule):
    """The place on the page of the first finding of the rule that is a cause."""
    ran = subprocess.run([BINARY, "render", str(path), "--to", "records"], capture_output=True, check=True)
    for record in map(json.loads, ran.stdout.splitlines()):
        for finding in record.get("findings", []):
            if finding["rule"] == rule and "follows" not in finding:
                fingerprint, _, nth = finding["fingerprint"].partition("#")
                return f"fp{fingerprint}" + (f"-{nth}" if nth else "")
    raise SystemExit(f"gallery: {path}: no finding of {rule}")


def pixels(shot):
    """Width, height and rows of colours of a PNG of three or four bytes a pixel, as Chromium writes it."""
    at, data = 8, b""
    while at < len(shot):
        length, kind = struct.unpack(">I4s", shot[at:at + 8])
        body = shot[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if depth != 8 or colours not in (2, 6) or interlaced:
                raise SystemExit("gallery: a picture of an unknown kind")
            step = 3 if colours == 2 else 4
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    raw, above, rows = zlib.decompress(data), bytes(width * step), []
    for k in range(height):
        line = bytearray(raw[k * (width * step + 1):(k + 1) * (width * step + 1)])
        above = unfiltered(line[0], line[1:], above, step)
        rows.append([bytes(above[x:x + 3]) for x in range(0, width * step, step)])
    return width, height, rows


def unfiltered(kind, line, above, step):
    """A row of a PNG from what is stored of it."""
    for x in range(len(line)):
        left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[x]
        elif kind == 3:
            guess = (left + above[x]) // 2
        elif kind == 4:
            rest = left + above[x] - corner
            guess = min((left, above[x], corner), key=lambda one: abs(rest - one))
        else:
            break
        line[x] = (line[x] + guess) & 255
    return line


def packed(shot):
    """The same picture in the 256 colours that it has most of: a third of the bytes."""
    width, height, rows = pixels(shot)
    counted = collections.Counter(colour for row in rows for colour in row)
    most = [colour for colour, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:256]]
    index = {colour: k for k, colour in enumerate(most)}
    for colour in counted:
        if colour not in index:
            index[colour] = min(range(len(most)), key=lambda k: sum((a - b) ** 2 for a, b in zip(most[k], colour)))
    lines = b"".join(b"\0" + bytes(index[colour] for colour in row) for row in rows)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), (b"PLTE", b"".join(most)),
             (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts)


def draw(browser, folder, name):
    rule, arguments = PICTURES[name]
    path = folder / f"{name}.html"
    ran = subprocess.run([BINARY, *arguments, "--html", str(path), "--quiet"], cwd=ROOT, capture_output=True)
    if ran.returncode != 1:
        raise SystemExit(f"gallery: {name}: exit code {ran.returncode}, not 1: {ran.stderr.decode()}")
    anchor = first_finding(path, rule)
    for look in LOOKS:
        page = browser.open(path, width=WIDTH, dark=look == "dark")
        shot = HOME / f"{name}.{look}.png"
        page.screenshot(shot, page.evaluate(AREA % anchor))
        shot.write_bytes(packed(shot.read_bytes()))


def main():
    if sys.argv[1:] == ["--list"]:
        for name, (rule, arguments) in PICTURES.items():
            print(f"{name}\t{rule}\tnoclobber {' '.join(arguments)}")
        return
    HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nc_gallery_") as folder, Browser() as browser:
        for name in sys.argv[1:] or PICTURES:
            draw(browser, pathlib.Path(folder), name)
    size = sum(path.stat().st_size for path in HOME.iterdir())
    print(f"gallery: {len(PICTURES)} findings, {size} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"gallery: more than {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
