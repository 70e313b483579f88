"""A large C file in parts that compile at the same time: one file still, which compiles alone as ever.

    cc -c model.c                                            # all of it
    cc -c -DMODEL_PART=0 model.c -o model0.o                 # or each part by itself
    cc -c -DMODEL_PART=1 model.c -o model1.o

Every part has the declarations, constants and helpers. Each function is in one part; functions for C
callers and the state of the file are in part 0. Names that are `static` in a file compiled alone are hidden
from other libraries in parts: `MODEL_LOCAL` is either.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from lowering.emit_c.syntax.layout import words, words_of_helper, wrap

PART_SIZE = 12_000
"""The characters of functions for which a part is worth its fixed cost."""

MOST_PARTS = 16

_STATE = re.compile(r"^static (?!inline\b)(?=(_Alignas\(\d+\) )?[^(={]*;( /\*.*\*/)?$)", re.M)
"""Matches the declaration of a variable without an initial value."""

_OWN_STATE = re.compile(
    r"^static (?!inline\b|const\b)[^(;]*=|^__attribute__\(\((con|de)structor|^ +static (?!const\b)",
    re.M,
)
"""The lines that a part must not have a second time: variables with values, code that runs on its own."""

_MACRO = re.compile(r"^#define (\w+)", re.M)

_FUNCTION = re.compile(r"^static (?:inline )?([\w ]+?[ *]+(\w+)\([^;{]*\))\n\{", re.M)
"""The head of a function, and its name."""

_MACROS = """/* Compiled alone, or in @UPPER@_PARTS parts: -D@UPPER@_PART=0, -D@UPPER@_PART=1 and so on. */
#define @UPPER@_PARTS @PARTS@
#if !defined(@UPPER@_PART)
#define @UPPER@_LOCAL static
#define @UPPER@_STATE static
#elif @UPPER@_PART == 0
#define @UPPER@_LOCAL __attribute__((visibility("hidden")))
#define @UPPER@_STATE @UPPER@_LOCAL
#else
#define @UPPER@_LOCAL __attribute__((visibility("hidden")))
#define @UPPER@_STATE extern @UPPER@_LOCAL
#endif
"""


class FileParts:
    """The distribution of a file's functions over parts."""

    def __init__(
        self,
        model: str,
        functions: Mapping[str, str],
        first: Collection[str],
        last: Sequence[str],
        *,
        whole: bool,
    ):
        """`functions` are the texts of functions by their names; those of `first` stay in part 0, with the
        text `last`, and all of them if the file is to be a `whole`."""
        self.upper = model.upper()
        self.functions = functions
        self.last = last
        sizes = {name: len(text) for name, text in functions.items()}
        self.part_of = shared_out(sizes, sizes if whole else first, sum(map(len, last)))
        self.count = 1 + max(self.part_of.values(), default=0)

    def macros(self) -> str:
        """Return the macros that the rest of the file is written in."""
        return _MACROS.replace("@UPPER@", self.upper).replace("@PARTS@", str(self.count))

    def state(self, text: str) -> str:
        """Return the text of helpers or constants, whose variables are one for all parts."""
        return _STATE.sub(f"{self.upper}_STATE ", text)

    def helpers(self, helpers: Sequence[str]) -> Iterator[str]:
        """Yield the texts of helpers; those with state of their own are in part 0, and are declared in all.

        Helpers that use a macro defined there are in part 0, too.
        """
        own = [text for text in helpers if _OWN_STATE.search(text)]
        macros = {name for text in own for name in _MACRO.findall(text)}
        own = [
            text for text in helpers if text in own or not macros.isdisjoint(words_of_helper(text))
        ]
        outside = [text for name, text in self.functions.items() if self.part_of[name] != 0]
        used = set[str]().union(*map(words, outside))
        used.update(*(words_of_helper(text) for text in helpers if text not in own))
        for helper in helpers:
            if helper not in own:
                yield self.state(helper)
                continue
            for head, name in _FUNCTION.findall(helper):
                if name in used:
                    yield f"{self.upper}_LOCAL {head};\n"
                    helper = self._local(name, helper)
            yield from self._only_in(0, [helper])

    def _only_in(self, part: int, texts: Sequence[str]) -> list[str]:
        condition = f"!defined({self.upper}_PART) || {self.upper}_PART == {part}"
        return [f"#if {condition}\n", *texts, f"#endif /* {self.upper}_PART {part} */\n"]

    def texts(
        self,
        constants: Sequence[str],
        heads: Mapping[str, str],
        tables: Sequence[str],
    ) -> list[str]:
        """Return the file after its helpers: `heads` declare functions by their names; only part 0 has the
        `tables`."""
        texts = [*map(self.state, constants)]
        texts += [self._local(name, f"{wrap(f'{head};')}\n") for name, head in heads.items()]
        for part in reversed(range(self.count)):
            own = [
                self._local(name, text)
                for name, text in self.functions.items()
                if self.part_of[name] == part
            ]
            if part == 0:
                own = [*tables, *own, *self.last]
            texts += self._only_in(part, own)
        return texts

    def _local(self, name: str, text: str) -> str:
        """Return the text of a function, or its declaration, with a linkage visible to the other parts."""
        return re.sub(
            rf"^static (?:inline )?(?=[^;{{]*?\b{name}\()",
            f"{self.upper}_LOCAL ",
            text,
            count=1,
            flags=re.M,
        )


def shared_out(sizes: Mapping[str, int], first: Collection[str], other: int = 0) -> dict[str, int]:
    """Return the part that each function is in: the largest first, each where least is; 0 has so much
    else."""
    count = max(1, min(sum(sizes.values()) // PART_SIZE, MOST_PARTS))
    loads = [other + sum(sizes[name] for name in first), *[0] * (count - 1)]
    part_of = dict.fromkeys(first, 0)
    for name in sorted(sizes.keys() - part_of.keys(), key=lambda name: (-sizes[name], name)):
        part_of[name] = part = loads.index(min(loads))
        loads[part] += sizes[name]
    return part_of
