"""Training as programs: losses, optimizers, schedules and clipping that emit Relax, and training steps.

```python
from relax_dialect import training

rate = training.linear_warmup(100, training.cosine(1e-3, steps=1000))
optimizer = training.AdamW(rate, weight_decay=0.01)
training.make_step(module, "loss", optimizer, parameters=["w", "b"], clip=training.clip_by_norm(1.0))
state = optimizer.init((w, b))              # numpy arrays
(w, b), state, loss = model.loss_step((w, b), state, x, labels)      # compiled, or interpreted
```

None of this code runs during training: the result is a function of the module.

| | |
|---|---|
| `make_step` | a function of one step: parameters, state and batch in, parameters, state and loss out |
| `SGD`, `Adam`, `AdamW`, `RMSprop`, `Adagrad` | optimizers, with PyTorch's names and formulas |
| `constant`, `step_decay`, `exponential`, `cosine` | learning rates as functions of the step |
| `linear_warmup`, `one_cycle` | the same |
| `clip_by_value`, `clip_by_norm` | limits of the gradients |
| `append_loss`, `L1Loss`, `MSELoss`, `CrossEntropyLoss` | a loss after a network |
"""

from relax_dialect.training.clipping import clip_by_norm, clip_by_value
from relax_dialect.training.errors import TrainingError
from relax_dialect.training.losses import CrossEntropyLoss, L1Loss, Loss, MSELoss, append_loss
from relax_dialect.training.optimizers import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop
from relax_dialect.training.schedules import (
    constant,
    cosine,
    exponential,
    linear_warmup,
    one_cycle,
    step_decay,
)
from relax_dialect.training.step import make_step

__all__ = [
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "CrossEntropyLoss",
    "L1Loss",
    "Loss",
    "MSELoss",
    "Optimizer",
    "RMSprop",
    "TrainingError",
    "append_loss",
    "clip_by_norm",
    "clip_by_value",
    "constant",
    "cosine",
    "exponential",
    "linear_warmup",
    "make_step",
    "one_cycle",
    "step_decay",
]
