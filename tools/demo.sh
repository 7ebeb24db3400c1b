#!/usr/bin/env bash
# Checks the recorded logs that come with the repository: sound ones first, then graphs that PyTorch miscompiles.
# At the end, an input of each of the four texts that the project comes from (docs/origins.md).
# Fails unless every sound graph is proved and every wrong one is refuted.
set -euo pipefail
cd "$(dirname "$0")/.."
noclobber=${NC_BIN_DIR:-build/bin}/noclobber

bold= dim= off=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' off=$'\e[0m'; fi

# check WANTED_EXIT TITLE INPUT...: what is run, its output, and whether it ended as it has to.
check() {
  local wanted=$1 title=$2 code=0
  shift 2
  printf '\n%s%s%s\n%s$ noclobber check %s%s\n\n' "$bold" "$title" "$off" "$dim" "$*" "$off"
  "$noclobber" check "$@" || code=$?
  printf '%sexit code %s%s\n' "$dim" "$code" "$off"
  if [ "$code" != "$wanted" ]; then
    echo "demo: exit code $code, expected $wanted" >&2
    exit 1
  fi
}

shopt -s nullglob
sound=(corpus/logs/sound/*.gz corpus/logs/tlparse/*.gz)
miscompiled=(corpus/logs/miscompiled/*.gz)
[ ${#sound[@]} -gt 0 ] && [ ${#miscompiled[@]} -gt 0 ] || { echo "demo: corpus/logs is empty" >&2; exit 1; }

check 0 "${#sound[@]} logs without a known fault" corpus/logs/sound corpus/logs/tlparse
for log in "${miscompiled[@]}"; do
  check 1 "A graph that PyTorch 2.15 miscompiles: $(basename "$log" .log.gz)" "$log"
done

check 1 "ExecuTorch, reinplacing: an operand that is still read" corpus/origins/reinplace/reads-forgotten.case.json
check 1 "ExecuTorch, planning in place: a user through a view" corpus/origins/planner/views-view-users.plan.case.json
check 1 "Inductor: a clone that was no no-op" corpus/logs/miscompiled/clone-kept-copy.log.gz
questions=$(mktemp -d)
trap 'rm -rf "$questions"' EXIT
trace=corpus/thunder/pr2777-sin-nograd-dataflow/04_before-fusion-dead-code-elimination.trace.txt
check 1 "Thunder: a write that no name orders" "$trace" --order dataflow --engine z3 --dump-smt2 "$questions"
printf '\n%sThe same as a question to Z3: positions in an order, and is there one with D < W < R or R < D?%s\n\n' "$bold" "$off"
cat "$questions"/*-003.smt2

printf '\n%sSeen:%s every graph of %d logs proved, and %d graphs that PyTorch 2.15 compiles to wrong results refuted,\n' \
  "$bold" "$off" ${#sound[@]} ${#miscompiled[@]}
printf 'each with a run that shows the difference. Next: noclobber check DIR on your own TORCH_TRACE folder.\n'
