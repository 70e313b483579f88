"""`write`: a prim func of ours as a `T.prim_func` of blocks, which TVM schedules and builds."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.kept import (
    NARROW,
    KeptConstants,
    kept_names,
    kept_sizes,
)
from relax_dialect.frontends.tvmscript.prim_funcs.reading.tir_expressions import TirExpressions
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls as Syntax
from relax_dialect.frontends.tvmscript.prim_funcs.writing.loop_text import LoopWriter, origin
from relax_dialect.frontends.tvmscript.prim_funcs.writing.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import (
    UnwritablePrimFunc,
    dtype_name,
)
from relax_dialect.frontends.tvmscript.prim_funcs.writing.stage_text import StageWriter
from relax_dialect.frontends.tvmscript.prim_funcs.writing.tir_names import TirNames
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.ir.walk import is_private
from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr
from relax_dialect.te.compute import compute
from relax_dialect.te.dtypes import INDEX
from relax_dialect.te.raising import RaisingError, raised
from relax_dialect.te.raising.prim_func import Raiser
from relax_dialect.te.raising.scalars import as_index
from relax_dialect.te.scalar import Scalar, as_scalar
from relax_dialect.te.stage_graph import stages_of
from relax_dialect.te.tensor import Stage, Tensor


def write(function: func.FuncOp) -> list[str]:
    """Return the lines of `@T.prim_func` and the definition, without indentation.

    Raises `UnwritablePrimFunc`, a `RelaxError`, for ops that TIR cannot express.
    """
    name = function.sym_name.data
    try:
        return _PrimFuncWriter(function).lines()
    except UnwritablePrimFunc as error:
        raise UnwritablePrimFunc(f"func.func @{name}: no T.prim_func says it; {error}") from None
    except (RaisingError, VerifyException) as error:
        raise UnwritablePrimFunc(f"func.func @{name}: no T.prim_func says it; {error}") from None


class _PrimFuncWriter:
    def __init__(self, function: func.FuncOp):
        self.function = function
        self.narrow = NARROW in function.attributes
        self.signature = signature(function)
        self.names = TirNames()
        self.inputs: list[Tensor] = []
        self.sizes: dict[str, str] = {}
        self.tensors: dict[Tensor, str] = {}
        self.origins: dict[Stage, tuple[Operation, list[Tensor]]] = {}
        self.precise = KeptConstants(function).value
        self.forms: dict[Expr, str] = {}

    def lines(self) -> list[str]:
        inputs = self.inputs = self._inputs()
        symbols = {s: symbolic.var(s) for s in self.signature.symbols}
        try:
            copied = self._distinct(raised(self.function, inputs, symbols, self.origins))
        except RaisingError:
            copied = self._given()
            write_body = self._loops
        else:
            write_body = self._body
        for symbol in self._symbols(inputs, copied):
            self.sizes[symbol] = self.names.fresh(symbol)
        self.forms = self._forms()
        params = self._params(inputs, copied)
        text = ScalarText({}, self.tensors, self.sizes, self.narrow, forms=self.forms)
        head, declared = list[str](), list[str]()
        for param in params:
            if isinstance(param, str):
                head.append(f"{self.sizes[param]}: T.{dtype_name(INDEX, self.narrow)}")
                continue
            name, dtype = self.tensors[param], dtype_name(param.dtype)
            shape = text.shape(param.shape)
            if all(size.value is not None for size in param.shape):
                head.append(f'{name}: T.Buffer({shape}, "{dtype}")')
            else:
                handle = self.names.fresh(f"var_{name}")
                head.append(f"{handle}: T.handle")
                declared.append(f'{name} = T.match_buffer({handle}, {shape}, "{dtype}")')
        sized = [
            f"{name} = T.{dtype_name(INDEX, self.narrow)}()"
            for symbol, name in self.sizes.items()
            if symbol not in params
        ]
        body = write_body(copied)
        inside = ['T.func_attr({"tirx.noalias": True})', *sized, *declared, *body]
        return [
            f"@T.prim_func({'private=True, ' * is_private(self.function)}s_tir=True)",
            f"def {self.function.sym_name.data}({', '.join(head)}):",
            *(f"    {line}" for line in inside),
        ]

    def _inputs(self) -> list[Tensor]:
        params = iter(self.signature.params)
        found: list[Tensor] = []
        for argument in self.function.body.block.args:
            if argument.type == INDEX:
                continue
            each = next(params, None)
            if each is None or each.shape is None or any(d is None for d in each.shape):
                raise UnwritablePrimFunc("expected tensors of sizes that are named")
            found.append(Tensor(each.shape, each.dtype, argument.name_hint or "x"))  # pyright: ignore
        return found

    def _given(self) -> list[Tensor]:
        """Return the outputs of a function with loops, in the order of its signature."""
        end = self.function.body.block.last_op
        values = [] if end is None else end.operands
        found: list[Tensor] = []
        for each, value in zip(self.signature.results, values):
            if each.shape is None or any(d is None for d in each.shape):
                raise UnwritablePrimFunc("expected results of sizes that are named")
            found.append(Tensor(each.shape, each.dtype, value.name_hint or "out"))  # pyright: ignore
        return found

    def _loops(self, outputs: Sequence[Tensor]) -> list[str]:
        """Return the body of a function with loops: one block."""
        block = self.function.body.block
        end = block.last_op
        results = [] if end is None else list(end.operands)
        arguments = [argument for argument in block.args if argument.type != INDEX]
        buffers: dict[SSAValue, Tensor] = dict(zip(arguments, self.inputs))
        copied: list[tuple[SSAValue, Tensor]] = []
        for value, out in zip(results, outputs):
            made = origin(value)
            if isinstance(made.owner, Operation) and made not in buffers:
                buffers[made] = out
            else:  # an argument that is returned, or a tensor that is returned twice
                copied.append((value, out))
        sizes: dict[SSAValue, Scalar] = {
            argument: as_index(symbolic.var(symbol))
            for argument, symbol in zip(
                (a for a in block.args if a.type == INDEX), self.signature.symbols
            )
        }
        text = ScalarText({}, self.tensors, self.sizes, self.narrow, self.precise, self.forms)
        writer = LoopWriter(text, self.names, buffers, sizes, Raiser(self.function, {}))
        writer.block(block)
        for value, out in copied:
            writer.copy(value, out)
        title = self.names.fresh(self.function.sym_name.data)
        head = [f'with T.sblock("{title}"):', "    T.reads()", "    T.writes()"]
        return [*writer.allocated, *head, *(f"    {line}" for line in writer.lines)]

    def _distinct(self, outputs: Sequence[Tensor]) -> list[Tensor]:
        """Return the outputs, each a stage's: an input that is returned, or an output returned twice, is
        copied."""
        found: list[Tensor] = []
        for each in outputs:
            if each.stage is None or each in found:
                each = compute(each.shape, lambda *i, x=each: x[i], name=each.name)
            found.append(each)
        return found

    def _forms(self) -> dict[Expr, str]:
        """Return the text of sizes in TIR, if it still denotes them."""
        sizes = TirExpressions(Syntax("T"), lambda node: as_scalar(node))
        sizes.values.update({name: as_index(symbolic.var(s)) for s, name in self.sizes.items()})
        found: dict[Expr, str] = {}
        for text in kept_sizes(self.function).values():
            try:
                found.setdefault(sizes.size(ast.parse(text, mode="eval").body), text)
            except (Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        return found

    def _symbols(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[str]:
        """Return the symbols, in order of first appearance in the parameters and stages."""
        found = dict.fromkeys(self.signature.symbols)
        stages = stages_of(outputs)
        shapes = [t.shape for t in (*inputs, *outputs, *(o for s in stages for o in s.outputs))]
        exprs = [*(d for shape in shapes for d in shape), *(d for s in stages for d in s.sizes)]
        for expr in exprs:
            found |= dict.fromkeys(expr.free_variables)
        return list(found)

    def _params(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[Tensor | str]:
        """Return the parameters in order: inputs, sizes, results; in TVM's order if it is known."""
        symbols = self.signature.symbols
        order = kept_names(self.function)
        tensors = iter((*inputs, *outputs))
        others = [name for name in order if name not in self.sizes]
        if len(others) == len(inputs) + len(outputs):
            found: list[Tensor | str] = [
                name if name in self.sizes else next(tensors) for name in order
            ]
        else:
            order = []
            found = [*inputs, *symbols, *outputs]
        for i, each in enumerate(found):
            if isinstance(each, Tensor):
                self.tensors[each] = self.names.fresh(order[i] if order else each.name)
        return found

    def _body(self, outputs: Sequence[Tensor]) -> list[str]:
        stages = stages_of(outputs)
        text = ScalarText({}, self.tensors, self.sizes, self.narrow, forms=self.forms)
        writer = StageWriter(
            self.tensors, self.sizes, self.names, self.narrow, self.precise, self.forms
        )
        written = set[Stage]()
        lines, allocated = list[str](), list[str]()
        for stage in stages:
            if stage in written:
                continue
            op, every = self.origins.get(stage, (None, list(stage.outputs)))
            for each in every:
                if each not in self.tensors:
                    name = self.tensors[each] = self.names.fresh(each.name)
                    shape, dtype = text.shape(each.shape), dtype_name(each.dtype)
                    allocated.append(f'{name} = T.sblock_alloc_buffer({shape}, "{dtype}")')
            together = list(dict.fromkeys(e.stage for e in every if e.stage is not None))
            written |= set(together)
            lines += writer.block(together, op)
        return [*allocated, *writer.allocated, *lines]
