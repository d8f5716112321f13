SHELL := /bin/bash
CACHE := .cache
PACKAGES := ./...
# The Codex versions of `make certify`: some, with commas between them, or all.
VERSIONS := 0.136.0,0.155.0,0.171.0
# Those whose tests start neither Codex, nor a browser, nor the daemon.
QUICK := ./fsm/... ./transitions ./transitions/invariant ./store/... ./golden/... ./adapters/sched/... ./adapters/feishu/... \
	./adapters/sandbox/feishu ./adapters/sandbox/codexbin ./cmd/fsmdoc ./cmd/deskbridge/... ./matrix/audit

.PHONY: help build demo codex browser quick test race certify explore mutate lint generate verify bench bench-e2e bench-poll \
	measure-steers fuzz clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the daemon into ./deskbridge
	go build -o deskbridge ./cmd/deskbridge

demo: build ## a chat page, a real Codex, a scripted model: open the printed address
	./deskbridge demo --cache $(CACHE)

codex: ## fetch the pinned Codex from npm into .cache/
	go run ./cmd/fetchcodex -dir $(CACHE)/codex

browser: ## install Chromium, where it is missing and apt is there
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium; }

quick: ## the inner loop: tests without Codex, browser and daemon
	go test $(QUICK)
	go test -run 'UnderVirtualTime|Imports' ./matrix
	go test -run Document ./matrix/certify

test: codex browser ## every test; fetches Codex and Chromium
	go test -timeout 30m $$(go list $(PACKAGES) | grep -v /transitions/explore)
	@set -o pipefail; go test -timeout 30m -v ./transitions/explore | grep -v -E '^=== |never taken|equivalent: |^ +--- PASS'

race: codex browser ## every test under the race detector, but for the exploration
	go test -timeout 30m -race $$(go list $(PACKAGES) | grep -v /transitions/explore)

certify: ## run real Codex versions through what the bridge needs of them: VERSIONS=all, or some with commas
	@set -o pipefail; go test -count 1 -timeout 60m -v ./matrix/certify -versions '$(VERSIONS)' | grep -v -E '^=== '

explore: ## explore larger worlds than the tests do, for an hour
	go test -timeout 0 -v -run 'TestExplore$$' ./transitions/explore -explore.large

mutate: ## try every single mutation of the tables, not a sample as the tests do
	go test -timeout 0 -v -run 'TestMutants$$' ./transitions/explore -mutate.sample 0

lint: ## vet and staticcheck
	go vet $(PACKAGES)
	go tool staticcheck $(PACKAGES)

generate: ## write what is generated: the machines' documents, golden files
	go run ./cmd/fsmdoc -out golden/machine -doc docs/machine.md -into README.md
	go test ./matrix -run UnderVirtualTime -update
	go test ./matrix/certify -run Document -update

verify: lint ## generated files are fresh, gofmt, vet, lint, tidy, nothing ignored is tracked
	go run ./cmd/fsmdoc -check
	@test -z "$$(gofmt -l .)" || { echo 'not gofmt-ed:'; gofmt -l .; exit 1; }
	@test -z "$$(git ls-files -ci --exclude-standard)" || { echo 'tracked, though ignored:'; git ls-files -ci --exclude-standard; exit 1; }
	go mod tidy -diff
	go mod verify

bench: ## the benchmarks, each beside its floor; docs/performance.md says how to read them
	go test -run '^$$' -bench . -benchtime 2s ./fsm ./fsm/durable ./transitions ./store ./adapters/codex
	go test -run '^$$' -bench . -benchtime 5x ./cmd/deskbridge/daemon

bench-e2e: codex ## messages through SDK, daemon and real Codex, beside direct turns
	go test -run '^$$' -bench EndToEnd -benchtime 60x ./matrix
	go test -run '^$$' -bench SideBySide -benchtime 1x ./matrix

bench-poll: ## a poll of a thread of 5,000 turns beside one of 5
	go test -run '^$$' -bench PollOfALongThread -benchtime 100x ./matrix/certify

measure-steers: ## where steers around a turn's end end up: 200 and 200 a version, in VERSIONS; a few minutes each
	go test -run '^$$' -bench SteersAroundTheEnd -benchtime 200x -timeout 60m ./matrix/certify -versions '$(VERSIONS)'

fuzz: ## a minute of fuzzing for each decoder
	@for p in $$(go list $(PACKAGES)); do for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
		go test -run '^$$' -fuzz "^$$f$$" -fuzztime 60s $$p || exit 1; done; done

clean: ## remove what was built and fetched
	rm -rf deskbridge $(CACHE)
