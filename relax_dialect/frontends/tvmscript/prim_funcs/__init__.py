"""Prim funcs of TVM's tensor IR, read and written."""

from relax_dialect.frontends.tvmscript.prim_funcs.reading.in_place_prim_funcs import called_in_place
from relax_dialect.frontends.tvmscript.prim_funcs.reading.reader import read
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import UnwritablePrimFunc
from relax_dialect.frontends.tvmscript.prim_funcs.writing.writer import write

__all__ = ["UnwritablePrimFunc", "called_in_place", "read", "write"]
