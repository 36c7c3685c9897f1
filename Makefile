# Everything that is done to this repository, by people and by .ci/run alike.
# Needed: Go 1.26, git, bash, make.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Tools are pinned in a module of their own, so that gpugen does not depend on them.
TOOL := go tool -modfile=tools/go.mod
TESTSUMMARY := go run -C tools ./testsummary
# Tests that rewrite what they compare with when GPUGEN_UPDATE is set.
GENERATED := ./schema/facts ./generators ./cmd/gpugen/internal/...
# Modules of their own that are quick to build; e2e/apiserver compiles a whole
# Kubernetes API server, and has targets of its own.
MODULES := e2e/crd e2e/charts e2e/prometheus e2e/bench tools
FUZZTIME ?= 30s

.PHONY: help
help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-14s %s\n", $$1, $$2}' Makefile

.PHONY: build
build: ## Build bin/gpugen, and bin/gpugen-chart, which `gpugen chart` runs
	go run ./schema/knowledge/prepare
	go build -trimpath -o bin/ ./cmd/...

.PHONY: release
release: ## Make dist: archives for PLATFORMS (linux, macOS, Windows), what they are made of, checksums
	go run -C tools ./release $${PLATFORMS:+-platforms "$$PLATFORMS"}

.PHONY: demo
demo: build ## Render examples/onprem-h100 into build/demo and show the tree
	@mkdir -p build
	@bin/gpugen vet examples/onprem-h100
	@bin/gpugen render examples/onprem-h100 -o build/demo
	@find build/demo -type f | LC_ALL=C sort
	@echo
	@echo "Read build/demo/README.md first, then build/demo/USAGE.md."

.PHONY: test
test: ## Run the tests of gpugen, of long lists of cases a sample; the last line counts them
	@go run ./schema/knowledge/prepare # each program that a test starts would parse it
	@$(TESTSUMMARY) ..

.PHONY: test-all
test-all: ## Run the tests of all modules, and all cases (GPUGEN_LONG=4: one in four); the last line counts them
	@GPUGEN_LONG=$${GPUGEN_LONG:-1} $(TESTSUMMARY) -timeout 40m .. $(addprefix ../,$(MODULES))

.PHONY: race
race: ## Render clusters beside each other under the race detector
	@$(TESTSUMMARY) -race -run 'TestTheSameSpecGivesTheSameBytes' ../generators

.PHONY: test-charts
test-charts: ## Judge golden trees with the real charts in CHARTS=DIR, one unpacked folder each
	@test -n "$${CHARTS:-}" || { echo "make test-charts CHARTS=DIR"; exit 2; }
	@GPUGEN_CHARTS="$$(cd "$$CHARTS" && pwd)" $(TESTSUMMARY) ../e2e/charts

.PHONY: e2e-crd
e2e-crd: ## Judge golden trees by the CRDs of the real charts
	@$(TESTSUMMARY) ../e2e/crd

.PHONY: e2e-prometheus
e2e-prometheus: ## Parse and try alerts and dashboards of golden trees with Prometheus' own code
	@$(TESTSUMMARY) ../e2e/prometheus

.PHONY: e2e-apiserver
e2e-apiserver: ## Judge golden trees by a real API server; the first build takes long
	@GOFLAGS="$${GOFLAGS:-} -vet=off" $(TESTSUMMARY) -timeout 60m ../e2e/apiserver # go vet would walk all of Kubernetes
	@cat build/apiserver.txt

.PHONY: e2e-argocd
e2e-argocd: ## Have Argo CD itself sync golden trees; RUN=REGEXP; CHARTS=DIR: real charts; the first build takes long
	@if test -n "$${CHARTS:-}"; then GPUGEN_CHARTS="$$(cd "$$CHARTS" && pwd)"; export GPUGEN_CHARTS; fi; \
	GOFLAGS="$${GOFLAGS:-} -vet=off" $(TESTSUMMARY) -timeout 60m $${RUN:+-run "$$RUN"} ../e2e/argocd
	@cat build/argocd.txt

# App-of-apps as it is installed, an ApplicationSet from its start to its end, gpugen as
# the plugin; and the charts that they are tried with.
ARGOCD_CI := TestGoldenTrees/k3s-workstation$$$$|TestLife/ApplicationSet$$$$|TestPlugin$$$$|TestHooks|TestDefinitions

.PHONY: e2e-argocd-ci
e2e-argocd-ci: ## Of e2e-argocd what CI runs: a tree of each layout, and the plugin
	@$(MAKE) --no-print-directory e2e-argocd RUN='$(ARGOCD_CI)'

.PHONY: e2e-flux
e2e-flux: ## Have Flux itself reconcile trees; the first build takes long
	@GOFLAGS="$${GOFLAGS:-} -vet=off" $(TESTSUMMARY) -timeout 60m ../e2e/flux

.PHONY: lint
lint: ## Check formatting, go vet, staticcheck, and the CUE
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	@for module in $(MODULES); do echo "go vet -C $$module ./..."; go vet -C $$module ./...; done
	go vet -C e2e/apiserver ./judge ./server # the rest links all of Kubernetes
	go vet -C e2e/argocd ./fixture ./harness ./hosts ./pki ./played ./sandbox
	go vet -C e2e/flux .
	$(TOOL) staticcheck ./...
	@dead="$$($(TOOL) deadcode -test=false -filter '/gpugen/(cmd|generators|schema|templates)(/|$$)' ./cmd/... ./schema/knowledge/prepare)"; \
	test -z "$$dead" || { echo "$$dead"; exit 1; }
	$(TOOL) cue vet -c=false ./schema/... ./templates/...
	@for example in examples/*/; do \
	  test ! -e $${example}cluster.cue || $(TOOL) cue vet -c=false ./$${example%/}:cluster; \
	  with="$$(sed -n '1s/^@with(\(.*\))$$/\1/p' $${example}expect.cue | tr ',' ' ')"; \
	  $(TOOL) cue vet -c=false ./$${example}expect.cue $$(for name in $$with; do echo "./examples/$$name.expect.cue"; done); \
	done
	$(TOOL) cue fmt --check ./schema/... ./templates/...
	$(TOOL) cue fmt --check --files examples

.PHONY: golden
golden: ## Rewrite golden trees, expected output and generated docs
	GPUGEN_UPDATE=1 go test -count=1 $(GENERATED)

.PHONY: drift
drift: ## Fail if what `make golden` writes is not what is committed
	@before="$$(git status --porcelain)"; $(MAKE) --no-print-directory golden; after="$$(git status --porcelain)"; \
	test "$$before" = "$$after" || { diff <(echo "$$before") <(echo "$$after") || true; git --no-pager diff; exit 1; }

.PHONY: bench
bench: ## Measure time and memory beside cue and kustomize, and of specs that grow
	go run -C e2e/bench .

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME (30s)
	@for package in $$(go list ./...); do \
	  for test in $$(go test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
	    echo "$$package $$test"; go test -run '^$$' -fuzz "^$$test$$" -fuzztime $(FUZZTIME) "$$package"; \
	  done; \
	done

.PHONY: mutate
mutate: ## Change COUNT (200) things, or what differs from BASE, and list what no test notices; SEED=1; STATE=FILE: go on where a run was ended
	@go run -C tools ./mutate -v -seed "$${SEED:-1}" -count "$${COUNT:-200}" $${BASE:+-base "$$BASE"} $${ONLY:+-only "$$ONLY"} $${STATE:+-state "$$(realpath -m "$$STATE")"}

.PHONY: clean
clean: ## Remove bin, build and dist
	rm -rf bin build dist

.PHONY: judge
judge: ## Apply the tree in TREE=DIR to a real API server; KUBERNETES=1.35, CRDS=DIR
	@test -n "$${TREE:-}" || { echo "make judge TREE=DIR [KUBERNETES=1.35,...] [CRDS=DIR]"; exit 2; }
	@mkdir -p build
	@go build -C e2e/apiserver -o ../../build/judge .
	@build/judge $${KUBERNETES:+-kubernetes "$$KUBERNETES"} $${CRDS:+-crds "$$CRDS"} -upstream "$${GPUGEN_UPSTREAM:-../shared/upstream}" "$$TREE"
