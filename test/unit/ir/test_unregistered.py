"""Ops that are not registered may stand in our functions; nothing is known of them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest

from lowering.emit_c.c_target import CTarget
from lowering.pipeline import ALL_PASSES, PASSES, lower
from relax_dialect import interpret
from relax_dialect.errors import RelaxError
from relax_dialect.ir.traits import has_trait
from relax_dialect.parsing import ProgramError, new_context, parse, verify

T = "!relax.tensor<[n], f32>"
PROGRAM = f"""
relax.func @main(%x: {T}) -> {T} {{
  %a = "my.op"(%x) {{k = 1 : i32}} : ({T}) -> {T}
  "my.effect"(%x) : ({T}) -> ()
  %b = "my.op"(%x) {{k = 1 : i32}} : ({T}) -> {T}
  "my.region"(%a) ({{
    %c = relax.exp %a : ({T}) -> {T}
    "my.end"(%c) : ({T}) -> ()
  }}) : ({T}) -> ()
  %r = relax.add %a, %x : ({T}, {T}) -> {T}
  relax.return %r : {T}
}}
"""


def context():
    found = new_context()
    found.allow_unregistered = True
    return found


def ours(text: str) -> list[str]:
    return re.findall(r'"my\.\w+"', text)


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in ALL_PASSES
        if not n.endswith(
            (
                "params",
                "vars",
                "quantize",
                "gradient",
                "-type",
                "-constants",
                "tir-by-pattern",
                "-prove",
                "-layout",
                "relax-shard",
            )
        )
    ],
)
def test_no_pass_touches_them(name: str):
    """They may have any effect: none is dropped, merged or moved, and none is compiled."""
    module = parse(PROGRAM, context=context())
    if name in ("relax-lower-functions", "relax-lower-through-normal-forms", "relax-to-loops"):
        with pytest.raises(
            RelaxError, match=r"@main: my\.op \(%a\): expected ops that can be compiled"
        ):
            lower(
                module,
                [*(n for n in PASSES if n != "relax-lower-functions"), name],
                context=context(),
            )
        return
    lower_one = ALL_PASSES[name]()()
    lower_one.apply(context(), module)
    verify(module)
    assert ours(str(module)) == ours(PROGRAM)


def test_they_have_no_traits_and_unknown_effects():
    module = parse(PROGRAM, context=context())
    op = next(op for op in module.walk() if ours(str(op)) == ['"my.op"'])
    from xdsl.traits import IsTerminator, Pure

    assert not has_trait(op, Pure) and not has_trait(op, IsTerminator)
    dataflow = f"""relax.func @f(%x: {T}) -> {T} {{
      %a = relax.dataflow {{
        %b = "my.op"(%x) : ({T}) -> {T}
        relax.output %b : {T}
      }}
      relax.return %a : {T}
    }}"""
    with pytest.raises(
        ProgramError, match=r"my\.op \(%b\): expected ops without effects in relax.dataflow"
    ):
        parse(dataflow, context=context())


def test_interpreter_and_c_name_them():
    module = parse(PROGRAM, context=context())
    with pytest.raises(RelaxError, match=r"@main: my\.op \(%a\): expected an op with semantics"):
        interpret.run(module, "main", np.zeros(3, np.float32))
    text = 'func.func @f(%x: memref<4xf32>) attributes {relax.entry} { "my.op"(%x) : (memref<4xf32>) -> ()\nfunc.return }'
    with pytest.raises(RelaxError, match=r"C: operation my\.op is not supported"):
        CTarget().emit(context(), parse(text, context=context()), io.StringIO())


def test_traits_are_asked_for_through_our_own_function():
    """xDSL's `has_trait` says that an op which is not registered has every trait."""
    root = Path(__file__).parents[3]
    files = [p for package in ("relax_dialect", "lowering") for p in (root / package).rglob("*.py")]
    bare = re.compile(r"\.has_trait\((?![^()]*value_if_unregistered)")
    direct = [str(p) for p in files if bare.search(p.read_text("utf-8"))]
    assert not direct, "use relax_dialect.ir.traits.has_trait"
