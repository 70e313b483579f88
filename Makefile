# What a newcomer needs: `make run` and `make test`. Python >= 3.11 suffices, and a C compiler, or the one in
# the package ziglang; the rest goes into an environment of its own, .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_FOR_DOCS := $(VENV)/.ready-for-docs
READY_FOR_OCR := $(VENV)/.ready-for-ocr
READY_FOR_LLM := $(VENV)/.ready-for-llm
READY_TO_TRAIN := $(VENV)/.ready-to-train

# Tests start Python some 200 times: without bytecode each compiles all sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run train ocr lm llm distributed test test-full test-quick ruff lint filecheck
.PHONY: pytest pytest-full pytest-cpu pytest-xdsl pytest-tiny fuzz mutate bench docs pages clean

help: ## what there is to make
	@echo "Relax on xDSL. Targets (PYTHON=$(PYTHON) makes the environment):"
	@sed -n 's/^\([a-z-]*\):.*## /  \1:/p' Makefile | awk -F: '{ printf "%-12s %s\n", $$1, $$2 }'

run: $(READY) ## compile the digits model and run it on real handwritten digits
	@$(BIN)/python examples/digits/run.py

train: $(READY_TO_TRAIN) ## train the digits model by compiled C, with a curve of its loss
	@$(BIN)/python examples/digits/train.py

ocr: $(READY_FOR_OCR) ## compile three ONNX networks and read the words in a picture; PICTURE=photo.jpg for yours
	@$(BIN)/python examples/ocr/run.py $(if $(PICTURE),"$(PICTURE)")

llm: $(READY_FOR_LLM) ## chat with a language model, compiled to C; MODEL=folder of Hugging Face's form, else that of make lm
	@$(BIN)/python examples/llm/run.py "$(or $(MODEL),build/lm/hugging_face)" $(if $(PROMPT),--prompt "$(PROMPT)")

lm: $(READY) ## train a small language model in a minute and let it write; SAMPLE="The Queen" for more of it
	@$(BIN)/python examples/lm/run.py $(if $(SAMPLE),--sample "$(SAMPLE)")

distributed: $(READY) ## train a language model on two ranks and let it write on four, by MPI
	@$(BIN)/python examples/distributed/run.py

# Types are checked by `make lint`, not by `make test`: pyright alone would take a quarter of its time.
test: PARTS := ruff filecheck pytest
test-full: PARTS := lint filecheck pytest-full
test test-full: $(READY)
	@failed=; \
	for part in $(PARTS); do \
	  echo "== $$part"; $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; \
	done; \
	if [ -n "$$failed" ]; then echo "== FAILED:$$failed"; exit 1; fi; \
	echo "== passed: $(PARTS)"
test: ## ruff, filecheck and every quick test function with two of its parameters; fails if one of them fails
test-full: ## lint, filecheck and all tests with all parameters

# Less than a minute on two cores: no C is compiled but for a few programs, no property is tried.
QUICK_TEXTS := $(addprefix test/filecheck/,dialect rewrites)
QUICK_TESTS := $(addprefix test/unit/,interpret test_layers.py docs/test_operators.py ops/test_ops.py ir/test_types.py builder/test_builder.py)

test-quick: $(READY) ## a minute of it for the inner loop, every operator interpreted once
	@failed=; \
	$(BIN)/ruff check --quiet --output-format=concise . || failed="$$failed ruff"; \
	$(BIN)/ruff format --quiet --check . || failed="$$failed format"; \
	$(BIN)/lit --quiet $(QUICK_TEXTS) || failed="$$failed filecheck"; \
	$(BIN)/$(PYTEST) -m "not shortened and not needs" $(QUICK_TESTS) || failed="$$failed pytest"; \
	if [ -n "$$failed" ]; then echo "== FAILED:$$failed"; exit 1; fi; \
	echo "== passed: a part; make test runs more, make test-full all"

RUFF = $(BIN)/ruff check --output-format=concise . || status=1; $(BIN)/ruff format --check . || status=1

ruff: $(READY) ## style and form
	@status=0; $(RUFF); exit $$status

lint: $(READY) ## ruff, and types by pyright
	@status=0; $(RUFF); $(BIN)/pyright --pythonpath $(BIN)/python || status=1; exit $$status

filecheck: $(READY) ## the tests on programs as text
	@$(BIN)/lit test/filecheck

# Where a process of its own dies, pytest-xdist may wait forever once it has begun another one: it begins none.
# The workers take files in the order of collection: test/unit/support/file_order.py puts dear ones first.
PYTEST := python -m pytest -n auto --max-worker-restart=0 --dist loadfile --no-loadscope-reorder

pytest: $(READY) ## every quick test function in Python, with two of its parameters
	@$(BIN)/$(PYTEST) --sample

pytest-full: $(READY) ## the tests in Python with all parameters, and those that take long
	@$(BIN)/$(PYTEST)

# What depends on the CPU: lowering, schedules, operators, models; MLIR and the tools do not.
CPU ?= generic
CPU_TESTS := $(addprefix test/unit/,lowering ops examples/test_models.py) --ignore=test/unit/lowering/tools -m "not needs"

pytest-cpu: $(READY) ## a sample of the tests on another CPU; CPU=x86-64-v3
	@$(BIN)/$(PYTEST) --sample --cpu $(CPU) $(CPU_TESTS)

# Releases of xDSL differ in what is read and printed, and in the private names that we use.
XDSL ?= 0.74
XDSL_TESTS := $(addprefix test/unit/,test_xdsl_internals.py ir text interpret lsp transform visitor structural dpl lowering/explore lowering/tools)
XDSL_TESTS += test/unit/lowering/test_affine.py

pytest-xdsl: $(READY) ## a sample of the tests with another xDSL, the oldest one by default; XDSL=0.74
	@$(BIN)/python -m pip install --quiet --no-deps --upgrade --target build/xdsl "xdsl==$(XDSL).*"
	@PYTHONPATH=build/xdsl $(BIN)/$(PYTEST) --sample $(XDSL_TESTS)

# What round sizes hide: the operators, small models and random graphs where no array is too small for a tile.
TINY_TESTS := $(addprefix test/unit/,ops examples/test_models.py end_to_end/test_executions_agree.py)
TINY_TESTS += $(patsubst %,--ignore-glob='*_%.py',kinds* dtypes ops rules traits)

pytest-tiny: $(READY) ## the tests of the operators once with tiny tiles
	@$(BIN)/$(PYTEST) --tiles tiny $(TINY_TESTS)

fuzz: $(READY) ## a random search for faults; CASES=100000 for a long one
	@$(BIN)/python test/unit/fuzz --cases $(or $(CASES),2000)

mutate: $(READY) ## mutation score: FOLDER=lowering/memory TESTS='test/unit/lowering/test_*.py' MUTANTS=200
	@$(BIN)/python test/unit/fuzz/mutate.py $(FOLDER) --tests $(TESTS) --mutants $(or $(MUTANTS),200)

bench: $(READY) ## speed compared with peers in two minutes; OPTIONS=--full for all of it
	@$(BIN)/python -m bench $(OPTIONS)

docs: $(READY_FOR_DOCS) ## the pages as a site that needs no network: build/site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet && echo "build/site/index.html"

PAGES := gradient_page language operators operator_stubs passes_page tvm_names_page
pages: $(READY) ## write the pages of docs that list operators, passes and rules anew
	@for page in $(PAGES); do $(BIN)/python test/unit/support/$$page.py || exit 1; done

clean: ## remove the environment and all that was built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find test -name Output -type d -prune -exec rm -rf {} +

# Python compiles what it imports, a small part of what is installed: pip need not compile all.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "error: Python >= 3.11 is needed, $(PYTHON) is older or missing; set PYTHON=..." >&2; exit 1; }
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "error: no virtual environment; install Python's venv module (Debian: python3-venv)" >&2; \
	    rm -rf $(VENV); exit 1; }
	@extras=test; command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || extras=test,cc; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e ".[$$extras]"
	@touch $@

$(READY_FOR_DOCS): $(READY) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[docs]'
	@touch $@

$(READY_TO_TRAIN): $(READY) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[train]'
	@touch $@

$(READY_FOR_LLM): $(READY) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[llm]'
	@touch $@

# Of the package that has the networks nothing else is used, nor what it asks for.
$(READY_FOR_OCR): $(READY) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[ocr]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps \
	  --ignore-requires-python rapidocr-onnxruntime==1.4.4
	@touch $@
