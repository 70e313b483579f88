"""A name of a file or class says what the thing is: few names occur in several files."""

from __future__ import annotations

from clashing_names import class_names, file_names


def test_few_file_names_clash():
    assert len(file_names()) <= 10, file_names()


def test_few_class_names_clash():
    """Ops of two dialects have one name (`MaxOp`), and so do a builder's and a pattern's variable."""
    assert len(class_names()) <= 10, class_names()
