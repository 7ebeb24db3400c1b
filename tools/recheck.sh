#!/usr/bin/env bash
# recheck.sh: compiles the proofs of checker/proof in build/proof, lets coqchk check them again, and builds
# build/bin/nc-recheck from what is extracted. Needs coqc, coqchk and ocamlopt (`make recheck` installs them).
set -euo pipefail
cd "$(dirname "$0")/.."
proof=build/proof
order=$(sed -n 's/^order: //p' checker/proof/README.md)
digest=$(cat checker/proof/*.v checker/proof/*.ml checker/proof/README.md tools/recheck.sh | sha256sum | cut -c1-16)

python3 tools/check_proof.py
if [ -x build/bin/nc-recheck ] && [ "$(cat $proof/.stamp 2>/dev/null)" = "$digest" ]; then
  echo "recheck: build/bin/nc-recheck is up to date"
  exit 0
fi
start=$SECONDS
rm -rf $proof && mkdir -p $proof build/bin
cp checker/proof/*.v checker/proof/*.ml $proof/
cd $proof
for name in $order; do
  coqc -q -noglob -Q . NC "$name.v" > "$name.said" || { cat "$name.said" >&2; exit 1; }
done
# Everything but Extract, which proves nothing.
# shellcheck disable=SC2046
coqchk -silent -o -Q . NC $(for name in $order; do [ "$name" = Extract ] || echo "NC.$name"; done) > coqchk.said 2>&1
python3 ../../tools/check_proof.py --coqchk coqchk.said
ocamlopt -O3 -w -a core.mli core.ml 2>/dev/null -c || ocamlopt -w -a -c core.mli core.ml
ocamlopt -w +a-4-9-40-41-42-44-45-70 -o nc-recheck core.cmx text.ml main.ml
cp nc-recheck ../bin/nc-recheck
echo "$digest" > .stamp
echo "recheck: build/bin/nc-recheck, $((SECONDS - start)) s"
