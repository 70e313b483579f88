"""Prim funcs of TVM's tensor IR, read and written."""

from relax_dialect.frontends.tvmscript.prim_funcs.in_place_prim_funcs import called_in_place
from relax_dialect.frontends.tvmscript.prim_funcs.reader import read
from relax_dialect.frontends.tvmscript.prim_funcs.size_text import UnwritablePrimFunc
from relax_dialect.frontends.tvmscript.prim_funcs.writer import write

__all__ = ["UnwritablePrimFunc", "called_in_place", "read", "write"]
