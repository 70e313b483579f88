"""`pytest --sample`: every test function at least once, but few of its parameters.

Of the runs of a function the first one is kept, and another one that is drawn by the function's name, so that
over many functions all kinds of parameters come up. With `--cpu` another one is drawn. Tests that are marked `long`
(growth of time and memory, long random searches, all cases at once) are left out; `--write-left-out` writes them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

import pytest

OPTION = "--sample"


def pytest_addoption(group: pytest.OptionGroup) -> None:
    group.addoption(OPTION, action="store_true", help="few parameters of each test function")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"long: takes long; {OPTION} leaves it out")


_KEPT: set[str] = set()
"""The names among the parameters of the tests that are run, if only a sample is."""


def sampled(names: Iterable[str]) -> list[str]:
    """Those of some names that are parameters of tests to be run; all of them without a sample."""
    return [name for name in names if name in _KEPT] if _KEPT else list(names)


def left_out(items: Sequence[pytest.Item], salt: str = "") -> list[pytest.Item]:
    """The items that a sample leaves out."""
    runs: dict[str, list[pytest.Item]] = {}
    for item in items:
        runs.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for name, of_one in runs.items() for item in _sample(name + salt, of_one)}
    given = [vars(item)["callspec"].params.values() for item in kept if "callspec" in vars(item)]
    _KEPT.update(value for values in given for value in values if isinstance(value, str))
    return [item for item in items if item not in kept or item.get_closest_marker("long")]


def _sample(name: str, runs: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    """The first run and the one that the name selects."""
    others = runs[1:]
    return [runs[0], Random(name).choice(others)] if others else runs
