"""The benchmark of whole networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from bench import models
from bench.comparing import page_faults
from bench.work import Work

FIGURES: Mapping[str, float | None] = {
    **{"first": 4.0, "first, cpu": 3.0, "second": 0.25, "second, cpu": 0.2, "bound": 2e6},
    **{"ours, peak": 3e6, "ours, faults": 0.0},
}


def test_a_table_has_a_row_for_each_network(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(models, "_in_a_process", lambda work, peers: FIGURES)
    table = models.table(())
    assert [row[0] for row in table.rows] == list(models.NETWORKS)
    assert all(len(row) == len(table.columns) for row in table.rows)
    found = dict(zip(table.columns, table.rows[0]))
    assert (found["compile s"], found["second time s"]) == (4, 0.25)
    assert (found["bound MB"], found["ours peak MB"], found["ours page faults"]) == (2, 3, 0)


def test_a_network_that_fails_is_told(monkeypatch: pytest.MonkeyPatch):
    def one_fails(work: Work, peers: Sequence[str]) -> Mapping[str, float | None]:
        return {} if work.name.startswith("encoder") else FIGURES

    monkeypatch.setattr(models, "_in_a_process", one_fails)
    table = models.table(())
    assert [row[0] for row in table.rows] == ["ResNet-18, 224"]
    (missed,) = table.missed
    assert missed.startswith("encoder") and missed.endswith("found a process that failed")


@pytest.mark.slow
def test_the_peak_is_what_a_call_takes():
    found = models.peak(lambda: np.ones(8 << 20))
    assert found is None or 60 << 20 <= found <= 80 << 20


def test_faults_are_those_of_new_memory():
    kept = np.ones(8 << 20)
    assert page_faults(lambda: kept.sum()) < 100
