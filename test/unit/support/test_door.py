"""The way of a module through `compile`: its type is checked once, and no folder is entered repeatedly."""

import sys
from collections import Counter
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import lowering
from relax_dialect import parse

ROOT = Path(__file__).parents[3]
DRIVERS = ("lowering/driver.py", "lowering/pipeline.py")
RETURNS = 8
PROGRAM = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
"""


def file_of(frame: FrameType) -> str:
    path = frame.f_code.co_filename
    file = path.removeprefix(f"{ROOT}/")
    return file if file.startswith(("lowering/", "relax_dialect/")) else ""


def walk() -> tuple[list[str], Counter[str]]:
    """The folders of passes and of functions that the driver calls, in order, and counts of all calls."""
    rooms: list[str] = []
    calls = Counter[str]()
    module = parse(PROGRAM)

    def called(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not (file := file_of(frame)) or file in DRIVERS:
            return
        name, before = frame.f_code.co_name, frame.f_back
        calls[name] += 1
        while before is not None and not file_of(before):
            before = before.f_back
        caller = "" if before is None else file_of(before)
        if caller == DRIVERS[0] or (caller == DRIVERS[1] and name == "apply"):
            rooms.append("/".join(file.split("/")[:2]))

    sys.setprofile(called)
    try:
        lowering.compile(module, cache=False)
    finally:
        sys.setprofile(None)
    return rooms, calls


def test_a_module_is_checked_once_and_returns_to_no_folder():
    rooms, calls = walk()
    assert calls["require_module"] == 1
    visits = Counter(room for room, _ in groupby(rooms))
    assert visits["lowering/memory"] >= 1
    assert max(visits.values()) - 1 <= RETURNS, visits


if __name__ == "__main__":
    print(Counter(room for room, _ in groupby(walk()[0])))
