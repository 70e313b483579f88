"""Building programs from Python: `BlockBuilder` emits ops one by one and infers types at each.

```python
bb = BlockBuilder()
n = te.var("n")
with bb.function("main", [("x", TensorType([n, 4], "f32"))]) as (x,):
    with bb.dataflow():
        y = bb.emit(op.tanh(x * 2.0 + 1.0))
        y = bb.emit_output(y)
    bb.emit_func_output(y)
module = bb.get()
```
"""

from relax_dialect.builder import op
from relax_dialect.builder.block_builder import BlockBuilder
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.open_regions import BuildError
from relax_dialect.builder.te_calls import te_tensor
from relax_dialect.builder.values import Expression, Value, Var, var

__all__ = [
    "BlockBuilder",
    "BuildError",
    "Expression",
    "Value",
    "Var",
    "const",
    "op",
    "te_tensor",
    "var",
]
