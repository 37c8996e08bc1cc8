# The two commands: `make demo` and `make test`. Both set themselves up on a fresh Debian 12.
# `make help` lists the rest. CMake does the work; this file only remembers how to call it.

PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PROGRAM = build/release/dashpot
DRAWS ?= 1000000
STEPS ?= 1000000
MINUTES ?= 1
CALLS ?= 20000
SEED ?= 1
PEERS ?= peers
NEWER ?= mujoco-core==4.0.1

# An interpreter that has NumPy.
NUMPY_PYTHON = $$(for p in python3 /usr/bin/python3; do $$p -c 'import numpy' 2>/dev/null && echo $$p && break; done)

.DEFAULT_GOAL := help
.PHONY: help build demo gallery report reference viewer test wheel fuzz fuzz-python notebooks torture bench bench-robots oracle check format install deb clean
.NOTPARALLEL: # one build folder, one CMake at a time; the compiler still runs JOBS times

# $(call configure,PRESET,OPTIONS): start afresh in a folder that another checkout or generator left.
configure = \
	cache=build/$(1)/CMakeCache.txt; fresh=; \
	if [ -f $$cache ] && ! { grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$$' $$cache && \
	        [ "$$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $$cache)" -ef . ]; }; then \
	    echo "build/$(1) was configured elsewhere or otherwise: starting afresh"; fresh=--fresh; \
	fi; \
	cmake $$fresh --preset $(1) $(if $(WERROR),-DDP_WERROR=$(WERROR)) $(2) >/dev/null

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## compile the library and the program, build/release/dashpot
	@tools/setup.sh build
	@$(call configure,$(PRESET))
	@cmake --build build/$(PRESET) -j $(JOBS) --target dashpot dashpot_program

demo: build ## run two shipped scenes: tables, a plot in out/demo.svg, a replay in out/demo.html
	@mkdir -p out
	$(PROGRAM) run scenes/double_pendulum.xml --seconds 10 --integrator rk4 \
	    --plot out/demo.svg --csv out/demo.csv
	$(PROGRAM) run scenes/contact/wrecking_ball.xml --seconds 2.5 --html out/demo.html
	@echo "Open out/demo.html in a browser to see the second one: file://$(CURDIR)/out/demo.html"

gallery: build viewer/node_modules/fetched ## pictures and replays of all shipped scenes, out/gallery/index.html
	@cd viewer && node gallery.mjs ../out/gallery
	@echo "Open out/gallery/index.html in a browser: file://$(CURDIR)/out/gallery/index.html"

report: build ## all figures of papers again, out/report/report.html, and their page docs/papers/report.md
	@$(PROGRAM) paper all --out out/report >/dev/null
	@sed 's,](\([a-z0-9.-]*\.svg\)),](../images/\1),' out/report/report.md >docs/papers/report.md
	@cp out/report/*.svg docs/images
	@echo "Open out/report/report.html in a browser: file://$(CURDIR)/out/report/report.html"

wheel: ## a wheel of the Python package for this machine's C library, build/wheel/*.whl, audited where auditwheel and abi3audit are
	@tools/setup.sh build wheel
	@python3 -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	@tools/audit_wheel.sh build/wheel

reference: ## the headers as one page, build/reference.md, and the Python package, where it was built, build/python.md
	@tools/make_api.py build/reference.md
	@echo "Written: build/reference.md"
	@[ ! -e build/$(PRESET)/python ] || { PYTHONPATH=build/$(PRESET)/python $(NUMPY_PYTHON) -B tools/make_stubs.py \
	    --reference build/python.md && echo "Written: build/python.md"; }

viewer: viewer/node_modules/fetched ## build the page of replays, viewer/dist/page.html, and test it in chromium
	@cd viewer && npm run --silent build
	@$(MAKE) --no-print-directory build
	@cd viewer && npm test

viewer/node_modules/fetched: viewer/package.json viewer/package-lock.json viewer/.npmrc
	@tools/setup.sh viewer
	@cd viewer && npm ci --silent && touch node_modules/fetched

test: ## build and run every test; ARGS= for ctest, e.g. '-LE slow'
	@tools/setup.sh build test
	@$(call configure,$(PRESET),-DDP_TESTS=ON -DDP_PYTHON=ON -DDP_REQUIRE_MUJOCO=ON)
	@cmake --build build/$(PRESET) -j $(JOBS)
	@ctest --preset $(PRESET) -j $(JOBS) $(ARGS)

fuzz: ## every reader of files under a fuzzer for a minute, always with the same draws; MINUTES= for longer, SEED=0 for new draws
	@tools/setup.sh build test check
	@$(call configure,fuzz,-DDP_FUZZ_SECONDS=$$((60 * $(MINUTES))) -DDP_FUZZ_SEED=$(SEED))
	@cmake --build build/fuzz -j $(JOBS) --target fuzzers
	@ctest --preset fuzz -j $(JOBS) -L fuzz

notebooks: ## run the notebooks of the Python package and write pages of them, out/notebooks
	@tools/setup.sh build test wheel
	@$(call configure,$(PRESET),-DDP_PYTHON=ON)
	@cmake --build build/$(PRESET) -j $(JOBS) --target dashpot_python
	@python3 -m venv build/venv && build/venv/bin/pip install --quiet numpy nbconvert ipykernel
	@PYTHONPATH=$(CURDIR)/build/$(PRESET)/python build/venv/bin/jupyter nbconvert --execute --to html \
	    --output-dir out/notebooks python/notebooks/*.ipynb
	@ls out/notebooks/*.html

fuzz-python: ## random calls of the Python module under AddressSanitizer, always the same; CALLS=100000, SEED= for others
	@tools/setup.sh build test
	@$(call configure,asan,-DDP_PYTHON=ON)
	@cmake --build build/asan -j $(JOBS) --target dashpot_python
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	    PYTHONMALLOC=malloc PYTHONWARNINGS=ignore PYTHONPATH=$(CURDIR)/build/asan/python \
	    $(NUMPY_PYTHON) \
	    tests/python/fuzz.py $(CALLS) $(SEED)

torture: ## random scenes until each law has made a million steps, and a million mechanisms and heaps, for hours, in pieces; goes on where it was stopped; STEPS= and DRAWS= for fewer
	@tools/setup.sh build test
	@$(call configure,release,-DDP_TESTS=ON)
	@cmake --build build/release -j $(JOBS) --target audit physics
	@tools/torture.py --steps $(STEPS) --draws $(DRAWS)

bench: ## time and accuracy beside MuJoCo, ODE, Bullet and DART; ARGS=--help tells what it can do
	@tools/setup.sh build bench $(PEERS) # DART brings 150 packages: PEERS= goes without
	@$(if $(NEWER),tools/newer_mujoco.sh build/mujoco $(NEWER)) # NEWER= fetches none
	@$(call configure,release,-DDP_BENCH=ON)
	@cmake --build build/release -j $(JOBS) --target dashpot_bench
	build/release/bench/dashpot_bench $(ARGS)

bench-robots: build ## robots of public packages with contact, beside MuJoCo; ARGS=--quick, --filter RE, --csv FILE
	@bench/robots.py $(ARGS)

ORACLE = python3 tests/oracle/compare.py --mujoco build/mujoco --dashpot build/release/tests/oracle_states \
	--convert build/release/dashpot

oracle: ## compare with the newest MuJoCo, which pip fetches; ARGS=--verbose lists the files
	@tools/setup.sh build test oracle
	@tools/newer_mujoco.sh build/mujoco $(NEWER)
	@$(call configure,release,-DDP_TESTS=ON)
	@cmake --build build/release -j $(JOBS) --target oracle_states oracle_random dashpot_program
	@mkdir -p build/oracle/random && build/release/tests/oracle_random build/oracle/random 200
	$(ORACLE) $(ARGS) scenes/*.xml scenes/urdf/*.urdf tests/oracle/features/*.xml build/oracle/random/*.xml
	$(ORACLE) --converted $(ARGS) scenes/*.xml scenes/contact/*.xml scenes/urdf/*.urdf tests/oracle/features/*.xml
	python3 tests/oracle/resting.py --mujoco build/mujoco --convert build/release/dashpot

check: ## all that CI does: tests, sanitizers, clang, analysers, format
	@.ci/run

format: ## let clang-format rewrite every source file
	@tools/setup.sh check
	@tools/format.sh

install: build ## install to PREFIX (/usr/local), below DESTDIR where given
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

deb: ## Debian packages of program, library and headers, in build/deb/packages
	@tools/setup.sh build deb
	@cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
	    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/$(shell gcc -print-multiarch) >/dev/null
	@cmake --build build/deb -j $(JOBS) --target dashpot dashpot_program
	@cd build/deb && cpack --config CPackConfig.cmake
	@ls build/deb/packages/*.deb

clean: ## remove build/ and out/
	rm -rf build out
