"""Declarations of how operators compute, proved by the interpreter and on what they are legalised to.

An elementwise operator commutes with every choice of places, repeated or left out: `f(x[places])` is
`f(x)[places]`. Neither a normalization over all elements nor an operator that looks at places does.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operators import Entry, entries
from optional import examples
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp
from xdsl.dialects.tensor import ExtractOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from lowering.legalize.relax_legalize import legalize
from relax_dialect.ops import (
    activation,
    create,
    cumulative,
    manipulate,
    moving,
)
from relax_dialect.ops.kinds import (
    K_BROADCAST,
    K_COMM_REDUCE,
    K_ELEMWISE,
    K_INJECTIVE,
    pattern_kind,
)

from .compiled import Case, tensor
from .test_kinds import applied, assert_same_bits, interpreted, of_kind


def arrays_of(case: Case) -> list[Any]:
    """The arguments of a case in its first sizes, none of them 0."""
    return list(case.arguments(case.sizes[0], zlib.crc32(b"kinds")))


def chosen(x: Any, shape: tuple[int, ...], places: np.ndarray) -> Any:
    """The elements of x at places, in x's shape, if that is the given one; else x."""
    same = isinstance(x, np.ndarray) and x.shape == shape
    return x.reshape(-1)[places].reshape(shape) if same else x


def assert_elementwise(case: Case, seed: int) -> None:
    """The case's operator commutes with a choice of places in the operands of the result's shape."""
    arguments = arrays_of(case)
    result = interpreted(case, arguments)
    places = np.random.default_rng(seed).integers(0, max(result.size, 1), result.size)
    moved = [chosen(x, result.shape, places) for x in arguments]
    assert_same_bits(interpreted(case, moved), chosen(result, result.shape, places))


@pytest.mark.parametrize("entry", of_kind(K_ELEMWISE), ids=lambda e: e.name)
def test_elementwise_operators_do_not_know_places(entry: Entry):
    assert entry.cases
    for seed, case in enumerate(entry.cases):
        assert_elementwise(case, seed)


@pytest.mark.parametrize(
    "op",
    [
        activation.SoftmaxOp,
        create.TrilOp,
        create.EyeLikeOp,
        cumulative.CumsumOp,
        manipulate.PermuteDimsOp,
        lambda x: moving.FlipOp(x, 0),
    ],
)
def test_others_do(op: Callable[..., Operation]):
    """The proof fails for operators that are not elementwise, though shapes stay."""
    with pytest.raises(AssertionError):
        assert_elementwise(Case(op, [tensor(5, 5)], lambda x: x, ({},)), 0)


def expandable(entry: Entry) -> bool:
    """Whether the operator broadcasts all its operands against each other, as numpy does."""
    return entry.family in ("binary", "ternary")


@pytest.mark.parametrize(
    "entry", [e for e in of_kind(K_BROADCAST) if expandable(e)], ids=lambda e: e.name
)
def test_broadcasting_operators_are_elementwise_after_broadcasting(entry: Entry):
    for seed, case in enumerate(entry.cases):
        arguments = arrays_of(case)
        wide = [np.array(a) for a in np.broadcast_arrays(*arguments)]
        types = [tensor(*a.shape, dtype=t.dtype) for a, t in zip(wide, case.types, strict=True)]  # pyright: ignore
        given = [lambda _, a=a: a for a in wide]
        expanded = Case(case.operator, types, case.meaning, ({},), given)
        assert_same_bits(interpreted(expanded, wide), interpreted(case, arguments))
        assert_elementwise(expanded, seed)


LEGALIZED: dict[str, ModuleOp] = {}


def legalized(entry: Entry) -> ModuleOp:
    """The prim funcs that the cases of an operator become, made once."""
    if entry.name not in LEGALIZED:
        module = ModuleOp([case.function(f"f{i}") for i, case in enumerate(entry.cases)])
        legalize(module)
        LEGALIZED[entry.name] = module
    return LEGALIZED[entry.name]


def generics(module: ModuleOp) -> list[GenericOp]:
    return [op for op in module.walk() if isinstance(op, GenericOp)]


def reduces(generic: GenericOp) -> bool:
    return any(kind.data is IteratorType.REDUCTION for kind in generic.iterator_types)


def place(index: SSAValue) -> AffineExpr | None:
    """Where `tensor.extract` reads: at a place of the result, or at 0 where a size turns out to be 1."""
    if isinstance(index.owner, arith.SelectOp):
        index = index.owner.rhs
    at = index.owner
    return AffineExpr.dimension(at.dim.value.data) if isinstance(at, IndexOp) else None


def in_order(places: Sequence[AffineExpr | None]) -> bool:
    """Whether an element is read at places of the result, in order, some of them left out or 0."""
    dims = [e.position for e in places if isinstance(e, AffineDimExpr)]
    zeros = [e for e in places if e == AffineExpr.constant(0)]
    return dims == sorted(set(dims)) and len(dims) + len(zeros) == len(places)


def reads_in_order(generic: GenericOp) -> bool:
    """The conditions of TVM's analysis for a broadcast."""
    extracts = [op for op in generic.walk() if isinstance(op, ExtractOp)]
    return all(in_order(map.data.results) for map in generic.indexing_maps) and all(
        in_order([place(index) for index in extract.indices]) for extract in extracts
    )


@pytest.mark.parametrize(
    "entry", [e for e in entries() if pattern_kind(e.op) <= K_INJECTIVE], ids=lambda e: e.name
)
def test_nothing_is_reduced_up_to_injective(entry: Entry):
    assert not any(map(reduces, generics(legalized(entry))))


@pytest.mark.parametrize(
    "entry", [e for e in entries() if pattern_kind(e.op) <= K_BROADCAST], ids=lambda e: e.name
)
def test_up_to_broadcast_elements_are_read_in_order(entry: Entry):
    """A view of all elements is one too."""
    found = generics(legalized(entry))
    assert found or entry.op is manipulate.ExpandDimsOp
    assert all(map(reads_in_order, found))


@pytest.mark.parametrize("name", ["permute_dims", "take", "flip", "concat", "tril", "eye"])
def test_injective_operators_need_more(name: str):
    """They read elsewhere, look at the place itself, or are put together of parts."""
    entry = next(entry for entry in entries() if entry.name == name)
    found = legalized(entry)
    needs = (op.name in ("linalg.index", "tensor.insert_slice") for op in found.walk())
    assert any(needs) or not all(map(reads_in_order, generics(found)))


@pytest.mark.parametrize("entry", of_kind(K_COMM_REDUCE), ids=lambda e: e.name)
def test_reductions_reduce(entry: Entry):
    assert any(map(reduces, generics(legalized(entry))))


REDUCTIONS = [e for e in of_kind(K_COMM_REDUCE) if e.family == "statistical"]


@pytest.mark.parametrize("entry", REDUCTIONS, ids=lambda e: e.name)
@examples(40)
@given(order=st.permutations(range(7)))
def test_the_order_of_reductions_does_not_matter(entry: Entry, order: list[int]):
    dtype = np.bool_ if entry.name in ("all", "any") else np.float32
    x = np.array([3, 1, 2, 0, 5, 1, 4]).astype(dtype)
    np.testing.assert_allclose(applied(entry.op, x[order]), applied(entry.op, x), 1e-6)
