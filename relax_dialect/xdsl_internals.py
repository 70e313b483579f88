"""The private names of xDSL that this project uses, each with its reason.

A release of xDSL may change them without notice. `missing()` lists the names that the installed release
lacks; `test/unit/test_xdsl_internals.py` fails for them, and for a private name that is used and not listed
here.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

INTERNALS: Mapping[str, Mapping[str, str]] = {
    "xdsl.parser.generic_parser.GenericParser": {
        "_current_token": "syntax that depends on the next token; public methods consume it",
        "_resume_from": "going back to a position, to read a text again in another way",
        "_parser_state": "the language server goes on after an error at a token of its choice",
        "_consume_token": "the language server notes the tokens of each construct",
    },
    "xdsl.parser.attribute_parser.AttrParser": {
        "_TensorLiteralElement": "floats in hex keep the bits of NaN",
        "_parse_builtin_densearray_attr": "floats in hex in `array<f32: ...>`",
        "_parse_dense_literal_type": "the type of a constant without a constraint that is built each time",
        "_parse_tensor_literal": "the elements of a constant as text, for the bits of those in hex",
        "_parse_extended_type_or_attribute": "the language server notes the uses of aliases",
        "_parse_attribute_entry": "the language server notes where attributes are",
    },
    "xdsl.parser.affine_parser.AffineParser": {
        "_parse_affine_expr": "subscripts with `symbol(...)`, bounds of `affine.parallel`",
    },
    "xdsl.parser.core.Parser": {
        "_parse_alias_def": "the language server notes the definitions of aliases",
        "_parse_file_metadata_dictionary": "the loop over the ops of a file, which goes on after errors",
        "_parse_block": "the language server notes where blocks are",
        "_register_ssa_definition": "the language server notes where values are defined",
        "_get_op_by_name": "regions of ops that are isolated from above have a scope of names of their own",
    },
    "xdsl.printer.Printer": {
        "_ssa_values": "both regions of a `relax.while` print their arguments by one name",
        "_current_line": "the page of relax-explore knows the line of every op",
        "_current_column": "lines are counted anew for every function",
    },
    "xdsl.dialects.builtin.DenseIntOrFPElementsAttr": {
        "_print_dense_list": "elements as xDSL prints them, next to NaN in hex",
        "_print_one_elem": "the same for a splat",
    },
    "xdsl.ir.core": {
        "_IRNode": "the root of the classes that become plain ones, for time",
        "_unknown_loc": "imports a constant for each op",
    },
    "xdsl.ir.core.SSAValue": {
        "_type": "the type of a value that has users is changed in place, without a new value",
    },
    "xdsl.ir.core.Operation": {
        "_prev_op": "the walk over all ops, where the property takes half of the time",
        "_operands": "set once by the constructor, and read by accessors without a view",
        "_operand_uses": "set by the constructor with them",
    },
    "xdsl.ir.core.Dialect": {
        "_operations": "ops of MLIR that xDSL's dialects lack join them",
    },
    "xdsl.context.Context": {
        "_registered_dialects": "the mpi dialect with our ops replaces xDSL's in xdsl-opt's own context",
    },
    "xdsl.interpreter": {
        "_InterpreterFunctionImpls": "the table of semantics, with errors that name the op",
    },
    "xdsl.interpreter._InterpreterFunctionImpls": {
        "_impl_dict": "looked up once an op",
        "_cast_impl_dict": "copied for each interpreter",
        "_attr_impl_dict": "copied for each interpreter",
        "_external_funcs_dict": "copied for each interpreter",
        "_callable_impl_dict": "copied for each interpreter",
    },
    "xdsl.interpreter.Interpreter": {
        "_ctx": "a scope for each activation of a function, restored whatever happens",
        "_impls": "the table above",
        "_run_op": "listeners are notified of the op of the module, not of its normal form",
    },
    "xdsl.utils.scoped_dict.ScopedDict": {
        "_local_scope": "the results of many ops are set at once",
    },
}
"""By module or class, the private names and why the public ones do not do."""


def missing() -> Iterator[str]:
    """Yield the names that the installed xDSL lacks."""
    for owner, names in INTERNALS.items():
        there = _names_of(owner)
        yield from (f"{owner}.{name}" for name in names if name not in there)


@cache
def _names_of(owner: str) -> frozenset[str]:
    """Return the names that a module or class and its bases define, the fields of their objects among
    them."""
    module, _, name = owner.rpartition(".")
    try:
        found = [import_module(owner)]
    except ModuleNotFoundError:
        found = getattr(getattr(import_module(module), name, None), "__mro__", ())
    own = [each for each in found if getattr(each, "__module__", "xdsl").startswith("xdsl")]
    return frozenset(n for each in own for n in _defined(ast.parse(inspect.getsource(each))))


def _defined(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                pass
