"""Sizes that parameters are solved for, where matches replace the parameters: a match defines bare sizes
alone."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, MutableMapping, Sequence
from itertools import count

from xdsl.ir import Attribute

from relax_dialect.ir.type_variables import map_dims, sizes_in
from relax_dialect.ir.types import Dim
from relax_dialect.symbolic import Expr, affine_in, definitions, var


def measured_parameters(
    types: Sequence[Attribute],
    symbols: MutableMapping[str, Expr],
    wanted: Container[str],
    fresh: Callable[[str], str],
) -> list[Attribute]:
    """Return the types of parameters with a fresh variable for each size that a wanted variable is solved
    for, with their bare and constant sizes in terms of `symbols`, and others unknown. The solutions are
    added to `symbols`.

    [n, 4 * h] -> [n, h_1], h = h_1 floordiv 4
    """
    dims = [dim for type in types for dim in sizes_in(type)]
    fresh_sizes: dict[int, Expr] = {}
    for name, position in definitions(dims).items():
        dim = dims[position]
        if name in wanted and dim is not None and not dim.is_variable:
            affine = affine_in(dim, name)
            assert affine is not None
            size = fresh_sizes[position] = var(fresh(name))
            symbols[name] = affine.solution(affine.rest.substitute(symbols), size)
    positions = count()
    return [
        map_dims(type, lambda dim: _measured(dim, positions, fresh_sizes, symbols))
        for type in types
    ]


def _measured(
    dim: Dim,
    positions: Iterator[int],
    fresh: MutableMapping[int, Expr],
    symbols: MutableMapping[str, Expr],
) -> Dim:
    if (size := fresh.get(next(positions))) is not None:
        return size
    is_bare = dim is not None and (dim.is_variable or dim.is_constant)
    return dim.substitute(symbols) if dim is not None and is_bare else None
