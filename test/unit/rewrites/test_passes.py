"""The passes on random programs: what they mean stays, results verify, a second run changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from optional import examples
from random_programs import Program, programs
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.cse import eliminate_common_subexpressions
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.algebra.fold_constant import fold_constants
from relax_dialect.rewrites.calls.inline_private_functions import inline_private_functions
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.rewrites.calls.remove_unused_outputs import remove_unused_outputs
from relax_dialect.rewrites.calls.remove_unused_parameters import remove_unused_parameters
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_bindings
from relax_dialect.rewrites.forms.convert_to_dataflow import convert_to_dataflow
from relax_dialect.rewrites.forms.normalize import normalize
from relax_dialect.rewrites.forms.to_non_dataflow import to_non_dataflow
from relax_dialect.rewrites.forms.topological_sort import topological_sort
from relax_dialect.rewrites.params.bind_params import bind_params
from relax_dialect.rewrites.shapes.bind_symbolic_vars import bind_symbolic_vars
from relax_dialect.transform.regions import functions

from .random_functions import ARGUMENTS, modules

PASSES: dict[str, Callable[[ModuleOp], None]] = {
    "canonicalize-bindings": canonicalize_bindings,
    "convert-to-dataflow": convert_to_dataflow,
    "cse": eliminate_common_subexpressions,
    "dce": eliminate_dead_code,
    "fold-constant": fold_constants,
    "inline-private-functions": inline_private_functions,
    "lambda-lift": lambda_lift,
    "normalize": normalize,
    "remove-unused-outputs": remove_unused_outputs,
    "remove-unused-parameters": remove_unused_parameters,
    "to-non-dataflow": to_non_dataflow,
    "topological-sort": topological_sort,
}
EXAMPLES = examples(6)


def outcome(module: ModuleOp, *args: Any, capsys: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    """The results of a program, and the text it prints on the way."""
    capsys.readouterr()
    result = run(module, "main", *args)
    return result, capsys.readouterr().out


def applied(module: ModuleOp, *names: str) -> ModuleOp:
    """The module after some passes, verified after each."""
    for name in names:
        PASSES[name](module)
        verify(module, f"after {name}")
    return module


def results(module: ModuleOp) -> Iterator[ModuleOp]:
    """The different results of each pass alone; a second run changes nothing, nor does reading one."""
    text = str(module)
    assert str(parse(text)) == text
    seen = {text}
    for name in PASSES:
        note(name)
        changed = applied(module.clone(), name)
        once = str(changed)
        if once not in seen:
            yield changed
            assert str(parse(once)) == once
        if once != text:
            assert str(applied(changed, name)) == once
        seen.add(once)


def check_each(module: ModuleOp, capsys: pytest.CaptureFixture[str]) -> None:
    """A program gives and prints the same after each pass alone."""
    module = parse(str(module))
    before = outcome(module, *ARGUMENTS, capsys=capsys)
    for changed in results(module):
        assert outcome(changed, *ARGUMENTS, capsys=capsys) == before


@pytest.mark.slow
@pytest.mark.shortened
def test_on_programs_with_effects(capsys: pytest.CaptureFixture[str]):
    @EXAMPLES
    @given(modules(effects=True))
    def check(module: ModuleOp) -> None:
        check_each(module, capsys)

    check()


@pytest.mark.slow
@pytest.mark.shortened
def test_on_graphs(capsys: pytest.CaptureFixture[str]):
    @EXAMPLES
    @given(modules(graph=True))
    def check(module: ModuleOp) -> None:
        check_each(module, capsys)

    check()


@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
@pytest.mark.parametrize("direction", ["from-inputs", "from-outputs"])
@examples(4)
@given(modules(graph=True))
def test_orders_of_graphs(order: Any, direction: Any, module: ModuleOp):
    before = run(module, "main", *ARGUMENTS)
    topological_sort(module, order, direction)
    verify(module)
    assert run(module, "main", *ARGUMENTS) == before


def result_of(program: Program) -> Any:
    """The results of a program; None where it fails, as dimensions do not fit at run time."""
    try:
        return run(program.module, "main", *program.arguments)
    except RelaxError:
        return None


def assert_results(module: ModuleOp, args: Sequence[Any], expected: Any) -> None:
    for a, b in zip(run(module, "main", *args, check_types=True), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
@EXAMPLES
@given(program=programs())
def test_on_symbolic_dataflow(program: Program):
    module, expected = parse(str(program.module)), result_of(program)
    for changed in results(module):
        if expected is not None:
            assert_results(changed, program.arguments, expected)


@pytest.mark.slow
@examples(16)
@given(modules(effects=True), st.lists(st.sampled_from(sorted(PASSES)), max_size=6))
def test_passes_compose(module: ModuleOp, names: list[str]):
    module = parse(str(module))
    before = run(module, "main", *ARGUMENTS)
    assert run(applied(module, *names), "main", *ARGUMENTS) == before


@EXAMPLES
@given(program=programs())
def test_bind_symbolic_vars(program: Program):
    module = parse(str(program.module))
    expected = result_of(program)
    sizes = {v.data: program.sizes[v.data] for v in functions(module)[0].function_type.variables}
    try:
        bind_symbolic_vars(module, sizes)
    except RelaxError:
        assert expected is None, "only a program that fails may be refused"
        return
    verify(module)
    assert not functions(module)[0].function_type.variables.data
    if expected is not None:
        assert_results(module, program.arguments, expected)


@EXAMPLES
@given(program=programs(), data=st.data())
def test_bind_params(program: Program, data: st.DataObject):
    module = parse(str(program.module))
    (function,) = functions(module)
    names = [f"p{letter}" for letter in "abcdef"[: len(program.arguments)]]
    for name, param in zip(names, function.body.block.args):
        param.name_hint = name
    bound = data.draw(st.sets(st.sampled_from(names)))
    arrays = dict(zip(names, program.arguments))
    expected = result_of(program)
    try:
        bind_params(module, {name: arrays[name] for name in bound})
        verify(module)
    except RelaxError:
        assert expected is None, "only a program that fails may be refused"
        return
    if expected is not None:
        rest = [array for name, array in arrays.items() if name not in bound]
        assert_results(module, rest, expected)


CALLS = """
relax.func private @square(%a: !relax.tensor<[k], f32>, %b: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %c = relax.match_cast %b : !relax.tensor<[k], f32> -> !relax.tensor<[j], f32>
  %s = relax.shape [j]
  %d = relax.reshape %a, %s : (!relax.tensor<[k], f32>, !relax.shape<[j]>) -> !relax.tensor<[j], f32>
  %e = relax.multiply %d, %c : (!relax.tensor<[j], f32>, !relax.tensor<[j], f32>) -> !relax.tensor<[j], f32>
  %f = relax.match_cast %e : !relax.tensor<[j], f32> -> !relax.tensor<[k], f32>
  relax.return %f : !relax.tensor<[k], f32>
}
relax.func @main(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>, %k: !relax.tensor<[k], f32>) -> !relax.object {
  %p = relax.call @square(%x, %y) : (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %q = relax.call @square(%k, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[k], f32>
  %r = relax.call @square(%k, %k) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>
  %t = relax.tuple %p, %q, %r : (!relax.tensor<[?], f32>, !relax.tensor<[k], f32>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[k], f32>, !relax.tensor<[?], f32>>
  relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<[k], f32>, !relax.tensor<[?], f32>>
}
"""


@pytest.mark.parametrize("sizes", [(3, 3, 3), (3, 3, 2), (2, 3, 3), (0, 0, 0)])
def test_inlining_keeps_the_checks_of_a_call(sizes: tuple[int, int, int]):
    args = [np.arange(size, dtype=np.float32) for size in sizes]
    module = parse(CALLS)
    inlined = applied(parse(CALLS), "inline-private-functions")
    assert [f.sym_name.data for f in functions(inlined)] == ["main"]
    try:
        expected = run(module, "main", *args)
    except RelaxError:
        with pytest.raises(RelaxError, match="expected size"):
            run(inlined, "main", *args)
        return
    for a, b in zip(run(inlined, "main", *args), expected, strict=True):
        np.testing.assert_array_equal(a, b)
    for a in expected:
        np.testing.assert_array_equal(a, args[0] ** 2)


def test_zeros_of_both_signs_are_two_constants():
    module = parse(
        """
        relax.func @main() -> tuple<f32, f32> {
          %a = arith.constant 0.0 : f32
          %b = arith.constant -0.0 : f32
          %t = relax.tuple %a, %b : (f32, f32) -> tuple<f32, f32>
          relax.return %t : tuple<f32, f32>
        }
        """
    )
    a, b = run(applied(module, "cse"), "main")
    assert not np.signbit(a) and np.signbit(b)
