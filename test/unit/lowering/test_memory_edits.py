"""Programs of test/filecheck/lowering with one change each: where the passes over memory fire, and where they must not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, f32
from xdsl.ir import Block

from lowering.ir.insertion import Inserter
from lowering.memory.in_place.owned_buffers import computed
from lowering.pipeline import lower
from relax_dialect import parse, symbolic

PROGRAMS = Path(__file__).parents[2] / "filecheck" / "lowering"
FUNCTION = re.compile(r"^func\.func (?:.*[^{\n]$|.*{\n(?:.*\n)*?}$)", re.M)
ROW, ROWS, VECTOR = "memref<1x4xf32>", "memref<?x4xf32>", "memref<?xf32>"
CONCAT = f"func.call @concat(%m, %t, %a, %next) : (index, {ROWS}, {ROW}, {ROWS}) -> ()"
DOUBLE = f"func.call @double(%n, %a, %b) : (index, {VECTOR}, {VECTOR}) -> ()"
JOIN = "func.call @concat(%n, %m, %a, %b, %out)"
LOAD = "%v = memref.load %row[%c0] : memref<4xf32, strided<[1], offset: ?>>"
PART = "memref<4xf32, strided<[1], offset: ?>>"

PASSES_OF = {
    "reuse_buffers_slices": "relax-reuse-buffers",
    "concat_in_place_in_loops": "relax-concat-in-place",
}
"""The passes of the programs in files of another name."""

CASES: Mapping[tuple[str, str, str], Sequence[tuple[int, str, str]]] = {
    # file, function, the text that is counted in the result: how often it is there after a change
    ("concat_in_place_in_loops", "grows", "scf.if"): [
        (1, "", ""),
        # the next state is looked at before, as another view, or is read
        (0, CONCAT, f"%same = memref.cast %next : {ROWS} to {ROWS}\n{CONCAT}"),
        (0, CONCAT, f"func.call @last(%m, %next, %a) : (index, {ROWS}, {ROW}) -> ()\n{CONCAT}"),
        # the state is appended to itself
        (0, CONCAT, f"%r = memref.cast %t : {ROWS} to {ROW}\n{CONCAT.replace('%a', '%r')}"),
        # what is appended is freed by nobody: it is copied
        (1, f"memref.dealloc %a : {ROW}", ""),
        # the loop starts from what the caller owns, or what is freed later
        (0, "(%s = %own)", "(%s = %x)"),
        (0, f"memref.dealloc %y : {ROWS}", f"memref.dealloc %own : {ROWS}"),
        # the condition passes on something else; the turn does not free the old state
        (
            0,
            "scf.condition(%c) %s",
            f"%o = memref.cast %s : {ROWS} to {ROWS}\nscf.condition(%c) %o",
        ),
        (0, f"memref.dealloc %t : {ROWS}", ""),
        # the size that is demanded is known to the running function alone
        (1, "arith.addi %n, %c7 : index", "arith.muli %long, %c1 : index"),
    ],
    # room for 16 KiB at least; where the result is not known, for 128 times what there is, 1 MiB at most
    ("concat_in_place_in_loops", "grows", " 16384 "): [(1, "", "")],
    ("concat_in_place_in_loops", "grows", " 1048576 "): [
        (0, "", ""),
        (1, 'cf.assert %ok, "too short"', ""),
    ],
    ("concat_in_place_in_loops", "grows", " 2048 "): [
        (0, "", ""),
        (1, 'cf.assert %ok, "too short"', ""),
    ],
    ("reuse_buffers", "chain", "@double_in_place("): [
        (3, "", ""),
        # the buffer was looked at before, or is larger
        (2, DOUBLE, f"func.call @look(%n, %b) : (index, {VECTOR}) -> ()\n{DOUBLE}"),
        (0, "%b = memref.alloc(%n)", "%k = arith.addi %n, %n : index\n%b = memref.alloc(%k)"),
        # what would be written over lives on
        (2, f"memref.dealloc %a : {VECTOR}", ""),
        (
            2,
            "memref.dealloc %a : ",
            "scf.for %i = %n to %n step %n { memref.dealloc %a : memref<?xf32> } //",
        ),
    ],
    ("concat_in_place", "parts", "relax.part"): [
        (2, "", ""),
        # the result was looked at before
        (0, JOIN, f"func.call @look(%sum, %out) : (index, {VECTOR}) -> ()\n{JOIN}"),
        # a part is freed by nobody, or lies in something larger
        (1, f"memref.dealloc %b : {VECTOR}", ""),
        # a part that another function makes is copied, of the size that its signature tells
        (
            1,
            f"%a = memref.alloc(%n) : {VECTOR}",
            f"%a = func.call @sized(%n) : (index) -> {VECTOR}",
        ),
    ],
    ("concat_in_place", "parts", "maxsi"): [(0, "", "")],
    # a small part is not written to a large result at once
    ("concat_in_place", "parameter", "relax.part"): [
        (1, "", ""),
        (0, '["n"]}) {', '["3 * n"]}) {'),
    ],
    ("reuse_buffers_slices", "read", "memref.reinterpret_cast"): [
        (2, "", ""),
        # readers that copy a part of the slice, that cast it, and that write to it
        (
            2,
            LOAD,
            f"%t = memref.alloc() : memref<4xf32>\nmemref.copy %row, %t : {PART} to memref<4xf32>\n{LOAD}",
        ),
        (
            0,
            LOAD,
            f"%t = memref.alloc() : memref<4xf32>\nmemref.copy %t, %row : memref<4xf32> to {PART}\n{LOAD}",
        ),
        (2, LOAD, f"%t = memref.cast %row : {PART} to {PART}\n{LOAD.replace('%row', '%t')}"),
        (0, LOAD, f"%t = memref.cast %row : {PART} to {PART.replace('?', '8')}\n{LOAD}"),
        # the whole is freed in a block of its own
        (
            0,
            "memref.dealloc %x : ",
            "scf.for %i = %n to %n step %n { memref.dealloc %x : memref<?x8xf32> } //",
        ),
    ],
    ("buffer_results_to_out_params", "turns", "scf.yield %next, %t"): [
        (1, "", ""),
        # the state begins in what the caller owns, is another one for the next turn, or is freed by nobody
        (0, "(%s = %own)", "(%s = %x)"),
        (
            0,
            "scf.condition(%c) %s",
            f"%o = memref.cast %s : {VECTOR} to {VECTOR}\nscf.condition(%c) %o",
        ),
        (0, f"memref.dealloc %t : {VECTOR}", ""),
        # the running function alone knows its size
        (0, '@turns(%n: index {relax.symbol = "n"}', "@turns(%n: index"),
    ],
    ("buffer_results_to_out_params", "branches", "memref.copy %x, %y"): [
        (1, "", ""),
        # both results are one buffer, or one is the caller's
        (0, "scf.yield %a, %b", "scf.yield %a, %a"),
        (0, "scf.yield %a, %b", "scf.yield %x, %b"),
    ],
    ("buffer_results_to_out_params", "caller", "func.call @double(%k, %a)"): [
        (1, "", ""),
        # the result does not have the size that the signature says, or none that callers know or allocate
        (0, '["n + 1"]}) {', '["n + 2"]}) {'),
        (0, '["n + 1"]}) {', '["?"]}) {'),
        (0, '["n + 1"]}) {\n  %c1 = arith.constant 1', '["n - 1"]}) {\n  %c1 = arith.constant -1'),
        (0, f"%y = memref.alloc(%m) : {VECTOR}", f"%y = func.call @given() : () -> {VECTOR}"),
    ],
    # half of what is freed here is worth to keep the rest
    ("reuse_buffers_slices", "small", "memref.reinterpret_cast"): [
        (1, "", ""),
        (2, "?x2xf32", "?x4xf32"),
    ],
    # a function for views that no call takes in the end does not stay
    ("reuse_buffers_slices", "joined", "_strided"): [(0, "", "")],
}


@cache
def text(file: str, name: str) -> str:
    """One function of a program, with the private ones of it."""
    found = FUNCTION.findall((PROGRAMS / f"{file}.mlir").read_text())
    return "\n".join(f for f in found if re.match(rf"func\.func (private|@{name}\()", f))


GIVEN = f"""
func.func private @given() -> {VECTOR}
func.func private @sized(%n: index {{relax.symbol = "n"}}) -> ({VECTOR} {{relax.dims = ["n"]}}) {{
  %x = memref.alloc(%n) : {VECTOR}
  func.return %x : {VECTOR}
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_one_change(case: tuple[str, str, str]):
    file, function, counted = case
    program = text(file, function)
    for expected, old, new in CASES[case]:
        assert old in program
        module = parse(GIVEN + program.replace(old, new))
        lower(module, [PASSES_OF.get(file, f"relax-{file.replace('_', '-')}")], verify_each=True)
        assert str(module).count(counted) == expected, (old, new)


def test_sizes_that_are_not_known_leave_no_op():
    """The second size may be negative, is another function's, or is defined for some `n` alone."""
    n = Block(arg_types=[IndexType()]).args[0]
    insert = Inserter(end=(block := Block()))
    type = MemRefType(f32, [DYNAMIC_INDEX] * 2)
    for size in ("n - 1", "m", "64 floordiv n"):
        shape = [symbolic.parse("3 * n"), symbolic.parse(size)]
        assert computed(insert, type, shape, {"n": n}) is None
        assert n.first_use is None and block.first_op is None
    assert computed(insert, type, [*map(symbolic.parse, ("3 * n", "n"))], {"n": n}) is not None
