"""Sums of products: their element type, matrix shapes, and labels of the axes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import MEND, Demand, least_and_greatest, one_or, refuse_unmet
from relax_dialect.ops.kinds import ALWAYS, K_OUT_ELEMWISE_FUSABLE
from relax_dialect.ops.rules import broadcast_dims, shared_dtype
from relax_dialect.ops.subscripts import Labels
from relax_dialect.ops.type_rules import NUMBER, is_bool, tensor_type
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic import BROADCAST, SymbolicOverflow

Terms = tuple[Sequence[Labels], Labels]
"""The labels of the operands' axes, and of the result's."""


class ProductOp(OperatorOp):
    """A sum of products, computed in the result's element type (f16 and bf16 in f32).

    (C1) The operands have one numeric element type, which is that of the result; with `out_dtype`, the type
    of the result (a numeric type too), they may differ, and are converted to it first.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE
    PRECISION: ClassVar = ALWAYS
    ELEMENTS: ClassVar = NUMBER

    @property
    @abstractmethod
    def out_dtype(self) -> Attribute | None:
        """The element type of the result, if present."""

    def element_type(self, factors: Sequence[TensorType]) -> Attribute | None:
        """Return the element type of the result, from the tensors that are multiplied."""
        if self.out_dtype is None:
            return shared_dtype(self, factors)
        if not is_element_type(self.out_dtype) or is_bool(self.out_dtype):
            found = str(self.out_dtype)
            self.fail("out_dtype to be a numeric type (C1)", found, "name one, such as f32 or i32")
        return self.out_dtype


class MatrixProductOp(OperatorOp):
    """A matrix product over the last two axes, batched over the others, as `numpy.matmul`.

    A vector on the left is a row, one on the right a column; the added axis is dropped again.

    (C2) Both operands have rank 1 or more.
    (C3) The last size of `lhs` is the last but one of `rhs` (the only one of a vector).
    (C4) The other leading sizes broadcast.
    """

    PATTERN_KIND: ClassVar = K_OUT_ELEMWISE_FUSABLE

    def depths(self, lhs: Dims, rhs: Dims) -> Iterator[Demand]:
        """Yield the demands that the sizes summed over are equal, if they are known."""
        left, right = lhs[-1], rhs[-2:][0]
        if left is not None and right is not None:
            expected = "the last size of lhs to be the last but one of rhs (C3)"
            mend = "transpose or reshape one of the operands"
            yield Demand(expected, right, left, f"{hole(left)} and {hole(right)}", mend)

    def product_shape(self, lhs: Dims | None, rhs: Dims | None) -> Dims | None:
        """Return the shape of the product of operands of two shapes."""
        if any(shape is not None and not shape for shape in (lhs, rhs)):
            self.fail("operands of rank 1 or more (C2)", "a tensor of rank 0", "use relax.multiply")
        if lhs is None or rhs is None:
            return None
        refuse_unmet(self, self.depths(lhs, rhs))
        batch = broadcast_dims(self, lhs[:-2], rhs[:-2], "C4")
        assert batch is not None
        return batch + lhs[-2:-1] + (rhs[-1:] if len(rhs) > 1 else ())


class ContractionOp(ProductOp):
    """A product of tensors over all labels of their axes, summed over the labels that the result lacks."""

    SAME: ClassVar = "axes of one label to have one size"
    MEND: ClassVar = MEND

    @property
    def factors(self) -> Sequence[SSAValue]:
        """The tensors that are multiplied."""
        return self.operands

    @abstractmethod
    def terms(self, ranks: Sequence[int]) -> Terms:
        """Return the labels of the operands' axes and of the result's; those of `...` begin with a dot."""

    def broadcasts(self, label: str) -> bool:
        """Return whether sizes of a label in several operands broadcast; else they are equal."""
        return label.startswith(".")

    def sizes(self, labels: Sequence[Labels], shapes: Sequence[Dims]) -> Mapping[str, Dim]:
        """Return the size of every label: that to which the operands' sizes broadcast, or a constant if one
        is known."""
        found: dict[str, Dim] = {}
        for term, shape in zip(labels, shapes):
            for label, size in _of_term(term, shape).items():
                known, join = found.setdefault(label, size), self.broadcasts(label)
                found[label] = _broadcast(known, size) if join else _equal(known, size)
        return found

    def demands(self, shapes: Sequence[Dims]) -> Iterator[Demand]:
        """Yield the demands that sizes of one label are equal in one operand; in several operands they are
        equal too, or broadcast."""
        labels = self.terms([len(shape) for shape in shapes])[0]
        sizes, found = self.sizes(labels, shapes), dict[str, Dim]()
        for term, shape in zip(labels, shapes):
            own = _of_term(term, shape)
            for label, size in zip(term, shape):
                yield from self._same(size, own[label])
            for label, size in own.items():
                if not self.broadcasts(label):
                    yield from self._same(size, sizes[label])
                elif label in found:
                    yield from self._one_or_same(label, found[label], size)
                    found[label] = _broadcast(found[label], size)
                else:
                    found[label] = size

    def _same(self, size: Dim, wanted: Dim) -> Iterator[Demand]:
        """Yield the demand that two sizes of one label are equal, if both are known."""
        if size is not None and wanted is not None and size is not wanted:
            found = least_and_greatest(size, wanted)
            yield Demand(f"{self.SAME} (C5)", size, wanted, found, self.MEND)

    def _one_or_same(self, label: str, a: Dim, b: Dim) -> Iterator[Demand]:
        """Yield the demand that two sizes of a label are equal or one of them is 1, if both are known."""
        if a is None or b is None or a is b:
            return
        words = (BROADCAST, "") if label.startswith(".") else (f"{self.SAME} (C5)", self.MEND)
        for size in (a, b):
            for demand in one_or(words[0], size, _broadcast(a, b), words[1]):
                yield replace(demand, found=least_and_greatest(a, b))

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(factor) for factor in self.factors]
        dtype = self.element_type(types)
        shapes = [type.shape for type in types if type.shape is not None]
        if len(shapes) < len(types):
            return (TensorType.get(None, dtype),)
        labels, result = self.terms([len(shape) for shape in shapes])
        refuse_unmet(self, self.demands(shapes))
        sizes = self.sizes(labels, shapes)
        return (TensorType.get(tuple(sizes[label] for label in result), dtype),)


def _of_term(term: Labels, shape: Dims) -> Mapping[str, Dim]:
    """Return the size of every label of one operand."""
    found: dict[str, Dim] = {}
    for label, size in zip(term, shape):
        found[label] = _equal(found.setdefault(label, size), size)
    return found


def _equal(a: Dim, b: Dim) -> Dim:
    """Return the known one of two equal sizes, a constant if one is."""
    return b if a is None or (b and b.is_constant and not a.is_constant) else a


def _broadcast(a: Dim, b: Dim) -> Dim:
    """Return the size that two sizes broadcast to; one of them if they do not, None if it is not known."""
    one = symbolic.const(1)
    if a is None or b is None:
        known = a or b
        return known if known and symbolic.provably_different(known, one) else None
    try:
        return symbolic.broadcast(a, b)
    except SymbolicOverflow:
        return None
    except SymbolicError:
        return a
