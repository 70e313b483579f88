"""The total memory of one call of an entry point, if the sizes of its arguments determine it.

    @main(%n: index {relax.symbol = "n"}, ...)    frames 512 * n + 64 bytes, other values 256 * n + 128

For a caller that provides the memory (`--arena`): frames form a stack, and values outside of frames, such
as results, are taken from the other end and stay until the next call. So a program is refused in which a
size, or the number of allocations, is known only at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Attribute, Operation

from lowering.external.library_kernel import codegen_of
from lowering.memory.functions.external_declarations import form_of
from lowering.memory.in_place.call_graph import callees_first, calls_of
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.size_order import ZERO, Maximum
from lowering.memory.plan.lifetimes import ALIGNMENT, OwnedMemory, bytes_of, values_of
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError, SymbolicError, blaming
from relax_dialect.prim.signature import DIMS, FRAME, OFFSET, attribute_dicts
from relax_dialect.symbolic import Expr

HEADER = ALIGNMENT
"""The bytes before each frame and each value, with their bookkeeping."""

KNOWN = "expected a program that knows its memory from the sizes of its arguments"
MEND = "compile without --arena"


@dataclass(frozen=True)
class CallMemory:
    """The memory that a call takes, in bytes, in the symbolic variables of the function."""

    frames: tuple[Expr, ...] = (ZERO,)
    """The stack of frames at its highest, with their headers: the largest of these sizes."""
    values: Expr = ZERO
    """The values allocated outside of frames, all of them together, with headers."""

    def variables(self) -> set[str]:
        return {name for size in (*self.frames, self.values) for name in size.free_variables}

    def __str__(self) -> str:
        return f"{Maximum(list(self.frames))} + {self.values}"


def call_memory(functions: Mapping[str, func.FuncOp]) -> Mapping[str, CallMemory]:
    """Return the memory of calls of functions that call only each other; `RelaxError` if it is not
    known."""
    bodies = {name: f for name, f in functions.items() if len(f.body.blocks) == 1}
    done: dict[str, CallMemory] = {}
    for name in callees_first(bodies):
        if codegen_of(bodies[name]) is not None:  # a library computes it
            done[name] = CallMemory()
            continue
        try:
            done[name] = _of_function(bodies[name], functions, done)
        except SymbolicError as error:
            raise RelaxError(
                f"--arena: @{name}: {KNOWN}, found sizes that are too long to reason about: {error}; {MEND}"
            ) from None
    return done


def result_bytes(type: MemRefType, dims: tuple[str, ...]) -> Expr:
    """Return the bytes of a result that an entry point allocates, with the copy of its shape."""
    size = bytes_of(type, [None if d == "?" else symbolic.parse(d) for d in dims])
    return ZERO if size is None else _allocated(size)


def shape_bytes(rank: int) -> Expr:
    """Return the bytes of the copy of a shape."""
    return _allocated(symbolic.const(-(-8 * rank // ALIGNMENT) * ALIGNMENT))


def _allocated(size: Expr) -> Expr:
    """Return the bytes of an allocation with its header; an empty one has a line too."""
    return size + HEADER + ALIGNMENT


def _of_declared(where: str, callee: func.FuncOp) -> CallMemory:
    """Return the memory of a call of an external function: none if it writes to its arguments, as prints
    and checks do too; returned results are copied."""
    form = form_of(callee)
    if form is None or form.format is not None:
        return CallMemory()
    if not form.is_outside:
        raise RelaxError(f"{where}: {KNOWN}, found a call of a function value or recursion; {MEND}")
    if callee.function_type.outputs:
        raise RelaxError(
            f'{where}: {KNOWN}, found a call of "{form.name}" from outside, which allocates its result; '
            f"call it by relax.call_dps_packed, or {MEND}"
        )
    return CallMemory()


def _of_function(
    function: func.FuncOp, functions: Mapping[str, func.FuncOp], done: Mapping[str, CallMemory]
) -> CallMemory:
    sizes = SymbolicSizes(function, functions)
    stated = function.attributes.get(FRAME)
    own = symbolic.parse(stated.data) + HEADER if isinstance(stated, StringAttr) else ZERO
    frames, values = Maximum([own]), ZERO
    for value in _allocations(function, sizes):
        values += _allocated(_known_once(function, value))
    for _, call in calls_of(function):
        name = call.callee.string_value()
        with blaming(call):
            taken = _of_call(function, call, sizes, functions.get(name), done.get(name))
        if taken.values.value != 0:
            _check_once(function, call, f"@{name} allocates")
        offset = call.attributes.get(OFFSET)
        start = symbolic.parse(offset.data) + HEADER if isinstance(offset, StringAttr) else own
        values += taken.values
        for size in taken.frames:
            frames.add(start + size)
    return CallMemory(tuple(frames.sizes), values)


def _of_call(
    function: func.FuncOp, call: func.CallOp, sizes: SymbolicSizes,
    callee: func.FuncOp | None, taken: CallMemory | None,
) -> CallMemory:  # fmt: skip
    """Return the memory of a call, in the variables of the caller."""
    where, name = f"--arena: @{function.sym_name.data}", call.callee.string_value()
    if callee is None or callee.body.first_block is None:
        return CallMemory() if callee is None else _of_declared(where, callee)
    if taken is None:
        raise RelaxError(f"{where}: call of @{name}: {KNOWN}, found recursion; {MEND}")
    known = sizes.bindings(call)
    if not known.keys() >= taken.variables():
        raise RelaxError(
            f"{where}: call of @{name}: {KNOWN}, found one that takes {taken} bytes, of "
            f"sizes that only the running function knows; {MEND}"
        )
    frames = tuple(size.substitute(known) for size in taken.frames)
    return CallMemory(frames, taken.values.substitute(known))


def _allocations(function: func.FuncOp, sizes: SymbolicSizes) -> Iterator[OwnedMemory]:
    """Yield the allocations that are not in the frame."""
    for value in values_of(function, sizes):
        if isinstance(value.op, memref.AllocOp) and value.offset is None:
            yield value


def _known_once(function: func.FuncOp, value: OwnedMemory) -> Expr:
    """Return the size of a value that is allocated once in a call."""
    if value.size is None:
        dims = ", ".join("?" if size is None else str(size) for size in value.shape)
        unnamed = any("?" in str(d.get(DIMS)) for d in _arguments(function))
        named = ", or name the dimensions in the types of its arguments" if unnamed else ""
        with blaming(value.op):
            raise RelaxError(
                f"--arena: @{function.sym_name.data}: '{value.name}' of {_maker(value)}: {KNOWN}, found "
                f"the shape [{dims}], which only the running function knows; {MEND}{named}"
            )
    _check_once(function, value.op, f"'{value.name}' of {_maker(value)} is allocated")
    return value.size


def _arguments(function: func.FuncOp) -> list[Mapping[str, Attribute]]:
    return attribute_dicts(function.arg_attrs, len(function.function_type.inputs))


def _maker(value: OwnedMemory) -> str:
    """Return the function that fills a value."""
    assert value.memref is not None
    for use in value.memref.uses:
        if isinstance(call := use.operation, func.CallOp):
            return f"@{call.callee.string_value()}"
    return value.op.name


def _check_once(function: func.FuncOp, op: Operation, what: str) -> None:
    """Refuse an op in each iteration of a loop."""
    parent = op.parent_op()
    while parent is not None and parent is not function:
        if isinstance(parent, scf.ForOp | scf.WhileOp | scf.ParallelOp):
            with blaming(op):
                where = f"--arena: @{function.sym_name.data}"
                raise RelaxError(
                    f"{where}: {KNOWN}, found a loop in each iteration of which {what}; {MEND}"
                )
        parent = parent.parent_op()
