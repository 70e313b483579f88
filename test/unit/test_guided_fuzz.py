"""A share of the search for faults in files of strangers, and the inputs that were faults once."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from fuzz import guided
from fuzz.cases import limited_memory, time_limit
from optional import amount, package, shortened

from relax_dialect import RelaxError
from relax_dialect.parsing import deep_recursion

OLD = [(name, file) for name in guided.TARGETS for file in guided.corpus(name)]


@pytest.mark.parametrize(("name", "file"), OLD, ids=lambda v: v.name if isinstance(v, Path) else v)
def test_what_was_a_fault_is_none(name: str, file: Path):
    with limited_memory(200), time_limit(3), deep_recursion(), suppress(RelaxError):
        guided.TARGETS[name].read(file.read_bytes())


@shortened
@pytest.mark.parametrize("name", guided.TARGETS)
def test_damaged_files(name: str, monkeypatch: pytest.MonkeyPatch):
    if name == "models":
        package("onnx", "onnx")
    target = guided.TARGETS[name]
    monkeypatch.setattr(target, "most", 6)
    monkeypatch.setattr(target, "kept", [])
    guided.batch(name, random.Random(f"{name} 1"), amount(8, 4))
    assert target.coverage.reached > 100
