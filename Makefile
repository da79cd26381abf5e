# `make` lists the targets. Once .venv is there, all of them run offline, unless the list says otherwise.
# Without a GPU, PyTorch's smaller CPU build is enough:
#   PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make demo

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CORES ?= 2
# The first of these that runs and is new enough; a pyenv shim may be on the path and fail to run.
new_enough = $(if $(1),$(shell $(1) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(1)))
PYTHON ?= $(firstword $(foreach p,python3.11 python3.12 python3.13 python3,$(call new_enough,$(p))))
NEW_VENV = $(or $(call new_enough,$(PYTHON)),$(error Python 3.11 or later is needed$(if $(PYTHON),$(comma) and \
	$(PYTHON) is not); say make PYTHON=/path/to/python3)) -m venv .venv
comma := ,
VENV := .venv/installed
BENCHMARKS := .venv-benchmarks/installed
# A copied or moved .venv would still run the code in the folder where it was made.
made_elsewhere = $(if $(wildcard $(1)/bin/activate),$(shell grep -qF '$(realpath $(1))' $(1)/bin/activate || echo $(1)))

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# These keep DVC, MLflow, and the tools that honor DO_NOT_TRACK, from reporting home.
export DVC_NO_ANALYTICS := 1
export MLFLOW_DISABLE_TELEMETRY := true
export DO_NOT_TRACK := true

show = @cat reports/$(1)/tables/table1.md; echo; \
	echo "The report: file://$(CURDIR)/reports/$(1)/index.html; its tables and figures lie beside it as files"

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/' \
		| while IFS=$$'\t' read -r target text; do printf '%-14s %s\n' "$$target" "$$text"; done

.PHONY: setup
setup: $(VENV) ## Only set up .venv, as nearly all other targets do first; this needs the network

.PHONY: demo
demo: $(VENV) ## Run what is missing or out of date in the demo, then show Table 1 and the report's address
	snakemake -j$(CORES)
	attnmt commit
	$(call show,demo)

.PHONY: captions-short captions
captions-short: ## Do the same with two systems on Multi30k; this downloads 2 MB and takes five to ten minutes on 2 cores
captions: ## Train every system of the claims five times on Multi30k (downloads 2 MB); judge the claims (8 hours on 2 cores; `attnmt plan -e captions` says what is left)
captions-short captions: $(VENV)
	snakemake -j$(CORES) --config experiment=$@
	attnmt commit --experiment $@
	$(call show,$@)

.PHONY: captions-report
captions-report: $(VENV) ## Make reports without a model, from the translations in experiments/*/outputs (downloads 2 MB; 20 minutes)
	for each in $(patsubst experiments/%/outputs,%,$(wildcard experiments/*/outputs)); do \
		python experiments/outputs.py report $$each; echo "The report: file://$(CURDIR)/reports/$$each/index.html"; done

.PHONY: repro
repro: $(VENV) ## Run the demo with DVC instead of Snakemake, one stage after the other
	dvc repro
	attnmt commit

# One process runs all tests of a file, so that it makes the fixtures once; tests/conftest.py orders
# them.
.PHONY: test
test: $(VENV) ## Run all tests
	pytest -n $(CORES) --dist loadfile --no-loadscope-reorder

.PHONY: check
check: lint ## Check style and types, and run the tests that take seconds (two minutes on 2 cores)
	pytest -n $(CORES) --dist loadfile --no-loadscope-reorder -m "not slow"

# ON=tiny takes the small project of the pipeline tests instead of the demo (several minutes).
ON ?= demo
.PHONY: test-slurm
test-slurm: $(VENV) ## Start SLURM on this machine, run the demo on it and compare with a run without it (Debian, root, the network)
	pip install -q -c constraints.txt -e '.[cluster]'
	pytest tests/slurm/workflow.py -k $(ON)

.PHONY: lint
lint: $(VENV) ## Check style, types and the Snakefile
	ruff check
	ruff format --check
	mypy
	snakemake --lint

.PHONY: format
format: $(VENV) ## Format the code; write the generated files: trainings.yaml, schemas, experiments' dvc.yaml
	ruff format
	ruff check --fix
	python -m attnmt.config.generated

.PHONY: benchmarks
benchmarks: $(BENCHMARKS) ## Compare speed with OpenNMT-py (needs the network); see benchmarks/README.md
	.venv-benchmarks/bin/python -m benchmarks.cpu training
	.venv-benchmarks/bin/python -m benchmarks.cpu decoding

.PHONY: pictures
pictures: $(VENV) ## Take README's pictures of the demo's report (needs chromium)
	python docs/pictures.py

.PHONY: graph
graph: $(VENV) ## Draw the demo's stages
	dvc dag --collapse-foreach-matrix dvc.yaml

# One worker, because MLflow's server kills workers that do not answer for 5 seconds, as on a busy
# machine. On a machine of several people, PORT may be another's.
EXPERIMENT ?= demo
PORT ?= 5000
.PHONY: ui
ui: $(VENV) ## Serve MLflow; print the address of the demo's runs with their scores (or those of EXPERIMENT=captions; PORT=5002 takes another port)
	@attnmt track --experiment $(EXPERIMENT) --port $(PORT)
	@case "$(MLFLOW_TRACKING_URI)" in \
	http*) echo "That is the server of MLFLOW_TRACKING_URI; nothing is served here." ;; \
	*) MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false mlflow ui --workers 1 --host 127.0.0.1 --port $(PORT) \
		--backend-store-uri "$(or $(MLFLOW_TRACKING_URI),sqlite:///mlflow.db)" ;; \
	esac

OUTPUTS := $(foreach d,data models translations scores runs checkpoints logs .stages,$(d)/demo)
.PHONY: clean
clean: ## Remove the demo's outputs, checkpoints and logs; reports, cache and MLflow stay
	rm -rf $(OUTPUTS)

.PHONY: pins
pins: ## Resolve all dependencies again and rewrite constraints.txt (needs the network)
	rm -rf .venv
	$(NEW_VENV)
	pip install -e '.[workflow,cluster,dev]'
	pins=$$(pip freeze --exclude-editable | sed 's/+.*//'); \
	head="$$(grep '^#' constraints.txt)"; printf '%s\n' "$$head" "$$pins" > constraints.txt
	touch $(VENV)

.PHONY: elsewhere
$(VENV): pyproject.toml constraints.txt $(if $(call made_elsewhere,.venv),elsewhere)
	$(addprefix rm -rf ,$(call made_elsewhere,.venv))
	$(NEW_VENV)
	@echo "Setting up .venv. With PyTorch for GPUs, pip loads some 2 GB; README names a smaller PyTorch."
	pip install -c constraints.txt -e '.[workflow,dev]'
	touch $@

# The benchmarks have their own environment: OpenNMT-py brings libraries that the project must not depend on.
$(BENCHMARKS): pyproject.toml constraints.txt benchmarks/requirements.txt $(if $(call made_elsewhere,.venv-benchmarks),elsewhere)
	$(addprefix rm -rf ,$(call made_elsewhere,.venv-benchmarks))
	$(NEW_VENV)-benchmarks
	.venv-benchmarks/bin/pip install -q -c constraints.txt -e .
	.venv-benchmarks/bin/pip install -q --no-deps -r benchmarks/requirements.txt
	touch $@
