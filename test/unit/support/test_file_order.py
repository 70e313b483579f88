"""Dear files are handed to workers first: `file_order.py`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from file_order import dearest_first


@dataclass(frozen=True)
class Item:
    """A test as pytest collects it."""

    nodeid: str
    marks: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return Path(self.nodeid.partition("::")[0])

    def iter_markers(self) -> list[pytest.Mark]:
        return [pytest.Mark(name, (), {}, _ispytest=True) for name in self.marks]


def test_functions_and_marks_outweigh_parameters():
    many = [Item(f"many.py::test_all[{number}]") for number in range(20)]
    two = [Item("two.py::test_a"), Item("two.py::test_b")]
    long = [Item("long.py::test_growth", ("long", "parametrize"))]
    items: Any = [*many, *long, *two]
    dearest_first(items)
    assert items == [*two, *long, *many]


def test_equals_and_tests_of_a_file_keep_their_order():
    items: Any = [Item(f"{file}.py::test_{name}") for file in "bac" for name in "yx"]
    dearest_first(ordered := [*items])
    assert ordered == items
