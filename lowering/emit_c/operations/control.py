"""Statements of func, scf and cf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from xdsl.dialects import cf, func, memref, scf
from xdsl.dialects.arith import CmpfOp, CmpiOp
from xdsl.ir import Block, Operation, SSAValue

from lowering.emit_c.operations import frames
from lowering.emit_c.operations.c_integers import compare_integers
from lowering.emit_c.operations.c_intrinsics import emit_intrinsic, kind_of
from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.operations.row_conversion import conversion_of_row, emit_row
from lowering.emit_c.operations.split_loops import emit_split, may_split
from lowering.emit_c.operations.vector_operands import find_updates
from lowering.emit_c.syntax.c_expressions import CExpr, Prec, parenthesised, unary
from lowering.emit_c.syntax.c_memrefs import CBuffer
from lowering.emit_c.syntax.c_signature import size
from lowering.emit_c.syntax.c_types import INDEX, scalar_type
from lowering.ir.memref_views import uncast, viewed_memref
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import prefixed
from relax_dialect.prim.run_time_checks import (
    SIDES,
    VALUES,
    compared,
    compares_unsigned,
    name_in,
    pieces,
    place_of,
    placed_message,
)

INDUCTION_NAMES = ("i", "j", "k", "l")


LONGEST_STRING = 4095


def c_string(text: str) -> str:
    """Return a C string literal of a text that ends where C takes it to end: without NUL."""
    if "\0" in text:
        raise RelaxError(
            f"C: {text[:40]!r}: expected names and messages without NUL, found one; C ends a string there: "
            "leave it out"
        )
    return c_bytes(text)


def c_bytes(text: str) -> str:
    """Return a C string literal of any text that C compilers are required to take."""
    if (length := len(text.encode())) > LONGEST_STRING:
        raise RelaxError(
            f"C: '{text[:40]}...': expected names and messages of at most {LONGEST_STRING} bytes, found "
            f"{length}; shorten it"
        )
    out: list[str] = []
    for byte in text.encode():
        c = chr(byte)
        if c in '"\\':
            out.append("\\" + c)
        elif c == "?" or not 32 <= byte < 127:
            out.append(f"\\{byte:03o}" if c != "\n" else "\\n")
        else:
            out.append(c)
    return f'"{"".join(out)}"'


# Regions


class Carriers:
    """The C variables of the values that a region carries out or around."""

    def __init__(self, body: FunctionBody, values: Sequence[SSAValue], names: list[list[str]]):
        self.body = body
        self.values = values
        self.names = names

    @classmethod
    def declare(
        cls,
        body: FunctionBody,
        values: Sequence[SSAValue],
        twins: Sequence[SSAValue],
        default: str,
        inits: Sequence[SSAValue] | None = None,
    ) -> Carriers:
        """Variables for `values`; a value that neither it nor its twin's users read has none."""
        names: list[list[str]] = []
        for i, (value, twin) in enumerate(zip(values, twins)):
            parts = None if inits is None else body.components(inits[i])
            if value.first_use is None and twin.first_use is None:
                names.append([])
                continue
            hint = value.name_hint or twin.name_hint or default
            names.append(body.carried(value, hint, parts))
            body.values[twin] = body.values[value]
        return cls(body, values, names)

    def assign(self, sources: Sequence[SSAValue]) -> None:
        """Assign `sources` to the variables, as if at once."""
        targets: list[str] = []
        exprs: list[CExpr] = []
        types: list[str] = []
        for value, names, source in zip(self.values, self.names, sources):
            if not names:
                continue
            targets += names
            exprs += self.body.components(source)
            types += self.body.component_types(value, len(names))
        self.body.assign(targets, exprs, types)


@contextmanager
def loop(
    body: FunctionBody, iv: SSAValue, lb: SSAValue, ub: SSAValue, step: SSAValue
) -> Iterator[None]:
    """Emit `for (int64_t i = lb; i < ub; ++i) {`; bounds in memory are read before the loop."""
    start = body.expr(lb)
    end = body.expr(ub)
    if end.loads or "(" in end.text:
        end = body.atom(ub)
    stride = body.atom(step)
    body.flush()
    kind = scalar_type(iv.type).name
    default = INDUCTION_NAMES[min(body.indent - 1, len(INDUCTION_NAMES) - 1)]
    with body.names.scope():
        i = body.names.fresh(iv.name_hint or default)
    advance = f"++{i}" if stride.literal == 1 else f"{i} += {stride.text}"
    text = parenthesised(end, Prec.ADD)
    with body.braces(f"for ({kind} {i} = {start.text}; {i} < {text}; {advance})"):
        body.names.take(i)
        body.values[iv] = CExpr(i)
        yield


def emit_for(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, scf.ForOp)
    if (row := conversion_of_row(op)) is not None:
        emit_row(body, row)
        return
    block = op.body.block
    iv, *args = block.args
    carriers = Carriers.declare(body, args, op.res, "carried", op.iter_args)
    find_updates(body, op, carriers.names)
    with loop(body, iv, op.lb, op.ub, op.step):
        terminator = body.block(block)
        if terminator is not None:
            carriers.assign(terminator.operands)


def emit_parallel(body: FunctionBody, op: Operation) -> None:
    """Emit parallel loops as plain nested loops; reduced values are carried around them."""
    assert isinstance(op, scf.ParallelOp)
    block = op.body.block
    carriers = Carriers.declare(body, op.res, op.res, "reduced", op.initVals)
    body.flush()
    bounds = list(zip(block.args, op.lowerBound, op.upperBound, op.step))
    for values in bounds:
        for v in values[1:]:
            body.atom(v)

    def nest(depth: int) -> None:
        if depth == len(bounds):
            reduce = body.block(block)
            if isinstance(reduce, scf.ReduceOp):
                _fold(body, reduce, carriers)
            return
        with loop(body, *bounds[depth]):
            nest(depth + 1)

    nest(0)


def _fold(body: FunctionBody, op: scf.ReduceOp, carriers: Carriers) -> None:
    """Combine the carried values with those of this iteration, by the regions of the op."""
    for result, names, value, region in zip(
        carriers.values, carriers.names, op.args, op.reductions
    ):
        if not names:
            continue
        so_far, new = region.block.args
        body.values[so_far], body.values[new] = body.values[result], body.atom(value)
        end = body.block(region.block)
        assert end is not None
        Carriers(body, [result], [names]).assign(end.operands)


def branch(body: FunctionBody, block: Block, carriers: Carriers) -> None:
    terminator = body.block(block)
    if terminator is not None:
        carriers.assign(terminator.operands)


def emit_if(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, scf.IfOp)
    condition = body.expr(op.cond)
    body.flush()
    carriers = Carriers.declare(body, op.results, op.results, "result")
    otherwise = op.false_region.block if op.false_region.blocks else None
    has_else = otherwise is not None and (len(op.results) > 0 or not _only_yields(otherwise))
    with body.braces(f"if ({condition.text})", "} else {" if has_else else "}"):
        branch(body, op.true_region.block, carriers)
    if has_else:
        assert otherwise is not None
        with body.rest("}"):
            branch(body, otherwise, carriers)


def _only_yields(block: Block) -> bool:
    return block.first_op is block.last_op and isinstance(block.last_op, scf.YieldOp | None)


def emit_index_switch(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, scf.IndexSwitchOp)
    selector = body.expr(op.arg)
    body.flush()
    carriers = Carriers.declare(body, op.results, op.results, "result")
    cases = [f"case {c}:" for c in op.cases.get_values()]
    regions = [*op.case_regions, op.default_region]
    body.line(f"switch ({selector.text}) {{")
    for label, region in zip([*cases, "default:"], regions):
        with body.braces(label):
            branch(body, region.block, carriers)
            body.line("break;")
    body.line("}")


def emit_while(body: FunctionBody, op: Operation) -> None:
    """`for (;;) { before; if (!condition) break; after; }`."""
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    carried = Carriers.declare(body, before.args, before.args, "carried", op.arguments)
    results = Carriers.declare(body, op.res, after.args, "result")
    body.flush()
    with body.braces("for (;;)"):
        condition = body.block(before)
        assert isinstance(condition, scf.ConditionOp)
        test = body.atom(condition.operands[0])
        results.assign(condition.operands[1:])
        body.line_if(unary("!", test).text, "break;")
        terminator = body.block(after)
        if terminator is not None:
            carried.assign(terminator.operands)


# Calls, returns, assertions


def emit_call(body: FunctionBody, op: Operation) -> None:
    assert isinstance(op, func.CallOp)
    function = body.file.analysis.functions.get(op.callee.string_value())
    if function is not None and (kind := kind_of(function)) is not None:
        emit_intrinsic(body, op, function, kind)
        return
    callee = body.file.signature(op.callee.string_value())
    args: list[str] = []
    symbols: dict[str, str] = {}
    for p, operand in zip(callee.params, op.operands):
        if p.is_memref:
            b = body.buffer(operand)
            args.append(b.base)
            args += [b.sizes[i].text for i in p.extra_dims]
            args += [b.explicit_strides()[i].text for i in p.extra_strides]
        elif p.symbol is not None and callee.results:
            e = body.atom(operand)
            args.append(e.text)
            symbols[p.symbol] = parenthesised(e, Prec.UNARY)
        else:
            args.append(body.expr(operand).text)
    body.flush()
    for port, result in zip(callee.results, op.results):
        if result in body.objects:
            args.append(f"&{body.objects[result]}")
            continue
        variable = body.fresh(result, "out")
        if port.is_memref:
            extra = tuple(body.names.fresh(f"{variable}_d{i}") for i in port.extra_dims)
            steps = tuple(body.names.fresh(f"{variable}_s{i}") for i in port.extra_strides)
            body.line(f"{port.element.memory} *{variable} = NULL;")
            for e in (*extra, *steps):
                body.line(f"{INDEX.name} {e} = 0;")
            local = replace(port, extra_names=(*extra, *steps))
            sizes = local.sizes(lambda s: symbols[s])
            body.values[result] = CBuffer(variable, port.element, sizes, local.strides())
            args += [f"&{n}" for n in (variable, *extra, *steps)]
        else:
            body.line(f"{port.element.name} {variable} = 0;")
            body.values[result] = CExpr(variable)
            args.append(f"&{variable}")
    frames.before_call(body, op)
    if may_split(body, op):
        emit_split(body, op, callee, args)
        return
    call = f"{callee.c_name}({', '.join(args)})"
    if not callee.fails:
        body.line(f"{call};")
        return
    if place := place_of(op):
        body.file.helpers.use_runtime("place_error")
        with body.braces(f"if ({call} != 0)"):
            where = prefixed(f"{place}:", op.location)
            body.line(f"place_error({c_string(f'{name_in(place)}:')}, {c_string(where)});")
            body.line(body.fail())
    else:
        body.line_if(f"{call} != 0", body.fail())
    for port, result in zip(callee.results, op.results):
        if port.is_memref:
            body.file.helpers.use_runtime("attach")
            body.line(f"attach(&live, {body.buffer(result).base});")


def finish(body: FunctionBody, op: Operation) -> None:
    """Prints `func.return` and the exit of a function that fails."""
    assert isinstance(op, func.ReturnOp)
    ports = body.signature.results
    seen: set[SSAValue] = set()
    lines: list[str] = []
    for port, value in zip(ports, op.operands):
        parts = body.components(value)
        if port.is_memref:
            source = viewed_memref(value)
            if not isinstance(source.owner, Operation) or isinstance(
                source.owner, memref.GetGlobalOp | memref.AllocaOp
            ):
                raise RelaxError(
                    "C: func.return: expected freshly allocated memrefs, found an argument, a "
                    "global or an alloca; copy it to a memref.alloc first"
                )
            if source in seen or source is not uncast(value):
                raise RelaxError(
                    "C: func.return: expected different whole buffers, found a view or the same "
                    "buffer twice; copy it to a memref.alloc first"
                )
            seen.add(source)
            b = body.buffer(value)
            body.file.helpers.use_runtime("detach")
            body.line(f"detach({b.base});")
            strides = b.explicit_strides()
            parts = [CExpr(b.base)]
            parts += [b.sizes[i] for i in port.extra_dims]
            parts += [strides[i] for i in port.extra_strides]
        names = (port.name, *port.extra_names)
        lines += [f"*{n} = {e.text};" for n, e in zip(names, parts)]
        if value in body.objects:
            lines.append(f"{parts[0].text} = NULL;")
    for line in lines:
        body.line(line)
    if body.allocates:
        body.file.helpers.use_runtime("free_all")
        body.line("status = 0;")
        if body.jumps:
            body.indent -= 1
            body.line("fail:")
            body.indent += 1
        for name in body.objects.values():
            body.line(f"release_object(&{name});")
        body.line("free_all(&live);")
        if body.frame is not None:
            body.line("leave_frame(frame);")
        body.line("return status;")
    elif body.signature.fails:
        body.line("return 0;")


def emit_assert(body: FunctionBody, op: Operation) -> None:
    """Emit a check; a failing comparison is reported with both operands, unless the message has holes of
    its own."""
    assert isinstance(op, cf.AssertOp)
    comparison = op.arg.owner
    sides: list[CExpr] = []
    if isinstance(comparison, CmpiOp) and op.arg not in body.values:
        sides = [body.atom(v) for v in comparison.operands]
        condition = compare_integers(comparison, sides, negate=True)
    else:
        condition = unary("!", body.expr(op.arg))
    if VALUES in op.attributes:
        arguments = _shown(body, op)
    elif sides:
        numbers = [_long(side) for side in sides]
        arguments = ['"%s (%lld vs %lld)"', c_string(placed_message(op)), *numbers]
    else:
        arguments = ['"%s"', c_string(placed_message(op))]
    body.file.helpers.use_runtime("set_error")
    with body.braces(f"if ({condition.text})"):
        body.line(f"set_error({', '.join(arguments)});")
        body.line(body.fail())


def _long(value: CExpr, type: str = "long long") -> str:
    return f"({type}){parenthesised(value, Prec.UNARY)}"


def _shown(body: FunctionBody, op: cf.AssertOp) -> list[str]:
    """Return the format and the values of a message with holes."""
    format, values = "", []
    for index, piece in enumerate(pieces(placed_message(op))):
        if index % 2 == 0:
            format += piece.replace("%", "%%")
            continue
        letters, value = _hole(body, op, piece)
        format += letters
        values += [value] if value else []
    return [c_string(format), *values]


def _hole(body: FunctionBody, op: cf.AssertOp, what: str) -> tuple[str, str]:
    """Return the format of a hole, and its value."""
    if what not in SIDES:
        dim = size(what, lambda name: body.signature.symbols[name])
        return "%lld", _long(dim)
    if (comparison := compared(op)) is None:  # the condition has been simplified away
        return "?", ""
    a, b = (body.expr(v) for v in comparison.operands)
    if isinstance(comparison, CmpfOp):
        return "%g", _long(a if what == "%0" else b, "double")
    unsigned = compares_unsigned(comparison)
    letters, type = ("%llu", "unsigned long long") if unsigned else ("%lld", "long long")
    first, second = _long(a, type), _long(b, type)
    order = {"%min": f"{first} < {second} ? {first} : {second}"}
    order |= {"%max": f"{first} < {second} ? {second} : {first}", "%0": first, "%1": second}
    return letters, order[what]


STATEMENTS = {
    "func.call": emit_call,
    "scf.for": emit_for,
    "scf.parallel": emit_parallel,
    "scf.if": emit_if,
    "scf.index_switch": emit_index_switch,
    "scf.while": emit_while,
    "cf.assert": emit_assert,
}
