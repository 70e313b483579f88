"""A share of the search of `fuzz/schedules.py`, and that it finds what is wrong."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest
from bounds import faults
from drawn_followers import Case, module_of
from drawn_kernels import Kernel
from fuzz import schedules
from fuzz.cases import Fault
from optional import FULL, GCC, needs, sanitizers
from sanitized_calls import CallError, call_sanitized
from xdsl.dialects import memref
from xdsl.dialects.builtin import f32
from xdsl.dialects.linalg import ops as linalg

import lowering
from lowering.emit_c import emit
from lowering.ir.insertion import Inserter
from lowering.schedule.regroup import elementwise_through_view
from relax_dialect.builder import op
from relax_dialect.parsing import parse

CASES = int(os.environ.get("RELAX_FUZZ_CASES", "24" if FULL else "12"))
SANITIZERS = needs(GCC, sanitizers("gcc", "apt install gcc"))


@pytest.mark.slow
@pytest.mark.shortened
@SANITIZERS
def test_what_is_scheduled_computes_the_same_within_its_memory():
    assert schedules.batch(random.Random(f"schedules {CASES}"), CASES) == CASES


def grouped_convolution() -> Case:
    """A convolution in groups, an elementwise op, a transposition."""
    kernel = Kernel(random.Random(0), static=1)
    image, weights = kernel.tensor(2, 8, 6, 6), kernel.tensor(8, 2, 3, 3)
    make = lambda v: op.relu(op.conv2d(v[image], v[weights], groups=4))  # noqa: E731
    return Case(kernel, make, [lambda x, v: op.permute_dims(x, [0, 2, 3, 1])], [False])


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_view_that_is_read_transposed_would_be_found(
    is_checked: bool, monkeypatch: pytest.MonkeyPatch
):
    if not is_checked:
        monkeypatch.setattr(elementwise_through_view, "_is_read_in_order", lambda view, op: True)
    module = module_of([grouped_convolution()]).module
    if is_checked:
        schedules.lowered(module, "generic", 1)
    else:
        with pytest.raises(AssertionError, match=r"relax-schedule: .*are not \d elements"):
            schedules.lowered(module, "generic", 1)


def test_a_fault_names_its_function():
    kernels = [Kernel(random.Random(0)) for _ in range(2)]
    for kernel in kernels:
        kernel.tensor(3, 4)
    cases = [Case(kernel, lambda v: op.tanh(v[0]), [], []) for kernel in kernels]
    found = schedules._fault(module_of(cases).module, "f1", "generic", 0, "what")
    assert "@f1: what" in str(found) and "@f1" in found.program and "@f0" not in found.program
    assert isinstance(found, Fault)


@pytest.mark.slow
@SANITIZERS
def test_a_crash_names_its_function():
    module = parse("""
relax.func @first(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @second(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.call_tir @beyond(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
func.func private @beyond(%x: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c9 = arith.constant 9 : index
  %v = memref.load %x[%c9] : memref<?xf32>
  memref.store %v, %out[%c9] : memref<?xf32>
  func.return
}""")
    x = np.zeros(3, np.float32)
    source = emit(lowering.lower(module), "model")
    flags = ("-O0", "-g1", "-fsanitize=address")
    assert call_sanitized(source, {"first": ([x], [x])}, flags)["first"][0].tolist() == [0, 0, 0]
    with pytest.raises(CallError, match="heap-buffer-overflow") as raised:
        call_sanitized(source, {name: ([x], [x]) for name in ("first", "second")}, flags)
    assert raised.value.function == "second"


@pytest.mark.parametrize(
    "body, wrong",
    [
        ("memref.load %x[%i, %c0] : memref<2x6xf32>", r"subscript 0 is in \[0, 2\]"),
        ("memref.load %x[%c0, %i] : memref<2x6xf32>", None),
        ("memref.store %v, %x[%c0, %twice] : memref<2x6xf32>", None),
        ("memref.store %v, %x[%i, %twice] : memref<2x6xf32>", r"subscript 0 is in \[0, 2\]"),
        ("memref.load %x[%less, %c0] : memref<2x6xf32>", r"subscript 0 is in \[-1, 1\]"),
        ("vector.load %x[%c0, %twice] : memref<2x6xf32>, vector<2xf32>", None),
        ("vector.load %x[%c0, %twice] : memref<2x6xf32>, vector<4xf32>", "of 4 elements, in 6"),
        (
            "vector.store %w, %x[%c0, %twice] : memref<2x6xf32>, vector<4xf32>",
            "of 4 elements, in 6",
        ),
        (
            "memref.subview %x[0, %twice] [2, 2] [1, 1] : memref<2x6xf32> to memref<2x2xf32, strided<[6, 1], offset: ?>>",
            None,
        ),
        (
            "memref.subview %x[0, %twice] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1], offset: ?>>",
            "of 3 elements, in 6",
        ),
        (
            "memref.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 2] : memref<2x6xf32> into memref<2x3x2xf32>",
            None,
        ),
        (
            "memref.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 4] : memref<2x6xf32> into memref<2x3x4xf32>",
            "are not 6 elements",
        ),
        ("memref.collapse_shape %x [[0, 1]] : memref<2x6xf32> into memref<12xf32>", None),
        ("memref.collapse_shape %x [[0, 1]] : memref<2x6xf32> into memref<13xf32>", "13 elements"),
        ("memref.collapse_shape %x [[0]] : memref<2x6xf32> into memref<2xf32>", "not those of 2"),
    ],
)
def test_bounds(body: str, wrong: str | None):
    text = f"""func.func @f(%x: memref<2x6xf32>, %v: f32, %w: vector<4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {{
    %twice = arith.muli %i, %c2 : index
    %less = arith.subi %i, %c1 : index
    {"" if "store" in body else "%r = "}{body}
  }}
  func.return
}}"""
    assert_found(text, wrong)


def assert_found(text: str, wrong: str | None) -> None:
    found = list(faults(parse(text)))
    if wrong is None:
        assert not found
    else:
        assert len(found) == 1 and re.search(wrong, found[0])


def test_loops_of_two_lengths():
    text = """func.func @f(%x: memref<2x6xf32>, %y: memref<2x6xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x6xf32>) outs(%y : memref<2x6xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}"""
    module = parse(text)
    assert not list(faults(module))
    generic = next(op for op in module.walk() if isinstance(op, linalg.GenericOp))
    other = memref.AllocOp.get(f32, shape=[2, 5])
    Inserter(before=generic)(other)
    generic.operands[0] = other.memref
    (found,) = faults(module)
    assert "dimension #1" in found


@pytest.mark.parametrize("around", ["scf.for %i = %c0 to %n step %c1", "scf.if %b"])
def test_what_may_not_run_is_left_alone(around: str):
    text = f"""func.func @f(%x: memref<2xf32>, %n: index, %b: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  {around} {{
    %v = memref.load %x[%c2] : memref<2xf32>
  }}
  func.return
}}"""
    assert_found(text, None)
    assert_found(
        text.replace("%n step", "%c2 step").replace(around, "scf.for %i = %c0 to %c2 step %c1"),
        "subscript 0",
    )
