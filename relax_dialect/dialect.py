"""The Relax dialect: its ops and types."""

from xdsl.ir import Dialect

from relax_dialect import ops
from relax_dialect.families import modules_of
from relax_dialect.ir.types import (
    DeviceAttr,
    DimsAttr,
    ExprAttr,
    FuncType,
    ObjectType,
    PrimType,
    ShapeType,
    TensorType,
)
from relax_dialect.ops import (
    blocks,
    builtin_tensors,
    calls,
    ccl,
    compute,
    control,
    core,
    effects,
    graph,
    literal_value,
    loops,
    objects,
    shapes,
)

STRUCTURE = (
    *(core, builtin_tensors, shapes, blocks, calls, control, loops, graph, compute),
    *(effects, objects, literal_value),
)
"""The files of ops that hold a program together."""

COMMUNICATION = (ccl,)
"""The files of ops between the ranks of a program, which are no functions of their operands alone."""

OPERATOR_FAMILIES = tuple(
    file
    for file in modules_of(ops.__name__, ops.__path__)
    if hasattr(file, "OPS") and file not in (*STRUCTURE, *COMMUNICATION)
)
"""The operator modules, each with a list `OPS`; interpret/, lowering/legalize/ and the tests reuse their
names."""

Relax = Dialect(
    "relax",
    [op for family in (*STRUCTURE, *COMMUNICATION, *OPERATOR_FAMILIES) for op in family.OPS],
    [DeviceAttr, DimsAttr, ExprAttr, TensorType, ShapeType, PrimType, ObjectType, FuncType],
)
