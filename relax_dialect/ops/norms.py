"""The common base of normalizations: statistics over some axes of x, and operands that have others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, refuse_unmet
from relax_dialect.ops.fields import Operand, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.rules import shared_dtype
from relax_dialect.ops.type_rules import FLOAT, tensor_type
from relax_dialect.prim.run_time_checks import shape_holes


class NormOp(OperatorOp):
    """A normalization of x by its own statistics, in f32 at least: the mean, then from it the variance (of
    all elements, not of a sample).

    (C1) The element type is one floating-point type for all operands, and that of the results.
    (C2) Every axis is within -rank..rank-1 and occurs once.
    (C3) The other operands have the sizes of x along their axes.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    ELEMENTS: ClassVar = FLOAT

    x: Operand = tensor()

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The number added to the variance, so that nothing is divided by zero."""

    @abstractmethod
    def reduction_axes(self, rank: int) -> tuple[int, ...]:
        """Return the axes that the statistics are over, from the front."""

    def parameter_axes(self, rank: int) -> tuple[int, ...]:
        """Return the axes of x that the other operands have."""
        return self.reduction_axes(rank)

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands on the operands' shapes, as far as these are known."""
        if shapes[0] is None:
            return
        axes = self.parameter_axes(len(shapes[0]))
        wanted = tuple(shapes[0][axis] for axis in axes)
        for (name, _), shape in list(zip(self.get_irdl_definition().operands, shapes))[1:]:
            if shape is None:
                continue
            expected = f"'{name}' to have the sizes of x along axes {list(axes)} (C3)"
            mend = f"reshape '{name}', or correct the axes"
            if len(shape) != len(wanted):
                self.fail(expected, f"{dims_text(shape)} for {dims_text(wanted)}", mend)
            for a, b in zip(shape, wanted):
                if a is not None and b is not None:
                    yield Demand(
                        expected, a, b, f"{shape_holes(shape)} for {shape_holes(wanted)}", mend
                    )

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(operand) for operand in self.operands]
        shape = types[0].shape
        if shape is not None:
            self.reduction_axes(len(shape))
        refuse_unmet(self, self.demands([type.shape for type in types]))
        return (TensorType.get(shape, shared_dtype(self, types)),)


class AffineNormOp(NormOp):
    """A normalization that is multiplied by `gamma`, unless `scale` is false, and moved by `beta`,
    unless `center` is."""

    gamma: Operand = tensor()
    beta: Operand = tensor()

    @property
    @abstractmethod
    def center(self) -> bool:
        """Whether beta is added."""

    @property
    @abstractmethod
    def scale(self) -> bool:
        """Whether gamma multiplies."""
