"""`pytest --sample`: every test function at least once, but few of its parameters.

Of the runs of a function the first one is kept, and another one that is drawn by the function's name, so that
over many functions all kinds of parameters come up. With `--cpu` another one is drawn. Tests that are marked `long`
(growth of time and memory, long random searches, all cases at once) are left out, and without `--cpu` those that are
marked `slow` (a fifth of a second of a core or more); `--write-left-out` writes both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import pytest

OPTION = "--sample"


def pytest_addoption(group: pytest.OptionGroup) -> None:
    group.addoption(OPTION, action="store_true", help="few parameters of each test function")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"long: takes long; {OPTION} leaves it out")
    config.addinivalue_line("markers", f"slow: {OPTION} leaves it out on this machine's own CPU")


_KEPT: dict[str, set[str]] = {}
"""By file, the names among the parameters and constants of the tests that are run, if only a sample is."""


def sampled(names: Iterable[str]) -> list[str]:
    """The names that tests of this file, if run, have as parameters or name themselves; all of them without a sample."""
    kept = _KEPT.get(os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0])
    return list(names) if kept is None else [name for name in names if name in kept]


def left_out(items: Sequence[pytest.Item], cpu: str = "") -> list[pytest.Item]:
    """The items that a sample leaves out; `cpu` is another CPU than this machine's."""
    marks = ("long",) if cpu else ("long", "slow")
    runs: dict[str, list[pytest.Item]] = {}
    for item in items:
        runs.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for name, of_one in runs.items() for item in _sample(name + cpu, of_one)}
    left = [i for i in items if i not in kept or any(map(i.get_closest_marker, marks))]
    for item in kept.difference(left):
        _KEPT.setdefault(item.nodeid.partition("::")[0], set()).update(_names(item))
    return left


def _names(item: pytest.Item) -> Iterator[str]:
    """The texts among the parameters of a test and the constants of its function."""
    values = [*vars(item)["callspec"].params.values()] if "callspec" in vars(item) else []
    code = getattr(getattr(item, "function", None), "__code__", None)
    values += code.co_consts if code is not None else ()
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            values += value


def _sample(name: str, runs: Sequence[pytest.Item]) -> Sequence[pytest.Item]:
    """The first run and the one that the name selects."""
    others = runs[1:]
    return [runs[0], Random(name).choice(others)] if others else runs
