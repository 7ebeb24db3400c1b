#!/usr/bin/env bash
# Compiles both programs for Linux on aarch64, on another machine: cross_aarch64.sh Z3_VERSION
#
# Debian's cross compiler, and its arm64 packages unpacked into build/aarch64/root: nothing is installed for arm64, and the
# system's own lists of packages stay as they are. Z3 is the one of the z3-solver wheel for aarch64.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD/build/aarch64
packages=(libfmt-dev libfmt9 zlib1g-dev zlib1g libzip-dev libzip4 libbz2-1.0 liblzma5 libzstd1 libssl3 libmimalloc-dev libmimalloc2.0
  nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libboost1.74-dev libboost-dev libboost-graph-dev)
stamp=$home/.stamp-$1
if [ ! -f "$stamp" ]; then
  rm -rf "$home"
  mkdir -p "$home"/{root,debs,z3,apt/lists/partial,apt/archives/partial,apt/state}
  touch "$home/apt/status"
  apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$home/apt/state"
    -o Dir::State::Lists="$home/apt/lists" -o Dir::State::status="$home/apt/status" -o Dir::Cache="$home/apt" -o APT::Sandbox::User=root)
  echo "aarch64: fetching ${#packages[@]} packages and z3-solver $1"
  "${apt[@]}" update
  (cd "$home/debs" && "${apt[@]}" download "${packages[@]}")
  for package in "$home"/debs/*.deb; do dpkg -x "$package" "$home/root"; done
  python3 -m pip download --quiet --no-deps --only-binary :all: --platform manylinux_2_38_aarch64 "z3-solver==$1" --dest "$home"
  python3 -m zipfile -e "$home"/z3_solver-*.whl "$home/z3"
  rm -rf "$home/debs" "$home/apt" "$home"/z3_solver-*.whl
  touch "$stamp"
fi
cmake -S . -B "$home/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/tools/aarch64.cmake" -DNC_ROOT="$home/root" -DNC_TESTS=OFF \
  -DNC_Z3_INCLUDE="$home/z3/z3/include" -DNC_Z3_LIB="$home/z3/z3/lib/libz3.so.5.4" >"$home/configure.log" || { cat "$home/configure.log"; exit 1; }
cmake --build "$home/build" --parallel "${JOBS:-$(nproc)}"
echo "aarch64: $(file -b "$home/build/bin/noclobber" 2>/dev/null || echo built), in build/aarch64/build/bin"
