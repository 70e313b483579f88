"""The trained model as a folder of Hugging Face's form: Mistral's network, and characters as tokens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from network import EPSILON, SLOWEST, Config

from relax_dialect.interpret.tensor_files import write_tensors


def save(
    folder: Path, config: Config, weights: Sequence[np.ndarray], characters: Sequence[str]
) -> None:
    """Write the files of a model: what `transformers` and examples/llm read."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "config.json", _config(config))
    _write(folder / "tokenizer.json", _tokenizer(characters))
    arrays = _renamed(config, dict(zip(config.shapes(), weights)))
    write_tensors(folder / "model.safetensors", arrays)


def _config(config: Config) -> dict[str, Any]:
    return {
        "architectures": ["MistralForCausalLM"], "model_type": "mistral",
        "vocab_size": config.characters, "hidden_size": config.width,
        "intermediate_size": config.inner, "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads, "num_key_value_heads": config.heads,
        "head_dim": config.depth, "hidden_act": "silu", "rms_norm_eps": EPSILON,
        "rope_theta": SLOWEST, "sliding_window": config.window, "tie_word_embeddings": True,
        "max_position_embeddings": 32768, "torch_dtype": "float32",
    }  # fmt: skip


def _renamed(config: Config, own: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights under Mistral's names, with queries, keys and values apart."""
    found = {"model.embed_tokens.weight": own["embedding"], "model.norm.weight": own["norm"]}
    for i in range(config.layers):
        query, key, value = np.split(own[f"layer{i}_query_key_value"], 3)
        gate, up = np.split(own[f"layer{i}_gate_and_up"], 2)
        parts = {
            "input_layernorm": own[f"layer{i}_attention_norm"],
            "self_attn.q_proj": query, "self_attn.k_proj": key, "self_attn.v_proj": value,
            "self_attn.o_proj": own[f"layer{i}_attended"],
            "post_attention_layernorm": own[f"layer{i}_inner_norm"],
            "mlp.gate_proj": gate, "mlp.up_proj": up, "mlp.down_proj": own[f"layer{i}_down"],
        }  # fmt: skip
        found |= {f"model.layers.{i}.{name}.weight": array for name, array in parts.items()}
    return found


def _tokenizer(characters: Sequence[str]) -> dict[str, Any]:
    """Return a tokenizer each of whose tokens is a character."""
    every = {
        "type": "Split",
        "pattern": {"Regex": r"[\s\S]"},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": every, "post_processor": None, "decoder": {"type": "Fuse"},
        "model": {
            "type": "WordLevel", "vocab": {each: i for i, each in enumerate(characters)},
            "unk_token": " " if " " in characters else characters[0],
        },
    }  # fmt: skip


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), "utf-8")
