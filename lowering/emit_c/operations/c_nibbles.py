"""Numbers of four bits in words, as floats: a table look-up on machines that have one for vectors.

    %s = arith.shli %word, %shift : vector<16xi32>
    %q = arith.shrsi %s, %c28 : vector<16xi32>
    %x = arith.sitofp %q : vector<16xi32> to vector<16xf32>
->
    x = nibbles_v16f32(word, shift);

The shifts alone have no C: they are part of the function.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, f32, i32
from xdsl.ir import Operation, SSAValue

from lowering.emit_c.operations.function_body import FunctionBody
from lowering.emit_c.operations.vector_operands import whole
from lowering.emit_c.syntax.c_expressions import CExpr, call
from lowering.emit_c.syntax.vector_types import CVector, is_vector, vector_type

Spelling = Callable[[FunctionBody, Operation], CExpr]

TOP = 28
"""The bits of a word below its highest number."""

TABLE = ", ".join(f"{n}.0f" for n in (*range(8), *range(-8, 0)))
"""The numbers of four bits."""


def with_nibbles(spelling: Spelling) -> Spelling:
    """Return the spelling of an op, unless it is one of the three."""

    def spelled(body: FunctionBody, op: Operation) -> CExpr:
        if isinstance(op, arith.SIToFPOp):
            word = _word(op)
            return spelling(body, op) if word is None else _nibbles(body, op, word)
        if (end := _conversion(op)) is not None and _word(end) is not None:
            return whole(body, op.operands[0])
        return spelling(body, op)

    return spelled


def _conversion(op: Operation) -> arith.SIToFPOp | None:
    """Return the conversion that is the only use of a shift, or of the shift after it."""
    for _ in range(2):
        if not isinstance(op, arith.ShLIOp | arith.ShRSIOp):
            return None
        users = [use.operation for use in op.results[0].uses]
        if len(users) != 1:
            return None
        (op,) = users
        if isinstance(op, arith.SIToFPOp):
            return op
    return None


def _word(op: arith.SIToFPOp) -> arith.ShLIOp | None:
    """Return the shift that moves a number of four bits to the top of its word, if it is such a number that
    is converted."""
    match op.input.owner:
        case arith.ShRSIOp(lhs=SSAValue(owner=arith.ShLIOp() as word), rhs=count) as down:
            once = all(len(list(each.result.uses)) == 1 for each in (word, down))
            return word if once and _is_top(count) and _is_plain(op) else None
        case _:
            return None


def _is_top(count: SSAValue) -> bool:
    """Return whether a number moves the highest number of a word to its lowest bits."""
    match count.owner:
        case vector.BroadcastOp(source=source):
            return _is_top(source)
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return number.data == TOP
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            return {*dense.get_values()} == {TOP}
        case _:
            return False


def _is_plain(op: arith.SIToFPOp) -> bool:
    """Return whether words of i32 become vectors of f32."""
    if not is_vector(op.result.type):
        return False
    elements = [value.type.element_type for value in (op.input, op.result)]  # pyright: ignore
    return elements == [i32, f32]


def _nibbles(body: FunctionBody, op: arith.SIToFPOp, word: arith.ShLIOp) -> CExpr:
    numbers, words = vector_type(op.result.type), vector_type(word.result.type)
    for v in (numbers, words, words.unsigned):
        body.file.helpers.use_vector(v)
    name = body.file.helpers.use(_helper(numbers, words))
    return call(name, whole(body, op.input), whole(body, word.rhs))


def _helper(numbers: CVector, words: CVector) -> tuple[str, str]:
    """Return the function: shifts at most 28, so that no lane is shifted out."""
    name, unsigned = f"nibbles_{numbers.name}", words.unsigned.name
    return name, (
        f"static inline {numbers.name} {name}({words.name} a, {words.name} shift)\n{{\n"
        + (_by_table(numbers, words) if numbers.bytes == 64 else "")
        + f"    a = ({words.name})(({unsigned})a << ({unsigned})shift) >> {TOP};\n"
        f"    return __builtin_convertvector(a, {numbers.name});\n"
        + ("#endif\n" if numbers.bytes == 64 else "")
        + "}\n"
    )


def _by_table(numbers: CVector, words: CVector) -> str:
    unsigned = words.unsigned.name
    return (
        "#if defined(__AVX512F__)\n"
        f"    const {unsigned} index = ({unsigned})a >> ({unsigned})({TOP} - shift);\n"
        f"    const {numbers.name} table = {{{TABLE}}};\n"
        f"    {numbers.name} found;\n"
        '    __asm__("vpermps %2, %1, %0" : "=v"(found) : "v"(index), "v"(table));\n'
        "    return found;\n"
        "#else\n"
    )
