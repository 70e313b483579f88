"""C's vector types, which gcc and clang have: how a `vector<16xf32>` is called and declared."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute

from lowering.emit_c.syntax.c_types import BOOL, INTS, UINTS, CType, memref_strides, scalar_type
from relax_dialect.errors import RelaxError

NO_NOTES = (
    '#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inline functions only */'
)
"""Precedes the types: silences notes about how machines without such registers pass them."""


@dataclass(frozen=True)
class CVector:
    """A vector type: `v16f32`. The lanes of truth values are all ones or all zeros."""

    element: CType
    lanes: int

    @property
    def name(self) -> str:
        return f"v{self.lanes}{self.element.suffix}"

    @property
    def unaligned(self) -> str:
        """The type's name for unaligned elements in memory."""
        return f"{self.name}_u"

    @property
    def bytes(self) -> int:
        return self.lanes * self.element.size

    @property
    def signed(self) -> CVector:
        """The signed integers of the same width: the result type of a comparison."""
        return CVector(INTS[self.element.bits], self.lanes)

    @property
    def unsigned(self) -> CVector:
        """The unsigned integers of the same width."""
        return CVector(UINTS[self.element.bits], self.lanes)

    def typedef(self) -> str:
        """Return the declaration of the type."""
        return (
            f"typedef {self.element.name} {self.name} __attribute__((vector_size({self.bytes})));"
        )

    def unaligned_typedef(self) -> str:
        """Return the declaration of the type in memory, aligned as its elements are."""
        return (
            f"typedef {self.element.name} {self.unaligned} "
            f"__attribute__((vector_size({self.bytes}), aligned({self.element.size})));"
        )


def is_vector(t: Attribute) -> bool:
    return isinstance(t, VectorType)


def is_mask(t: Attribute) -> bool:
    """Return whether a type is that of truth values in lanes."""
    return isinstance(t, VectorType) and scalar_type(t.element_type) is BOOL


def lanes_of(t: VectorType) -> int:
    """Return the length of a vector that C can have."""
    shape = t.get_shape()
    if len(shape) != 1 or t.get_num_scalable_dims():
        raise RelaxError(
            f"C: type {t} is not supported: expected vectors of one dimension of known length; "
            "unroll the others"
        )
    (lanes,) = shape
    if lanes < 1 or lanes & (lanes - 1):
        raise RelaxError(
            f"C: type {t} is not supported: expected a power of two as length, found {lanes}; "
            "split it into such"
        )
    return lanes


def vector_type(t: Attribute) -> CVector:
    """Return the C type of a vector; truth values are bytes unless their width is known."""
    assert isinstance(t, VectorType)
    element = scalar_type(t.element_type)
    return CVector(INTS[8] if element is BOOL else element, lanes_of(t))


def require_contiguous(what: str, t: Attribute, vector: Attribute) -> None:
    """Refuse a memref from which a vector cannot be read contiguously."""
    assert isinstance(t, MemRefType)
    strides = memref_strides(t)
    if strides and strides[-1] != 1:
        raise RelaxError(
            f"C: {what}: expected a memref whose last stride is 1, found {t}; read its elements by "
            "memref.load"
        )
    if is_mask(vector):
        raise RelaxError(
            f"C: {what} of {vector} is not supported: a truth value is a byte in memory; read and "
            "write i8, and compare"
        )
