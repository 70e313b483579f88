"""Kernels on memrefs that read and write each other's memory: a schedule is refused, or changes no element."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator

import numpy as np
import pytest
from drawn_memref_kernels import Program, drawn_program, written_program
from optional import amount, shortened
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg

from lowering import lower
from relax_dialect import interpret
from relax_dialect import parse as parse_module
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import SCHEDULE

from .test_random_schedules import Drawn

DRAWN = int(os.environ.get("RELAX_EXAMPLES", amount(18, 15)))
"""How many kernels are drawn; more on demand."""


def scheduled(module: ModuleOp, steps: str) -> ModuleOp:
    module = module.clone()
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    function.attributes[SCHEDULE] = StringAttr(steps)
    return lower(module, ["relax-schedule"], verify_each=True)


def check(p: Program, module: ModuleOp, steps: str) -> None:
    """Compare what a schedule makes of a kernel with what it was, in all arguments."""
    arrays = p.arrays(len(steps))
    expected, found = ([array.copy() for array in arrays] for _ in range(2))
    interpret.run(module, "f", *expected)
    interpret.run(scheduled(module, steps), "f", *found)
    for one, other in zip(expected, found):
        np.testing.assert_array_equal(other, one, err_msg=p.text(steps))


# Written by hand

SIZES = {"m": 4, "n": 5, "k": 4, "q": 4, "r": 2, "s": 3, "u": 2, "z": 0}

PREPARED = "double x:mk -> a:mk"

PRODUCT = """
fill c:mn
product a:mk b:kn -> c:mn
"""

REFUSED = {
    "its_source_is_filled": (
        f"{PREPARED}\nfill x:mk{PRODUCT}",
        "fuse_producer(in0)",
        "an op that reads nothing that is written in between, found one that does",
    ),
    "it_is_fused_already": (
        PREPARED + PRODUCT,
        "fuse_producer(in0)\nfuse_producer(in0)",
        "an op right before that writes each element of in0 once, found none",
    ),
    "it_is_read_by_other_loops": (
        f"{PREPARED}\nfill c:mq\nproduct a:mk a:kq -> c:mq",
        "fuse_producer(in0)",
        "each tile to read its own elements of in0, found some that read others too",
    ),
    "an_epilogue_reads_other_elements": (
        f"{PREPARED}\nfill c:mq\nproduct a:mk b:kq -> c:mq\nboth c:mq a:qm -> y:mq",
        "fuse_epilogue()\nfuse_producer(in0)",
        "each tile to read its own elements of in0, found some that read others too",
    ),
    "an_epilogue_writes_its_source": (
        "double x:mq -> a:mq\nfill c:mq\nproduct a:mk b:kq -> c:mq\ndouble c:mq -> x:mq",
        "fuse_epilogue()\nfuse_producer(in0)",
        "an op that reads nothing that is written in between, found one that does",
    ),
    "it_sums": (
        f"sum y:mkq -> a:mk{PRODUCT}",
        "fuse_producer(in0)",
        "an op right before that writes each element of in0 once, found none",
    ),
    "it_adds_to_what_was_there": (
        f"sum x:mk -> a:mk{PRODUCT}",
        "fuse_producer(in0)",
        "an op right before that writes each element of in0 once, found none",
    ),
    "it_is_in_another_order": (
        f"double(km) x:mk -> a:mk{PRODUCT}",
        "fuse_producer(in0)",
        "an op right before that writes each element of in0 once, found none",
    ),
    "it_counts_places": (
        f"index x:mk -> a:mk{PRODUCT}",
        "fuse_producer(in0)",
        "an op right before that writes each element of in0 once, found none",
    ),
    "padded_sums_begin_with_what_was_there": (
        "product a:mk b:kn -> c:mn",
        "tile(d1, 4)\npack(in1, d1)\npad(d1)",
        "a result that is filled before it is added to, found what was there before",
    ),
    "padded_sums_follow_a_producer": (
        f"{PREPARED}\nproduct a:mk b:kn -> c:mn",
        "fuse_producer(in0)\ntile(d1, 4)\npack(in1, d1)\npad(d1)",
        "a result that is filled before it is added to, found what was there before",
    ),
    "cached_results_are_read": (
        "double a:mk -> a:mk",
        "cache_write(d0, d1)",
        "a result that is filled before it is added to, found what was there before",
    ),
    "padded_results_are_read": (
        "fill c:mq\nproduct c:mk b:kq -> c:mq",
        "tile(d1, 3)\npack(in1, d1)\npad(d1)",
        "a result that is filled before it is added to, found what was there before",
    ),
    "cached_sums_begin_with_what_was_there": (
        "product a:mk b:kn -> c:mn\ndouble c:mn -> c:mn",
        "fuse_epilogue()\ncache_write(d0, d1)",
        "a result that is filled before it is added to, found what was there before",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_change_elements_is_refused(name: str):
    text, steps, message = REFUSED[name]
    module = parse_module(written_program(text, SIZES).text(""))
    with pytest.raises(RelaxError, match=re.escape(f"expected {message}")):
        scheduled(module, steps)


PADDED = """
func.func @f(%x: memref<4xf32>, %at: index, %y: memref<9xf32>) {{
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<9xf32>
  linalg.fill ins(%zero : f32) outs(%padded : memref<9xf32>)
  %inside = memref.subview %padded[{at}] [4] [{step}] : memref<9xf32> to memref<4xf32, strided<[{step}], offset: {offset}>>
  memref.copy %x, %inside : memref<4xf32> to memref<4xf32, strided<[{step}], offset: {offset}>>
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
      ins(%padded : memref<9xf32>) outs(%y : memref<9xf32>) {{
  ^bb0(%e: f32, %r: f32):
    %0 = arith.addf %e, %e : f32
    linalg.yield %0 : f32
  }}
  memref.dealloc %padded : memref<9xf32>
  func.return
}}
"""


@pytest.mark.parametrize(
    ("at", "step", "offset"), [("1", 2, "1"), ("%at", 1, "?")], ids=["apart", "anywhere"]
)
def test_what_lies_in_a_border_otherwise_is_not_its_padding(at: str, step: int, offset: str):
    module = parse_module(PADDED.format(at=at, step=step, offset=offset))
    with pytest.raises(RelaxError, match="an op right before that writes each element of in0 once"):
        scheduled(module, "fuse_producer(in0)")


RIGHT = {
    "shifted_tiles_of_shorter_ones": (
        "both a:mk b:mk -> c:mk",
        "tile(d1, 3)\ntile(d1, 4, shifted=true)",
    ),
    "shifted_tiles_of_the_rest": (
        "both a:mn b:mn -> c:mn",
        "tile(d1, 4)\ntile(d1, 3, shifted=true)",
    ),
    "copies_of_what_is_read_from_its_second_element_on": (
        "fill c:m\nproduct x:m+k+1 w:k -> c:m",
        "tile(d0, 3)\ncache_read(in0)",
    ),
    "separate_sums_of_what_is_computed": (
        "fill c:m\nadd_double x:mnq w:q -> c:m",
        "separate(d1)",
    ),
    "panels_of_no_columns": (
        "fill c:mz\nproduct a:mk b:kz -> c:mz",
        "tile(d1, 4, multiple=2)\npack(in1, d1)\nhoist(in1)\ntile(d0, 3)\npad(d1)\nvectorize(d1, 2)",
    ),
    "values_from_outside_of_the_body": (
        "outside a:mn -> c:mn",
        "interchange(d1, d0)\nvectorize(d1, 4)",
    ),
    "what_follows_a_convolution_in_memory_made_for_it": (
        "fill c:qkmn\nproduct x:q,u,m+r,n+s w:kurs -> c:qkmn\n"
        "alloc t:qkmn\ndouble c:qkmn -> t:qkmn\nalloc y:qkmn\ndouble t:qkmn -> y:qkmn\nshow y",
        "img2col(4096)\ntile(d0, 2)",
    ),
    "what_follows_writes_where_it_reads": (
        f"{PREPARED}{PRODUCT}both c:mn y:n -> c:mn",
        "fuse_epilogue()\nfuse_producer(in0)\ntile(d0, 3)\ncache_write(d0, d1)",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_elements_are_the_same(name: str):
    text, steps = RIGHT[name]
    p = written_program(text, SIZES)
    check(p, parse_module(p.text("")), steps)


# At random


def accepted(module: ModuleOp, steps: Iterator[str]) -> str:
    """The steps that are not refused, each after those before it."""
    taken = ""
    for step in steps:
        try:
            scheduled(module, f"{taken}{step}\n")
        except RelaxError as error:
            assert "a fault of the compiler" not in str(error)
        else:
            taken += f"{step}\n"
    return taken


def drawn_steps(draw: random.Random, module: ModuleOp) -> Iterator[str]:
    """What fuses ops, tiles, and any other steps."""
    ops = [op for op in module.walk() if isinstance(op, linalg.GenericOp)]
    main = next((op for op in ops if "reduction" in str(op.iterator_types)), ops[0])
    drawn = Drawn(draw, len(main.iterator_types), len(main.inputs))
    fusing = ("fuse_producer(in0)", "fuse_producer(in1)", "fuse_producer(in0)", "fuse_epilogue()")
    yield from draw.sample((*fusing, "fuse_epilogue()"), draw.randrange(5))
    yield from draw.choice(((), ("tile(d0, 2)",), ("tile(d0, 2)", "tile(d1, 3)")))
    for _ in range(amount(6, 3)):
        yield drawn.step()


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("seed", range(3))
def test_a_drawn_schedule_is_refused_or_changes_no_element(seed: int):
    for number in range(DRAWN // 3):
        draw = random.Random(f"memrefs {seed} {number}")
        p = drawn_program(draw)
        module = parse_module(p.text(""))
        if steps := accepted(module, drawn_steps(draw, module)):
            check(p, module, steps)
