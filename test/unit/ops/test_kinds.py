"""Operators declare how they compute: all of them do, with TVM's kinds, and those that commute say so.

`test_kinds_proved.py` proves the kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from operators import Entry, entries
from xdsl.dialects import arith, math, test
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from relax_dialect.dialect import STRUCTURE
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ops import (
    binary,
    calls,
    core,
)
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import (
    K_BROADCAST,
    K_COMM_REDUCE,
    K_ELEMWISE,
    K_INJECTIVE,
    K_OPAQUE,
    K_OUT_ELEMWISE_FUSABLE,
    K_TUPLE,
    OpPatternKind,
    is_commutative,
    pattern_kind,
)

from .compiled import Case, tensor

OPAQUE: dict[str, Sequence[str]] = {
    "each element depends on those before it": (
        ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "rnn", "gru", "lstm"]
    ),
    "sorts, or searches what is sorted": (
        ["sort", "argsort", "topk", "median", "bucketize", "searchsorted", "unique"]
    ),
    "the size of the result depends on the elements": ["nonzero", "all_class_non_max_suppression"],
    "reads on as the elements say": (
        ["multinomial_from_uniform", "get_valid_counts", "non_max_suppression", "tree_leaves"]
    ),
    "writes where indices say": ["scatter_elements", "scatter_nd", "index_put"],
    "adds where another operator reads": (
        [f"{name}_backward" for name in ("max_pool2d", "avg_pool2d", "take", "nll_loss")]
    ),
    "changes rows again and again": ["det"],
    "reductions and elementwise steps in turn": (
        [
            "softmax",
            "log_softmax",
            "batch_norm",
            "layer_norm",
            "instance_norm",
            "group_norm",
            "rms_norm",
            "local_response_norm",
            "dynamic_quantize",
            "attention",
            "attention_var_len",
            "attention_backward",
            "cosine_similarity",
            "cross_entropy_with_logits",
            "rnn_cell",
            "gru_cell",
            "lstm_cell",
        ]
    ),
    "two results of different kinds": ["dropout"],
    "elements are put together of parts of others": ["view"],
    "reduces or not, as an attribute says": (
        [
            "mse_loss",
            "l1_loss",
            "smooth_l1_loss",
            "huber_loss",
            "hinge_loss",
            "hinge_embedding_loss",
            "soft_margin_loss",
            "kl_div",
            "poisson_nll_loss",
            "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
            "nll_loss",
        ]
    ),
}
"""The operators of which nothing is known, as in TVM, by the reason."""


def of_kind(kind: OpPatternKind) -> list[Entry]:
    return [entry for entry in entries() if pattern_kind(entry.op) == kind]


def interpreted(case: Case, arguments: Sequence[Any]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return run(ModuleOp([case.function("f")]), "f", *arguments)


def applied(op: Callable[..., Operation], *arrays: np.ndarray) -> np.ndarray:
    types = [tensor(*a.shape, dtype=dtype_name(a.dtype)) for a in arrays]
    return interpreted(Case(op, types, lambda *_: None), arrays)


def assert_same_bits(found: np.ndarray, expected: np.ndarray) -> None:
    """The elements are equal, with the same sign where they are zeros; NaN is NaN."""
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f":
        numbers = ~np.isnan(found)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])


def test_the_kinds_are_those_of_tvm():
    """The names and numbers of `enum OpPatternKind` in TVM's `op_attr_types.h`."""
    expected = {
        "ELEMWISE": 0,
        "BROADCAST": 1,
        "INJECTIVE": 2,
        "COMM_REDUCE": 3,
        "OUT_ELEMWISE_FUSABLE": 4,
        "TUPLE": 7,
        "OPAQUE": 8,
    }
    assert {kind.name: int(kind) for kind in OpPatternKind} == expected


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.name)
def test_every_operator_declares_its_kind(entry: Entry):
    """An operator is opaque for one of the listed reasons, and no operator else is opaque."""
    assert issubclass(entry.op, OperatorOp)
    reasons = [reason for reason, names in OPAQUE.items() if entry.name in names]
    assert len(reasons) == (entry.op.PATTERN_KIND is K_OPAQUE)


def test_the_opaque_operators_exist():
    listed = [name for names in OPAQUE.values() for name in names]
    assert sorted(listed) == sorted(entry.name for entry in of_kind(K_OPAQUE))


def test_of_the_ops_that_hold_a_program_together_only_tuples_say_something():
    declared = {op: pattern_kind(op) for family in STRUCTURE for op in family.OPS}
    known = {op: kind for op, kind in declared.items() if kind is not K_OPAQUE}
    assert known == {core.TupleOp: K_TUPLE, core.TupleGetItemOp: K_INJECTIVE}
    assert {calls.CallTirOp, calls.CallPackedOp} < declared.keys()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("relu", K_ELEMWISE),
        ("astype", K_ELEMWISE),
        ("add", K_BROADCAST),
        ("where", K_BROADCAST),
        ("prelu", K_BROADCAST),
        ("expand_dims", K_BROADCAST),
        ("broadcast_to", K_BROADCAST),
        ("reshape", K_INJECTIVE),
        ("permute_dims", K_INJECTIVE),
        ("concat", K_INJECTIVE),
        ("split", K_INJECTIVE),
        ("take", K_INJECTIVE),
        ("strided_slice", K_INJECTIVE),
        ("resize2d", K_INJECTIVE),
        ("sum", K_COMM_REDUCE),
        ("argmax", K_COMM_REDUCE),
        ("collapse_sum_like", K_COMM_REDUCE),
        ("matmul", K_OUT_ELEMWISE_FUSABLE),
        ("conv2d", K_OUT_ELEMWISE_FUSABLE),
        ("conv2d_transpose", K_OUT_ELEMWISE_FUSABLE),
        ("max_pool2d", K_OUT_ELEMWISE_FUSABLE),
        ("adaptive_avg_pool2d", K_OUT_ELEMWISE_FUSABLE),
        ("roi_align", K_OUT_ELEMWISE_FUSABLE),
        ("roi_pool", K_OUT_ELEMWISE_FUSABLE),
        ("softmax", K_OPAQUE),
        ("layer_norm", K_OPAQUE),
        ("topk", K_OPAQUE),
    ],
)
def test_the_kind_is_that_of_relay(name: str, kind: OpPatternKind):
    """Relay's `TOpPattern` of each operator (cast, transpose, concatenate and dense by other names)."""
    assert [pattern_kind(entry.op) for entry in entries() if entry.name == name] == [kind]


SPECIAL = {
    "f": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1 / 3, -7.25, 6e-8, 60000.0],
    "i": [0, 1, -1, 2, 7, -128, 127],
    "u": [0, 1, 2, 7, 128, 255],
    "b": [False, True],
}


def pairs(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Every special value with every other."""
    values = np.array(SPECIAL[dtype.kind]).astype(dtype)
    lhs, rhs = np.meshgrid(values, values)
    return lhs.reshape(-1), rhs.reshape(-1)


def swaps(entry: Entry) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The results on special values of every tested element type, and those of swapped operands."""
    for dtype in {next(c.arguments(c.sizes[0], 0)).dtype for c in entry.cases}:
        lhs, rhs = pairs(dtype)
        straight, swapped = applied(entry.op, lhs, rhs), applied(entry.op, rhs, lhs)
        if entry.name in ("maximum", "minimum") and dtype.kind == "f":
            # of zeros of both signs numpy gives either
            straight, swapped = straight + 0.0, swapped + 0.0
        yield straight, swapped


BINARY = [entry for entry in entries() if issubclass(entry.op, binary.PairOp)]


@pytest.mark.parametrize("entry", [e for e in BINARY if is_commutative(e.op)], ids=lambda e: e.name)
def test_operands_of_commutative_operators_may_be_swapped(entry: Entry):
    found = list(swaps(entry))
    assert found
    for straight, swapped in found:
        assert_same_bits(swapped, straight)


@pytest.mark.parametrize(
    "entry", [e for e in BINARY if not is_commutative(e.op)], ids=lambda e: e.name
)
def test_operands_of_others_may_not(entry: Entry):
    """In every element type there is a pair of values whose order matters."""
    for straight, swapped in swaps(entry):
        assert not np.array_equal(straight, swapped, equal_nan=straight.dtype.kind == "f")


def test_only_broadcasting_operators_declare_that_they_commute():
    commutative = {entry.op for entry in entries() if is_commutative(entry.op)}
    assert commutative == {entry.op for entry in BINARY if entry.op.COMMUTATIVE}  # pyright: ignore
    assert len(commutative) == 13


@pytest.mark.parametrize(
    ("op", "kind", "commutative"),
    [
        (arith.AddiOp, K_ELEMWISE, True),
        (arith.SubiOp, K_ELEMWISE, False),
        (math.ExpOp, K_ELEMWISE, False),
        (arith.ConstantOp, K_OPAQUE, False),
        (test.TestOp, K_OPAQUE, False),
    ],
)
def test_ops_of_other_dialects(op: type[Operation], kind: OpPatternKind, commutative: bool):
    assert pattern_kind(op) is kind
    assert is_commutative(op) is commutative


def test_an_op_is_asked_as_its_class_is():
    a, b = (test.TestOp(result_types=[tensor(2)]).results[0] for _ in range(2))
    op = binary.AddOp(a, b)
    assert pattern_kind(op) is pattern_kind(binary.AddOp) is K_BROADCAST
    assert is_commutative(op)
