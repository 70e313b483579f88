"""A function's body: statements, and the scalar expressions inlined into others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.emit_c.helpers.constant_table import ConstantTable
from lowering.emit_c.helpers.used_helpers import UsedHelpers
from lowering.emit_c.operations.ops import SPELLINGS, spell
from lowering.emit_c.syntax.analysis import ModuleAnalysis, operations
from lowering.emit_c.syntax.c_expressions import CExpr, assignment, call, number
from lowering.emit_c.syntax.c_memrefs import CBuffer
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import CSignature, located
from lowering.emit_c.syntax.c_types import HANDLE, memref_strides, scalar_type
from lowering.emit_c.syntax.compiler_attributes import KEEP_BRANCHES, NOINLINE, keeps_branches
from lowering.emit_c.syntax.layout import comment, words, wrap
from lowering.emit_c.syntax.vector_types import CVector, is_vector, vector_type
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import origins_text
from relax_dialect.ir.order import op_name
from relax_dialect.ir.types import OBJECT
from relax_dialect.ir.walk import blocks_of

LONGEST_INLINED = 80
"""An expression longer than this gets a variable, so that chains of any length stay readable."""

Statement = Callable[["FunctionBody", Operation], None]


class File(Protocol):
    """The file that contains a function, as the function sees it."""

    analysis: ModuleAnalysis
    statements: dict[str, Statement]
    names: CNames
    repeated: set[str]
    has_arena: bool
    helpers: UsedHelpers
    constants: ConstantTable

    def vectors(self, body: FunctionBody, op: Operation) -> None: ...

    def signature(self, symbol: str) -> CSignature: ...

    def finish(self, body: FunctionBody, terminator: Operation) -> None: ...

    def frame(self, body: FunctionBody) -> str | None: ...


def objects_of(function: func.FuncOp) -> Iterator[SSAValue]:
    """Yield the values of a function that are references to objects of its own."""
    for op in operations(function):
        yield from (r for r in op.results if r.type == OBJECT)
        for block in blocks_of(op):
            yield from (a for a in block.args if a.type == OBJECT)


def is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name == "arith.constant"


class FunctionBody:
    """The C text of one function in the making."""

    def __init__(self, file: File, op: func.FuncOp, signature: CSignature, names: CNames):
        self.file = file
        self.op = op
        self.signature = signature
        self.names = names
        self.before: list[str] = []
        """The lines before the function: those of functions that it refers to."""
        self.lines: list[str] = []
        self.indent = 1
        self.values: dict[SSAValue, CExpr | CBuffer] = {}
        self.pending: dict[SSAValue, None] = {}
        """Inlined expressions that read memory and whose user has not been printed yet."""
        self.masks: dict[SSAValue, CVector] = {}
        """The vectors of truth values that are wider than bytes."""
        self.updates: dict[SSAValue, str] = {}
        """The variables that vectors are computed into, to be carried to the next iteration of a loop."""
        self.used: Counter[str] = Counter()
        self.assigned: Counter[str] = Counter()
        self._declared: list[list[tuple[int, str, int]]] = [[]]
        self._carried: list[list[tuple[int, str, int]]] = [[]]
        self.allocates = signature.symbol in file.analysis.allocating
        self.jumps = False
        """Whether it has a jump to the code that frees its values."""
        self.objects = {v: self.fresh(v, "object") for v in objects_of(op)}
        """The variables of the objects that the function holds, NULL if it does not (any more)."""
        self.frame = file.frame(self)
        """The declaration of the function's frame, if some of its values have an offset there."""
        self.used.update(words(self.frame or ""))
        for p in signature.params:
            assert p.value is not None
            if p.is_memref:
                sizes = p.sizes(lambda s: signature.symbols[s])
                self.values[p.value] = CBuffer(p.name, p.element, sizes, p.strides())
            else:
                self.values[p.value] = CExpr(p.name)
        self.values.update({value: CExpr(name) for value, name in self.objects.items()})

    # Lines and scopes

    def line(self, text: str) -> None:
        self.used.update(words(text))
        self.lines.append(wrap("    " * self.indent + text))

    def line_if(self, condition: str, statement: str) -> None:
        """`if (condition) statement`, on two lines."""
        self.line(f"if ({condition})")
        self.indent += 1
        self.line(statement)
        self.indent -= 1

    @contextmanager
    def braces(self, head: str, tail: str = "}") -> Iterator[None]:
        """`head {` ... `}`, with a scope of names inside."""
        self.line(f"{head} {{")
        with self.rest(tail):
            yield

    @contextmanager
    def rest(self, tail: str) -> Iterator[None]:
        """The inside of a brace already open, and `tail`."""
        with self.names.scope(), self._declarations():
            self.indent += 1
            yield
        self.indent -= 1
        self.line(tail)

    @contextmanager
    def _declarations(self) -> Iterator[None]:
        """Afterwards, variables that nothing read have gone."""
        self._declared.append([])
        self._carried.append([])
        yield
        for at, variable, count in reversed(self._declared.pop()):
            if self.used[variable] == count:
                self.used.subtract(words(self.lines[at]))
                self.lines[at] = ""
        for at, variable, count in self._carried.pop():
            if self.used[variable] - self.assigned[variable] == count:
                self.lines[at] += f" (void){variable};"

    # Values

    def expr(self, value: SSAValue) -> CExpr:
        """Return the expression of a scalar, for use in the next statement printed."""
        self.pending.pop(value, None)
        e = self.values[value]
        assert isinstance(e, CExpr)
        return e

    def exprs(self, values: Sequence[SSAValue]) -> list[CExpr]:
        return [self.expr(v) for v in values]

    def atom(self, value: SSAValue) -> CExpr:
        """Return an expression that is a constant or a variable, so that it can be printed more than
        once."""
        e = self.expr(value)
        if e.is_name_or_literal or is_constant(value):
            return e
        self.declare(value, e)
        return self.expr(value)

    def buffer(self, value: SSAValue) -> CBuffer:
        b = self.values[value]
        assert isinstance(b, CBuffer)
        return b

    def type_name(self, value: SSAValue) -> str:
        """Return the C type of a scalar or vector."""
        if not is_vector(value.type):
            return scalar_type(value.type).name
        v = self.masks.get(value) or vector_type(value.type)
        self.file.helpers.use_vector(v)
        return v.name

    def fresh(self, value: SSAValue, default: str = "t") -> str:
        return self.names.fresh(value.name_hint or default)

    def declare(self, value: SSAValue, e: CExpr) -> CExpr:
        """Put a value into a variable; return that. A known constant keeps its text."""
        variable = self.fresh(value)
        self.declare_text(f"const {self.type_name(value)} {variable} = {e.text};", variable)
        if not (is_constant(value) and value in self.values):  # one has users in other scopes
            self.values[value] = CExpr(variable)
        self.pending.pop(value, None)
        return CExpr(variable)

    def declare_text(self, text: str, variable: str) -> None:
        """A declaration that may go if nothing reads the variable."""
        self.line(text)
        self._declared[-1].append((len(self.lines) - 1, variable, self.used[variable]))

    def define(self, value: SSAValue, e: CExpr) -> None:
        """Inline a scalar used once in the same block, or declare a variable."""
        if value.first_use is None:
            return
        if e.is_name_or_literal or is_constant(value):
            self.values[value] = e
            return
        use = value.get_unique_use()
        here = use is not None and use.operation.parent_block() is value.owner.parent_block()
        if here and len(e.text) <= LONGEST_INLINED:
            self.values[value] = e
            if e.loads:
                self.pending[value] = None
        else:
            self.declare(value, e)

    def flush(self) -> None:
        """Before a write: declare expressions that have been inlined but not printed, so that they are read
        now."""
        for value in list(self.pending):
            e = self.values[value]
            assert isinstance(e, CExpr)
            self.declare(value, e)

    # Values carried through regions: a scalar is one C variable, a memref its pointer and sizes

    def components(self, value: SSAValue) -> list[CExpr]:
        """Return the scalars that are copied when a value is carried, in the order of `carried`."""
        if value in self.masks:  # truth values are carried as bytes
            v = vector_type(value.type)
            self.file.helpers.use_vector(v)
            return [call("__builtin_convertvector", self.expr(value), CExpr(v.name))]
        if not isinstance(value.type, MemRefType):
            return [self.expr(value)]
        b = self.buffer(value)
        dims = [s for s, d in zip(b.sizes, value.type.get_shape()) if d < 0]
        strides = memref_strides(value.type) or ()
        dynamic = [s for s, d in zip(b.explicit_strides(), strides) if d is None]
        return [CExpr(b.base), *dims, *dynamic]

    def carried(self, value: SSAValue, hint: str, inits: Sequence[CExpr] | None) -> list[str]:
        """Declare the variables that carry `value`; return their names."""
        t: Attribute = value.type
        if value in self.objects:
            if inits is not None:
                self.move(self.objects[value], inits[0].text)
            return [self.objects[value]]
        variable = self.names.fresh(hint)
        if not isinstance(t, MemRefType):
            init = "" if inits is None else f" = {inits[0].text}"
            self.line(f"{self.type_name(value)} {variable}{init};")
            self._carry(variable)
            self.values[value] = CExpr(variable)
            return [variable]
        element = scalar_type(t.element_type)
        const = "" if self.file.analysis.is_written(value) else "const "
        names = [variable]
        names += [
            self.names.fresh(f"{variable}_d{i}") for i, d in enumerate(t.get_shape()) if d < 0
        ]
        n_dims = len(names)
        given = memref_strides(t)
        names += [
            self.names.fresh(f"{variable}_s{i}") for i, s in enumerate(given or ()) if s is None
        ]
        for i, n in enumerate(names):
            start = ("NULL" if i == 0 else "0") if inits is None else inits[i].text
            self.line(f"{f'{const}{element.memory} *' if i == 0 else 'int64_t '}{n} = {start};")
            self._carry(n)
        dims, steps = iter(names[1:n_dims]), iter(names[n_dims:])
        sizes = tuple(CExpr(next(dims)) if d < 0 else number(d) for d in t.get_shape())
        strides = None
        if given is not None:
            strides = tuple(CExpr(next(steps)) if s is None else number(s) for s in given)
        self.values[value] = CBuffer(variable, element, sizes, strides)
        return names

    def _carry(self, variable: str) -> None:
        """Record the variable just declared: if it is only assigned to, it is marked as unused for the
        compiler."""
        reads = self.used[variable] - self.assigned[variable]
        self._carried[-1].append((len(self.lines) - 1, variable, reads))

    def assign(self, targets: Sequence[str], exprs: Sequence[CExpr], types: Sequence[str]) -> None:
        """Emit `a = x; b = y;` as if at once: values that a later line still reads are saved before."""
        pairs = [(t, e, k) for t, e, k in zip(targets, exprs, types) if t != e.text]
        assigned: set[str] = set()
        final: list[tuple[str, CExpr]] = []
        for target, e, kind in pairs:
            if assigned & set(words(e.text)):
                saved = self.names.fresh(f"next_{target}")
                self.line(
                    f"const {kind} {saved} = {e.text};"
                    if "*" not in kind
                    else f"{kind}const {saved} = {e.text};"
                )
                e = CExpr(saved)
            assigned.add(target)
            final.append((target, e))
        for target, e in final:
            self.line(assignment(target, e))
            self.assigned[target] += 1
        moved = {e.text for _, e, kind in pairs if kind == HANDLE.name}
        for source in sorted(moved & set(self.objects.values()) - set(targets)):
            self.line(f"{source} = NULL;")

    def move(self, target: str, source: str) -> None:
        """`target = source`, and the reference with it."""
        self.line(f"{target} = {source};")
        if source in self.objects.values():
            self.line(f"{source} = NULL;")

    def component_types(self, value: SSAValue, count: int) -> list[str]:
        """Return the C types of a carried value's variables."""
        if not isinstance(value.type, MemRefType):
            return [self.type_name(value)]
        const = "" if self.file.analysis.is_written(value) else "const "
        return [f"{const}{scalar_type(value.type.element_type).memory} *"] + ["int64_t"] * (
            count - 1
        )

    # Operations

    def block(self, block: Block) -> Operation | None:
        """Print a block; return its terminator, which the caller prints."""
        last = block.last_op
        for op in block.ops:
            if op is last and op.name in TERMINATORS:
                return op
            self.operation(op)
        return None

    def operation(self, op: Operation) -> None:
        with located(self.signature.symbol, op):
            if (statement := self.file.statements.get(op.name)) is not None:
                statement(self, op)
            elif any(is_vector(v.type) for v in (*op.operands, *op.results)):
                self.file.vectors(self, op)
            elif op.name in SPELLINGS:
                if len(op.results) != 1 or len(op.regions) > 0:
                    raise RelaxError(f"C: {op.name}: expected one result")
                if not self._is_assert_condition(op):
                    self.define(
                        op.results[0], spell(self.file.helpers, op, self.exprs(op.operands))
                    )
            else:
                raise RelaxError(
                    f"C: operation {op_name(op)} is not supported; supported are func, scf and memref "
                    "operations on row-major or strided memrefs, arith and math on scalars and vectors, "
                    "vector operations in one dimension and cf.assert (lower it first)"
                )

    @staticmethod
    def _is_assert_condition(op: Operation) -> bool:
        """Return whether the only use of an op is an assertion of its block, which prints the
        comparison."""
        if op.name != "arith.cmpi":
            return False
        use = op.results[0].get_unique_use()
        return (
            use is not None
            and use.operation.name == "cf.assert"
            and use.operation.parent_block() is op.parent_block()
        )

    def fail(self) -> str:
        """Return the statement that leaves a function that fails."""
        self.jumps |= self.allocates
        return "goto fail;" if self.allocates else "return -1;"

    def render(self) -> str:
        """Return the whole definition."""
        with self.names.scope(), self._declarations():
            terminator = self.block(self.op.body.block)
            assert terminator is not None
            self.file.finish(self, terminator)
        is_apart = "relax.noinline" in self.op.attributes or (
            self.op.sym_name.data in self.file.repeated
        )
        unused = [
            name
            for p in (*self.signature.params,)
            for name in (p.name, *p.extra_names)
            if not self.used[name]
        ]
        lines = [line for line in self.lines if line]
        head = [f"    (void){name};" for name in unused]
        lines_from = origins_text(self.op.location)
        if self.allocates:
            objects = [f"    {HANDLE.name} {name} = NULL;" for name in self.objects.values()]
            frame = [] if self.frame is None else [wrap(f"    {self.frame}")]
            head = [
                "    int status = -1;", "    struct buffer *live = NULL;", *frame, *objects, *head
            ]  # fmt: skip
        return "\n".join(
            [
                *self.before,
                comment(self.signature.mlir()),
                *([comment(f"from {lines_from}")] if lines_from else []),
                *([KEEP_BRANCHES] if keeps_branches(self.op) else []),
                *([NOINLINE] if is_apart else []),
                wrap(self.signature.head()),
                "{",
                *head,
                *lines,
                "}",
                "",
            ]
        )


TERMINATORS = frozenset(
    {"func.return", "scf.yield", "scf.condition", "scf.reduce", "scf.reduce.return"}
)
