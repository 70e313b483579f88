"""Prim funcs that return a number of numbers: read as private Relax functions of one size each.

```python
@T.prim_func(private=True)                    @R.function(private=True)
def f(n: T.int64) -> T.int64:            ->   def f(n: T.int64) -> T.int64:
    T.func_attr({"tirx.is_host_func": True})      return R.prim_value(n * 2)
    return n * T.int64(2)
```

TVM's ComputePrimValue makes such functions.
"""

from __future__ import annotations

import ast

from relax_dialect.frontends.tvmscript.scope import Aliases


def as_relax_function(node: ast.FunctionDef, aliases: Aliases) -> bool:
    """Convert a prim func whose body only returns a number to a Relax function; returns whether it is
    one."""
    returned: list[ast.expr] = []
    for statement in node.body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Return) else None
        called = aliases.resolve(value.func) if isinstance(value, ast.Call) else None
        if isinstance(statement, ast.Return) and value is not None:
            returned.append(value)
        elif isinstance(value, ast.Call) and called == ("T", "ret") and len(value.args) == 1:
            returned.append(value.args[0])
        elif called != ("T", "func_attr") and not isinstance(value, ast.Constant):
            return False
    if node.returns is None or len(returned) != 1:
        return False
    kind = aliases.resolve(node.returns)
    if kind not in (("T", "int64"), ("T", "bool")):
        return False
    (value,) = returned
    name = ast.Attribute(ast.Name("R", ast.Load()), "prim_value", ast.Load())
    last = ast.Return(ast.Call(name, [value], []))
    for each in (last, last.value, name, name.value):
        ast.copy_location(each, value)  # pyright: ignore[reportArgumentType]
    node.body = [last]
    node.returns = None  # the returned expression has a more precise type
    return True
