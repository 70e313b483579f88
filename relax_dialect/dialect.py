"""The Relax dialect: its ops and types."""

from xdsl.ir import Dialect

from relax_dialect.ops import (
    binary,
    blocks,
    calls,
    control,
    core,
    datatype,
    effects,
    graph,
    linear_algebra,
    manipulate,
    nn,
    statistical,
    unary,
)
from relax_dialect.types import DimsAttr, FuncType, ObjectType, ShapeType, TensorType

STRUCTURE = (core, blocks, calls, control, graph, effects)
"""The files of ops that hold a program together."""

OPERATOR_FAMILIES = (unary, binary, statistical, linear_algebra, manipulate, datatype, nn)
"""The files of operators; each name stands again in interpret/, lowering/legalize/ and the tests."""

Relax = Dialect(
    "relax",
    [op for family in (*STRUCTURE, *OPERATOR_FAMILIES) for op in family.OPS],
    [DimsAttr, TensorType, ShapeType, ObjectType, FuncType],
)
