"""The decoders of Hugging Face's families, by the `model_type` of their configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from relax_dialect.nn.errors import ModuleError
from relax_dialect.nn.families.decoder import Decoder
from relax_dialect.nn.families.gpt2 import GPT2
from relax_dialect.nn.families.llama import Llama
from relax_dialect.nn.families.phi import Phi

FAMILIES: Mapping[str, Callable[[Mapping[str, Any]], Decoder]] = {
    "gpt2": GPT2,
    "llama": Llama,
    "mistral": Llama,
    "phi": Phi,
    "qwen2": Llama,
}


def from_config(config: Mapping[str, Any]) -> Decoder:
    """Return the decoder of a configuration, without weights. Raises `ModuleError` for another family."""
    kind = config.get("model_type")
    if (family := FAMILIES.get(str(kind))) is None:
        near = get_close_matches(str(kind), FAMILIES, 1, 0.5)
        hint = f"; the nearest is {near[0]}" if near else ""
        raise ModuleError(
            f"config.json: expected a model_type of {', '.join(FAMILIES)}, found {kind!r}{hint}; write its "
            "decoder with nn.Module"
        )
    return family(config)


__all__ = ["FAMILIES", "GPT2", "Decoder", "Llama", "Phi", "from_config"]
