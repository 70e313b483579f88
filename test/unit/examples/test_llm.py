"""examples/llm: a model of Hugging Face's form is compiled once, and answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from optional import package

from relax_dialect import RelaxError, interpret, nn

ROOT = Path(__file__).parents[3]
sys.path += [str(ROOT / "examples" / "llm"), str(ROOT / "examples" / "lm")]

# ruff: noqa: E402
import hugging_face
from network import Config
from session import Sampling, Session, compiled
from vocabulary import FORMS, Vocabulary

CHARACTERS = [*"\n abcdefghijklmnopqrstuvwxyz", "\u00e9"]
CONFIG = Config(len(CHARACTERS), width=8, layers=1, heads=2, inner=12, window=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("model")
    hugging_face.save(found, CONFIG, tuple(CONFIG.start().values()), CHARACTERS)
    return found


def test_a_model_of_lm_reads_text_as_characters(folder: Path) -> None:
    package("tokenizers", "llm")
    vocabulary = Vocabulary(folder)
    tokens = vocabulary.tokens("caf\u00e9\n", is_first=True)
    assert tokens.tolist() == [CHARACTERS.index(each) for each in "caf\u00e9\n"]
    assert "".join(vocabulary.texts(tokens.tolist())) == "caf\u00e9\n"
    assert vocabulary.form == "text" and vocabulary.ends(FORMS["text"]) == frozenset()
    with pytest.raises(RelaxError, match="expected a text with at least one token, found none"):
        vocabulary.tokens("", is_first=True)


@pytest.mark.slow
def test_a_session_streams_the_most_likely_tokens(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, decoder = compiled(folder, tmp_path)
    session, greedy = Session(program, decoder, capacity=12), Sampling(temperature=0.0)
    text = [3, 4, 5]
    found = list(session.stream(np.array(text), 6, frozenset(), greedy))
    loaded = nn.load(folder)
    module = nn.export(loaded, decoder.spec("forward"))
    whole = np.array([[*text, *found]])
    logits = interpret.run(module, "forward", whole, 0, *decoder.cache().empty(9))[0]
    assert found == logits.argmax(-1)[0, 2:-1].tolist()
    with pytest.raises(
        RelaxError, match="expected at most 12 tokens, found 8 and 5 more; start anew"
    ):
        session.read(np.arange(5), greedy)
    session.reset()
    assert list(session.stream(np.array(text), 6, frozenset(found[:1]), greedy)) == []
    capsys.readouterr()
    compiled(folder, tmp_path)
    assert capsys.readouterr().out == ""  # it is loaded


@pytest.mark.slow
def test_mistakes_on_the_command_line_have_one_line(folder: Path, tmp_path: Path) -> None:
    run = [sys.executable, str(ROOT / "examples" / "llm" / "run.py")]
    asked = [*run, str(tmp_path / "none"), "--prompt", "a", "--output", str(tmp_path)]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and found.stderr.count("\n") == 1
    assert "expected the folder of a model, found none" in found.stderr
    asked = [*run, str(folder), "--top-p", "2"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert found.returncode == 2 and "expected a number from 0 to 1, found 2" in found.stderr
