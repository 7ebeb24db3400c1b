#!/usr/bin/env bash
# Refuses C++ files that are not in the house format: check_format.sh [--fix] [ROOT]
set -euo pipefail

arguments=(--dry-run -Werror)
if [ "${1:-}" = --fix ]; then
  arguments=(-i)
  shift
fi
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
# Releases of clang-format differ in details; 14 is the one that counts.
tool=${CLANG_FORMAT:-$(command -v clang-format-14 || command -v clang-format || true)}
if [ -z "$tool" ]; then
  echo "check_format.sh:1: clang-format is missing: run \`make setup\`" >&2
  exit 1
fi

cd "$root"
folders=()
for folder in checker src tests; do
  if [ -d "$folder" ]; then folders+=("$folder"); fi
done
files=()
if [ ${#folders[@]} -gt 0 ]; then
  mapfile -d '' files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z)
fi
bad=0
if [ ${#files[@]} -gt 0 ]; then
  "$tool" --style=file "${arguments[@]}" "${files[@]}" 2>&1 | sed "s|^$root/||" || bad=1
fi
if [ $bad = 1 ]; then echo "format: refused; \`make format\` repairs it ($("$tool" --version))"; fi
if [ $bad = 0 ]; then echo "format: ${#files[@]} files"; fi
exit $bad
