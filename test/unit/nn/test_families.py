"""Decoders of five families, with random weights, beside those of `transformers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package

import lowering
from relax_dialect import interpret, nn
from relax_dialect.nn.families import Decoder

WORDS, READ, ALL = 61, 6, 11
"""The size of the vocabulary, and the tokens of a text: those that are read at once, and all."""
SIZES = {
    "vocab_size": WORDS, "hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 64,
}  # fmt: skip
GROUPED = {**SIZES, "num_key_value_heads": 2}
LLAMA3 = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16, "rope_theta": 5000.0,
}  # fmt: skip
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", GROUPED),
    "llama3": (
        "LlamaConfig",
        {**GROUPED, "tie_word_embeddings": True, "head_dim": 12, "rope_parameters": LLAMA3},
    ),
    "qwen2": ("Qwen2Config", GROUPED),
    "mistral": ("MistralConfig", {**GROUPED, "sliding_window": 4}),
    "gpt2": ("GPT2Config", {
        "vocab_size": WORDS, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64,
        "bos_token_id": 0, "eos_token_id": 0,
    }),
    "phi": ("PhiConfig", SIZES),
}  # fmt: skip


@dataclass
class Case:
    """A model of another library, and ours of the folder that it saved."""

    peer: Any
    decoder: Decoder

    def logits(self, tokens: np.ndarray) -> np.ndarray:
        return self.peer(package("torch").tensor(tokens)).logits.detach().numpy()


@cache
def case(name: str, folder: Path) -> Case:
    transformers, torch = package("transformers", "oracle"), package("torch")
    kind, settings = CASES[name]
    torch.manual_seed(0)
    peer = transformers.AutoModelForCausalLM.from_config(getattr(transformers, kind)(**settings))
    for weight in peer.parameters():
        weight.data += 0.1 * torch.randn_like(weight)
    peer.eval().save_pretrained(folder)
    decoder = nn.load(folder)
    assert isinstance(decoder, Decoder)
    return Case(peer, decoder)


def tokens(batch: int = 1, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, WORDS, (batch, ALL))


def in_steps(forward: Callable[..., Any], text: np.ndarray, arrays: list[np.ndarray]) -> np.ndarray:
    """The logits of a text that is read in two parts, on caches that are written in place."""
    first = np.array(forward(text[:, :READ], 0, *arrays)[0])
    second = forward(np.ascontiguousarray(text[:, READ:]), READ, *arrays)[0]
    return np.concatenate([first, second], 1)


@pytest.mark.parametrize("name", CASES)
def test_logits_are_those_of_transformers(name: str, tmp_path_factory: Any) -> None:
    own = case(name, tmp_path_factory.mktemp(name))
    module = nn.export(own.decoder, own.decoder.spec("forward"))
    expected = own.logits(tokens())

    def interpreted(*arguments: Any) -> Any:
        found = interpret.run(module, "forward", *arguments)
        for array, written in zip(arguments[2:], found[1:]):
            array[...] = written
        return found

    found = in_steps(interpreted, tokens(), own.decoder.cache().empty(ALL))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return case("llama", tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def compiled(llama: Case) -> Any:
    module = nn.export(llama.decoder, llama.decoder.spec("forward", "generate"))
    return lowering.compile(module, extra_flags=UNOPTIMISED)


def test_compiled_logits_are_those_of_transformers(llama: Case, compiled: Any) -> None:
    arrays = llama.decoder.cache().empty(ALL + 3)
    expected = llama.logits(tokens())
    found = in_steps(compiled.forward, tokens(), arrays)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * np.abs(expected).max())
    assert not any(array[:, ALL:].any() for array in arrays)  # the room is left as it was


def sampling(temperature: float = 0.0, key: int = 0) -> tuple[np.ndarray, ...]:
    real = np.float32
    return np.array(key), np.array(temperature, real), np.array(0), np.array(1, real)


def test_greedy_tokens_are_those_of_transformers(llama: Case, compiled: Any) -> None:
    torch, text, count = package("torch"), tokens(seed=3), 12
    asked: dict[str, Any] = {
        "max_new_tokens": count,
        "do_sample": False,
        "eos_token_id": None,
        "pad_token_id": 0,
    }
    asked["attention_mask"] = torch.ones(text.shape, dtype=torch.long)  # else 0 is padding
    expected = llama.peer.generate(torch.tensor(text), **asked).numpy()[:, ALL:]
    arrays = llama.decoder.cache().empty(ALL + count)
    found, number, *_ = compiled.generate(text, 0, *arrays, count, np.array(-1), *sampling())
    assert np.array_equal(found, expected) and number == count
    end = int(expected[0, 4])
    until = list(expected[0]).index(end) + 1
    found, number, *_ = compiled.generate(text, 0, *arrays, count, np.array(end), *sampling())
    assert found[0].tolist() == [*expected[0, :until], *[end] * (count - until)] and number == until


def test_a_cache_without_room_is_refused_before_anything_is_written(
    llama: Case, compiled: Any
) -> None:
    arrays = llama.decoder.cache().empty(ALL + 2)
    needed = (
        r"argument 'layer0_keys': expected size length \+ past \+ room in dimension 1 .* found 13"
    )
    with pytest.raises(nn.ModuleError.__base__, match=needed):
        compiled.forward(tokens(), 3, *arrays)
    with pytest.raises(
        nn.ModuleError.__base__, match=r"expected size count \+ length \+ past \+ room"
    ):
        compiled.generate(tokens(), 0, *arrays, 3, np.array(-1), *sampling())
    assert not any(array.any() for array in arrays)


def test_sequences_of_a_batch_have_lengths_of_their_own(llama: Case) -> None:
    cache = llama.decoder.cache("batch", is_padded=True)
    module = nn.export(llama.decoder, llama.decoder.spec("decode", cache=cache))
    model, text = lowering.compile(module, extra_flags=UNOPTIMISED), tokens(3)
    padding, arrays = np.array([0, 4, ALL - 1]), cache.empty(ALL + 1, 3)
    more = tokens(3, seed=1)[:, :1]
    for part, past in ((text, 0), (more, ALL)):
        found = model.decode(np.ascontiguousarray(part), past, padding, *arrays)[0]
        for i, start in enumerate(padding):
            whole = np.concatenate([text, more], 1)[i : i + 1, start : past + part.shape[1]]
            expected = llama.logits(whole)[0, -1]
            np.testing.assert_allclose(
                found[i], expected, rtol=0, atol=2e-6 * np.abs(expected).max()
            )
