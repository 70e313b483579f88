"""Programs of one device made programs of a rank: its parts of tensors, and collectives between them.

Ops are visited in their order. Each takes its operands as the choice of least bytes wants them
(`choice.py`), which inserts collectives, and sums over ranks stay pending until a value is needed whole:
then all that are pending and needed so are reduced as one flat tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.values import Value
from relax_dialect.errors import blaming
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.ccl import CommunicationOp
from relax_dialect.ops.core import FuncOp, ShapeOfOp, ShapeOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.rewrites.forms.to_non_dataflow import to_non_dataflow
from relax_dialect.rewrites.params.bind_params import uncalled_function
from relax_dialect.sharding.choice import ShardingChoice, choose
from relax_dialect.sharding.cost import Move
from relax_dialect.sharding.expansion import expand
from relax_dialect.sharding.moves import Mover
from relax_dialect.sharding.registry import factors_of
from relax_dialect.sharding.value_sharding import (
    SHARDED,
    SHARDING,
    Grid,
    Sharding,
    ShardingError,
    read,
    scales,
    whole,
    written,
)
from relax_dialect.transform.binding import FunctionRemaker
from relax_dialect.transform.regions import dissolve


def shard(module: ModuleOp, name: str) -> list[Move]:
    """Make a function the program of one rank of the module's grid, and return the collectives in it.

    Raises `ShardingError` if the shardings of its values do not fit.
    """
    grid = Grid.of(module)
    mend = "inline the calls first, by relax-inline-private-functions"
    function = uncalled_function(module, name, "relax-shard", mend)
    _flatten(function, module)
    given = _annotations(function, grid)
    parameters = [
        (f"@{name}: parameter '{p.name_hint}'", p.type.shape or (), given[p.name_hint or ""])
        for p in function.body.block.args
        if p.name_hint in given and isinstance(p.type, TensorType)
    ]
    if multiples := scales(parameters, grid):
        remaker = FunctionRemaker(function, multiples, ModuleSymbols(function))
        for parameter in function.body.block.args:
            remaker.keep_parameter(parameter)
        remaker.finish()
    return Sharder(function, given, grid).run(module)


def _annotations(function: FuncOp, grid: Grid) -> dict[str, Sharding]:
    """Return the placements that a function's attribute says, by the names of values."""
    where, found = f"@{function.sym_name.data}", function.attributes.get(SHARDING)
    if not isinstance(found, DictionaryAttr):
        mend = f'write attributes {{{SHARDING} = {{w = ["", "{next(iter(grid.axes))}"]}}}}'
        raise ShardingError(f"{where}: expected {SHARDING}, found {found or 'none'}; {mend}")
    values = dict[str, list[SSAValue]]()
    for value in _values(function):
        values.setdefault(value.name_hint or "", []).append(value)
    read_ones: dict[str, Sharding] = {}
    for name, attribute in found.data.items():
        named = values.get(name, [])
        type = named[0].type if len(named) == 1 else None
        if not isinstance(type, TensorType) or type.shape is None:
            count = "which several values have" if len(named) > 1 else "which no tensor has"
            raise ShardingError(
                f"{where}: expected in {SHARDING} names of single tensors of known rank, found '{name}', "
                f"{count}; correct the name"
            )
        found_one = read(attribute, f"{where}: '{name}'", grid, type.shape)
        cut = tuple(d if d is not None and grid.axes[d] > 1 else None for d in found_one.dims)
        read_ones[name] = Sharding(cut)
    return read_ones


def _values(function: FuncOp) -> Iterable[SSAValue]:
    yield from function.body.block.args
    for operation in walk_ops(function):
        yield from operation.results


def _flatten(function: FuncOp, module: ModuleOp) -> None:
    """Dissolve the blocks of a function, whose ops are in an order of evaluation."""
    if any(isinstance(each, GraphOp) for each in walk_ops(function)):
        to_a_normal_form(function, ModuleSymbols(function))
    to_non_dataflow(module)
    while blocks := [b for b in function.body.block.ops if isinstance(b, BlockOp)]:
        for block in blocks:
            dissolve(block)
    expand(function)


@dataclass
class ShardedValue:
    """A value of the old function on the ranks: its parts by their placement, the first is its own."""

    parts: dict[Sharding, Value]

    @property
    def own(self) -> Sharding:
        return next(iter(self.parts))


class Sharder:
    """Builds the program of a rank."""

    def __init__(self, function: FuncOp, given: dict[str, Sharding], grid: Grid):
        self.function, self.given, self.grid = function, given, grid
        self.placed: dict[SSAValue, ShardedValue] = {}
        self.pending: dict[SSAValue, tuple[tuple[str, str], ...]] = {}
        """Values whose own part is to be reduced over ranks, and how."""
        self.same: dict[SSAValue, SSAValue] = {}
        """Fields of tuples that the function makes, and what they are."""
        self.where = f"@{function.sym_name.data}"

    def run(self, module: ModuleOp) -> list[Move]:
        """Replace the function by the program of a rank."""
        function, name, block = self.function, self.function.sym_name.data, module.body.block
        following = function.next_op
        function.detach()
        try:
            self._build(module, name)
        except Exception:
            block.add_op(function)
            raise
        made = next(f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == name)
        made.attributes |= {k: v for k, v in function.attributes.items() if k != SHARDING}
        parameters = {a.name_hint or "" for a in function.body.block.args}
        kept = {n: written(p) for n, p in self.given.items() if n in parameters}
        made.attributes[SHARDED] = DictionaryAttr(kept)
        if following is not None:
            made.detach()
            block.insert_op_before(made, following)
        return self.mover.moves

    def _build(self, module: ModuleOp, name: str) -> None:
        """Build the program of a rank."""
        function = self.function
        self.builder = BlockBuilder(module)
        self.mover = Mover(self.builder, self.grid)
        types = {a.name_hint or f"p{a.index}": self._local(a) for a in function.body.block.args}
        private = function.is_private
        with self.builder.function(name, types, private=private) as values:
            for old, value in zip(function.body.block.args, values):
                self._place(old, self._annotated(old), value)
            for operation in list(function.body.block.ops)[:-1]:
                with self.builder.at(operation.location), blaming(operation):
                    self._visit(operation)
            self.builder.emit_func_output(self._returned(function.return_op.value))

    def _annotated(self, value: SSAValue) -> Sharding:
        found = self.given.get(value.name_hint or "")
        return whole(getattr(value.type, "shape", None)) if found is None else found

    def _local(self, value: SSAValue) -> Attribute:
        if not isinstance(value.type, TensorType):
            return value.type
        local = self._annotated(value).local(value.type, self.grid)
        assert local is not None
        return local

    def _place(self, old: SSAValue, placement: Sharding, value: Value) -> None:
        value.value.name_hint = old.name_hint
        self._set(old, placement, value)

    def _set(self, old: SSAValue, placement: Sharding, value: Value) -> ShardedValue:
        """Make a part the value's own, which others are moved from."""
        self.pending.pop(old, None)
        if placement.partial:
            self.pending[old] = placement.partial
        self.placed[old] = ShardedValue({placement: value})
        return self.placed[old]

    # Values --------------------------------------------------------------------------------------

    def _source(self, value: SSAValue) -> SSAValue:
        while value in self.same:
            value = self.same[value]
        return value

    def _own(self, value: SSAValue) -> Sharding:
        source = self._source(value)
        return self.placed[source].own if source in self.placed else Sharding()

    def _take(self, value: SSAValue, wanted: Sharding) -> Value:
        """Return a value as a placement wants it."""
        source = self._source(value)
        found = self.placed.get(source)
        if found is None:
            return self._tuple(source)
        before = found.own
        if wanted not in found.parts and self._reduces_wholly(before, wanted):
            self._reduce_together(source, before)
            found = self.placed[source]
        if wanted not in found.parts:
            part = self.mover.moved(found.parts[found.own], found.own, wanted)
            if found.own.partial and not wanted.partial:
                return self._set(source, wanted, part).parts[wanted]
            found.parts[wanted] = part
        return found.parts[wanted]

    def _tuple(self, value: SSAValue) -> Value:
        owner = value.owner
        assert isinstance(owner, TupleOp)
        return self.builder.emit(op.tuple(*(self._take_whole(x) for x in owner.operands)))

    def _take_whole(self, value: SSAValue) -> Value:
        return self._take(value, whole(getattr(self._source(value).type, "shape", None)))

    def _returned(self, value: SSAValue) -> Value:
        """Return the result of the function: annotated values in parts, all others whole."""
        source = self._source(value)
        if source not in self.placed:
            owner = source.owner
            assert isinstance(owner, TupleOp)
            return self.builder.emit(op.tuple(*(self._returned(x) for x in owner.operands)))
        return self._take(source, self._annotated(source))

    # Pending sums --------------------------------------------------------------------------------

    def _reduces_wholly(self, before: Sharding, wanted: Sharding) -> bool:
        """Return whether pending reductions end in the same value on all ranks."""
        pending = [axis for axis, _ in before.partial]
        return bool(pending) and not wanted.partial and not {*pending} & {*wanted.dims}

    def _reduce_together(self, value: SSAValue, own: Sharding) -> None:
        """Reduce a value, and all others that are pending in the same way and needed whole, at once."""
        ready = [v for v, partial in self.pending.items() if partial == own.partial]
        ready = [v for v in ready if v is value or self._is_needed_whole(v)]
        (axis, kind), *rest = own.partial
        like = tensor_type(value).dtype
        ready = [v for v in ready if tensor_type(v).dtype == like and not rest]
        if len(ready) < 2:
            return
        values = [next(iter(self.placed[v].parts.values())) for v in ready]
        counts = [symbolic.product([s for s in x.shape or () if s is not None]) for x in values]
        flat = [op.reshape(x, [count]) for x, count in zip(values, counts)]
        joined = self.builder.emit(op.concat(flat, axis=0), "joined")
        reduced = self.builder.emit(
            op.ccl.allreduce(joined, kind, **self.grid.arguments(axis)), "sums"
        )
        self.mover.record("allreduce", axis, joined, reduced)
        start = symbolic.const(0)
        for old, x, count in zip(ready, values, counts):
            piece = op.strided_slice(reduced, [0], [start], [start + count], assume_inbound=True)
            start = start + count
            after = self.placed[old].own.moved(axis, None)
            self._place(old, after, self.builder.emit(op.reshape(piece, list(x.shape or ()))))

    def _is_needed_whole(self, value: SSAValue) -> bool:
        """Return whether no use of a pending value keeps it pending, or cuts it."""
        uses = [use.operation for use in value.uses]
        is_final = not any(_keeps_pending(user) for user in uses)
        return is_final and self._annotated(value).is_whole

    # Ops -----------------------------------------------------------------------------------------

    def _visit(self, operation: Operation) -> None:
        match operation:
            case CommunicationOp():
                raise ShardingError(
                    f"{self.where}: {describe(operation)}: expected a program of one rank, found "
                    "communication; take it out, relax-shard inserts it"
                )
            case LetOp():
                self.same[operation.result] = operation.value
            case TupleOp():
                return
            case TupleGetItemOp() if isinstance(
                owner := self._source(operation.tuple).owner, TupleOp
            ):
                self.same[operation.result] = owner.operands[operation.index]
            case ShapeOfOp() if _is_known(operation.result.type):
                sizes = operation.result.type.shape  # pyright: ignore
                self._emit(operation, ShapeOp(sizes), [Sharding()])
            case _ if operation.regions:
                self._copy(operation)
            case _:
                self._compute(operation)

    def _compute(self, operation: Operation) -> None:
        """Emit an op on the parts that the choice of least bytes wants."""
        choice = choose(operation, [self._own(x) for x in operation.operands], self.grid)
        operands = [self._take(x, p).value for x, p in zip(operation.operands, choice.operands)]
        results = self._local_types(operation, choice)
        if choice.sizes is not None and isinstance(results[0], TensorType):
            operands[choice.sizes] = self.builder.emit(ShapeOp(results[0].shape or ())).value  # pyright: ignore
        new = type(operation).create(
            operands=operands,
            result_types=results,
            properties=dict(operation.properties),
            attributes=dict(operation.attributes),
        )
        self._emit(operation, new, choice.results)

    def _local_types(self, operation: Operation, choice: ShardingChoice) -> list[Attribute]:
        found: list[Attribute] = []
        for result, placement in zip(operation.results, choice.results):
            type = result.type
            local = placement.local(type, self.grid) if isinstance(type, TensorType) else type
            assert local is not None
            found.append(local)
        return found

    def _copy(self, operation: Operation) -> None:
        """Copy an op with regions, whose operands and captured values every rank has whole."""
        mapping: dict[SSAValue, SSAValue] = {}
        for inner in walk_ops(operation):
            for value in inner.operands:
                if self._source(value) in self.placed or value in self.same:
                    mapping[value] = self._take_whole(value).value
        new = operation.clone(mapping)
        self._emit(operation, new, [whole(getattr(r.type, "shape", None)) for r in new.results])

    def _emit(self, old: Operation, new: Operation, placements: Sequence[Sharding]) -> None:
        found = self.builder.emit(new)
        values = found if isinstance(found, tuple) else () if found is None else (found,)
        for result, value, placement in zip(old.results, values, placements):
            self._place(result, placement, value)
            if (wanted := self.given.get(result.name_hint or "")) is not None:
                if wanted.local(tensor_type(result), self.grid) is None:
                    raise ShardingError(
                        f"{self.where}: '{result.name_hint}': expected sizes that the grid divides, found "
                        f"{result.type}; pad it, or shard another dimension"
                    )
                self._set(result, wanted, self._take(result, wanted))


def _keeps_pending(operation: Operation) -> bool:
    """Return whether sums over ranks may stay pending past an op."""
    factors = factors_of(operation)
    return factors is not None and factors.is_linear


def _is_known(type: Attribute) -> bool:
    return isinstance(type, ShapeType) and type.shape is not None and None not in type.shape
