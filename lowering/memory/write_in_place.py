"""relax-write-in-place: what a prim func makes of a value that nobody needs any more is written over it.

    %a = memref.alloc(%n) : memref<?x64xf32>           %a = memref.alloc(%n) : memref<?x64xf32>
    func.call @exp(%n, %x, %a)                         func.call @exp(%n, %x, %a)
    %b = memref.alloc(%n) : memref<?x64xf32>      ->   func.call @softmax_in_place(%n, %a)
    func.call @softmax(%n, %a, %b)
    memref.dealloc %a

A prim func may do so that reads each element before it writes it (`lowering/ir/overwriting.py`). It is
given one argument for both, so that it is plain to see for whoever compiles its loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ArrayAttr, FunctionType, MemRefType, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.freeing import users_in
from lowering.ir.memref_views import VIEW_OPS
from lowering.ir.overwriting import may_overwrite
from lowering.ir.uncalled import erase_uncalled
from lowering.memory.callees import calls_of, functions_of
from lowering.memory.owned import frees_of
from lowering.memory.sizes import SymbolicSizes
from relax_dialect.call_graph import is_private, unique_name
from relax_dialect.prim_func import RESULT, attribute_dicts

Pair = tuple[int, int]
"""The numbers of an argument and of the result that is written over it."""


def write_in_place(module: ModuleOp) -> None:
    """Let the prim funcs of a module write over what dies where they are called."""
    functions = functions_of(module)
    variants = _Variants(module, functions)
    for function in list(functions.values()):
        calls = [(call, pairs) for _, call in calls_of(function) if (pairs := variants.of(call))]
        if not calls:
            continue
        sizes = SymbolicSizes(function, functions)
        for call, pairs in calls:
            if chosen := _written_over(call, pairs, sizes):
                variants.call(call, chosen)
    erase_uncalled(module, functions, variants.replaced)


def _written_over(call: func.CallOp, pairs: list[Pair], sizes: SymbolicSizes) -> tuple[Pair, ...]:
    """The pairs of a call whose argument dies there; they share its buffer from here on."""
    chosen: list[Pair] = []
    for source, target in pairs:
        if any(source == s or target == t for s, t in chosen):
            continue
        old, new = call.operands[source], call.operands[target]
        free = _dies_in(old, call)
        if free is not None and _begins_in(new, call) and _are_alike(old, new, sizes):
            Rewriter.erase_op(free)
            new.replace_all_uses_with(old)
            Rewriter.erase_op(new.owner)  # pyright: ignore[reportArgumentType]
            chosen.append((source, target))
    return tuple(sorted(chosen))


def _dies_in(value: SSAValue, call: func.CallOp) -> memref.DeallocOp | None:
    """What frees an allocation of the block that nothing looks at after a call."""
    block, alloc = call.parent, value.owner
    if block is None or not isinstance(alloc, memref.AllocOp) or alloc.parent is not block:
        return None
    frees = frees_of(value)
    if len(frees) != 1 or frees[0].parent is not block or frees[0].memref is not value:
        return None
    if list(call.operands).count(value) > 1:
        return None
    users = (op for op in users_in(value, block) if op is not frees[0] and op is not call)
    return frees[0] if all(op.is_before_in_block(call) for op in users) else None


def _begins_in(value: SSAValue, call: func.CallOp) -> bool:
    """Whether a value is an allocation of the block that nothing looks at before a call."""
    block, alloc = call.parent, value.owner
    if block is None or not isinstance(alloc, memref.AllocOp) or alloc.parent is not block:
        return False
    users = (op for op in users_in(value, block) if op is not call)
    is_new = all(call.is_before_in_block(op) for op in users)
    return is_new and list(call.operands).count(value) == 1


def _are_alike(old: SSAValue, new: SSAValue, sizes: SymbolicSizes) -> bool:
    shape = sizes.shape(old)
    return old.type == new.type and None not in shape and shape == sizes.shape(new)


@dataclass
class _Variants:
    """The prim funcs that write over their arguments, made as they are asked for."""

    module: ModuleOp
    functions: dict[str, func.FuncOp]
    pairs: dict[str, list[Pair]] = field(default_factory=dict)
    made: dict[tuple[str, tuple[Pair, ...]], str] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    """The functions that were called in another way before."""

    def of(self, call: func.CallOp) -> list[Pair]:
        """Which arguments of the function that is called may be written over, by which results."""
        name = call.callee.string_value()
        if name not in self.pairs:
            callee = self.functions.get(name)
            self.pairs[name] = [] if callee is None else list(_possible(callee))
        return self.pairs[name]

    def call(self, call: func.CallOp, pairs: tuple[Pair, ...]) -> None:
        """Call a function that has one argument for each of some pairs."""
        name = call.callee.string_value()
        if (name, pairs) not in self.made:
            self.made[name, pairs] = self._make(self.functions[name], pairs)
        dropped = {source for source, _ in pairs}
        operands = [v for i, v in enumerate(call.operands) if i not in dropped]
        new = func.CallOp(self.made[name, pairs], operands, call.result_types)
        new.attributes |= call.attributes
        new.location = call.location
        self.replaced.add(name)
        Rewriter.replace_op(call, new)

    def _make(self, function: func.FuncOp, pairs: tuple[Pair, ...]) -> str:
        found = function.clone()
        name = unique_name(f"{function.sym_name.data}_in_place", self.functions)
        found.sym_name = StringAttr(name)
        found.location = function.location
        block = found.body.block
        assert found.arg_attrs is not None
        dropped = dict(pairs)
        for source, target in dropped.items():
            block.args[source].replace_all_uses_with(block.args[target])
        kept = [i for i in range(len(block.args)) if i not in dropped]
        attributes = found.arg_attrs.data
        found.arg_attrs = ArrayAttr([attributes[i] for i in kept])
        for source in sorted(dropped, reverse=True):
            block.erase_arg(block.args[source])
        outputs = found.function_type.outputs.data
        found.function_type = FunctionType.from_lists([a.type for a in block.args], outputs)
        for target in dropped.values():
            _share_tiles(block.args[target - sum(s < target for s in dropped)])
        assert function.parent is not None
        function.parent.insert_op_after(found, function)
        self.functions[name] = found
        return name


def _share_tiles(buffer: SSAValue) -> None:
    """Let equal views of a buffer that stand in one block be one: compilers see at once that both are of
    the same elements."""
    work = [buffer]
    while work:
        value = work.pop()
        seen: dict[object, SSAValue] = {}
        views = {u.operation: None for u in value.uses if isinstance(u.operation, VIEW_OPS)}
        for view in sorted(views, key=lambda op: list(op.parent.ops).index(op) if op.parent else 0):
            key = (type(view), view.parent, *view.operands, *view.properties.items())
            if key in seen:
                Rewriter.replace_op(view, [], [seen[key]])
            else:
                seen[key] = view.results[0]
                work.append(view.results[0])


def _possible(function: func.FuncOp) -> Iterator[Pair]:
    """The arguments of a prim func that its results may be written over."""
    entries = attribute_dicts(function.arg_attrs, len(function.body.block.args))
    arguments = list(enumerate(function.body.block.args))
    if not is_private(function):
        return
    memrefs = [(i, a) for i, a in arguments if isinstance(a.type, MemRefType)]
    for i, target in memrefs:
        for j, source in memrefs:
            if (
                RESULT in entries[i]
                and RESULT not in entries[j]
                and source.type == target.type
                and may_overwrite(source, target)
            ):
                yield j, i


class WriteInPlacePass(ModulePass):
    """Results over arguments that die, see the module docstring."""

    name = "relax-write-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        write_in_place(op)
