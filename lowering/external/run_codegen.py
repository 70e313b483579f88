"""relax-run-codegen: functions marked for a code generator call the kernels of its library.

    relax.func private @f(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, m], f32>)
        -> !relax.tensor<[n, m], f32> attributes {Composite = "cblas.matmul_gelu", Codegen = "cblas"} {
      %0 = relax.matmul %x, %w : (...) -> !relax.tensor<[n, m], f32>
      %1 = relax.gelu %0 : (...) -> !relax.tensor<[n, m], f32>
      relax.return %1 : !relax.tensor<[n, m], f32>
    }
->
    relax.func private @f(...) -> !relax.tensor<[n, m], f32> attributes {Composite = "cblas.matmul_gelu"} {
      %0 = relax.call_tir @f_cblas(%x, %w) : (...) -> !relax.tensor<[n, m], f32>
      %1 = relax.gelu %0 : (...) -> !relax.tensor<[n, m], f32>
      relax.return %1 : !relax.tensor<[n, m], f32>
    }
    func.func private @f_cblas(%x: tensor<?x4xf32> {...}, %w: tensor<4x?xf32> {...})
        -> (tensor<?x?xf32> {...}) attributes {relax.external = "cblas"} { linalg.generic ... }

The body of the new function defines the semantics of the kernel; the C target prints the library's call
instead (`lowering.emit_c.external`). A marked function that calls composite functions of the generator
represents these. Ops that a generator does not support stay, with the reason as the attribute
`relax.not_offloaded`, and are compiled as usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.external.generator import CodeGenerator, Offload, UnsupportedError
from lowering.external.library_kernel import mark
from lowering.external.registry import find_codegen
from lowering.legalize.registry import apply_rule, known_tensor
from lowering.legalize.relax_legalize import RULES
from relax_dialect import te
from relax_dialect.dpl.rewriter.outlined_matches import CODEGEN, COMPOSITE
from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.ops.calls import CallOp, CallTirOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.prim.signature import signature

NOT_OFFLOADED = "relax.not_offloaded"


def run_codegen(module: ModuleOp) -> None:
    """Replace ops in the functions marked for code generators by their kernels."""
    symbols = module_symbols(module)
    done: set[FuncOp] = set()
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        mark = function.attributes.get(CODEGEN)
        if mark is None:
            continue
        where = f"relax.func @{function.sym_name.data}"
        if not isinstance(mark, StringAttr):
            raise RelaxError(
                f'{where}: expected the name of a code generator, as in Codegen = "cblas", found '
                f"{mark}; write it as a string"
            )
        generator = find_codegen(where, mark.data)
        for target in list(_composites(function, mark.data, symbols)) or [function]:
            if target not in done:
                done.add(target)
                _run(target, mark.data, generator, symbols, module)
        del function.attributes[CODEGEN]


def _composites(function: FuncOp, codegen: str, symbols: dict[str, Operation]) -> Iterator[FuncOp]:
    """Yield the composite functions of a generator that a function calls."""
    for op in walk_ops(function):
        callee = symbols.get(op.callee_name) if isinstance(op, CallOp) else None
        if isinstance(callee, FuncOp):
            name = callee.attributes.get(COMPOSITE)
            if isinstance(name, StringAttr) and name.data.startswith(f"{codegen}."):
                yield callee


def _run(
    function: FuncOp,
    codegen: str,
    generator: CodeGenerator,
    symbols: dict[str, Operation],
    module: ModuleOp,
) -> None:
    placed: dict[SSAValue, SSAValue] = {}
    """The results of kernels by the values they replace, which may be inputs of the next one."""
    try:
        for offload in generator.offloads(function):
            offload = replace(offload, inputs=[placed.get(v, v) for v in offload.inputs])
            name = unique_name(f"{function.sym_name.data}_{codegen}", symbols)
            symbols[name] = kernel = make_kernel(name, codegen, offload)
            module.body.block.add_op(kernel)
            unbound = signature(kernel).unbound
            (result,) = offload.ops[-1].results
            call = CallTirOp(name, offload.inputs, unbound, [result.type])
            placed[result] = call.results[0]
            _replace(offload, call)
    except UnsupportedError as error:
        function.attributes[NOT_OFFLOADED] = StringAttr(f"{codegen}: {error}")


def _replace(offload: Offload, call: CallTirOp) -> None:
    """Replace the last operator by the call, and erase operators that are no longer used."""
    last = offload.ops[-1]
    assert last.parent is not None
    last.parent.insert_op_before(call, last)
    call.results[0].name_hint = last.results[0].name_hint
    last.results[0].replace_all_uses_with(call.results[0])
    for op in reversed(offload.ops):
        if all(result.first_use is None for result in op.results):
            op.detach()
            op.erase()


class RunCodegenPass(ModulePass):
    """Functions marked `Codegen` call the kernels of libraries: see this file's docstring."""

    name = "relax-run-codegen"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        run_codegen(op)


# The prim func of a kernel ----------------------------------------------------------------------


def make_kernel(name: str, codegen: str, offload: Offload) -> func.FuncOp:
    """Return the prim func of a kernel, with the semantics of its operators as its body.

    Raises `UnsupportedError` if the operators must check sizes at run time, as no library would.
    """
    if not offload.ops or len(offload.ops[-1].results) != 1:
        found = offload.ops[-1].name if offload.ops else "none"
        raise RelaxError(
            f'code generator "{codegen}": expected a kernel of operators, the last with one result, '
            f"found {found}; choose others"
        )
    tensors: dict[SSAValue, te.Tensor] = {}
    inputs: list[te.Tensor] = []
    for number, value in enumerate(offload.inputs):
        hint = value.name_hint or f"arg{number}"
        shape, dtype = known_tensor(offload.ops[-1], f"%{hint}", value.type)
        inputs.append(te.placeholder(shape, dtype, name=hint))
        tensors[value] = inputs[-1]
    for op in offload.ops:
        if type(op) not in RULES:
            raise RelaxError(
                f'code generator "{codegen}": expected operators with a rule in lowering.legalize, '
                f"found {op.name} in a kernel; leave it out of the kernel"
            )
        if missing := [v for v in _tensor_operands(op.operands) if v not in tensors]:
            found = ", ".join(f"%{v.name_hint or '?'}" for v in missing)
            raise RelaxError(
                f'code generator "{codegen}": {op.name}: expected operands that are inputs of the '
                f"kernel or made in it, found {found}; name them among the inputs"
            )
        operands = [tensors[v] for v in _tensor_operands(op.operands)]
        tensors.update(zip(op.results, apply_rule(op, operands), strict=True))
    result = tensors[offload.ops[-1].results[0]]
    function = te.create_prim_func([*inputs, result], name)
    if any(isinstance(op, cf.AssertOp) for op in walk_ops(function)):
        raise UnsupportedError(
            f"{offload.ops[-1].name}: expected sizes that are proved to fit, found some that are "
            "checked at run time"
        )
    mark(function, codegen, offload.options)
    return function


def _tensor_operands(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, TensorType)]
