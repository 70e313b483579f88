"""TVM's types in a script: `R.Tensor(("n", 4), "float32")` and the like."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Protocol

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.scope import Aliases
from relax_dialect.frontends.tvmscript.script.script_source import Source, Unreadable
from relax_dialect.frontends.tvmscript.script_sizes import FUNCTIONS, as_size, said, variable
from relax_dialect.frontends.tvmscript.script_values import Shape
from relax_dialect.ir.spelling import as_dtype, is_element_type
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ir.types import OBJECT, FuncType, PrimType, ShapeType, TensorType, tuple_type
from relax_dialect.symbolic import Expr, as_expr

_NAMED = {
    "Tensor": ("shape", "dtype", "vdevice", "ndim"),
    "Shape": ("values", "ndim"),
    "Prim": ("dtype", "value"),
    "Callable": ("params", "ret", "purity", "derive_func"),
    **dict.fromkeys(("Tuple", "Object", "Any", "PackedFunc"), ()),
}
"""The types with the arguments that they have by name."""


class AnnotationValues(Protocol):
    """The reader of the expressions in types."""

    source: Source
    aliases: Aliases
    defined: set[str]
    binding: str

    def read(self, node: ast.AST) -> Any: ...
    def parsed(self, node: ast.Constant) -> ast.expr: ...
    def size_of_text(self, node: ast.Constant) -> Expr: ...


class Annotations:
    """Reads types for the expressions around it."""

    def __init__(self, expressions: AnnotationValues):
        self.expressions = expressions
        self.known: dict[str, Attribute] = {}
        """The types of texts that were read before, for as long as names mean the same."""

    def read(self, node: ast.AST) -> Attribute:
        """Return the type that a node spells."""
        text = self.expressions.source.segment(node)
        if text is not None and (found := self.known.get(text)) is not None:
            return found
        found = self._read(node)
        if text is not None:
            self.known[text] = found
        return found

    def _read(self, node: ast.AST) -> Attribute:
        if isinstance(node, ast.Constant) and node.value is None:
            return tuple_type([])
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.read(self.expressions.parsed(node))
        resolve = self.expressions.aliases.resolve
        if isinstance(node, ast.Subscript) and resolve(node.value) == ("R", "Tensor"):
            node = _called(node)
        call = node if isinstance(node, ast.Call) else None
        name = resolve(call.func if call else node)
        if name is None and isinstance(node, ast.Tuple | ast.List):
            return tuple_type(map(self.read, node.elts))
        if isinstance(node, ast.Attribute) and node.attr in ("ty", "struct_info") and name is None:
            return self.expressions.read(node)  # x.ty: the type of a value
        if name is None:
            raise Unreadable(
                node, 'expected a type, such as R.Tensor((4,), dtype="float32"), found none'
            )
        module, word = name
        if module == "R" and word in _NAMED:
            given = call.args if call else []
            named = {k.arg: k.value for k in call.keywords if k.arg} if call else {}
            most = len(_NAMED[word])
            if word != "Tuple" and len(given) > most:
                raise Unreadable(
                    given[most],
                    f"R.{word}: expected at most {most} arguments, found more; remove it",
                )
            for keyword, value in named.items():
                if keyword not in _NAMED[word]:
                    raise Unreadable(
                        value, f"R.{word}: expected none of name '{keyword}', found one; remove it"
                    )
            try:
                return getattr(self, f"_{word.lower()}")(node, given, named)
            except RelaxError as error:
                raise Unreadable(node, str(error)) from None
        if module == "T":
            return self.dtype_named(node, word)
        if module == "I" and word == "StringType":
            return OBJECT
        mend = "correct the name"
        if word == "DTensor":
            mend = "write R.Tensor: programs here run on one device"
        raise Unreadable(node, f"expected a type of TVM's, found {module}.{word}; {mend}")

    def dtype_named(self, node: ast.AST, name: str) -> Attribute:
        """Return the element type of a TVM name, which may be one of the dialect's."""
        try:
            return as_dtype(_DTYPES.get(name, name))
        except RelaxError:
            raise Unreadable(
                node, f"expected an element type, found '{name[:40]}'; write one such as float32"
            ) from None

    def dtype_of_tir(self, node: ast.AST, word: str) -> Attribute:
        """Return the element type that `T.word(x)` converts to."""
        try:
            return as_dtype(_DTYPES.get(word, word))
        except RelaxError:
            raise Unreadable(
                node,
                f"expected an element type or one of {', '.join(n for n in FUNCTIONS if n.islower())} "
                f"after T., found "
                f"'{word[:40]}'; write the size with these",
            ) from None

    def dtype(self, node: ast.AST) -> Attribute | None:
        """Return an element type; None for `"void"`, `""` and None."""
        value = self.expressions.read(node)
        if isinstance(value, Attribute):
            if not is_element_type(value):
                raise Unreadable(
                    node,
                    f"expected an element type, found {str(value)[:40]}; write one such as float32",
                )
            return value
        if value is None or (isinstance(value, tuple) and not value):  # R.tuple() is left out
            return None
        if not isinstance(value, str):
            raise Unreadable(node, f"expected an element type, found {said(value)}; write a text")
        return None if value in ("", "void") else self.dtype_named(node, value)

    def dims(self, node: ast.AST) -> Sequence[Expr] | None:
        """Return the sizes of a tuple or list, or of a value that is a shape; None if unknown."""
        if isinstance(node, ast.Tuple | ast.List):
            return [self.dim(each) for each in node.elts]
        value = self.expressions.read(node)
        if value is None:
            return None
        if isinstance(value, Shape | tuple):
            sizes = value.sizes if isinstance(value, Shape) else value
            return [as_expr(as_size(node, size)) for size in sizes]
        if isinstance(value, Value) and isinstance(value.type, ShapeType):
            dims = value.type.shape
            return None if dims is None else list(dims)  # pyright: ignore
        raise Unreadable(node, f"expected the sizes of a shape, found {said(value)}; write a tuple")

    def dim(self, node: ast.AST) -> Expr:
        """Return one size; the variables of an expression in a text need no definition."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.expressions.size_of_text(node)
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return as_expr(node.value)
        return as_expr(as_size(node, self.expressions.read(node)))

    def ndim(self, node: ast.AST | None) -> int:
        """Return a number of dimensions; -1 if unknown."""
        if node is None:
            return -1
        value = self.expressions.read(node)
        if type(value) is not int or not -1 <= value <= 1000:
            raise Unreadable(
                node, f"expected a number of dimensions, found {said(value)}; correct it"
            )
        return value

    def _tensor(
        self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]
    ) -> Attribute:
        arguments = dict(zip(("shape", "dtype", "vdevice", "ndim"), given)) | named
        shape = arguments.get("shape")
        if isinstance(shape, ast.Constant) and isinstance(shape.value, str):  # R.Tensor("float32")
            arguments["dtype"], shape = shape, None
        dtype = self.dtype(arguments["dtype"]) if "dtype" in arguments else None
        dims = None if shape is None else self.dims(shape)
        ndim = self.ndim(arguments.get("ndim"))
        if dims is None and ndim >= 0:
            return TensorType([None] * ndim, dtype)
        if dims is not None and ndim not in (-1, len(dims)):
            raise Unreadable(
                node, f"expected ndim={len(dims)} with this shape, found {ndim}; leave it out"
            )
        return TensorType(dims, dtype)

    def _shape(self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]) -> Attribute:
        arguments = dict(zip(("values", "ndim"), given)) | named
        dims = self.dims(arguments["values"]) if "values" in arguments else None
        ndim = self.ndim(arguments.get("ndim"))
        return ShapeType([None] * ndim if dims is None and ndim >= 0 else dims)

    def _tuple(self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]) -> Attribute:
        if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List):
            given = given[0].elts
        return tuple_type(map(self.read, given))

    def _prim(self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]) -> Attribute:
        if "value" in named:
            return PrimType(self.dim(named["value"]))
        dtype = named.get("dtype", given[0] if given else None)
        found = None if dtype is None else self.dtype(dtype)
        return OBJECT if found is None else found

    def _object(
        self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]
    ) -> Attribute:
        return OBJECT

    _any = _packedfunc = _object

    def _callable(
        self, node: ast.AST, given: list[ast.expr], named: dict[str, ast.expr]
    ) -> Attribute:
        arguments = dict(zip(("params", "ret", "purity"), given)) | named
        params, result = arguments.get("params"), arguments.get("ret")
        if params is None:
            return OBJECT
        inputs = params.elts if isinstance(params, ast.Tuple | ast.List) else [params]
        types = [self.read(each) for each in inputs]
        output = OBJECT if result is None else self.read(result)
        bound = defined_variables(types, self.expressions.defined.__contains__)
        purity = arguments.get("purity")
        pure = purity is None or bool(self.expressions.read(purity))
        return FuncType(types, output, bound, pure=pure)


def _called(node: ast.Subscript) -> ast.Call:
    """Rewrite `R.Tensor[(n, k), "f32"]` of 2022 as `R.Tensor(("n", "k"), "f32")`: sizes need no
    definition."""
    given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    match given:
        case [ast.Tuple(elts=dims) | ast.List(elts=dims), *more]:
            pass
        case [ast.Constant(value=str()), *_]:
            dims, more = None, given
        case _:
            dims, more = given, []
    if dims is not None:
        more = [as_texts(node.slice, dims), *more]
    return ast.copy_location(ast.Call(node.value, more, []), node)


def as_texts(node: ast.expr, dims: Sequence[ast.expr]) -> ast.Tuple:
    """Sizes as texts, `("n", "2 * k")`, whose variables need no definition."""
    sizes = [
        d if isinstance(d, ast.Constant) else ast.copy_location(ast.Constant(ast.unparse(d)), d)
        for d in dims
    ]
    return ast.copy_location(ast.Tuple([*sizes], ast.Load()), node)


_DTYPES = {"boolean": "bool", "handle": ""}


_INTEGERS = frozenset({"int64", "int32", "int16", "int8", "uint32", "uint64"})
_VARIABLES = frozenset({"Var", "SizeVar", "var", "dyn", "dynamic"})


def declares_variable(node: ast.AST, expressions: AnnotationValues) -> Expr | None:
    """Return the variable of `T.int64()`, `T.Var("n", "int64")`, `I.dynamic("n")` or `TypeVar("n")`, named
    like its binding if the call names none; None for anything else."""
    if not isinstance(node, ast.Call):
        return None
    name = expressions.aliases.resolve(node.func)
    if isinstance(node.func, ast.Name) and node.func.id == "TypeVar":
        name = "I", "dynamic"
    if name is None or name[0] not in ("T", "I"):
        return None
    words = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if name[1] in _VARIABLES and len(words) == len(node.args):
        return variable(words[0] if words and words[0] not in _INTEGERS else expressions.binding)
    flags = {keyword.arg for keyword in node.keywords} <= {"is_size_var"}
    if name[0] == "T" and name[1] in _INTEGERS and not node.args and flags:
        return variable(expressions.binding)
    return None


def fields_of(type: Attribute) -> list[Attribute]:
    """Return the parts of a tuple type; any other type is a single part."""
    return list(type.types) if isinstance(type, TupleType) else [type]
