"""The benchmark of ONNX models: its table, and what it says of a limit that is missed."""

from __future__ import annotations

import pytest

from bench import imported

TIMES = {"import": 0.5, "import, cpu": 0.4, "compile": 30.0, "compile, cpu": 8.0, "peak": 4e8}
FIRST = {**TIMES, "c": 5e5, "digest": "a", "difference": 1e-6, "ours": 0.002, "peer": 0.003}
SECOND = {**TIMES, "compile": 0.5, "c": 5e5, "digest": "a"}


def table(monkeypatch: pytest.MonkeyPatch, **figures: object) -> imported.Table:
    found = {"size": 1e8, "first": {**FIRST, **figures}, "second": SECOND}
    monkeypatch.setattr(imported, "measured", lambda name: found)
    return imported.models(["densenet121"])


def test_a_row_has_its_figures(monkeypatch: pytest.MonkeyPatch):
    made = table(monkeypatch)
    (row,) = made.rows
    found = dict(zip(made.columns, row, strict=True))
    assert not made.missed
    assert (found["compile s"], found["second s"], found["ratio"]) == (8, 0.5, 1.5)
    assert (found["same C"], found["most MB"], found["met"]) == ("yes", 600, "yes")


@pytest.mark.parametrize(
    ("figures", "missed"),
    [
        ({"compile": 11.0, "compile, cpu": 12.0}, "compile (s): expected at most 10, found 11"),
        ({"peak": 7e8}, "memory of compiling (MB): expected at most 600, found 700"),
        ({"digest": "b"}, "texts of C that differ: expected at most 0, found 1"),
        ({"difference": 2e-4}, "difference: expected at most 0.0001, found 0.0002"),
        ({"c": 2e6}, "text of C (bytes): expected at most 1e+06, found 2e+06"),
    ],
)
def test_a_limit_that_is_missed_is_told(
    figures: dict[str, object], missed: str, monkeypatch: pytest.MonkeyPatch
):
    made = table(monkeypatch, **figures)
    assert made.missed == [f"densenet121, {missed}"]
    assert made.rows[0][-1] == "NO"


def test_a_model_that_fails_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(imported, "measured", lambda name: {})
    made = imported.models(["vgg19"])
    assert not made.rows
    assert made.missed == ["vgg19: expected its figures, found a process that failed"]
