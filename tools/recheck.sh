#!/usr/bin/env bash
# recheck.sh [--quick]: compiles the proofs of checker/proof in build/proof, lets coqchk check them again (not so with --quick),
# and builds build/bin/nc-recheck from what is extracted. Needs coqc, coqchk and ocamlopt (`make recheck` installs them).
set -euo pipefail
cd "$(dirname "$0")/.."
proof=build/proof
order=$(sed -n 's/^order: //p' checker/proof/README.md)
proofs=$({ cat checker/proof/*.v; echo "$order"; coqc --version; } | sha256sum | cut -c1-16)
program=$({ echo "$proofs"; cat checker/proof/*.ml tools/recheck.sh; } | sha256sum | cut -c1-16)
start=$SECONDS
quick=${1:-}

prove() {
  rm -rf $proof && mkdir -p $proof
  cp checker/proof/*.v $proof/
  cd $proof
  local name
  for name in $order; do
    coqc -q -noglob -Q . NC "$name.v" > "$name.said" || { cat "$name.said" >&2; return 1; }
  done
  cd - > /dev/null
  echo "$proofs" > $proof/.compiled
}

check() {
  cd $proof
  local name modules=()
  for name in $order; do [ "$name" = Extract ] || modules+=("NC.$name"); done  # it proves nothing
  coqchk -silent -o -Q . NC "${modules[@]}" > coqchk.said 2>&1 || { cat coqchk.said >&2; return 1; }
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
