"""Programs on which each rule of -O1 is applied, by rule and element type, for z3 to prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder import op as ops
from relax_dialect.builder.constant_values import const
from relax_dialect.dpl import PatternRule, apply_rules
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify
from relax_dialect.rewrites.algebra.rule_sets import (
    broadcast_operands,
    casts,
    inverses,
    neutral,
    slice_rules,
    view_rules,
)
from relax_dialect.rewrites.algebra.simplify_algebra import rules
from relax_dialect.rewrites.recognition.recognize import einsums, products

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
DTYPES = (*FLOATS, *INTEGERS, "i1")

OPS: dict[str, Any] = {name: getattr(ops, name) for name in ops.operators()}

Build = Callable[..., Any]


def proved_rules() -> list[PatternRule]:
    """The rules that are proved bit by bit: those of relax-simplify-algebra, and those on products."""
    return [*rules(), *einsums.rules(), *products.rules()]


class Case(NamedTuple):
    """A program before and after a rule."""

    rule: PatternRule
    label: str
    """What tells it from other programs of the rule: its element types or shapes."""
    before: ModuleOp
    after: ModuleOp


def made(types: Sequence[TensorType], build: Build) -> ModuleOp | None:
    """The program of a function of some tensors, None where the operators do not take them."""
    builder = BlockBuilder()
    try:
        with builder.function(
            "main", {f"x{i}": type for i, type in enumerate(types)}
        ) as parameters:
            builder.emit_func_output(builder.emit(build(*parameters)))
        module = builder.get()
        verify(module)
    except RelaxError:
        return None
    return module


def case(rule: PatternRule, label: str, types: Sequence[TensorType], build: Build) -> Case | None:
    """The case of a rule, None where it does not apply."""
    before = made(types, build)
    if before is None:
        return None
    after = before.clone()
    if not apply_rules([rule], after):
        return None
    verify(after)
    return Case(rule, label, before, after)


def vector(dtype: str) -> TensorType:
    return TensorType(["n"], dtype)


def _number(row: neutral.NeutralElement, dtype: str) -> Any:
    """The number of a row, in an element type."""
    with suppress(RelaxError):
        kind = numpy_dtype(parse_dtype(dtype))
        kind = np.dtype(np.float32) if dtype == "bf16" else kind
        wanted = neutral._wanted(row, kind)  # pyright: ignore[reportPrivateUsage]
        return None if wanted is None else np.asarray(wanted).astype(kind).item()
    return None


def of_numbers() -> Iterator[Case | None]:
    """The rules on neutral and absorbing numbers."""
    for rule in neutral.rules():
        assert isinstance(rule, neutral.NumberRule)
        for dtype in DTYPES:
            number = _number(rule.row, dtype)
            for side in rule.row.sides if number is not None else ():

                def build(
                    x: Any, side: int = side, number: Any = number, dtype: str = dtype
                ) -> Any:
                    operands = [x, const(number, dtype)] if side else [const(number, dtype), x]
                    return OPS[rule.row.op](*operands)  # noqa: B023

                yield case(rule, dtype, [vector(dtype)], build)


def _of_two(rule: PatternRule, build: Build) -> Iterator[Case | None]:
    for dtype in DTYPES:
        yield case(rule, dtype, [vector(dtype), vector(dtype)], build)


def of_inverses() -> Iterator[Case | None]:
    """The rules on operators that undo or repeat one another."""
    rules = list(inverses.rules())
    pairs = [*inverses.UNDONE, *inverses.REPEATED, *inverses.COVERED]
    for rule, (outer, inner) in zip(rules, pairs):
        f, g = OPS[outer], OPS[inner]
        yield from _of_two(rule, lambda x, y, f=f, g=g: f(g(x)))
    signs: list[Build] = [
        lambda x, y: ops.add(x, ops.negative(y)),
        lambda x, y: ops.subtract(x, ops.negative(y)),
        lambda x, y: ops.multiply(ops.negative(x), ops.negative(y)),
        lambda x, y: ops.divide(ops.negative(x), ops.negative(y)),
        lambda x, y: ops.logical_not(ops.equal(x, y)),
        lambda x, y: ops.logical_not(ops.not_equal(x, y)),
    ]
    rest = rules[len(pairs) :]
    for rule, build in zip(rest, signs, strict=False):
        yield from _of_two(rule, build)
    for rule, name in zip(rest[len(signs) :], inverses.ROUNDINGS, strict=True):
        f = OPS[name]
        yield from _of_two(rule, lambda x, y, f=f: f(x))


def of_casts(share: Random | None = None) -> Iterator[Case | None]:
    """The rules on casts, for all element types; of the chains a twelfth where a random source is given."""
    own, chain = casts.rules()
    for first in DTYPES:
        yield case(own, first, [vector(first)], lambda x, first=first: x.astype(first))
        for middle in DTYPES:
            for last in DTYPES:
                label = f"{first} {middle} {last}"
                types = tuple(parse_dtype(dtype) for dtype in (first, middle, last))
                if casts.may_skip(*types) and (share is None or share.random() < 1 / 12):
                    yield case(
                        chain,
                        label,
                        [vector(first)],
                        lambda x, middle=middle, last=last: x.astype(middle).astype(last),
                    )


SHAPES: dict[str, tuple[Sequence[Any], Build]] = {
    "reshape": (["n", 4], lambda x: ops.reshape(x, ["n", 4])),
    "flatten": (["n"], ops.flatten),
    "expand_dims of no axis": (["n"], lambda x: ops.expand_dims(x, [])),
    "reshape of reshape": (
        ["n", 6],
        lambda x: ops.reshape(ops.reshape(x, ["6 * n"]), [3, "2 * n"]),
    ),
    "reshape of flatten": (["n", "m"], lambda x: ops.reshape(ops.flatten(x), ["m", "n"])),
    "reshape and back": (["n", "m"], lambda x: ops.reshape(ops.flatten(x), ["n", "m"])),
    "flatten of expand_dims": (["n", "m"], lambda x: ops.flatten(ops.expand_dims(x, 0))),
    "batch_flatten twice": (
        ["n", "m", 3],
        lambda x: ops.batch_flatten(ops.batch_flatten(x)),
    ),
    "expand_dims twice": (["n", 3], lambda x: ops.expand_dims(ops.expand_dims(x, 1), 0)),
    "squeeze twice": ([1, "n", 1], lambda x: ops.squeeze(ops.squeeze(x, [0]), [1])),
    "squeeze of expand_dims": (["n", 3], lambda x: ops.squeeze(ops.expand_dims(x, 0), [0])),
    "squeeze of reshape": (["n", 3], lambda x: ops.squeeze(ops.reshape(x, [1, 3, "n"]), [0])),
    "permute_dims": (["n", "m"], lambda x: ops.permute_dims(x, [0, 1])),
    "permute_dims twice": (
        ["n", "m", 3],
        lambda x: ops.permute_dims(ops.permute_dims(x, [1, 2, 0]), [1, 2, 0]),
    ),
    "permute_dims and back": (["n", "m", 3], lambda x: ops.permute_dims(ops.permute_dims(x))),
    "permute_dims between views": (
        [2, "n", "m", 5],
        lambda x: ops.reshape(
            ops.permute_dims(ops.reshape(x, ["2 * n", "m", 5]), [0, 2, 1]), [2, "n", 5, "m"]
        ),
    ),
    "permute_dims of parted axes": (
        [6, "n"],
        lambda x: ops.reshape(ops.permute_dims(ops.reshape(x, [2, 3, "n"]), [2, 0, 1]), ["n", 6]),
    ),
    "broadcast_to": (["n", 3], lambda x: ops.broadcast_to(x, ["n", 3])),
    "broadcast_to twice": (
        [1, "n"],
        lambda x: ops.broadcast_to(ops.broadcast_to(x, [4, "n"]), ["m", 4, "n"]),
    ),
}
"""Programs of views, by name: the shape of the operand and the operators."""


def of_views() -> Iterator[Case | None]:
    """The rules on views; only elements of one type, since views compute none."""
    for rule in view_rules.rules():
        for label, (shape, build) in SHAPES.items():
            types = [TensorType(shape, "f32")]
            if "m" not in shape and label == "broadcast_to twice":
                types.append(TensorType(["m"], "f32"))
                yield case(rule, label, types, lambda x, y, build=build: build(x))
            else:
                yield case(rule, label, types, build)


SPREAD = (["m"], [1, "m"], ["n", 1], [])
"""Shapes that are broadcast to [n, m]."""

OPERANDS = {"where": ("i1", "f32", "f32"), "masked_fill": ("f32", "i1")}
"""The element types of operands, where they differ."""

ONE_OF = ("f32", "i32", "i1")
"""Element types, one of which each other operator takes."""

BIASES = ([1, 1, "n", "m"], ["b", 1, 1, "m"], ["b", 1, "n", "m"])
"""Shapes of a bias of attention, which is broadcast to [b, 2, n, m]."""


def _spread(dtypes: Sequence[str], build: Build, rule: PatternRule) -> Iterator[Case | None]:
    """Programs that broadcast one operand of an operator, for each operand and shape."""
    for number in range(len(dtypes)):
        for shape in SPREAD:
            types = [TensorType(["n", "m"], dtype) for dtype in dtypes]
            types[number] = TensorType(shape, dtypes[number])

            def spread(*given: Any, number: int = number) -> Any:
                operands = list(given)
                operands[number] = ops.broadcast_to(operands[number], ["n", "m"])
                return build(*operands)

            yield case(rule, f"operand {number} of {shape}", types, spread)


def of_broadcasts() -> Iterator[Case | None]:
    """The rules on operands that are broadcast; of one element type that the operator takes, since the
    rules move elements only."""
    *elementwise, attention = broadcast_operands.rules()
    for rule, kind in zip(elementwise, broadcast_operands.BROADCASTING, strict=True):
        name = kind.name.removeprefix("relax.")
        count = len(kind.get_irdl_definition().operands)
        build = partial(ops.masked_fill, value=2.0) if name == "masked_fill" else OPS[name]
        choices = [OPERANDS[name]] if name in OPERANDS else [(t,) * count for t in ONE_OF]
        tried = (list(_spread(dtypes, build, rule)) for dtypes in choices)
        yield from next(filter(any, tried))
    for dtype in ("f32", "i1"):
        for shape in BIASES:
            types = [TensorType(["b", size, 2, 4], "f32") for size in ("n", "m", "m")]
            yield case(attention, "bias", [*types, TensorType(shape, dtype)], _biased)


def _biased(query: Any, key: Any, value: Any, bias: Any) -> Any:
    return ops.attention(query, key, value, ops.broadcast_to(bias, ["b", 2, "n", "m"]))


def _pieces(x: Any, parts: int | Sequence[int], axis: int) -> Any:
    pieces = ops.split(x, parts, axis)
    count = parts if isinstance(parts, int) else len(parts) + 1
    return [pieces[number] for number in range(count)]


TURNED = ["n", 6, "m"]
"""The shape of a tensor that slices read through a permutation."""


def _turned(x: Any, axes: Sequence[int] = (2, 0, 1)) -> Any:
    return ops.permute_dims(x, list(axes))


SLICES: dict[str, tuple[Sequence[Any], Build]] = {
    "whole axes": (["n", 4], lambda x: ops.strided_slice(x, [0, 1], [0, -4], ["n", 4])),
    "whole axis to its end": (["n", 4], lambda x: ops.strided_slice(x, [0], [0], [None])),
    "one row": (TURNED, lambda x: ops.strided_slice(_turned(x), [2], [3], [4])),
    "strides": (TURNED, lambda x: ops.strided_slice(_turned(x), [2], [1], [6], [2])),
    "backward": (TURNED, lambda x: ops.strided_slice(_turned(x), [-1], [None], [None], [-2])),
    "from the end": (TURNED, lambda x: ops.strided_slice(_turned(x), [0, 2], [-3, -2], [-1, 9])),
    "symbolic": (TURNED, lambda x: ops.strided_slice(_turned(x), [0, 1], [1, "m"], ["n", None])),
    "sections": (TURNED, lambda x: _pieces(_turned(x), 3, 2)),
    "sections with a rest": (TURNED, lambda x: _pieces(_turned(x), 4, -1)),
    "symbolic sections": (TURNED, lambda x: _pieces(_turned(x), 2, 1)),
    "pieces": (TURNED, lambda x: _pieces(_turned(x), [1, 4], 2)),
    "pieces of any size": (TURNED, lambda x: _pieces(_turned(x), [2], 0)),
    "an axis": (["n", 1, "m"], lambda x: ops.squeeze(_turned(x), [2])),
    "two axes": ([1, "n", 1, "m"], lambda x: ops.squeeze(_turned(x, (3, 2, 1, 0)), [-1, 1])),
    "all axes of 1": ([1, 4, 3, 1], lambda x: ops.squeeze(_turned(x, (2, 0, 3, 1)))),
    "a row": ([3, "n"], lambda x: ops.take(x, const(1, "i64"), 0)),
    "a row from the end": (["n", "m", 3], lambda x: ops.take(x, const(-3, "i32"), -1)),
    "an element": ([3], lambda x: ops.take(x, const(2, "i64"))),
}
"""Programs of slices, by name: the shape of the operand and the operators."""


def of_slices() -> Iterator[Case | None]:
    """The rules on slices."""
    for rule in slice_rules.rules():
        for label, (shape, build) in SLICES.items():
            yield case(rule, label, [TensorType(shape, "f32")], build)


def of_products() -> Iterator[Case | None]:
    """The rules on products: of attention, written as einsum, and of matrices that are repeated."""
    (rule,) = einsums.rules()
    for dtype in FLOATS:
        query, key = (TensorType(["b", size, 4, 8], dtype) for size in ("n", "m"))
        scores, value = TensorType(["b", 4, "n", "m"], dtype), TensorType(["b", "m", 4, 8], dtype)
        for subscripts in ("bqhd,bkhd->bhqk", "bqhd,bkhd->bhkq"):
            yield case(
                rule,
                dtype,
                [query, key],
                lambda q, k, text=subscripts: ops.softmax(ops.einsum([q, k], text), -1),
            )
        yield case(
            rule,
            dtype,
            [scores, value],
            lambda s, v: ops.einsum([ops.softmax(s, -1), v], "bhqk,bkhd->bqhd"),
        )
    yield from _repeated_matrices()


def _repeated_matrices() -> Iterator[Case | None]:
    (rule,) = products.rules()
    for dtype in DTYPES:
        x, y = (TensorType(["b", 3, *sizes], dtype) for sizes in (("n", "k"), ("m", "n")))
        for shape in (["k", "m"], [1, "k", "m"], ["b", 1, "k", "m"]):
            matrix = TensorType(shape, dtype)
            yield case(rule, dtype, [x, matrix], lambda x, w: ops.matmul(x, _repeated(w)))
            yield case(rule, dtype, [matrix, y], lambda w, y: ops.matmul(_repeated(w), y))


def _repeated(matrix: Any) -> Any:
    return ops.broadcast_to(matrix, ["b", 3, "k", "m"])


def cases(share: Random | None = None) -> Iterator[Case]:
    """All cases, or of casts a share."""
    exact = (of_numbers(), of_inverses(), of_casts(share))
    moved = (of_views(), of_broadcasts(), of_slices(), of_products())
    for group in (*exact, *moved):
        yield from (found for found in group if found is not None)
