"""Programs on which each rule of -O1 is applied, by rule and element type, for z3 to prove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
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
from relax_dialect.rewrites.algebra.rule_sets import casts, inverses, neutral, view_rules
from relax_dialect.rewrites.recognition.recognize import einsums

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
DTYPES = (*FLOATS, *INTEGERS, "i1")

OPS: dict[str, Any] = {name: getattr(ops, name) for name in ops.operators()}

Build = Callable[..., Any]


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


def of_products() -> Iterator[Case | None]:
    """The rules on products of attention that are written as einsum."""
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


def cases(share: Random | None = None) -> Iterator[Case]:
    """All cases, or of casts a share."""
    for group in (of_numbers(), of_inverses(), of_casts(share), of_views(), of_products()):
        yield from (found for found in group if found is not None)
