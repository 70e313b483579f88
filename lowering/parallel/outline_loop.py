"""A range of a loop's iterations as a function: values from outside are passed, or computed again.

    %local = memref.alloc() : memref<4x64xf32>                // scratch, whose margin is written before
    scf.for %t = %c0 to %n step %c1 { ... %local ... %x ... } {relax.parallel}
->
    func.call @f_loop(%c0, %n, %x, %local)

    func.func private @f_loop(%first: index, %last: index, %x: memref<...>, %local: memref<4x64xf32>) {
      %own = memref.alloc() : memref<4x64xf32>
      memref.copy %local, %own
      scf.for %t = %first to %last step %c1 { ... %own ... %x ... }
      memref.dealloc %own
    }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import VIEW_OPS
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes, symbols_of
from lowering.parallel.scratch_buffers import Scratch
from relax_dialect import symbolic
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import DIMS, RESULT, SYMBOL, attribute_dicts

KEPT = (SYMBOL, DIMS, RESULT)
"""The attributes of arguments that hold in the function of a loop, too."""


@dataclass
class LoopFunction:
    """The function of a loop in the making."""

    function: func.FuncOp
    """The function around the loop."""
    loop: scf.ForOp
    scratch: Sequence[Scratch]
    functions: Mapping[str, func.FuncOp]
    block: Block = field(default_factory=lambda: Block(arg_types=[IndexType(), IndexType()]))
    known: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Values of the function around, as the new one has them."""
    passed: list[SSAValue] = field(default_factory=list[SSAValue])
    attributes: list[DictionaryAttr] = field(default_factory=list[DictionaryAttr])
    copied: list[Operation] = field(default_factory=list[Operation])
    """The ops that are computed again inside."""

    @cached_property
    def sizes(self) -> SymbolicSizes:
        """The sizes of the function around, read when a buffer of its own is passed."""
        return SymbolicSizes(self.function, self.functions)

    @cached_property
    def symbols(self) -> Mapping[str, SSAValue]:
        return symbols_of(self.function)

    def outline(self, name: str) -> tuple[func.FuncOp, func.CallOp]:
        """Replace the loop by a call of a new function, which is not in the module yet; return both."""
        first, last = self.block.args
        first.name_hint, last.name_hint = "first", "last"
        bounds = self._bounds()
        for each in self.scratch:
            self._own_buffer(each)
        for value in self._captured():
            self._inside(value)
        call = func.CallOp(name, [*bounds, *self.passed], [])
        Inserter(before=self.loop).place(call)
        self._move(first, last)
        for each in self.scratch:
            if isinstance(op := each.allocation, memref.AllocOp):
                self.block.add_op(memref.DeallocOp.get(self.known[op.memref]))
        self.block.add_op(func.ReturnOp())
        self._erase_unused()
        types = [argument.type for argument in self.block.args]
        attributes = ArrayAttr([DictionaryAttr({}), DictionaryAttr({}), *self.attributes])
        made = func.FuncOp(
            name,
            FunctionType.from_lists(types, []),
            Region(self.block),
            visibility="private",
            arg_attrs=attributes,
        )
        made.location = self.function.location
        return made, call

    def _bounds(self) -> tuple[SSAValue, SSAValue]:
        return self.loop.lb, self.loop.ub

    def _move(self, first: SSAValue, last: SSAValue) -> None:
        """Move the loop into the function, over a range of iterations."""
        step = self._inside(self.loop.step)
        self.loop.detach()
        self.loop.operands = [first, last, step]
        for op in walk_ops(self.loop):
            operands = [self.known.get(operand, operand) for operand in op.operands]
            if any(a is not b for a, b in zip(operands, op.operands)):
                op.operands = operands
        self.block.add_op(self.loop)

    # Values from outside

    def _captured(self) -> list[SSAValue]:
        """Return the values that the body uses and does not define, in the order of their uses."""
        defined: set[SSAValue] = set()
        used: dict[SSAValue, None] = {}
        for op in walk_ops(self.loop):
            defined.update(op.results)
            for region in op.regions:
                for block in region.blocks:
                    defined.update(block.args)
            if op is not self.loop:
                used |= dict.fromkeys(op.operands)
        return [value for value in used if value not in defined]

    def _inside(self, value: SSAValue) -> SSAValue:
        """Return a value of the function around as the new one has it."""
        if value not in self.known:
            op = value.owner if isinstance(value.owner, Operation) else None
            is_passed = op is None or not is_cheap(op)
            found = self._argument(value) if op is None or is_passed else self._copy(op)
            found.name_hint = value.name_hint
            self.known[value] = found
        return self.known[value]

    def _copy(self, op: Operation) -> SSAValue:
        operands = [self._inside(operand) for operand in op.operands]
        clone = op.clone(dict(zip(op.operands, operands)))
        self.block.add_op(clone)
        self.copied.append(op)
        return clone.results[0]

    def _own_buffer(self, scratch: Scratch) -> None:
        """Allocate a buffer inside, as a copy of one that has been written before."""
        buffer = scratch.allocation.results[0]
        filled = self._argument(buffer) if scratch.is_filled else None
        self.known[buffer] = own = self._copy(scratch.allocation)
        own.name_hint = buffer.name_hint
        if filled is not None:
            filled.name_hint = buffer.name_hint
            self.block.add_op(memref.CopyOp(filled, own))

    def _argument(self, value: SSAValue) -> SSAValue:
        """Pass a value, with the variables that its sizes are in."""
        entry = self._described(value)
        dims = entry.get(DIMS)
        for dim in dims.data if isinstance(dims, ArrayAttr) else ():
            assert isinstance(dim, StringAttr)
            for name in () if dim.data == "?" else symbolic.parse(dim.data).free_variables:
                self._inside(self.symbols[name])
        argument = self.block.insert_arg(value.type, len(self.block.args))
        self.passed.append(value)
        self.attributes.append(DictionaryAttr(entry))
        return argument

    def _described(self, value: SSAValue) -> dict[str, Attribute]:
        """Return the attributes of the argument that a value becomes."""
        block = self.function.body.block
        if isinstance(value, BlockArgument) and value.owner is block:
            own = attribute_dicts(self.function.arg_attrs, len(block.args))[value.index]
            return {name: own[name] for name in KEPT if name in own}
        if not isinstance(value.type, MemRefType):
            return {}
        shape = self.sizes.shape(value)
        texts = [
            "?" if size is None or not self.sizes.is_of_symbols(size) else str(size)
            for size in shape
        ]
        return {DIMS: ArrayAttr([StringAttr(text) for text in texts])}

    def _erase_unused(self) -> None:
        """Erase what only the loop needed."""
        for op in reversed(self.copied):
            users = [use.operation for result in op.results for use in result.uses]
            if all(isinstance(user, memref.DeallocOp) for user in users):
                for each in (*users, op):
                    each.detach()
                    each.erase()


def is_cheap(op: Operation) -> bool:
    """Return whether an op is computed again inside: constants, views, and arithmetic of sizes."""
    if isinstance(op, (arith.ConstantOp, memref.GetGlobalOp, memref.DimOp, *VIEW_OPS)):
        return True
    types = [value.type for value in (*op.operands, *op.results)]
    return op.name.startswith("arith.") and all(
        isinstance(t, IndexType) or t == IntegerType(1) for t in types
    )


def may_outline(loop: scf.ForOp) -> bool:
    """Return whether a loop can be a function: what it needs from outside can be passed."""
    if loop.results or known_integer(loop.step) is None:
        return False
    inside = {*walk_ops(loop)}
    for op in inside:
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, Operation):
                if owner in inside or is_cheap(owner):
                    continue
                if isinstance(owner, memref.AllocOp | memref.AllocaOp):
                    continue
            elif _is_inside(owner, inside) or isinstance(owner.parent_op(), func.FuncOp):
                continue
            if isinstance(value.type, MemRefType | VectorType):
                return False
    return True


def _is_inside(block: Block, inside: set[Operation]) -> bool:
    return block.parent_op() in inside
