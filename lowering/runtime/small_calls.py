"""Calls with small results, whose memory numpy allocates.

C allocates a result whose tensor has no memory; a Python object then owns it, which takes longer than a
small kernel. If the shapes of results follow from those of the arguments, numpy allocates ahead of a call
instead, by the shapes of an earlier call, and C copies into that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from lowering.emit_c.syntax.c_source import EntryPoint, Parameter
from lowering.emit_c.syntax.narrow_float_bits import NARROW
from lowering.runtime.arguments import Convert, exporter
from lowering.runtime.dlpack import STORED

LARGEST = 1 << 14
"""The bytes of a result up to which the copy takes less time than the object."""

MOST = 256
"""The number of shapes that are remembered; then all are forgotten."""

Shapes = dict[Any, Sequence[tuple[tuple[int, ...], np.dtype[Any]]]]
"""The shapes and element types of results, by the shapes of the arguments."""

Failure = Callable[[], Exception]


def is_determined(entry: EntryPoint) -> bool:
    """Return whether all ports are tensors of numpy's types, and the arguments' shapes determine those of
    the results."""
    return all(map(_is_plain, (*entry.params, *entry.results))) and has_determined_results(entry)


def has_determined_results(entry: EntryPoint) -> bool:
    """Return whether there are results, and the arguments' shapes determine their shapes."""
    bare = {dim for p in entry.params for dim in p.dims}
    dims = [dim for r in entry.results for dim in r.dims]
    return bool(entry.results) and all(_names(dim) <= bare for dim in dims)


def _is_plain(port: Parameter) -> bool:
    is_foreign = port.dtype in STORED or (port.dtype in NARROW and port.dtype != "float16")
    return port.kind == "tensor" and not (port.unranked or port.written or is_foreign)


def _names(dim: str) -> set[str]:
    """Return the names in a size: variables, and "?" or operators, which are no parameter's size."""
    return {*re.findall(r"[A-Za-z_]\w*|\?", dim)}


def learn(known: Shapes, args: Sequence[Any], results: Sequence[np.ndarray]) -> None:
    """Remember the shapes of a call; an empty result has no memory that C could be passed."""
    if not all(type(x) is np.ndarray for x in args):
        return
    if all(0 < prod(r.shape) * r.itemsize <= LARGEST for r in results):
        if len(known) >= MOST:
            known.clear()
        known[tuple([x.shape for x in args])] = [(r.shape, r.dtype) for r in results]


def caller(
    function: Any, converters: Sequence[Convert], known: Shapes, failure: Failure
) -> Callable[[Sequence[Any]], Any]:
    """Return a call with arrays of known shapes, which returns None for other arguments.

    A closure, since attributes of an object take a third of the time of a small call.
    """
    export, empty = exporter(), np.empty

    def call(args: Sequence[Any]) -> Any:
        if len(args) != len(converters):
            return None
        kept: list[Any] = []
        c_args: list[Any] = []
        key: tuple[Any, ...] = ()
        for convert, value in zip(converters, args):
            if type(value) is not np.ndarray:
                return None
            c_args.append(convert(value, kept))
            key += (value.shape,)
        shapes = known.get(key)
        if shapes is None:
            return None
        results: list[Any] = []
        for shape, dtype in shapes:
            results.append(array := empty(shape, dtype))
            c_args.append(export(array, kept))
        if function(*c_args) != 0:
            raise failure()
        return results[0] if len(results) == 1 else tuple(results)

    return call
