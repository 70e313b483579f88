"""Random functions of floats against their gradients: dual numbers, products forth and back, and C."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType

import lowering
from lowering.pipeline import lower
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import gradient, jvp, vjp
from relax_dialect.interpret.tangents import floats
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import parse, verify

from .cases import Fault
from .differentiable import Generator

COMPILED = 0.1
"""How many of the programs are compiled too."""

TWICE, PRODUCTS = 0.2, 0.4
"""How many gradients are differentiated; how many products with the Jacobian are compared too."""

FORMS = (
    *("relax-to-a-normal-form", "relax-to-graph-normal-form", "relax-inline-private-functions"),
    *("relax-to-basic-block-normal-form", "relax-convert-to-dataflow", "relax-tail-calls-to-loops"),
    *("relax-lambda-lift", "relax-lambda-lift relax-defunctionalize"),
)
"""Passes that may be run before, as they change the form of a program."""


class Place(NamedTuple):
    """Arguments of a program, a direction for each, and the texts of faults."""

    args: Sequence[Any]
    ways: Sequence[Any]
    text: str
    where: str

    def compare(self, found: Any, wanted: Any, what: str, precision: float = 1e-9) -> None:
        """Refuse numbers that differ; small ones are compared with the largest."""
        for one, other in zip(floats_of(found), floats_of(wanted), strict=True):
            least = precision * (1e-2 + np.max(np.abs(other), initial=0))
            if not np.allclose(one, other, rtol=precision, atol=least):
                raise Fault(f"{self.where}: {what}: {one} instead of {other}", self.text)


def floats_of(value: Any) -> list[np.ndarray]:
    """The tensors of floats in a value."""
    return list(floats(np.asarray(value) if isinstance(value, float) else value))


def product(slopes: Any, ways: Any) -> float:
    """The derivative along a direction that gradients tell."""
    return float(
        sum(np.sum(s * w) for s, w in zip(floats_of(slopes), floats_of(tuple(ways)), strict=True))
    )


def function_of(module: ModuleOp) -> FuncOp:
    return next(f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == "main")


def place_of(text: str, function: FuncOp, rng: random.Random) -> Place:
    """Random arguments of `@main`."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    size = rng.choice((0, 1, 3, 4))
    k = np.array(rng.choice((0, 1, 2, 4)))

    def drawn(count: Any) -> list[Any]:
        x, w, s = (np.asarray(numbers.normal(size=shape)) for shape in (size, size, ()))
        has_tuple = len(function.body.block.args) == 3
        return [count, x, (w, (s, count))] if has_tuple else [count, x, w, s]

    return Place(drawn(k), drawn(None), text, f"k = {k}, size {size}")


def check(text: str, rng: random.Random, compiled: float = COMPILED) -> bool:
    """Whether a program has a derivative; it is the same by dual numbers, forth, back and in C. Raises
    `Fault`."""
    module = parse(text)
    if rng.random() < 0.3:
        form = rng.choice(FORMS)
        lower(module, form.split(), verify_each=True)
        text = f"// after {form}\n{module}"
    function = function_of(module)
    place = place_of(text, function, rng)
    try:
        value = interpret.run(module, "main", *place.args)
        _, moved = interpret.jvp(module, "main", place.args, place.ways)
    except RelaxError:
        return False  # as the greatest of no elements, and at a kink
    if not all(np.isfinite(part).all() for part in floats_of(value)):
        return False  # as the mean of no elements
    try:
        index = 1 if isinstance(function.function_type.output, TupleType) else 0
        name = gradient(module, "main", target_index=index)
        verify(module)
        found, slopes = interpret.run(module, name, *place.args)
        if rng.random() < PRODUCTS:
            products(module, place, value, moved, rng)
        if rng.random() < TWICE:
            twice(module, place, name, rng)
    except RelaxError as error:
        if "at least one element along the axes to reduce" in str(error):
            return False  # in a part of the program that is dead
        raise Fault(f"a program is refused: {error}", text) from None
    if not all(map(np.array_equal, floats_of(found), floats_of(value))):
        raise Fault(f"{place.where}: the value: {found} instead of {value}", text)
    if not (place.args[1].size or all(np.isfinite(s).all() for s in floats_of(slopes))):
        return False  # as zeros times the mean of no elements, which the value does not depend on
    along = floats_of(moved)[-1]
    place.compare(product(slopes, place.ways), float(along), "back, by dual numbers", 1e-7)
    if rng.random() < compiled:
        level = rng.choice((0, 1, 2))
        run = lowering.compile(module, opt_level=level, extra_flags=["-O1"])[name]
        place.compare(run(*place.args)[1], slopes, f"C at -O{level}", 1e-7)
    return True


def products(module: ModuleOp, place: Place, value: Any, moved: Any, rng: random.Random) -> None:
    """The products with the Jacobian and its transpose."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    forth = interpret.run(module, jvp(module, "main"), *place.args, *floats_of(tuple(place.ways)))[
        1
    ]
    place.compare(forth, tuple(floats_of(moved)), "forth, by dual numbers", 1e-7)
    weights = [np.asarray(numbers.normal(size=part.shape)) for part in floats_of(value)]
    target = rng.choice((1, 2))
    _, partly = interpret.run(module, vjp(module, "main", [target]), *place.args, *weights)
    still = [None if i != target else way for i, way in enumerate(place.ways)]
    _, moved = interpret.jvp(module, "main", place.args, still)
    wanted = sum(np.sum(w * m) for w, m in zip(weights, floats_of(moved)))
    place.compare(
        product(partly, [place.ways[target]]), float(wanted), "the transpose, by dual", 1e-7
    )


def twice(module: ModuleOp, place: Place, name: str, rng: random.Random) -> None:
    """The gradient of a sum of the gradients."""
    builder = BlockBuilder(module)
    parameters = function_of(module).body.block.args
    with builder.function("second", {f"p{i}": p.type for i, p in enumerate(parameters)}) as values:
        found = builder.call(name, *values)[1]
        total = op.sum(op.sin(found[0] + 0.5))
        if len(parameters) == 4:
            total = total + op.sum(op.square(found[1])) + found[2]
        builder.emit_func_output(builder.emit(total))
    _, moved = interpret.jvp(module, "second", place.args, place.ways)
    again = gradient(module, "second")
    _, slopes = interpret.run(module, again, *place.args)
    place.compare(product(slopes, place.ways), float(moved), "the gradient of the gradient", 1e-6)


def case(rng: random.Random, compiled: float = COMPILED) -> bool:
    """One program; false if it has no derivative. Raises `Fault`."""
    program = Generator(random.Random(rng.getrandbits(32))).module()
    return check(str(program), rng, compiled)
