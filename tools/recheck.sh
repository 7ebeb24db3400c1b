#!/usr/bin/env bash
# recheck.sh [--quick]: compiles the proofs of checker/proof in build/proof, lets coqchk check them again (not so with --quick),
# and builds build/bin/nc-recheck from what is extracted, with JOBS processes (2). Needs coqc, coqchk and ocamlopt (`make recheck` installs them).
set -euo pipefail
cd "$(dirname "$0")/.."
proof=build/proof
proofs=$({ cat checker/proof/*.v; coqc --version; } | sha256sum | cut -c1-16)
program=$({ echo "$proofs"; cat checker/proof/*.ml tools/recheck.sh; } | sha256sum | cut -c1-16)
start=$SECONDS
quick=${1:-}
modules=(checker/proof/*.v)
modules=("${modules[@]##*/}")
modules=("${modules[@]%.v}")

prove() {
  rm -rf $proof && mkdir -p $proof
  cp checker/proof/*.v $proof/
  cd $proof
  coqdep -Q . NC ./*.v > depends
  # shellcheck disable=SC2016
  printf 'include depends\n%%.vo: %%.v\n\t@coqc -q -noglob -Q . NC $< > $*.said 2>&1 || { cat $*.said >&2; exit 1; }\n' > rules
  make -s -f rules -j "${JOBS:-2}" "${modules[@]/%/.vo}"
  cd - > /dev/null
  echo "$proofs" > $proof/.compiled
}

check() {
  cd $proof
  local name named=()
  for name in "${modules[@]}"; do [ "$name" = Extract ] || named+=("NC.$name"); done  # it proves nothing
  coqchk -silent -o -Q . NC "${named[@]}" > coqchk.said 2>&1 || { cat coqchk.said >&2; return 1; }
  cd - > /dev/null
  python3 tools/check_proof.py --coqchk $proof/coqchk.said
  echo "$proofs" > $proof/.checked
}

build() {
  mkdir -p build/bin
  cp checker/proof/*.ml $proof/
  cd $proof
  ocamlopt -w -a -inline 200 -c core.mli core.ml
  ocamlopt -w +a-4-9-40-41-42-44-45-70 -inline 200 -o nc-recheck core.cmx text.ml form.ml identities.ml main.ml
  cd - > /dev/null
  cp $proof/nc-recheck build/bin/nc-recheck.new && mv build/bin/nc-recheck.new build/bin/nc-recheck
  echo "$program" > $proof/.built
}

python3 tools/check_proof.py
if [ "$(cat $proof/.compiled 2>/dev/null)" != "$proofs" ]; then prove; fi
if [ "$quick" != --quick ] && [ "$(cat $proof/.checked 2>/dev/null)" != "$proofs" ]; then check; fi
if [ ! -x build/bin/nc-recheck ] || [ "$(cat $proof/.built 2>/dev/null)" != "$program" ]; then build; fi
echo "recheck: build/bin/nc-recheck, $((SECONDS - start)) s"
