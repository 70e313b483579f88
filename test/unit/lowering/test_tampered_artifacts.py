"""Artifacts that were tampered with are refused with the cause, in a process that lives on."""

from __future__ import annotations

import random

import pytest
from fuzz import artifacts
from fuzz.cases import Fault
from isolated import each
from optional import amount, shortened

SYSTEMATIC = list(artifacts.systematic())

HARMLESS = {"as it was", "../own/net.so: library", "c_name 'net_main'", "parameters tensor"}
"""What changes nothing."""


def attempt(case: tuple[str, artifacts.Act]) -> str:
    try:
        return artifacts.tried(*case)
    except Fault as fault:
        return f"FAULT {fault}"


@pytest.mark.slow
@shortened
def test_tampered_artifacts():
    drawn = [artifacts.drawn(random.Random(f"artifact {i}")) for i in range(amount(20, 10))]
    cases = SYSTEMATIC + drawn
    found = {i: text or f"FAULT {ended}" for i, text, ended in each(attempt, cases, 1, 60, 1 << 24)}
    faults = [f"{cases[i][0]}: {text}" for i, text in found.items() if text.startswith("FAULT")]
    assert not faults
    right = {cases[i][0] for i, text in found.items() if text == "right"}
    assert right >= HARMLESS
    assert not any("of another build" in name or "cut" in name for name in right)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("cut at 0.5: library, restated", "expected a library that ends with its digest"),
        ("zeros from 0.5: library, restated", "expected a library that ends with its digest"),
        ("of another build: library, restated", "found one of another program"),
        ("of another build: weights, restated", "made for another model"),
        ("c_name 'system'", "found one of another program, or compiled with other options"),
        ("not named: weights", "found one of another program, or compiled with other options"),
        ("link out: weights", "in the same folder, no link, found 'net.weights'"),
        ("pipe: weights", "found none that can be read: it is a pipe"),
    ],
)
def test_the_cause(name: str, cause: str):
    assert cause in artifacts.tried(name, dict(SYSTEMATIC)[name])
