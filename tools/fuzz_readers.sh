#!/usr/bin/env bash
# fuzz_readers.sh PROGRAM SECONDS: every reader for so long, from the recorded data in corpus/ and corpus/fuzz.
# New inputs are kept in build-fuzz/corpus/READER; a crash, a run over 10 s or over 2 GB ends with its input.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 seconds=$2 bad=0
for reader in case certificate csv fx log pt2 pte thunder; do
  own=build-fuzz/corpus/$reader
  mkdir -p "$own" corpus/fuzz/$reader
  seeds=(corpus/fuzz/$reader)
  case $reader in
    case) seeds+=(corpus/cases corpus/later corpus/oneshot) ;;
    pt2) seeds+=(corpus/pt2) ;;
    pte) seeds+=(corpus/programs) ;;
    thunder) seeds+=(corpus/thunder) ;;
  esac
  echo "fuzz-readers: $reader, $seconds s"
  NC_READER=$reader "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="build-fuzz/$reader-" "$own" "${seeds[@]}" || bad=1
done
exit $bad
