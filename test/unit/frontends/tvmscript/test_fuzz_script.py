"""Scripts with damaged words: each is read, or refused with a place; nothing else happens."""

from __future__ import annotations

import ast
import random
import re
import warnings

import pytest
from optional import amount, shortened

from frontends.tvmscript.test_prim_funcs import SOFTMAX
from frontends.tvmscript.test_read_script import PRINTED
from relax_dialect.frontends.tvmscript import ScriptError, loads

TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
WORDS = [
    "None",
    "-1",
    "0",
    "9999999999999999999999",
    '"x"',
    "()",
    "[]",
    "x",
    "R",
    "T",
    "cls",
    "Module",
    "1.5",
    "{}",
    "n",
    '"n"',
    "R.Tensor",
    "True",
    "...",
    "b'a'",
    "1j",
    "1e400",
    "R.add",
    "T.int64()",
    "float(1)",
    "f'{x}'",
    "R.tuple()",
    "R.null_value()",
    "-n",
    "n//0",
    "R.prim_value(n)",
    "R.shape([-1])",
    "R.const(1)",
    "R.dataflow()",
    "R.output()",
    "R.func_attr({})",
    "T.float32('nan')",
    "x[0]",
    "x==x",
    "R.str('a')",
    "metadata['a'][0]",
]


TIR = f"@T.prim_func{SOFTMAX}"


def damaged(rng: random.Random, script: str) -> str:
    """A script with one word or a few replaced, left out, repeated or moved, still of Python's syntax."""
    while True:
        words = TOKEN.findall(script)
        for _ in range(rng.choice([1, 1, 2])):
            place = rng.randrange(len(words))
            words[place] = rng.choice([rng.choice(WORDS), rng.choice(WORDS), "", rng.choice(words)])
        text = "".join(words)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        if text != script:
            return text


@shortened
@pytest.mark.parametrize("seed", range(3))
def test_damaged_scripts_are_read_or_refused(seed):
    rng, refused = random.Random(seed), 0
    for i in range(amount(50, 10)):
        try:
            loads(damaged(rng, TIR if i % 2 else PRINTED), "f.py")
        except ScriptError as error:
            refused += 1
            assert re.match(r"f\.py:\d+:\d+: error: \S", str(error))
    assert refused > 0
