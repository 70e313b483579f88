"""Upper bounds of symbolic variables: checked by interpreter and C, and used where sizes are computed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from optional import UNOPTIMISED
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering.pipeline import lower
from relax_dialect import interpret, parse
from relax_dialect.errors import ExecutionError
from relax_dialect.ir.upper_bounds import upper_bounds
from relax_dialect.rewrites.shapes.bind_symbolic_vars import bind_symbolic_vars

ROW = "!relax.tensor<[n], f32>"
FLAT = "!relax.tensor<[n * m * m], f32>"


def program(bounds: str) -> ModuleOp:
    """A program that checks a product of sizes, and a size of at most 512."""
    return parse(f"""
relax.func @main(%x: !relax.tensor<[n, m], f32>, %y: {FLAT}) -> !relax.tensor<[n], f32>
    attributes {{{bounds}}} {{
  %s = relax.sum %x {{axis = array<i64: 1>}} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  %c = relax.match_cast %s : !relax.tensor<[n], f32> -> !relax.tensor<[min(n, 512)], f32>
  %r = relax.match_cast %c : !relax.tensor<[min(n, 512)], f32> -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}}
relax.func @calls(%x: {ROW}) -> {ROW} {{
  %0 = relax.call @small(%x) : ({ROW}) -> {ROW}
  relax.return %0 : {ROW}
}}
relax.func private @small(%x: {ROW}) -> {ROW} attributes {{tir_var_upper_bound = {{n = 3}}}} {{
  %0 = relax.negative %x : ({ROW}) -> {ROW}
  relax.return %0 : {ROW}
}}
relax.func @doubled(%x: {ROW}, %go: i1) -> !relax.tensor<[?], f32> attributes {{tir_var_upper_bound = {{n = 3}}}} {{
  %r = relax.if %go : (i1) -> !relax.tensor<[?], f32> {{
    %y = relax.concat %x, %x {{axis = 0 : i64}} : ({ROW}, {ROW}) -> !relax.tensor<[2 * n], f32>
    %z = relax.call @doubled(%y, %go) : (!relax.tensor<[2 * n], f32>, i1) -> !relax.tensor<[?], f32>
    relax.yield %z : !relax.tensor<[?], f32>
  }} else {{
    relax.yield %x : {ROW}
  }}
  relax.return %r : !relax.tensor<[?], f32>
}}""")


BOUNDS = "tir_var_upper_bound = {n = 3, m = 2}"


def arguments(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    return np.ones((n, m), np.float32), np.ones(n * m * m, np.float32)


def test_larger_sizes_are_refused_with_the_same_words():
    module = program(BOUNDS)
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    for run_of in (lambda name: partial(interpret.run, module, name), compiled.__getitem__):
        assert run_of("main")(*arguments(3, 2)).tolist() == [2, 2, 2]
        with pytest.raises(ExecutionError) as error:
            run_of("main")(*arguments(4, 2))
        assert str(error.value) == (
            "@main: expected n to be at most 3 (tir_var_upper_bound), found 4"
        )

        for name, given, found in (
            ("calls", (np.ones(4, np.float32),), "small: expected n to be at most 3 .*, found 4"),
            ("doubled", (np.ones(1, np.float32), True), "doubled: expected n .*, found 4"),
        ):
            with pytest.raises(ExecutionError, match=found):
                run_of(name)(*given)


def messages(bounds: str) -> list[str]:
    module = program(bounds)
    lower(module)
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    return [op.msg.data for op in main.walk() if isinstance(op, cf.AssertOp)]


def test_what_the_bounds_prove_is_not_checked():
    free, bounded = messages(""), messages(BOUNDS)
    assert any("min(n, 512)" in each for each in free)
    assert bounded == [each for each in bounded if "tir_var_upper_bound" in each]
    assert len(bounded) == 2


def test_bounds_of_variables_that_become_numbers_are_forgotten():
    module = program(BOUNDS)
    bind_symbolic_vars(module, {"m": 2})
    module.verify()
    main = module.ops.first
    assert main is not None
    assert upper_bounds(main) == {"n": 3}
