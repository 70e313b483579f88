"""The analyses of `relax-lsp` of a program being edited: errors, names and their positions, documentation.

All but `server` is plain Python on texts and offsets; `server` alone speaks the protocol, through pygls.
"""
