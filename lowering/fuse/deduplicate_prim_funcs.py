"""relax-deduplicate-prim-funcs: prim funcs that are equal up to names become one.

    func.func private @add_relu(%x: tensor<?xf32> {relax.dims = ["n"]}) -> ...
    func.func private @add_relu_1(%y: tensor<?xf32> {relax.dims = ["m"]}) -> ...
->
    func.func private @add_relu(%x: tensor<?xf32> {relax.dims = ["n"]}) -> ...

Calls of the second become calls of the first. Names are those of the functions, their values and their
symbolic variables; the latter count in a function with checks, whose messages name them. Kernels of
libraries stay.

Legalization shares the prim funcs that it makes, fusion only within one function's names of sizes:
functions with the same layers, such as the prefill and decode functions of a model, have equal ones here.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress

from xdsl.context import Context
from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from lowering.external.library_kernel import codegen_of
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.call_graph import own_references, rename_references
from relax_dialect.ir.walk import blocks_of, is_private, walk_ops
from relax_dialect.prim.signature import DIMS, SYMBOL, attribute_dicts
from relax_dialect.symbolic import Expr, parse


def deduplicate_prim_funcs(module: ModuleOp) -> None:
    """Replace equal private functions by the first of them."""
    first: dict[str, func.FuncOp] = {}
    instead: dict[str, str] = {}
    kept_names = _named_inside(module)
    for function in list(_alike(module)):
        known = first.setdefault(_canonical_text(function), function)
        name = function.sym_name.data
        if known is not function and name not in kept_names:
            instead[name] = known.sym_name.data
            function.detach()
            function.erase()
    rename_references(module, instead)


def _alike(module: ModuleOp) -> Iterator[func.FuncOp]:
    """Yield the private functions of which there are others with the same type and the same ops."""
    found: defaultdict[object, list[func.FuncOp]] = defaultdict(list)
    for function in module.body.block.ops:
        if not isinstance(function, func.FuncOp) or codegen_of(function) is not None:
            continue
        if is_private(function) and function.body.blocks:
            ops = tuple(op.name for op in walk_ops(function))
            found[function.function_type, ops].append(function)
    for group in found.values():
        if len(group) > 1:
            yield from group


def _named_inside(module: ModuleOp) -> set[str]:
    """Return the functions that are named in lists and dictionaries of attributes."""
    found: set[str] = set()
    for op in walk_ops(module):
        for name in own_references(op):
            bare = (*op.properties.values(), *op.attributes.values())
            if not any(
                isinstance(a, SymbolRefAttr) and a.root_reference.data == name for a in bare
            ):
                found.add(name)
    return found


# Equality up to names --------------------------------------------------------------------------


def _canonical_text(function: func.FuncOp) -> str:
    """Return the text of a function without names: equal for equal functions alone."""
    copy = function.clone()
    copy.sym_name = StringAttr("f")
    for op in walk_ops(copy):
        _forget_names(op)
    if not any(isinstance(op, cf.AssertOp) for op in walk_ops(copy)):
        _rename_symbols(copy)
    stream = io.StringIO()
    Printer(stream, print_generic_format=True).print_op(copy)
    return stream.getvalue()


def _forget_names(op: Operation) -> None:
    for value in (*op.results, *(a for b in blocks_of(op) for a in b.args)):
        value.name_hint = None


def _rename_symbols(function: func.FuncOp) -> None:
    """Call the symbolic variables of a function s0, s1, ... in the order in which they are defined."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    arguments = attribute_dicts(function.arg_attrs, len(inputs))
    results = attribute_dicts(function.res_attrs, len(outputs))
    with suppress(SymbolicError):  # sizes that are none keep their names: others report them
        defined = dict.fromkeys(name for each in arguments for name in _defined(each))
        names = {name: symbolic.var(f"s{i}") for i, name in enumerate(defined)}
        renamed = [[_renamed(each, names) for each in part] for part in (arguments, results)]
        function.arg_attrs, function.res_attrs = map(ArrayAttr, renamed)


def _defined(attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """Yield the variables that are a dimension or symbol of an argument by themselves."""
    dims, symbol = attributes.get(DIMS), attributes.get(SYMBOL)
    for text in (*(dims if isinstance(dims, ArrayAttr) else ()), symbol):
        if isinstance(text, StringAttr) and text.data != "?" and (e := parse(text.data)).name:
            yield e.name


def _renamed(attributes: Mapping[str, Attribute], names: Mapping[str, Expr]) -> DictionaryAttr:
    def renamed(text: Attribute) -> Attribute:
        if isinstance(text, ArrayAttr):
            return ArrayAttr(map(renamed, text))
        if not isinstance(text, StringAttr) or text.data == "?":
            return text
        return StringAttr(str(parse(text.data).substitute(names)))

    sizes = {key: renamed(attributes[key]) for key in (DIMS, SYMBOL) if key in attributes}
    return DictionaryAttr({**attributes, **sizes})


class DeduplicatePrimFuncsPass(ModulePass):
    """Replacement of equal prim funcs by one, see the module docstring."""

    name = "relax-deduplicate-prim-funcs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        deduplicate_prim_funcs(op)
