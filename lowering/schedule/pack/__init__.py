"""Operands copied into the layout in which a tile reads them."""
