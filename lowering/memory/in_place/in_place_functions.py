"""Prim funcs that write results over arguments.

    func.func private @exp(%n: index, %x: memref<?xf32>, %y: memref<?xf32> {relax.result})
    ->
    func.func private @exp_in_place(%n: index, %y: memref<?xf32> {relax.result})

One argument serves as both, so that compilers of the loops see the aliasing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType, MemRefType, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.in_place_safety import may_overwrite
from lowering.ir.memref_views import VIEW_OPS
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import unique_name
from relax_dialect.prim.signature import RESULT, attribute_dicts

Pair = tuple[int, int]
"""The numbers of an argument and of the result that is written over it."""


@dataclass
class InPlaceFunctions:
    """The prim funcs that write over their arguments, created on demand."""

    module: ModuleOp
    functions: dict[str, func.FuncOp]
    pairs: dict[str, list[Pair]] = field(default_factory=dict)
    made: dict[tuple[str, tuple[Pair, ...]], str] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    """The functions that were called in another way before."""

    def pairs_of(self, call: func.CallOp) -> list[Pair]:
        """Return the pairs of a callee's arguments that may be written over and the results written over
        them."""
        name = call.callee.string_value()
        if name not in self.pairs:
            callee = self.functions.get(name)
            self.pairs[name] = [] if callee is None else list(_possible(callee))
        return self.pairs[name]

    def call(self, call: func.CallOp, pairs: tuple[Pair, ...]) -> func.CallOp:
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
        return new

    def _make(self, function: func.FuncOp, pairs: tuple[Pair, ...]) -> str:
        found = function.clone()
        name = unique_name(f"{function.sym_name.data}_in_place", module_symbols(self.module))
        found.sym_name, found.sym_visibility = StringAttr(name), StringAttr("private")
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
    """Merge equal views of a buffer within one block: compilers see at once that both alias."""
    work = [buffer]
    while work:
        value = work.pop()
        seen: dict[object, SSAValue] = {}
        views = {u.operation: None for u in value.uses if isinstance(u.operation, VIEW_OPS)}
        for view in sorted(views, key=lambda op: list(op.parent.ops).index(op) if op.parent else 0):
            what = (
                *view.properties.items(),
                *view.result_types,
            )  # the types show which axes are left out
            key = (type(view), view.parent, *view.operands, *what)
            if key in seen:
                Rewriter.replace_op(view, [], [seen[key]])
            else:
                seen[key] = view.results[0]
                work.append(view.results[0])


def _possible(function: func.FuncOp) -> Iterator[Pair]:
    """Yield the arguments of a prim func that its results may be written over."""
    entries = attribute_dicts(function.arg_attrs, len(function.body.block.args))
    arguments = list(enumerate(function.body.block.args))
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
