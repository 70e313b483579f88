"""Files in the order of their cost, dearest first, in which the workers of pytest-xdist take them.

`--dist loadfile` itself begins with the files of most tests: a few long tests come last, and one worker ends alone. With
`--no-loadscope-reorder` it keeps the order of collection. The cost of a file is estimated from its tests and their marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

FUNCTION = 50
"""The cost of a test function: what its runs share is most of it. A further run costs 1."""
MARKED: Mapping[str, int] = {"slow": 10, "long": 30, "shortened": 30}
"""What a run with one of these marks costs more."""


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Sort the items that are left by the cost of their files."""
    yield
    dearest_first(items)


def dearest_first(items: list[pytest.Item]) -> None:
    """Sort items by the cost of their files; within a file, and among equals, their order stays."""
    costs: Counter[Path] = Counter()
    for item in items:
        costs[item.path] += 1 + sum(MARKED[m.name] for m in item.iter_markers() if m.name in MARKED)
    for path, _ in {(item.path, item.nodeid.partition("[")[0]) for item in items}:
        costs[path] += FUNCTION
    items.sort(key=lambda item: -costs[item.path])
