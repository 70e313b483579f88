"""Calls of functions that are an instruction on some machines, with their bodies for all others.

    func.func private @dot4(%sums: vector<16xi32>, %a: vector<16xi32>, %b: vector<16xi32>)
        -> vector<16xi32> attributes {relax.intrinsic = "dot4_u8i8"} { ... }
    %s = func.call @dot4(%s0, %a, %b)
->
    static inline v16i32 dot4_u8i8_v16i32(v16i32 sums, v16i32 a, v16i32 b)
    {
    #if defined(__AVX512VNNI__)
        __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
        return sums;
    #else
        ...
    #endif
    }
    s = dot4_u8i8_v16i32(s, a, b);

The instructions are a table of `lowering.support.target`.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation

from lowering.emit_c.operations.function_body import File, FunctionBody
from lowering.emit_c.operations.vector_operands import define, whole
from lowering.emit_c.syntax.c_expressions import call
from lowering.emit_c.syntax.c_names import CNames
from lowering.emit_c.syntax.c_signature import CSignature, Port, located
from lowering.emit_c.syntax.layout import wrap
from lowering.emit_c.syntax.vector_types import is_vector, vector_type
from lowering.support.target import INTRINSICS
from relax_dialect.errors import RelaxError

INTRINSIC = "relax.intrinsic"
"""The attribute of a function that names its operation in the table."""


def kind_of(function: Operation | None) -> str | None:
    """Return the operation that a function is, if machines may have an instruction for it."""
    mark = None if function is None else function.attributes.get(INTRINSIC)
    return mark.data if isinstance(mark, StringAttr) else None


def emit_intrinsic(body: FunctionBody, op: func.CallOp, callee: func.FuncOp, kind: str) -> None:
    """A call, inlined by the C compiler."""
    (result,) = op.results
    name = body.file.helpers.use(_helper(body.file, callee, kind))
    define(body, result, call(name, *(whole(body, operand) for operand in op.operands)))


def _helper(file: File, function: func.FuncOp, kind: str) -> tuple[str, str]:
    """Return the C function of an operation on vectors of one type."""
    type = _type(function, kind)
    v, intrinsic = vector_type(type), INTRINSICS[kind]
    file.helpers.use_vector(v)
    names = CNames(local=True)
    ports = [
        Port(names.fresh(parameter), type, v.element, value=argument)
        for parameter, argument in zip(intrinsic.parameters, function.body.block.args)
    ]
    name, symbol = f"{kind}_{v.name}", function.sym_name.data
    signature = CSignature(symbol, name, tuple(ports), (), False, False, {})
    with located(symbol, function):
        body = FunctionBody(file, function, signature, names)
        end = body.block(function.body.block)
        assert isinstance(end, func.ReturnOp)
        body.line(f"return {whole(body, end.arguments[0]).text};")
    lines: list[str] = []
    for instruction in intrinsic.instructions:
        if instruction.vector_bytes == v.bytes:
            lines.append(f"#{'elif' if lines else 'if'} {instruction.condition}")
            lines += [wrap(f"    {line}") for line in instruction.lines]
    portable = [line for line in body.lines if line]
    lines = [*lines, "#else", *portable, "#endif"] if lines else portable
    head = f"static inline {v.name} {name}({', '.join(f'{v.name} {p.name}' for p in ports)})"
    return name, "\n".join([wrap(head), "{", *lines, "}", ""])


def _type(function: func.FuncOp, kind: str) -> Attribute:
    """Return the vector type shared by the parameters and the result of such a function."""
    signature = function.function_type
    types = {*signature.inputs, *signature.outputs}
    where = f"C: function @{function.sym_name.data}"
    if kind not in INTRINSICS:
        raise RelaxError(
            f'{where}: {INTRINSIC} = "{kind}": expected one of {", ".join(INTRINSICS)}; correct the '
            "name, or leave the attribute out"
        )
    count = len(INTRINSICS[kind].parameters)
    fits = (len(types), len(signature.inputs), len(signature.outputs)) == (1, count, 1)
    if not fits or not all(map(is_vector, types)):
        raise RelaxError(
            f"{where}: {INTRINSIC}: expected {count} operands and a result of one type of vectors, "
            f"found {signature}; leave the attribute out"
        )
    return types.pop()
