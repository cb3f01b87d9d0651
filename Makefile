# The only place where commands are spelled; every verb does the set-up it needs. `make help` lists them.

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
VENV := .venv
BIN := $(VENV)/bin
STAMPS := build/stamps
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
CLANG_VERSION := 19

PACKAGES = $(shell sed 's/\#.*//' debian-packages.txt)
# With their folders, so that a removed file counts as a change.
BUILD_INPUTS := CMakeLists.txt pyproject.toml $(shell find cmake csrc shaders python \
  -name __pycache__ -prune -o -print)
CXX_FILES = $(shell git ls-files 'csrc/*.[ch]' 'csrc/*.cpp' 'csrc/*.hpp' 'csrc/*.mm' 'csrc/*.m' \
  'tests/cpp/*.[ch]' 'tests/cpp/*.cpp' 'tests/cpp/*.hpp' 'tests/cpp/*.mm')

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
export CTEST_OUTPUT_ON_FAILURE = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1

# $(call install,build tree,pip options): builds the package in a tree that is kept, and installs it.
install_package = $(BIN)/pip install --quiet --no-build-isolation $(2) -C build-dir=$(1) \
  -C cmake.define.METALCORE_BUILD_TESTS=ON

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup build demo test test-cpp test-python lint types format bench exits faults soak corpora fuzz \
  wheel asan tsan coverage tidy retain-count clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(BIN)/.requirements ## install the Debian packages and make .venv

$(STAMPS)/debian-packages: debian-packages.txt
	@if command -v dpkg-query >/dev/null; then \
	  missing=$$(for package in $(PACKAGES); do \
	    dpkg-query --show --showformat='$${db:Status-Abbrev}' $$package 2>/dev/null | grep -q '^ii' \
	      || echo $$package; done); \
	  if [ -n "$$missing" ]; then \
	    $(SUDO) apt-get update --quiet && $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	      apt-get install --quiet --yes --no-install-recommends $$missing; fi; \
	else echo "This is no Debian: install what debian-packages.txt names by hand."; fi
	@mkdir -p $(@D) && touch $@

$(BIN)/.requirements: $(STAMPS)/debian-packages pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build --group dev
	@touch $@

build: $(STAMPS)/build ## build the package and install it into .venv

$(STAMPS)/build: $(BIN)/.requirements $(BUILD_INPUTS)
	$(call install_package,build/release) '.[demo]'
	@touch $@

demo: build ## measure the first kernel of fresh processes; writes docs/demo.png and build/demo.json
	$(BIN)/python -m metalcore demo --json build/demo.json --plot docs/demo.png

test: test-cpp test-python retain-count ## run all tests; `make asan` is the long form

test-cpp: build ## run the C++ tests
	cmake --build build/release --target metalcore_tests
	ctest --test-dir build/release

test-python: build ## run the Python tests
	$(BIN)/python -m pytest

lint: $(BIN)/.requirements ## check format and style of C++ and Python
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo clang-format --dry-run; clang-format-$(CLANG_VERSION) --dry-run -Werror $(CXX_FILES)

format: $(BIN)/.requirements ## rewrite C++ and Python in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@echo clang-format -i; clang-format-$(CLANG_VERSION) -i $(CXX_FILES)

types: build ## check the types of the package
	$(BIN)/mypy

bench: build ## measure the time to the first kernel
	$(BIN)/python -m metalcore demo --json build/bench.json

exits: build ## end and fork 1,300 processes at random moments of the warm-up; takes minutes
	$(BIN)/python tests/exits/exits.py

faults: build ## damage the cache in every way and compare all results with NumPy; takes minutes
	$(BIN)/python tests/faults

soak: build ## 100,000 launches and 10,000 compiles: does anything grow; takes minutes
	$(BIN)/python tests/soak

# CORPORA_OPTIONS: --project, --file, --only, --limit, …; see --help.
corpora: build ## compile the kernels of llama.cpp, MLX and PyTorch to code; takes an hour
	$(BIN)/python tests/corpora $(CORPORA_OPTIONS)

fuzz: build ## compile 20,000 mutated sources: does any harm the compiler; takes long
	$(BIN)/python tests/fuzz $(FUZZ_OPTIONS)

wheel: $(BIN)/.requirements ## build a wheel into dist/
	$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir dist -C build-dir=build/release .

tidy: build ## run clang-tidy over everything that was compiled; takes long
	run-clang-tidy-$(CLANG_VERSION) -quiet -p build/release -clang-tidy-binary clang-tidy-$(CLANG_VERSION)

retain-count: build ## analyse the Objective-C++ sources for leaked and over-released objects
	$(BIN)/python tools/retain_count.py build/release/compile_commands.json

# LLVM's archives are not instrumented: its allocators must not poison what only instrumented code unpoisons.
# It gives threads signal stacks of its own, which the sanitizer would unmap as its own. Leaks are looked for by
# the C++ tests; the compiler's tools and Python free little at exit.
BESIDE_LLVM := allow_user_poisoning=0:use_sigaltstack=0
asan: export ASAN_OPTIONS = $(BESIDE_LLVM):detect_leaks=0
asan: build ## run all tests with AddressSanitizer
	$(call install_package,build/asan,-C cmake.define.METALCORE_SANITIZE=address) \
	  --no-deps --upgrade --target build/asan/site .
	cmake --build build/asan --target metalcore_tests
	ASAN_OPTIONS=$(BESIDE_LLVM) ctest --test-dir build/asan
	tools/with_sanitizer.sh address build/asan/site $(BIN)/python -m pytest -m 'not slow'

tsan: build ## run the C++ tests with ThreadSanitizer
	cmake --preset tsan
	cmake --build --preset tsan --target metalcore_tests
	ctest --preset tsan

# The tests of Python that concern warm-up, cache and preferences.
COVERAGE_TESTS := $(patsubst %,tests/python/test_%.py,cache command_line concurrency exit fork preferences \
  warmup warmup_kernels warmup_profile)
coverage: export LLVM_PROFILE_FILE = $(CURDIR)/build/coverage/counts/%c%m.profraw
coverage: build ## print how many lines of warm-up, cache and preferences the tests run; fails below 95 %
	$(call install_package,build/coverage,-C cmake.define.METALCORE_COVERAGE=ON \
	  -C cmake.define.METALCORE_BUILT_COMPILER=$(CURDIR)/build/release/metalcore) \
	  --no-deps --upgrade --target build/coverage/site .
	cmake --build build/coverage --target metalcore_tests
	rm -rf build/coverage/counts && mkdir build/coverage/counts
	ctest --test-dir build/coverage
	PYTHONPATH=$(CURDIR)/build/coverage/site $(BIN)/python -m coverage run -m pytest -q $(COVERAGE_TESTS)
	$(BIN)/python tools/coverage_report.py build/coverage

clean: ## remove everything that was built, .venv too
	rm -rf build dist $(VENV)
