"""The Relax dialect: its ops and types."""

from xdsl.ir import Dialect

from relax_dialect.ops import (
    activation,
    attention,
    binary,
    blocks,
    calls,
    collapse,
    control,
    convolution,
    core,
    create,
    cumulative,
    datatype,
    effects,
    graph,
    image,
    indexing,
    joining,
    layout,
    linear_algebra,
    loops,
    loss,
    manipulate,
    moving,
    normalization,
    objects,
    pooling,
    quantization,
    ranges,
    recurrent,
    search,
    shapes,
    sorting,
    statistical,
    ternary,
    unary,
)
from relax_dialect.types import DeviceAttr, DimsAttr, FuncType, ObjectType, ShapeType, TensorType

STRUCTURE = (core, shapes, blocks, calls, control, loops, graph, effects, objects)
"""The files of ops that hold a program together."""

OPERATOR_FAMILIES = (
    unary,
    binary,
    ternary,
    create,
    ranges,
    datatype,
    statistical,
    cumulative,
    search,
    sorting,
    manipulate,
    joining,
    moving,
    layout,
    collapse,
    indexing,
    linear_algebra,
    activation,
    normalization,
    convolution,
    pooling,
    attention,
    loss,
    image,
    recurrent,
    quantization,
)
"""The files of operators; each name stands again in interpret/, lowering/legalize/ and the tests."""

Relax = Dialect(
    "relax",
    [op for family in (*STRUCTURE, *OPERATOR_FAMILIES) for op in family.OPS],
    [DeviceAttr, DimsAttr, TensorType, ShapeType, ObjectType, FuncType],
)
