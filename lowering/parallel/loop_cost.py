"""The estimated work of a loop: its trip counts times the ops inside, in the function's symbolic variables.

    scf.for %i = %c0 to %n step %c1 {                    // n * (32 * 3 * 4)
      scf.for %j = %c0 to %c512 step %c16 { 3 ops on vectors }
    }

A unit is a quarter of an op, about 0.08 ns: scalar ops of innermost loops count one, since C compilers
vectorize these, others four. A loop inside is estimated as it is in the first iteration around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import ArrayAttr, MemRefType, StringAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.memref_views import VIEW_OPS
from lowering.memory.in_place.memref_size_exprs import ARITHMETIC
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.prim.signature import DIMS, attribute_dicts, symbol_of
from relax_dialect.symbolic import Expr

ENOUGH = 36_000
"""The work of about 3 us, below which starting threads does not pay."""

UNKNOWN_TRIPS = symbolic.const(16)
"""The trip count that is assumed of loops whose bounds are known only inside them."""

TYPICAL = symbolic.const(56)
"""The size for which loops are compared."""

LARGE = symbolic.const(1 << 12)
"""The largest size that is asked for: then any loop over it is worth several threads, or none ever is."""

LONGEST = 240
"""The length of an expression, as text, beyond which it is not worth computing."""

FREE = {arith.ConstantOp, memref.GetGlobalOp, scf.YieldOp, func.ReturnOp, *VIEW_OPS}
"""Ops without cost."""

Env = dict[SSAValue, Expr | None]

_CallCost: TypeAlias = tuple[Expr, dict[scf.ForOp, Expr], dict[scf.ForOp, Expr]]
"""The work of a call, of the loops inside, and of one iteration of each."""


class LoopCosts:
    """Costs of loops in the functions of a module."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        self.functions = functions
        self.found: dict[scf.ForOp, Expr] = {}
        """The work of the loops that have been estimated."""
        self.bodies: dict[scf.ForOp, Expr] = {}
        """The work of one iteration of each."""
        self.unbounded: set[scf.ForOp] = set()
        """Those whose trip count is not known."""
        self.dims: dict[SSAValue, Sequence[Expr | None]] = {}
        """The sizes of the arguments of functions."""
        self.calls: dict[tuple[func.FuncOp, tuple[Expr | None, ...]], _CallCost] = {}
        """The work of kernels by their arguments."""

    def of(self, function: func.FuncOp, loop: scf.ForOp) -> Expr | None:
        """Return the work of a loop in the variables of its function, None if it is not known."""
        try:
            cost = self._estimated(function, loop)
            if loop in self.unbounded:
                return None
            names = cost.free_variables
            cost.substitute(dict.fromkeys(names, LARGE))  # no number of it overflows
            cost = cost.substitute({n: symbolic.minimum(symbolic.var(n), LARGE) for n in names})
        except SymbolicError:  # too large to reason about
            return None
        return cost if len(str(cost)) <= LONGEST else None

    def _estimated(self, function: func.FuncOp, loop: scf.ForOp) -> Expr:
        if loop in self.found:  # as a part of the loop around
            return self.found[loop]
        known = attribute_dicts(function.arg_attrs, len(function.body.block.args))
        names = map(symbol_of, known)
        env: Env = {
            argument: None if name is None else symbolic.var(name)
            for argument, name in zip(function.body.block.args, names)
        }
        for argument, entry in zip(function.body.block.args, known):
            if isinstance(dims := entry.get(DIMS), ArrayAttr):
                self.dims[argument] = [_parsed(dim) for dim in dims]
        return self._loop(loop, env)

    def fewest(self, loop: scf.ForOp) -> int | None:
        """Return the trip count from which on a loop of unknown bounds that has been estimated is worth it,
        None if its body depends on sizes too."""
        each = self.bodies[loop].value if loop in self.bodies else None
        return None if each is None else -(-ENOUGH // max(each, 1))

    def share(self, loop: scf.ForOp, around: scf.ForOp) -> float:
        """Return the part of an iteration's work that a loop inside does, for sizes that are neither small
        nor large; 1 if it is not known."""
        parts = [self.found.get(loop), self.bodies.get(around)]
        try:
            values = [
                p and p.substitute(dict.fromkeys(p.free_variables, TYPICAL)).value for p in parts
            ]
        except SymbolicError:
            return 1.0
        part, whole = values
        return 1.0 if part is None or not whole else part / whole

    def is_small(self, function: func.FuncOp, loop: scf.ForOp) -> bool:
        """Return whether the work of a loop is never worth several threads."""
        if (cost := self.of(function, loop)) is None:
            return False
        most = cost.substitute(dict.fromkeys(cost.free_variables, LARGE))
        return most.value is not None and most.value < ENOUGH

    def trips(self, loop: scf.ForOp, env: Env | None = None) -> Expr | None:
        """Return the trip count of a loop."""
        env = {} if env is None else env
        first, end, step = (self._value(bound, env) for bound in (loop.lb, loop.ub, loop.step))
        if first is None or end is None or step is None or step.value == 0:
            return None
        return end - first if step.value == 1 else symbolic.ceildiv(end - first, step)

    def _loop(self, loop: scf.ForOp, env: Env) -> Expr:
        env[loop.body.block.args[0]] = self._value(loop.lb, env)
        trips = self.trips(loop, env)
        self.bodies[loop] = inside = self._block(loop.body.block, env)
        if trips is None:
            self.unbounded.add(loop)
        self.found[loop] = (UNKNOWN_TRIPS if trips is None else trips) * inside
        return self.found[loop]

    def _block(self, block: Block, env: Env) -> Expr:
        simple, others = list[Operation](), list[Operation]()
        for op in block.ops:
            (others if op.regions or isinstance(op, func.CallOp) else simple).append(op)
        is_vectorized = not others and len(block.args) == 1
        units = sum(4 - 3 * (is_vectorized and not _on_vectors(op)) for op in simple if _costs(op))
        return symbolic.total([units, *(self._nested(op, env) for op in others)])

    def _nested(self, op: Operation, env: Env) -> Expr | int:
        """Return the work of a call, or of an op with regions."""
        match op:
            case scf.ForOp():
                return self._loop(op, env)
            case scf.IfOp() | scf.IndexSwitchOp() | scf.WhileOp():
                return self._branches(op, env)
            case func.CallOp():
                return self._call(op, env)
            case _:
                return 4

    def _branches(self, op: Operation, env: Env) -> Expr:
        """Return the work of the last branch that is not empty: the general case of a switch."""
        costs = [self._block(block, env) for region in op.regions for block in region.blocks]
        if isinstance(op, scf.IfOp):
            return max(costs, key=lambda cost: cost.value or ENOUGH, default=symbolic.const(0))
        return costs[0] if isinstance(op, scf.IndexSwitchOp) else UNKNOWN_TRIPS * costs[-1]

    def _call(self, call: func.CallOp, env: Env) -> Expr:
        callee = self.functions.get(call.callee.string_value())
        if callee is None:
            return UNKNOWN_TRIPS
        values = tuple(self._value(operand, env) for operand in call.operands)
        known = self.calls.get((callee, values))
        cost, found, bodies = known or self._called(callee, values)
        if "relax.noinline" in callee.attributes:  # a kernel, which stays as it is
            self.calls[callee, values] = cost, found, bodies
        self.found |= found
        self.bodies |= bodies
        return cost

    def _called(self, callee: func.FuncOp, values: Sequence[Expr | None]) -> _CallCost:
        """Return the work of a function, and that of its loops."""
        around = self.found, self.bodies
        self.found, self.bodies = {}, {}
        try:
            cost = self._block(callee.body.block, dict(zip(callee.body.block.args, values)))
            return cost, self.found, self.bodies
        finally:
            self.found, self.bodies = around

    # Sizes

    def _value(self, value: SSAValue, env: Env) -> Expr | None:
        """Return an `index` value as an expression."""
        if value not in env:
            env[value] = None  # also of loops' state
            env[value] = self._computed(value, env)
        return env[value]

    def _computed(self, value: SSAValue, env: Env) -> Expr | None:
        if (known := known_integer(value)) is not None:
            return symbolic.const(known)
        match op := value.owner:
            case arith.SelectOp():
                return self._value(op.rhs, env)
            case arith.RemUIOp():  # about as likely as any other
                return symbolic.const(0)
            case arith.DivUIOp() if (tile := _balanced(op)) is not None:
                size = self._value(op.lhs, env)
                return None if size is None else symbolic.minimum(size, tile)
            case memref.DimOp() if (axis := known_integer(op.index)) is not None:
                return self._size(op.source, axis, env)
            case Operation() if (how := ARITHMETIC.get(type(op))) is not None:
                a, b = (self._value(operand, env) for operand in op.operands)
                try:
                    return None if a is None or b is None else how(a, b)
                except SymbolicError:
                    return None
            case _:
                return None

    def _size(self, value: SSAValue, axis: int, env: Env) -> Expr | None:
        """Return a size of a memref."""
        assert isinstance(value.type, MemRefType)
        if (static := value.type.get_shape()[axis]) >= 0:
            return symbolic.const(static)
        match op := value.owner:
            case memref.CastOp():
                return self._size(op.source, axis, env)
            case memref.CollapseShapeOp():
                group = [entry.value.data for entry in op.reassociation.data[axis]]
                sizes = [self._size(op.src, each, env) for each in group]
                known = [size for size in sizes if size is not None]
                return symbolic.product(known) if len(known) == len(sizes) else None
            case _:
                dims = self.dims.get(value)
                return None if dims is None else dims[axis]


def _costs(op: Operation) -> bool:
    return type(op) not in FREE


def _on_vectors(op: Operation) -> bool:
    return any(isinstance(v.type, VectorType) for v in (*op.operands, *op.results))


def _parsed(dim: Attribute) -> Expr | None:
    return symbolic.parse(dim.data) if isinstance(dim, StringAttr) and dim.data != "?" else None


def _balanced(op: arith.DivUIOp) -> int | None:
    """Return the size of tiles that a quotient balances: `%n / max(ceildiv(%n, 8), 1)`."""
    count = op.rhs.owner
    tiles = count.lhs.owner if isinstance(count, arith.MaxSIOp) else None
    if not isinstance(tiles, arith.CeilDivUIOp) or tiles.lhs is not op.lhs:
        return None
    return known_integer(tiles.rhs)
