"""Modules of networks, with the names of TVM's and PyTorch's, which emit Relax.

```python
from relax_dialect import nn
from relax_dialect.ir.types import TensorType

class Net(nn.Module):
    def __init__(self):
        self.first = nn.Linear(784, 128)
        self.second = nn.Linear(128, 10)

    def forward(self, x):
        return self.second(op.relu(self.first(x)))

net = Net()
net.load_state_dict(weights)
module = nn.export(net, {"forward": {"x": TensorType(["n", 784], "f32")}})
```

A module holds names, types and loaded weights; what it computes is a program like others. `nn.families`
has the decoders of Hugging Face's Llama, Mistral, Qwen2, Phi and GPT-2 families, and `nn.load` reads a
folder of theirs.

| | |
|---|---|
| `Module`, `ModuleList`, `Parameter` | parts by name, `state_dict`, `load_state_dict` |
| `Linear`, `Embedding`, `RMSNorm`, `LayerNorm`, `SwiGLU`, `MLP` | layers |
| `Attention`, `Rotary`, `KVCache` | attention, its angles, and caches written in place |
| `sample` | the next tokens by temperature, top-k and top-p |
| `quantize` | narrow weights: f16, bf16, 8 and 4 bits |
| `export` | a program with a function for each method |
| `load`, `read_weights` | a folder of a model, and its weights |
"""

from relax_dialect.nn.attention import Attention, Rotary
from relax_dialect.nn.checkpoint import load, read_weights
from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.exporting import control_flow, export
from relax_dialect.nn.kv_cache import KVCache
from relax_dialect.nn.layers import MLP, Embedding, LayerNorm, Linear, RMSNorm, SwiGLU, last
from relax_dialect.nn.module import Module, ModuleList, Parameter, builder, emit, emitting
from relax_dialect.nn.quantization import quantize
from relax_dialect.nn.sampling import sample

__all__ = [
    "MLP",
    "Attention",
    "Embedding",
    "KVCache",
    "LayerNorm",
    "Linear",
    "Module",
    "ModuleError",
    "ModuleList",
    "Parameter",
    "RMSNorm",
    "Rotary",
    "SwiGLU",
    "builder",
    "control_flow",
    "emit",
    "emitting",
    "export",
    "last",
    "load",
    "quantize",
    "read_weights",
    "sample",
]
