# The two commands: `make demo` and `make test`. Both set themselves up on a fresh Debian 12.
# `make help` lists the rest.

PRESET ?= release
BUILD = build/$(PRESET)
PROGRAM = build/release/dashpot
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: help build demo test bench format install clean setup-build setup-test setup-bench

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup-build:
	@tools/setup.sh build
setup-test:
	@tools/setup.sh build test
setup-bench:
	@tools/setup.sh build bench

build: setup-build ## compile the library and the program to build/release
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)

demo: build ## run a shipped scene: a table and a plot, out/demo.svg
	@mkdir -p out
	$(PROGRAM) run scenes/double_pendulum.xml --seconds 10 --plot out/demo.svg --csv out/demo.csv
	@echo "the plot is out/demo.svg, its numbers out/demo.csv"

test: setup-test ## build and run every test
	@cmake --preset $(PRESET) -DDP_TESTS=ON -DDP_REQUIRE_MUJOCO=ON >/dev/null
	@cmake --build --preset $(PRESET) -j $(JOBS)
	ctest --preset $(PRESET) -j $(JOBS)

bench: setup-bench ## time and accuracy beside MuJoCo and Bullet
	@cmake --preset release -DDP_BENCH=ON >/dev/null
	@cmake --build --preset release -j $(JOBS)
	build/release/bench/dashpot_bench

format: ## let clang-format rewrite every source file
	@tools/setup.sh check
	git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

install: build ## install to PREFIX (default /usr/local)
	cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

clean: ## remove build/ and out/
	rm -rf build out
