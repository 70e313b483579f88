"""`read`: a `T.prim_func` as a prim func of ours.

Blocks whose axes are spatial or reduced become tensor expressions, which become `linalg.generic`. All other
loops, branches and stores become one kernel of `te.extern`: `scf` loops.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.kept import (
    NARROW,
    PARAMS,
    keep_blocks,
    keep_constants,
    keep_sizes,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.blocks import BlockReader
from relax_dialect.frontends.tvmscript.prim_funcs.reading.buffers import Buffer, BufferDeclarations
from relax_dialect.frontends.tvmscript.prim_funcs.reading.in_place_prim_funcs import Accesses
from relax_dialect.frontends.tvmscript.prim_funcs.reading.nests import (
    IGNORED,
    NotABlock,
    block_title,
    nest_of,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.plain import write_out
from relax_dialect.frontends.tvmscript.prim_funcs.reading.refused import is_external_call, reason
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import TirExpressions
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_kernels import kernel
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import (
    TirCalls,
    prim_func_alias,
    statements,
    text,
)
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.te.compute import compute
from relax_dialect.te.emit.create_prim_func import create_prim_func
from relax_dialect.te.scalar import Scalar, ScalarConstant
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Tensor


def read(node: ast.FunctionDef, in_place: Sequence[int] | None = None) -> func.FuncOp:
    """Return the prim func of a definition under `@T.prim_func`, private; raises `Unreadable` if it has
    none.

    Parameters are its tensors in order, the tensors that the body writes as results, then sizes that no
    tensor has as a bare dimension. The attribute `tir.params` keeps the names of all parameters in TVM's
    order.

    A parameter that is read before it is written is a parameter and a result: the result starts with the
    contents of the parameter. `in_place` names, for each result, the passed tensor that it is written into,
    as in `R.call_tir_inplace`.
    """
    return _PrimFuncReader(node).read(in_place)


class _PrimFuncReader:
    def __init__(self, node: ast.FunctionDef):
        self.node = node
        self.names = TirCalls(prim_func_alias(node) or "T")
        write_out(self.names, node)
        self.expressions = TirExpressions(self.names, self._no_load)
        self.declared = BufferDeclarations(self.names, self.expressions)

    def _no_load(self, node: ast.Subscript) -> Scalar:
        raise Unreadable(node, f"expected a size, found an element: {text(node)}")

    def read(self, in_place: Sequence[int] | None) -> func.FuncOp:
        self.declared.parameters(self.node)
        body = list(self._declared(self.node.body))
        params = self.declared.params
        for param in params:
            if isinstance(param, str) and param not in self.expressions.values:
                raise Unreadable(self.node, f"the handle {param!r} is matched to no buffer")
        accesses = Accesses(self.names)
        accesses.body(body)
        outputs = [b for b in self.declared.tensors() if b.name in accesses.written]
        if not outputs and self._is_placeholder(body):
            outputs = self._unwritten()
        updated = self._updated(accesses, outputs, in_place)
        inputs = [b for b in self.declared.tensors() if b not in outputs or b in updated]
        if not outputs:
            for each in ast.walk(self.node):
                is_macro = isinstance(each, ast.FunctionDef) and each is not self.node
                if is_macro or is_external_call(self.names, each):
                    raise Unreadable(each, reason(self.names, each))
            raise Unreadable(
                self.node, "expected a function that writes to a parameter, found none"
            )
        for each in inputs:
            each.tensor = Tensor(each.shape, each.dtype, each.name)
        blocks = BlockReader(self.declared)
        try:
            if updated:
                raise NotABlock
            results = self._by_blocks(blocks, body, outputs)
        except NotABlock:
            results = kernel(self.declared, body, outputs, updated, self.node)
        placeholders = [each.tensor for each in inputs if each.tensor is not None]
        try:
            found = create_prim_func([*placeholders, *results], self.node.name)
        except RelaxError as error:
            raise Unreadable(self.node, str(error)) from None
        order = [p if isinstance(p, str) else p.name for p in params]
        found.attributes[PARAMS] = ArrayAttr(map(StringAttr, order))
        if self._is_narrow():
            found.attributes[NARROW] = UnitAttr()
        keep_constants(found, self.node)
        keep_sizes(found, self.expressions.texts)
        nests = [blocks.nests.get(stage) for stage in stages_of(results)]
        keep_blocks(found, [(n.title, n.annotations) for n in nests if n is not None])
        return found

    def _declared(self, body: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements, without declarations for the whole function."""
        for each in statements(body):
            if isinstance(each, ast.With) and block_title(self.names, each) == "root":
                yield from self._declared(each.body)
            elif isinstance(each, ast.Expr) and self.names.called(each.value) in IGNORED:
                continue
            elif not self.declared.statement(each):
                yield each

    def _is_placeholder(self, body: list[ast.stmt]) -> bool:
        """Return whether a body does nothing: `T.evaluate(0)`, as tests of graph passes have it."""
        return bool(body) and all(
            isinstance(each, ast.Expr)
            and isinstance(each.value, ast.Call)
            and self.names.called(each.value) == "evaluate"
            and all(isinstance(arg, ast.Constant) for arg in each.value.args)
            for each in body
        )

    def _unwritten(self) -> list[Buffer]:
        """Return the last tensor as the result. TVM leaves its elements undefined; here they are zeros."""
        tensors = list(self.declared.tensors())
        if not tensors:
            return []
        last = tensors[-1]
        last.tensor = compute(last.shape, lambda *_: ScalarConstant(0, last.dtype), last.name)
        return [last]

    def _updated(
        self, accesses: Accesses, outputs: list[Buffer], in_place: Sequence[int] | None
    ) -> list[Buffer]:
        """Return the outputs that are also inputs; sort the outputs into the order of `in_place`."""
        if in_place is None:
            return [b for b in outputs if b.name in accesses.updated]
        passed = self.declared.params
        given = [passed[i] if 0 <= i < len(passed) else None for i in in_place]
        named = [b for b in given if isinstance(b, Buffer)]
        fresh = iter([b for b in outputs if b not in named])
        order = [b or next(fresh, None) for b in given]
        if not named or set(order) != set(outputs) or len(order) != len(outputs):
            names = ", ".join(b.name for b in outputs)
            raise Unreadable(
                self.node,
                f"expected inplace_indices of the parameters that {self.node.name} writes, [{names}], "
                f"found {list(in_place)}; pass each of them, and name it once, or -1 for one behind the "
                "arguments",
            )
        outputs[:] = [b for b in order if isinstance(b, Buffer)]
        return named

    def _by_blocks(
        self, blocks: BlockReader, body: list[ast.stmt], outputs: list[Buffer]
    ) -> list[Tensor]:
        for statement in () if self._is_placeholder(body) else body:
            blocks.read(nest_of(self.names, statement))
        results = [each.tensor for each in outputs if each.tensor is not None]
        if len(results) < len(outputs):
            raise NotABlock
        return results

    def _is_narrow(self) -> bool:
        """Returns whether sizes and loops are `int32`: numbers without a type are, unless `int64`
        occurs."""
        found = False
        for each in ast.walk(self.node):
            name = self.names.of(each)
            if name == "int64":
                return False
            is_number = isinstance(each, ast.Constant) and type(each.value) is int
            found = found or name == "int32" or (is_number and not self.declared.has_free_sizes)
        return found
