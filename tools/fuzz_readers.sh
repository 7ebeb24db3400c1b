#!/usr/bin/env bash
# fuzz_readers.sh PROGRAM SECONDS [READER...]: every reader for so long, from the recorded data in corpus/ and from
# corpus/fuzz. New inputs are kept in build-fuzz/corpus/READER; a crash, a run over 10 s or over 2 GB ends with its
# input. Says how much processor time each reader took.
# fuzz_readers.sh PROGRAM keep [READER...]: the fewest of those inputs that reach all that they reach, of at most
# 4 kB (a zip archive: 24 kB), become corpus/fuzz/READER.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 seconds=$2 bad=0
shift 2
all=(case certificate csv fx log mlx pt2 pte thunder)
[ $# = 0 ] || all=("$@")

# Recorded data as the reader is given it.
seeds() {
  case $1 in
    case) echo corpus/cases corpus/later corpus/oneshot ;;
    pt2) echo corpus/pt2 corpus/programs ;;
    pte | mlx) echo corpus/programs ;;
    thunder) echo corpus/thunder ;;
    certificate | csv | log) echo "build-fuzz/seeds/$1" ;;
  esac
}

mkdir -p build-fuzz/seeds/log build-fuzz/seeds/csv
find corpus/logs -name '*.log.gz' | while read -r log; do
  gunzip -c "$log" | (head -c 65536; cat > /dev/null) > "build-fuzz/seeds/log/$(basename "$log" .gz)"
done
printf 'id,lower,upper,size,offset\na,0,4,16,0\nb,2,6,8,16\n' > build-fuzz/seeds/csv/two.csv
build/bin/noclobber check corpus/cases corpus/later build-fuzz/seeds/csv/two.csv \
  --certificate build-fuzz/seeds/certificate > /dev/null || true  # some are refuted
for reader in "${all[@]}"; do
  own=build-fuzz/corpus/$reader kept=corpus/fuzz/$reader
  mkdir -p "$own" "$kept"
  if [ "$seconds" = keep ]; then
    length=4096
    [ "$reader" = pt2 ] && length=24576
    fresh=$(mktemp -d)
    # shellcheck disable=SC2046
    NC_READER=$reader "$program" -set_cover_merge=1 -use_counters=0 -max_len=$length -timeout=10 -verbosity=0 "$fresh" "$kept" "$own" $(seeds "$reader")
    find "$fresh" -type f -size +$((length / 1024))k -delete
    rm -rf "$kept"
    mv "$fresh" "$kept"
    chmod 755 "$kept"
    echo "fuzz-readers: $reader, $(find "$kept" -type f | wc -l) inputs kept, $(du -sb "$kept" | cut -f1) bytes"
    continue
  fi
  echo "fuzz-readers: $reader, $seconds s"
  TIMEFORMAT="fuzz-readers: $reader, %U s of processor time"
  # shellcheck disable=SC2046
  time NC_READER=$reader "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="build-fuzz/$reader-" "$own" "$kept" $(seeds "$reader") || bad=1
done
exit $bad
