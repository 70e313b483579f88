"""Copies of function bodies with values, symbolic variables and types replaced, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.traits import IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.mlir.builtin_types import from_builtin, to_builtin
from relax_dialect.ir.order import op_name
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.traits import HoldsScalars, has_trait, region_is_graph
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import DimsAttr, ExprAttr, FuncType, ShapeType, TensorType
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.builtin_tensors import ToBuiltinOp
from relax_dialect.ops.control import ClosureOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import has_moderate_numbers
from relax_dialect.symbolic import Expr, SymbolicOverflow, var
from relax_dialect.transform.regions import Body, holds_bindings, is_relax, set_type


class SubstitutionError(RelaxError):
    """A size that cannot be written with the variables replaced."""


def substitute_attribute(attribute: Attribute, symbols: Mapping[str, Expr]) -> Attribute:
    """Return a property of an op with symbolic variables replaced."""
    if isinstance(attribute, DimsAttr):
        new = substitute(ShapeType(attribute.data), symbols)
        assert isinstance(new, ShapeType)
        if attribute.data is not None and (new.shape or ()).count(None) != attribute.data.count(
            None
        ):
            raise SubstitutionError(
                f"sizes {new}: expected expressions that are not too large, found some that are; "
                "keep the variables"
            )
        return new.dims
    if isinstance(attribute, ExprAttr):
        try:
            expression = attribute.data.substitute(symbols)
        except SymbolicOverflow as error:
            raise SubstitutionError(f"{error}; keep the variables") from None
        if not has_moderate_numbers(expression):
            raise SubstitutionError(f"{expression}: expected smaller numbers; keep the variables")
        return ExprAttr(expression)
    if isinstance(attribute, TypeAttribute) and free_variables(attribute):
        return substitute(attribute, symbols)
    return attribute


def fresh_symbols(names: Iterable[str], taken: set[str]) -> dict[str, Expr]:
    """Return each name with a variable that is not taken."""
    found: dict[str, Expr] = {}
    for name in names:
        number = 1
        while (candidate := f"{name}_{number}") in taken:
            number += 1
        taken.add(candidate)
        found[name] = var(candidate)
    return found


def _keep_dynamic(op: ToBuiltinOp, block: Block) -> None:
    """Keep the dynamic sizes of a builtin type: other dialects' ops expect it as it is."""
    source = op.value.type
    wanted = from_builtin(op.result.type)  # pyright: ignore[reportArgumentType]
    assert isinstance(source, TensorType)
    if is_subtype(source, wanted) and to_builtin(source) != op.result.type:
        let = LetOp.create(operands=[op.value], result_types=[wanted])
        let.result.name_hint = op.value.name_hint
        block.add_op(let)
        op.operands = [let.result]


@dataclass
class _Copying:
    """A region being copied: the remaining ops, and the target block."""

    owner: Operation
    copy: Operation | None
    target: Block
    remaining: Iterator[Operation]
    is_graph: bool

    @property
    def is_last(self) -> bool:
        """Whether the copy of an op is complete once this region is."""
        return self.copy is not None and self.target is self.copy.regions[-1].blocks[0]


@dataclass
class Cloner:
    """Copies ops in order of evaluation; `check` sees each copy with its original once its regions
    are filled."""

    values: dict[SSAValue, SSAValue]
    symbols: Mapping[str, Expr]
    check: Callable[[Operation, Operation], None] = lambda copy, op: None

    def copy_body(self, owner: Operation, target: Block, *, flatten: bool) -> None:
        """Copy a function body without its terminator; `flatten` leaves out the blocks around its ops."""
        stack = [self._region(owner, None, owner.regions[0], target, False)]
        try:
            self._copy_regions(stack, flatten)
        except Exception:
            for region in stack:  # these copies have no block yet: no caller can find them
                for op in () if region.copy is None else walk_ops(region.copy):
                    op.operands = ()
            raise

    def _copy_regions(self, stack: list[_Copying], flatten: bool) -> None:
        """Copy the innermost region on the stack first; an op with regions is inserted once they are
        filled, as xDSL climbs to the outermost region for every op put into a block."""
        while stack:
            region = stack[-1]
            op = next(region.remaining, None)
            if op is None:
                stack.pop()
                self._finish(region)
                if region.is_last:
                    assert region.copy is not None
                    stack[-1].target.add_op(region.copy)
                    self.check(region.copy, region.owner)
                continue
            top = len(stack) == 1 or region.copy is None
            if top and has_trait(op, IsTerminator):
                continue
            if top and flatten and isinstance(op, BlockOp):
                stack.append(self._region(op, None, op.regions[0], region.target, region.is_graph))
                continue
            copy = self._copy(op)
            if isinstance(copy, ToBuiltinOp):
                _keep_dynamic(copy, region.target)
            if not op.regions or not holds_bindings(op):
                region.target.add_op(copy)
                self.check(copy, op)
                continue
            pending = [
                self._region(op, copy, old, new.blocks[0], region.is_graph)
                for old, new in zip(op.regions, copy.regions)
            ]
            stack.extend(reversed(pending))

    def _region(
        self, owner: Operation, copy: Operation | None, old: Region, target: Block, in_graph: bool
    ) -> _Copying:
        is_graph = region_is_graph(owner, in_graph)
        return _Copying(owner, copy, target, iter(Body(old.block, is_graph, owner).ops()), is_graph)

    def _finish(self, region: _Copying) -> None:
        """Complete a copy that depends on the contents of its region."""
        if isinstance(region.owner, BlockOp):
            outputs = [self.values.get(v, v) for v in region.owner.output.operands]
            if region.copy is None:
                self.values.update(zip(region.owner.results, outputs))
            else:
                for result, value in zip(region.copy.results, outputs):
                    set_type(result, value.type)

    def _copy(self, op: Operation) -> Operation:
        if has_trait(op, HoldsScalars):
            return self._copy_scalars(op)
        if op.regions and not is_relax(op):
            return self._copy_foreign(op)
        properties = {k: substitute_attribute(v, self.symbols) for k, v in op.properties.items()}
        types: Sequence[Attribute] = [substitute(t, self.symbols) for t in op.result_types]
        regions: list[Region] = []
        for region in op.regions:
            arguments = [substitute(t, self.symbols) for t in region.block.arg_types]
            regions.append(Region(block := Block(arg_types=arguments)))
            self._map(region.block.args, block.args)
        if isinstance(op, ClosureOp):
            names = [str(self.symbols.get(n, n)) for n in op.entry_symbols()]
            if names:
                properties["variables"] = ArrayAttr(StringAttr(n) for n in names)
            output = substitute(op.type.output, self.symbols)
            inputs = regions[0].block.arg_types
            types = [FuncType(inputs, output, names, pure=op.type.is_pure)]
        copy = type(op).create(
            operands=[self.values.get(o, o) for o in op.operands],
            result_types=types,
            properties=properties,
            attributes=op.attributes,
            regions=regions,
        )
        self._map(op.results, copy.results)
        return copy

    def _copy_scalars(self, op: Operation) -> Operation:
        """Copy an op with the region of scalars that it holds, other variables in all of it."""
        copy = op.clone(value_mapper=self.values)
        for inner in walk_ops(copy):
            inner.properties = {
                k: substitute_attribute(v, self.symbols) for k, v in inner.properties.items()
            }
            arguments = [a for b in blocks_of(inner) for a in b.args]
            for value in (*inner.results, *arguments):
                set_type(value, substitute(value.type, self.symbols))
        return copy

    def _copy_foreign(self, op: Operation) -> Operation:
        """Copy an op of another dialect with its regions, whose types must not change."""
        if not named_symbols(op).isdisjoint(self.symbols):
            raise SubstitutionError(
                f"{op_name(op)}: expected no symbolic variables in the regions of another dialect's op, "
                "found some; take them out of it first"
            )
        return op.clone(value_mapper=self.values)

    def _map(self, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
        for before, after in zip(old, new):
            self.values[before] = after
            after.name_hint = before.name_hint
