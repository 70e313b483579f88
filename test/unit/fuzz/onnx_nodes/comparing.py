"""Nodes in ONNX Runtime, in the interpreter and in C."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from onnx.reference import ReferenceEvaluator
from onnx_models import expected, joined, one_node
from optional import UNOPTIMISED
from peers.checking import agrees

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.onnx import load
from relax_dialect.interpret import run

from ..cases import Fault
from . import (
    chance,
    elementwise,
    indexing,
    products,
    reducing,
    regions,
    shaping,
    signal,
    storage,
    windows,
)  # fmt: skip
from .drawing import TABLE, Draw, Drawn, opsets
from .wrapping import WAYS

FAMILIES = (
    chance, elementwise, indexing, products, reducing, regions, shaping, signal, windows,
)  # fmt: skip
"""Importing them fills the table."""
RELATIVE = {
    "bfloat16": (2e-2, 1e-2),
    "float16": (4e-3, 2e-3),
    "float32": (2e-5, 1e-5),
    "float64": (1e-6, 1e-6),
}
"""How far results may be apart: of what is there, and at all. The peer computes many f64 functions in f32."""

Results = list[Any]


def trial(rng: random.Random, only: str = "") -> Drawn | None:
    """A node that ONNX defines."""
    op_type = only or rng.choice(sorted(TABLE))
    opset = rng.choice(opsets(op_type))
    found = TABLE[op_type](Draw(rng, op_type, opset))
    if found and op_type in storage.OF_BF16 and rng.random() < 0.1:
        found = storage.in_bf16(found)
    if found is None:
        return None
    within = rng.choice(sorted(WAYS)) if rng.random() < 0.15 and not found.is_random else ""
    return replace(found, opset=found.opset or opset, within=within)


def batch(rng: random.Random, count: int) -> int:
    """Try so many nodes, the C of all in one file; for how many the peer has a result. Raises `Fault`."""
    good = list[tuple[Drawn, Any, dict[str, Any], Results]]()
    for _ in range(count):
        node = trial(rng)
        tried = node and interpreted(node)
        if node and tried:
            good.append((node, *tried))
    if good:
        compiled(good)
    return len(good)


def built(node: Drawn) -> tuple[Any, dict[str, Any]] | None:
    """The model of a node, and its inputs."""
    inputs = list(node.inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    how = (node.opset, node.outputs, node.symbolic, node.constants)
    model, given = one_node(node.op_type, inputs, *how, **node.attributes)
    if not node.within:
        return model, given
    least, wrapped = WAYS[node.within]
    rng = random.Random(str(node))
    return None if node.opset < least else wrapped(model, given, rng)


def peers(node: Drawn, model: Any, given: dict[str, Any]) -> Results | None:
    """What ONNX Runtime finds, or ONNX's own evaluator where that may stand in; None if neither does."""
    try:
        return expected(model, given)
    except Exception:  # the peer has no such kernel, or refuses
        if not node.by_reference:
            return None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return ReferenceEvaluator(model).run(None, given)
    except Exception:
        return None


def interpreted(node: Drawn) -> tuple[Any, dict[str, Any], Results] | None:
    """The module of a node, its inputs, and what the interpreter and the peer find; None for no result."""
    whole = built(node)
    wanted = whole and peers(node, *whole)
    if whole is None or wanted is None:
        return None
    model, given = whole
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            module = load(model)
            found = results(run(module, "main", *given.values()), len(wanted))
    except RelaxError as error:
        if " that we have, found " in str(error) or "to be known when" in str(error):
            return None
        raise Fault(f"{node}: refused: {error}", model.SerializeToString()) from None
    except Exception as error:
        raise Fault(
            f"{node}: {type(error).__name__}: {error}", model.SerializeToString()
        ) from error
    what = differs(found, wanted, node)
    if what:
        raise Fault(
            f"{node}: the interpreter differs: {what}{shown(given)}", model.SerializeToString()
        )
    return module, given, wanted


def compiled(good: list[tuple[Drawn, Any, dict[str, Any], Results]]) -> None:
    """The same in C; where a file does not compile, its halves say which node it is."""
    try:
        model = lowering.compile(
            joined([module for _, module, *_ in good]), "nodes", extra_flags=UNOPTIMISED
        )
    except Exception as error:
        if len(good) == 1:
            what = f"{good[0][0]}: does not compile: {type(error).__name__}: {error}"
            raise Fault(what, str(good[0][1])) from error
        compiled(good[::2])
        compiled(good[1::2])
        return
    with model:
        for number, (node, module, given, wanted) in enumerate(good):
            try:
                found = results(model[f"f{number}"](*given.values()), len(wanted))
            except RelaxError as error:
                raise Fault(f"{node}: the C refuses: {error}", str(module)) from None
            what = differs(found, wanted, node)
            if what:
                raise Fault(f"{node}: the C differs: {what}{shown(given)}", str(module))


def results(found: Any, count: int) -> Results:
    return [np.asarray(found)] if count == 1 else list(map(np.asarray, found))


def differs(found: Results, wanted: Results, node: Drawn) -> str:
    """What is wrong; nothing if they agree."""
    for place, (f, w) in enumerate(zip(found, wanted, strict=True)):
        w, name = np.asarray(w), f.dtype.name
        if w.dtype == np.uint8 and name.startswith("float8"):  # the peer has no such arrays
            w = w.view(f.dtype)
        if f.dtype != w.dtype or f.shape != w.shape:
            return f"result {place}: {f.dtype}{list(f.shape)} instead of {w.dtype}{list(w.shape)}"
        if node.is_random:
            if unlike(f, w):
                return f"result {place}: not distributed alike"
            continue
        if f.dtype.isbuiltin != 1:
            f, w = f.astype(np.float32), w.astype(np.float32)
        relative, absolute = (node.tolerance * r for r in RELATIVE.get(name, (0, 0)))
        wrong = ~agrees(f, w, relative, absolute)
        if wrong.any():
            at = tuple(int(i) for i in np.unravel_index(np.argmax(wrong), wrong.shape))
            return (
                f"result {place}: {wrong.sum()} of {wrong.size}, at {at} {f[at]} instead of {w[at]}"
            )
    return ""


def unlike(found: Any, wanted: Any) -> bool:
    """Whether the means or the deviations of many random numbers are too far apart."""
    if found.size < 400:
        return False
    deviation, step = wanted.std(), 6 / found.size**0.5
    apart = abs(found.mean(dtype=float) - wanted.mean(dtype=float))
    return bool(
        apart > step * deviation * 1.5 or abs(found.std() - deviation) > 2 * step * deviation
    )


def shown(given: dict[str, Any]) -> str:
    return "".join(f"\n{name} = {np.array2string(a, threshold=40)}" for name, a in given.items())
