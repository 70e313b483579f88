"""Visitors and mutators of programs: a class with one handler per kind of op.

```python
class CountVarDef(ExprVisitor):
    count = 0

    def visit_var_def(self, var):
        self.count += 1
```

`counter.visit_expr(function)` walks a function (or module, or op); it does not recurse, however deep
the program is. An `ExprMutator` returns replacements from its handlers; a `DataflowMutator` does so in
dataflow blocks only.
"""

from relax_dialect.visitor.expr_functor import ExprFunctor
from relax_dialect.visitor.expr_mutator import DataflowMutator, ExprMutator
from relax_dialect.visitor.expr_visitor import ExprVisitor

__all__ = ["DataflowMutator", "ExprFunctor", "ExprMutator", "ExprVisitor"]
