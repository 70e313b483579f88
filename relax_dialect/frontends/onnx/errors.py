"""The errors of the importer: they name the model, the node at fault, and the mend."""

from __future__ import annotations

from relax_dialect.errors import RelaxError


class OnnxError(RelaxError):
    """A model that cannot be read, or not be expressed in our operators."""


class IllTypedError(OnnxError):
    """A node that no program can have, whatever operators there are."""


def shown(name: str, most: int = 80) -> str:
    """Return a model's name in errors: quoted, without odd characters, not too long."""
    text = repr(name)
    return text if len(text) <= most else f"{text[: most - 4]}...'"
