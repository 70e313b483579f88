"""Lifting of the values that a function computes from its weights only into a separate function."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from relax_dialect.analysis.compile_time import (
    NUM_INPUT,
    bindings,
    computable_at_compile_time,
)
from relax_dialect.analysis.struct_info import erase_to_well_defined
from relax_dialect.analysis.variables import free_vars
from relax_dialect.errors import RelaxError
from relax_dialect.ir.in_place import keep_in_place
from relax_dialect.ir.symbol_scopes import named_symbols
from relax_dialect.ir.type_variables import defined_variables, free_variables, substitute
from relax_dialect.ir.types import PrimType, ShapeType, TensorType, leaf_types
from relax_dialect.ir.upper_bounds import keep_bounds
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BlockOp, DataflowOp
from relax_dialect.ops.core import FuncOp, ReturnOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.rewrites.calls.remove_unused_parameters import missing_sizes, telling_parameters
from relax_dialect.rewrites.params.bundle_model_params import bundle
from relax_dialect.symbolic import Expr, var
from relax_dialect.transform.binding import signature
from relax_dialect.transform.cloning import substitute_attribute
from relax_dialect.transform.regions import (
    enclose,
    erase,
    is_relax,
    remake,
    replace_uses,
    resolve,
    sort_regions,
)

Place: TypeAlias = tuple[Hashable, int]
"""A value that is lifted: a number, and which of the results it is."""


def lifting_error(name: str, expected: str, found: str, mend: str) -> RelaxError:
    return RelaxError(
        f"relax-lift-transform-params: @{name}: expected {expected}, found {found}; {mend}"
    )


class Lifting:
    """The values that one function computes from its weights, and the function that is to compute them."""

    def __init__(self, func: FuncOp, count: int):
        self.func = func
        self.before: dict[SSAValue, int] = {param: param.index for param in func.body.block.args}
        self.weights: list[BlockArgument] = list(func.body.block.args[count:])
        self.sizes = set(defined_variables(w.type for w in self.weights))
        """The sizes that the weights define."""
        self.origin: dict[SSAValue, SSAValue] = {}
        """The inner values of the results of blocks."""
        self.of_weights: set[SSAValue] = {
            w for w in self.weights if self.sizes.issuperset(free_variables(w.type))
        }
        """Values that depend on weights, and otherwise only on constants."""
        self.lifted = self._lifted()
        self.numbers: dict[Operation, Hashable] = {op: op for op in self.lifted}
        """Value numbers: equal numbers in two functions denote the same value."""
        self.inside: set[Operation] = set()
        """The lifted ops, and the ops in their regions."""
        self.constants: dict[Operation, None] = {}
        """The constants that they use."""

    def _free(self, op: Operation) -> set[SSAValue]:
        return {resolve(self.origin, value) for value in free_vars(op)}

    def _lifted(self) -> list[Operation]:
        """Return the ops to move: ops that depend on a weight, and ops of constants only that they use."""
        computable = set(computable_at_compile_time(self.func))
        of_constants: set[SSAValue] = set()
        found: list[Operation] = []
        for op in bindings(self.func):
            if isinstance(op, BlockOp):
                self.origin.update(zip(op.results, op.output.operands))
            elif op.results and computable.issuperset(op.results) and self._can_move(op):
                free = self._free(op)
                if free <= self.of_weights | of_constants:
                    found.append(op)
                    is_constant = free.isdisjoint(self.of_weights)
                    (of_constants if is_constant else self.of_weights).update(op.results)
        return self._needed(found)

    def _needed(self, ops: Sequence[Operation]) -> list[Operation]:
        """Remove ops of constants only that none of the other ops needs."""
        found: list[Operation] = []
        needed: set[SSAValue] = set()
        for op in reversed(ops):
            is_computed = bool(op.operands or op.regions)
            if op.results[0] in self.of_weights or (
                is_computed and not needed.isdisjoint(op.results)
            ):
                found.append(op)
                needed |= self._free(op)
        return found[::-1]

    def _can_move(self, op: Operation) -> bool:
        """Return whether an op produces data and names no size except for those of the weights."""
        leaves = [leaf for type in op.result_types for leaf in leaf_types(type)]
        is_data = all(isinstance(leaf, TensorType | ShapeType | PrimType) for leaf in leaves)
        is_known = is_data and named_symbols(op) <= self.sizes
        return is_relax(op) and is_known and not (isinstance(op, LetOp) and op.stop_lift_params)

    # Sharing between functions ------------------------------------------------------------------

    def number(self, first: Lifting, known: dict[Hashable, int]) -> None:
        """Number the lifted values; `known` has the numbers so far."""
        sizes = self._sizes_of(first)
        numbers: dict[SSAValue, Hashable] = {w: -1 - i for i, w in enumerate(self.weights)}

        def number(op: Operation) -> Hashable:
            if op.regions:
                return op  # like no other
            attributes = {**op.attributes, **op.properties}
            said = frozenset((k, substitute_attribute(v, sizes)) for k, v in attributes.items())
            operands = [resolve(self.origin, operand) for operand in op.operands]
            for operand in operands:
                if operand not in numbers:
                    assert isinstance(operand, OpResult)
                    numbers[operand] = (number(operand.op), operand.index)
            given = tuple(numbers[operand] for operand in operands)
            types = tuple(substitute(type, sizes) for type in op.result_types)
            return known.setdefault((op.name, said, given, types), len(known))

        for op in self.lifted:
            self.numbers[op] = number(op)
            numbers.update({r: (self.numbers[op], r.index) for r in op.results})

    def _sizes_of(self, first: Lifting) -> dict[str, Expr]:
        """Return the sizes of the weights by the names that they have in another function."""
        own, others = ([w.type for w in each.weights] for each in (self, first))
        names = zip(defined_variables(own), defined_variables(others))
        sizes = {name: var(other) for name, other in names}
        if len(own) != len(others) or [substitute(t, sizes) for t in own] != others:
            raise lifting_error(
                self.func.sym_name.data,
                f"the weights of @{first.func.sym_name.data} ({', '.join(map(str, others))})",
                f"({', '.join(map(str, own))})",
                "name those that share them by the option funcs",
            )
        return sizes

    def restrict(self, common: set[Hashable]) -> None:
        """Lift only the values that all functions compute, and each once."""
        first: dict[Hashable, Operation] = {}
        for op in [op for op in self.lifted if self.numbers[op] in common]:
            known = first.setdefault(self.numbers[op], op)
            if known is not op:
                same: dict[SSAValue, SSAValue] = dict(zip(op.results, known.results))
                replace_uses(same)
                self.origin.update(same)
                erase(op)
        self.lifted = self._needed(list(first.values()))

    # The function -------------------------------------------------------------------------------

    def isolate(self) -> None:
        """Detach the lifted ops from the function, and remove their values from the outputs of blocks."""
        self.inside = {inner for op in self.lifted for inner in walk_ops(op)}
        self._duplicate_constants()
        for op in self.lifted:
            sort_regions(op, in_graph=bool(op.regions))  # it may come from a graph
            op.detach()
            for inner in walk_ops(op):
                inner.operands = [resolve(self.origin, operand) for operand in inner.operands]
            self.constants.update(dict.fromkeys(free.op for free in self._constants(op)))
        self._pass_directly()

    def _duplicate_constants(self) -> None:
        """Clone lifted ops of constants alone that the function uses too: they are no results."""
        for op in reversed(self.lifted):
            if self.of_weights.isdisjoint(op.results) and any(map(self._is_used, op.results)):
                copy = op.clone()
                assert op.parent is not None
                op.parent.insert_op_before(copy, op)
                for old, new in zip(op.results, copy.results):
                    new.name_hint = old.name_hint
                    replace_uses({old: new}, lambda user: user not in self.inside)

    def _is_used(self, value: SSAValue) -> bool:
        """Whether an op that stays uses a value, in its block or where blocks pass it out."""
        waiting = [value]
        while waiting:
            for use in waiting.pop().uses:
                block = use.operation.parent_op()
                if isinstance(block, BlockOp) and use.operation is block.output:
                    waiting.append(block.results[use.index])
                elif use.operation not in self.inside:
                    return True
        return False

    def places(self) -> dict[Place, SSAValue]:
        """Return the lifted values, by number and result."""
        return {(self.numbers[op], r.index): r for op in self.lifted for r in op.results}

    def used(self) -> list[Place]:
        """Return the lifted values that the function still uses."""
        return [
            place
            for place, value in self.places().items()
            if any(use.operation not in self.inside for use in value.uses)
        ]

    def take(self, places: Sequence[Place]) -> None:
        """Make the function take the lifted values as parameters."""
        found, block = self.places(), self.func.body.block
        for value in map(found.__getitem__, places):
            param = block.insert_arg(value.type, len(block.args))
            param.name_hint = value.name_hint
            replace_uses({value: param}, lambda op: op not in self.inside)

    def _pass_directly(self) -> None:
        """Remove weights and moved values from the outputs of blocks; a block left empty is removed."""
        moved = {*self.weights, *(result for op in self.lifted for result in op.results)}
        for block in [op for op in bindings(self.func) if isinstance(op, BlockOp)]:
            values = list(block.output.operands)
            direct: dict[SSAValue, SSAValue] = {
                r: v for r, v in zip(block.results, values) if v in moved
            }
            replace_uses(direct)
            kept = [index for index, value in enumerate(values) if value not in moved]
            if len(kept) < len(values) or block.body.block.first_op is block.output:
                rest = remake(block, kept)
                if rest.body.block.first_op is rest.output and not kept:
                    erase(rest)

    def needed_weights(self) -> list[int]:
        """Return the indices of the weights that the function still needs."""
        unused = [w for w in self.weights if all(u.operation in self.inside for u in w.uses)]
        while missing := missing_sizes(self.func, unused):
            telling = telling_parameters(unused, missing)
            if not telling:
                break
            unused.remove(telling[0])
        return [index for index, weight in enumerate(self.weights) if weight not in unused]

    def transform(self, name: str, kept: Sequence[int], places: Sequence[Place]) -> FuncOp:
        """Create the function that computes the lifted values, and returns them after the weights that
        are kept."""
        known = {name: var(name) for name in self.sizes}
        body = Block(arg_types=[erase_to_well_defined(w.type, known) for w in self.weights])
        values: dict[SSAValue, SSAValue] = dict(zip(self.weights, body.args))
        for old, new in values.items():
            new.name_hint = old.name_hint
        given = [self.places()[place] for place in places]
        self._move(body, values)
        result = TupleOp(*(values[self.weights[index]] for index in kept), *given)
        body.add_op(result)
        body.add_op(ReturnOp(result.result))
        if self.weights and not any(op.regions for op in body.ops):
            enclose(list(body.ops)[:-1], DataflowOp)
        transform = FuncOp(name, body.arg_types, result.result.type, Region(body))
        transform.attributes[NUM_INPUT] = IntegerAttr(0, i64)
        bundle(transform, 0)
        return transform

    def _move(self, body: Block, values: dict[SSAValue, SSAValue]) -> None:
        """Move the ops to the transform, and copies of the constants that they use."""
        for op in self.lifted:
            for free in self._constants(op):
                if free not in values:
                    body.add_op(copy := free.op.clone())
                    values[free] = copy.results[free.index]
                    values[free].name_hint = free.name_hint
            for inner in walk_ops(op):
                inner.operands = [values.get(operand, operand) for operand in inner.operands]
            body.add_op(op)

    def _constants(self, op: Operation) -> list[OpResult]:
        """Return the captured values of a lifted op other than weights; these are constants."""
        return [
            free
            for free in free_vars(op)
            if isinstance(free, OpResult) and free.op not in self.inside
        ]

    def finish(self, kept: Sequence[int]) -> None:
        """Erase lifted ops that were not moved, the constants that they used, and the weights not kept."""
        func, block = self.func, self.func.body.block
        self._dissolve_stops()
        for op in reversed(self.lifted):
            if op.parent is None:
                erase(op)
        for op in self.constants:
            if not any(result.uses for result in op.results):
                erase(op)
        dropped = [weight for index, weight in enumerate(self.weights) if index not in kept]
        for param in dropped:
            block.erase_arg(param)
        func.properties["function_type"] = signature(block.arg_types, func.function_type.output)
        keep_bounds(func, defined_variables(block.arg_types))
        keep_in_place(
            func, {self.before[arg]: arg.index for arg in block.args if arg in self.before}
        )

    def _dissolve_stops(self) -> None:
        """Erase the lets that kept ops in the function."""
        for op in list(walk_ops(self.func)):
            if isinstance(op, LetOp) and op.stop_lift_params:
                replace_uses({op.result: op.value})
                erase(op)
