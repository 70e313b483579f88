"""Patterns that can match nothing are refused where they are built; those that match something are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import IRDLOperation, OptionalDef

import relax_dialect
from relax_dialect.dpl import (
    Pattern,
    PatternError,
    dominates,
    has_type,
    is_constant,
    is_function,
    is_input,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    together,
    wildcard,
)

w, relu, softmax = wildcard, is_op("relu"), is_op("softmax")

REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a tuple where operands stand one by one": (
        lambda: is_op("concat")(is_tuple([w(), w()], unordered=True)),
        "found tuple(*, *, in any order), which computes a tuple, as operand 0 of relax.concat, which takes a tensor; write "
        "its operands one by one",
    ),
    "a shape for a tensor": (
        lambda: relu(is_shape(["n"])),
        "which computes a shape, as operand 0 of relax.relu, which takes a tensor",
    ),
    "a tensor for a shape": (
        lambda: is_op("reshape")(w(), relu),
        "found relu, which computes a tensor, as operand 1 of relax.reshape, which takes a shape",
    ),
    "a function for a tensor": (
        lambda: relu(is_function(None, w())),
        "which computes a function, as operand 0 of relax.relu, which takes a tensor",
    ),
    "in either order": (
        lambda: is_op("add")(is_constant(), is_op("tuple")),
        "found tuple, which computes a tuple, as operand 1 of relax.add, which takes a scalar or a tensor",
    ),
    "of either operator": (
        lambda: (is_op("add") | is_op("where"))(is_tuple(), w(), varg_default_wildcard=True),
        "relax.add, which takes a scalar or a tensor and tuple(...), which computes a tuple, as operand 0 of relax.where",
    ),
    "a type for an operand": (
        lambda: relu(has_type(w(), "!relax.shape<[n]>")),
        "which computes a shape, as operand 0 of relax.relu",
    ),
    "an op of another dialect": (
        lambda: is_op("arith.addf")(relu, w()),
        "found relu, which computes a tensor, as operand 0 of arith.addf, which takes",
    ),
    "a dtype of a tuple": (
        lambda: is_tuple([w()]).has_dtype("f32"),
        "found tuple(*), which computes a tuple, where a tensor is asked for",
    ),
    "a dtype of a shape": (
        lambda: is_shape([4]).has_dtype("f32"),
        "which computes a shape, where a tensor is asked for",
    ),
    "a type of another class": (
        lambda: relu.has_type("!relax.shape<[n]>"),
        "found relu, which computes a tensor, where a shape is asked for",
    ),
    "the shape of a tuple": (
        lambda: relu.same_shape_as(is_tuple()),
        "found tuple(...), which computes a tuple, where a shape or a tensor is asked for",
    ),
    "an attribute of a parameter": (
        lambda: is_input().has_attr("axis", 1),
        "found a parameter, which has no attributes",
    ),
    "text for a number": (
        lambda: softmax.has_attr("axis", "x"),
        "has_attr('axis'): expected a number, found 'x'; look it up in docs/operators.md",
    ),
    "a list for a number": (
        lambda: softmax.has_attr("axis", [1]),
        "has_attr('axis'): expected a number, found [1]",
    ),
    "a number for a text": (
        lambda: is_op("conv2d").has_attr("data_layout", 3),
        "has_attr('data_layout'): expected a text, found 3",
    ),
    "text for numbers": (
        lambda: is_op("conv2d").has_attr("strides", "same"),
        "has_attr('strides'): expected numbers, found 'same'",
    ),
    "no element type": (
        lambda: is_op("astype").has_attr("dtype", "flaot32"),
        "has_attr('dtype'): expected an element type, found 'flaot32'",
    ),
    "one kind for any operator": (
        lambda: w().has_attr("keepdims", "yes"),
        "has_attr('keepdims'): expected a number, found 'yes'",
    ),
    "what is never left out": (
        lambda: is_tuple_get_item(w()) & is_op("tuple_get_item").has_attr("index", None),
        "has_attr('index'): expected a number, found None, which is never left out",
    ),
    "a consumer that is a parameter": (
        lambda: relu.used_by(is_input()),
        "found a consumer without operands",
    ),
    "a child that is a constant": (
        lambda: dominates(relu, w(), is_constant()),
        "found the child const, which has no operands",
    ),
    "a root that is a parameter": (
        lambda: together(relu(x := w()), is_input() & x),
        "as a root, which is a value of a block",
    ),
    "any output of one": (
        lambda: is_tuple_get_item(relu),
        "found output 0 of relax.relu, which has one, which is no tuple",
    ),
    "any field of none": (
        lambda: is_tuple_get_item(is_tuple([])),
        "found output 0 of a tuple of 0 fields",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_is_refused(make: Callable[[], object], message: str):
    with pytest.raises(PatternError) as error:
        make()
    assert message in str(error.value)


ALLOWED: dict[str, Callable[[], object]] = {
    "an object may be a tensor": lambda: relu(has_type(w(), "!relax.object")),
    "a shape of a shape": lambda: is_shape().has_shape([2]).has_type("!relax.shape<[2]>"),
    "a shape of anything": lambda: w().has_shape([2]) & has_type(w(), "!relax.shape<[2]>"),
    "the other way round": lambda: has_type(w(), "!relax.shape<[2]>") & w().has_shape([2]),
    "a tensor of a shape": lambda: w().has_shape([2]).has_dtype("f32"),
    "one of two": lambda: (relu | is_op("tuple"))(is_tuple([w()])),
    "an argument in its order": lambda: is_op("full")(is_shape(), w()),
    "what a field is": lambda: relu(is_tuple([w()])[0]),
    "what a call gives": lambda: relu(is_function(None, w())(None)),
    "one number for several": lambda: is_op("conv2d").has_attr("strides", 2),
    "a whole number for a fraction": lambda: is_op("leakyrelu").has_attr("alpha", 1),
    "an element type": lambda: is_op("astype").has_attr("dtype", "float32"),
    "what may be left out": lambda: is_op("split").has_attr("sections", None),
}


@pytest.mark.parametrize("make", ALLOWED.values(), ids=ALLOWED)
def test_is_allowed(make: Callable[[], object]):
    assert isinstance(make(), Pattern)


# Patterns read off programs -------------------------------------------------------------------

OPS = Path(__file__).resolve().parents[2] / "filecheck" / "ops"
FAMILIES = sorted(folder.name for folder in OPS.iterdir() if folder.is_dir())


def arguments(op: Operation) -> list[Pattern]:
    """A pattern for each operand of an op: of its type, and of the op that it comes from."""
    return [has_type(w() if _is_any(v) else is_op(type(v.op)), v.type) for v in op.operands]  # pyright: ignore


def _is_any(value: SSAValue) -> bool:
    return not isinstance(value, OpResult) or not isinstance(value.op, IRDLOperation)


def left_out(op: IRDLOperation) -> list[str]:
    properties = op.get_irdl_definition().properties
    return [
        n for n, d in properties.items() if isinstance(d, OptionalDef) and n not in op.properties
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_program_holds_is_never_refused(family: str):
    """Each op of the programs of a family, written as a pattern, matches the op."""
    seen: set[str] = set()
    for file in sorted((OPS / family).glob("*.mlir")):
        text = file.read_text()
        if "split-input-file" in text or "verify-diagnostics" in text:
            continue
        for op in relax_dialect.parse(text).walk():
            if not isinstance(op, IRDLOperation) or not op.results or op.regions or op.name in seen:
                continue
            seen.add(op.name)
            pattern = is_op(type(op))(*arguments(op))
            for name, value in op.properties.items():
                assert isinstance(value, Attribute)
                if name != "operandSegmentSizes":
                    pattern = pattern.has_attr(name, value)
            for name in left_out(op):
                pattern = pattern.has_attr(name, None)
            assert pattern.match(op.results[0]), op
    assert seen
