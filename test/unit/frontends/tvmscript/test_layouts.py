"""TVM's operators are read in each layout that TVM takes, in blocks too; by hand the script tries some 3,700 calls."""

from __future__ import annotations

from itertools import islice

from optional import package

package("tvm")


def test_layouts():
    from tvm_layouts import fate, rows, theirs

    some = [row for row in islice(rows(), 40, None, 149) if "known" in row.name]
    modules = {row.name: theirs(row) for row in some}
    found = {name: fate(module) for name, module in modules.items() if module is not None}
    assert len(found) > 15 and any("16c" in name for name in found)
    assert {name: each for name, each in found.items() if each not in ("equal", "narrower")} == {}
