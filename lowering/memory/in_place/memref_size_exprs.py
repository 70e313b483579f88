"""The sizes of a function's memrefs as symbolic expressions, read from the ops that compute them.

%0 = arith.muli %c2, %n : index
%a = memref.alloc(%0) : memref<?x4xf32>        // [2 * n, 4], where %n is {relax.symbol = "n"}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.prim.signature import DIMS, attribute_dicts, symbol_of
from relax_dialect.symbolic import Atom, Expr

Size = Expr | None
"""A size in the symbolic variables of the function, None if they do not determine it."""


MOST_BYTES = 2**50  # 0x1p50
"""The most bytes that a frame may have: numbers up to there are far from the end of 64 bits."""


def magnitude(sizes: Iterable[Expr]) -> Expr:
    """Return an upper bound of all numbers that occur in computing sizes: a polynomial without minus signs.

    Raises `SymbolicError` if it is too large to reason about.
    """
    return symbolic.total(_magnitude(size) for size in sizes)


@lru_cache(4096)
def _magnitude(size: Expr) -> Expr:
    terms: list[Expr] = []
    for factors, coefficient in size.terms:
        parts = [_magnitude_of_atom(atom) for atom in factors]
        # one of several may be 0 where the product of the others is large
        parts = [part + 1 for part in parts] if len(parts) > 1 else parts
        terms.append(abs(coefficient) * symbolic.product(parts))
    return symbolic.total(terms)


def _magnitude_of_atom(atom: Atom) -> Expr:
    return symbolic.var(atom.name) if atom.name is not None else magnitude(atom.args)


ARITHMETIC: Mapping[type[Operation], Callable[[Expr, Expr], Expr]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.FloorDivSIOp: symbolic.floordiv,
    arith.DivUIOp: symbolic.floordiv,
    arith.CeilDivUIOp: symbolic.ceildiv,
    arith.MinSIOp: symbolic.minimum,
    arith.MaxSIOp: symbolic.maximum,
}
"""The ops that compute sizes; no schedule divides a negative one without a sign."""

VIEWS_OF_ALL = (memref.CastOp,)


def in_caller(text: str, known: Mapping[str, Expr]) -> Size:
    """Return an expression of a function in the variables of its caller."""
    size = None if text == "?" else symbolic.parse(text)
    if size is None or not known.keys() >= set(size.free_variables):
        return None
    try:
        return size.substitute(known)
    except SymbolicError:
        return None


def _texts(dims: Attribute | None) -> Sequence[str]:
    listed = dims.data if isinstance(dims, ArrayAttr) else ()
    return [d.data for d in listed if isinstance(d, StringAttr)]


def symbols_of(function: func.FuncOp) -> dict[str, SSAValue]:
    """Return the arguments of a function that hold symbolic variables, by their names."""
    arguments = function.body.block.args
    names = map(symbol_of, attribute_dicts(function.arg_attrs, len(arguments)))
    return {name: arg for name, arg in zip(names, arguments) if name is not None}


class SymbolicSizes:
    """The symbolic values of the `index` values of one function, and the sizes of its memrefs."""

    def __init__(
        self,
        function: func.FuncOp,
        functions: Mapping[str, func.FuncOp] | None = None,
        *,
        names_all: bool = False,
    ):
        """`functions` are the possible callees, by their symbols. With `names_all`, sizes known only at run
        time have names of their own, to be compared with others."""
        self.functions = functions or {}
        self._names_all = names_all
        self._named: dict[tuple[SSAValue, int], Expr] = {}
        self.values: dict[SSAValue, Size] = {}
        self.shapes: dict[SSAValue, Sequence[Size]] = {}
        block = function.body.block
        attributes = attribute_dicts(function.arg_attrs, len(block.args))
        self.symbols = symbols_of(function)
        """The arguments that hold the symbolic variables."""
        self.values |= {arg: symbolic.var(name) for name, arg in self.symbols.items()}
        for argument, entry in zip(block.args, attributes):
            if isinstance(argument.type, MemRefType):
                self.shapes[argument] = self._declared(argument.type, entry.get(DIMS))
        self._varying: set[SSAValue] = set()
        """The states of loops whose sizes change between iterations."""
        self._read(function)

    def _read(self, function: func.FuncOp) -> None:
        """Read all ops: at first as if no loop changed the sizes of its state, then again without the
        states found to change."""
        values, shapes = dict(self.values), dict(self.shapes)
        while True:
            loops: list[scf.WhileOp] = []
            for op in walk_ops(function):
                self._visit(op)
                if isinstance(op, scf.WhileOp):
                    loops.append(op)
            varying = {arg for loop in loops for arg in self._changed(loop)}
            if not varying:
                return
            self._varying |= varying
            self.values, self.shapes = dict(values), dict(shapes)

    def _changed(self, loop: scf.WhileOp) -> Iterator[SSAValue]:
        """Yield the memrefs of a loop's state whose sizes an iteration changes, except those already known
        to change."""
        condition, yielded = loop.before_region.block.last_op, loop.after_region.block.last_op
        assert isinstance(condition, scf.ConditionOp) and isinstance(yielded, scf.YieldOp)
        for argument, passed, after, value in zip(
            loop.before_region.block.args,
            condition.operands[1:],
            loop.after_region.block.args,
            yielded.operands,
        ):
            if not isinstance(argument.type, MemRefType) or argument in self._varying:
                continue
            types_agree = argument.type == after.type == value.type
            if (
                not types_agree
                or passed is not argument
                or self.shape(value) != self.shape(argument)
            ):
                yield argument

    def of(self, value: SSAValue) -> Size:
        """Return an `index` value."""
        return self.values.get(value)

    def is_of_symbols(self, size: Expr) -> bool:
        """Return whether the symbolic variables of the function determine a size."""
        return self.symbols.keys() >= set(size.free_variables)

    def shape(self, value: SSAValue) -> Sequence[Size]:
        """Return the sizes of a memref."""
        assert isinstance(value.type, MemRefType)
        static = value.type.get_shape()
        rest = self.shapes.get(value) or (None,) * len(static)
        return [k if d == DYNAMIC_INDEX else symbolic.const(d) for d, k in zip(static, rest)]

    def _declared(self, type: MemRefType, dims: Attribute | None) -> Sequence[Size]:
        texts = _texts(dims)
        if len(texts) != type.get_num_dims():
            return ()
        own = {name: symbolic.var(name) for name in self.symbols}
        return [in_caller(text, own) for text in texts]

    def _visit(self, op: Operation) -> None:
        if op.name.startswith("arith."):  # most of them
            self._visit_arithmetic(op)
            return
        match op:
            case memref.LoadOp() | memref.StoreOp():  # most of the others
                pass
            case memref.AllocOp():
                self.shapes[op.memref] = self._mixed(op.memref.type, op.dynamic_sizes)
            case func.CallOp():
                self._visit_call(op)
            case memref.DimOp():
                index = self.of(op.index)
                shape = self.shape(op.source)
                if index is not None and index.value is not None and index.value < len(shape):
                    self.values[op.result] = self._named_size(op.source, shape, index.value)
            case memref.ReinterpretCastOp():
                static = op.static_sizes.get_values()
                self.shapes[op.result] = self._known(static, op.sizes)
            case memref.ViewOp():
                self.shapes[op.result] = self._mixed(op.result.type, op.sizes)
            case scf.WhileOp():
                self._visit_loop(op)
            case scf.YieldOp() if isinstance(branches := op.parent_op(), scf.IfOp):
                self._join(branches, op)
            case _ if isinstance(op, VIEWS_OF_ALL):
                self.shapes[op.dest] = self.shape(op.source)

    def _named_size(self, source: SSAValue, shape: Sequence[Size], axis: int) -> Size:
        """Return a size of a memref, which gets a name if it has none."""
        if shape[axis] is None and self._names_all:
            own = unique_name(f"size_{len(self._named)}", self.symbols)
            named = self._named.setdefault((source, axis), symbolic.var(own))
            self.shapes[source] = [named if i == axis else size for i, size in enumerate(shape)]
        return self.shape(source)[axis]

    def _visit_arithmetic(self, op: Operation) -> None:
        match op:
            case arith.ConstantOp(value=IntegerAttr(value=number, type=IndexType())):
                self.values[op.result] = self._constant(number.data)
            case _ if (how := ARITHMETIC.get(type(op))) is not None:
                self.values[op.results[0]] = self._computed(how, op.operands)
            case _:
                pass

    def bindings(self, call: func.CallOp) -> Mapping[str, Expr]:
        """Return the symbolic variables of the function that is called, as far as they are known."""
        callee = self.functions.get(call.callee.string_value())
        if callee is None:
            return {}
        attributes = attribute_dicts(callee.arg_attrs, len(call.operands))
        names = map(symbol_of, attributes)
        pairs = zip(names, map(self.of, call.operands))
        return {name: size for name, size in pairs if name is not None and size is not None}

    def _visit_call(self, call: func.CallOp) -> None:
        callee = self.functions.get(call.callee.string_value())
        if callee is None or not call.results:
            return
        known = self.bindings(call)
        for result, entry in zip(
            call.results, attribute_dicts(callee.res_attrs, len(call.results))
        ):
            dims = entry.get(DIMS)
            if isinstance(result.type, MemRefType) and (texts := _texts(dims)):
                self.shapes[result] = [in_caller(text, known) for text in texts]

    def _mixed(self, type: Attribute, dynamic: Iterable[SSAValue]) -> Sequence[Size]:
        assert isinstance(type, MemRefType)
        return self._known(type.get_shape(), dynamic)

    def _known(self, static: Sequence[int], dynamic: Iterable[SSAValue]) -> Sequence[Size]:
        rest = iter(dynamic)
        return [self.of(next(rest)) if d == DYNAMIC_INDEX else symbolic.const(d) for d in static]

    def _visit_loop(self, loop: scf.WhileOp) -> None:
        """Assign the state the sizes of the initial values, as long as no iteration changes them."""
        before, after = loop.before_region.block.args, loop.after_region.block.args
        for init, *state in zip(loop.arguments, before, after, loop.res):
            if isinstance(init.type, MemRefType) and state[0] not in self._varying:
                self.shapes |= {value: self.shape(init) for value in state}

    def _join(self, branches: scf.IfOp, end: scf.YieldOp) -> None:
        """The results of a branch have the sizes on which both sides agree."""
        for result, value in zip(branches.results, end.operands):
            if isinstance(value.type, MemRefType):
                shape = self.shape(value)
                if end.parent is not branches.true_region.block:
                    pairs = zip(shape, self.shape(result))
                    shape = [a if a is not None and a is b else None for a, b in pairs]
                self.shapes[result] = shape

    def _constant(self, value: int) -> Size:
        return symbolic.const(value) if abs(value) <= symbolic.MAX_SUM else None

    def _computed(self, how: Callable[[Expr, Expr], Expr], operands: Sequence[SSAValue]) -> Size:
        a, b = map(self.of, operands)
        if a is None or b is None:
            return None
        try:
            return how(a, b)
        except SymbolicError:  # too large to reason about, or divided by zero
            return None
