"""MCP's official conformance suite against a daemon, at each version of the protocol that both know. Skipped where node
and the suite are not installed (`scripts/setup --clients`).

The suite is made for a server with tools, prompts and resources of its own, which ours has not. What that leaves is
listed below with its reason; a scenario that the lists do not have, or have wrongly, fails the test.
"""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.process import Process, serving
from tests.test_clients_javascript import NODE, PACKAGES

SUITE = PACKAGES / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
VERSIONS = ("2025-06-18", "2025-11-25", "2026-07-28", "extension")
WIRE = "wire-schema-valid"
"""A check of every scenario: what we answered has the form of the protocol, also where the scenario fails."""

MUST_PASS: Mapping[str, Mapping[str, str]] = {
    "caching": {"sep-2549-prompts-list-caching-hints": "there are no prompts"},
    "dns-rebinding-protection": {},
    "http-header-validation": {},
    "input-required-result-unsupported-methods": {},
    "ping": {},
    "resources-list": {},
    "sep-2164-resource-not-found": {},
    "server-initialize": {},
    "server-sse-multiple-streams": {"server-sse-multiple-streams-session": "there are no sessions, which are optional"},
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability": "asks for a tool of the suite's own",
        "sep-2575-missing-capability-http-400": "asks for a tool of the suite's own",
    },
    "tools-list": {},
}
"""The scenarios that say something about us, each with the checks in it that cannot pass, and why."""

PASS_ANYHOW = {
    "any answer passes, also that there is no such tool": (
        "input-required-result-ignore-extra-params",
        "tools-call-error",
        "tools-call-simple-text",
    ),
}
CANNOT_PASS = {
    "calls a tool of the suite's own": (
        "json-schema-2020-12",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-image",
        "tools-call-mixed-content",
        "tools-call-with-progress",
    ),
    "reads a resource of the suite's own": ("resources-read-binary", "resources-read-text", "resources-templates-read"),
    "no tool of ours asks the client or its user": (
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "input-required-result-basic-elicitation",
        "input-required-result-basic-list-roots",
        "input-required-result-basic-sampling",
        "input-required-result-capability-check",
        "input-required-result-missing-input-response",
        "input-required-result-multi-round",
        "input-required-result-multiple-input-requests",
        "input-required-result-request-state",
        "input-required-result-result-type",
        "input-required-result-tampered-state",
        "input-required-result-validate-input",
        "tools-call-elicitation",
        "tools-call-sampling",
    ),
    "there are no prompts, and we declare none": (
        "input-required-result-non-tool-request",
        "prompts-get-embedded-resource",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-with-image",
        "prompts-list",
    ),
    "there is nothing to complete, and we declare none": ("completion-complete",),
    "nothing is logged to the client, and we declare none": ("logging-set-level", "tools-call-with-logging"),
    "resources cannot be subscribed to, as we declare": ("resources-subscribe", "resources-unsubscribe"),
    "there are no sessions and no streams, which are optional": ("server-session-lifecycle", "server-sse-polling"),
    "no tool of ours has arguments in headers": ("http-custom-header-server-validation",),
    "an extension that we have not": (
        "sep-2640-skills-directory",
        "sep-2640-skills-enumeration",
        "sep-2640-skills-manifest",
        "tasks-capability-negotiation",
        "tasks-dispatch-and-envelope",
        "tasks-lifecycle",
        "tasks-mrtr-composition",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-request-state-removal",
        "tasks-required-task-error",
        "tasks-status-notifications",
        "tasks-wire-fields",
    ),
}

pytestmark = pytest.mark.skipif(not (NODE.exists() and SUITE.exists()), reason="scripts/setup --clients installs it")


@dataclass
class Outcome:
    """What a scenario's checks said at one version, by their ids."""

    good: set[str] = field(default_factory=set)
    bad: dict[str, str] = field(default_factory=dict)

    @property
    def passes(self) -> bool:
        return not self.bad and bool(self.good - {WIRE})


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with serving(tmp_path_factory.mktemp("daemon")) as process:
        yield process


@pytest.fixture(scope="module", params=VERSIONS)
def outcomes(
    request: pytest.FixtureRequest, daemon: Process, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outcome]:
    """What each scenario of a version came to."""
    folder, version = tmp_path_factory.mktemp("suite"), request.param
    only = [] if version == "extension" else ["--spec-version", version]
    url = f"{daemon.url}/mcp"
    said = suite("server", "--url", url, "--suite", "all", "--timeout", "5000", "-o", str(folder), *only)
    found = {name: outcome(folder, name) for name, versions in listed().items() if version in versions}
    assert found, said
    assert not [name for name, one in found.items() if one is None], said
    return {name: one for name, one in found.items() if one is not None}


def names(lists: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [name for listed_there in lists.values() for name in listed_there]


def suite(*arguments: str) -> str:
    done = subprocess.run([NODE, SUITE, *arguments], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def listed() -> dict[str, list[str]]:
    """The scenarios for servers that the suite has, with their versions."""
    found = re.findall(r"^ *- (\S+) \[(.*)\]$", suite("list", "--server"), re.MULTILINE)
    return {name: versions.split(",") for name, versions in found}


def outcome(folder: Path, scenario: str) -> Outcome | None:
    """None for a scenario that did not run."""
    paths = list(folder.glob(f"server-{scenario}-2*/checks.json"))
    found = Outcome()
    for check in (check for path in paths for check in json.loads(path.read_text())):
        if check["status"] in ("FAILURE", "WARNING"):
            found.bad[check["id"]] = check.get("errorMessage") or check["description"]
        elif check["status"] == "SUCCESS":
            found.good.add(check["id"])
    return found if paths else None


def test_each_scenario_is_in_one_of_the_lists() -> None:
    assert sorted([*MUST_PASS, *names(PASS_ANYHOW), *names(CANNOT_PASS)]) == sorted(listed())


def test_what_we_answer_has_the_form_of_the_protocol(outcomes: dict[str, Outcome]) -> None:
    assert not {name: one.bad[WIRE] for name, one in outcomes.items() if WIRE in one.bad}


def test_what_applies_passes(outcomes: dict[str, Outcome]) -> None:
    for name, without in MUST_PASS.items():
        if one := outcomes.get(name):
            assert not {check: why for check, why in one.bad.items() if check not in without}, name
            assert one.bad or one.good - {WIRE}, f"{name} has tried nothing"
    assert not {name: one.bad for name in names(PASS_ANYHOW) if (one := outcomes.get(name)) and not one.passes}


def test_what_cannot_pass_does_not(outcomes: dict[str, Outcome]) -> None:
    assert not [name for name in names(CANNOT_PASS) if name in outcomes and outcomes[name].passes]
    checks = [(name, check) for name in MUST_PASS if name in outcomes for check in MUST_PASS[name]]
    assert not [(name, check) for name, check in checks if check in outcomes[name].good - outcomes[name].bad.keys()]
