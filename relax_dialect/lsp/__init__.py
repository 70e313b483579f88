"""What `relax-lsp` knows of a program that is being typed: errors, names and their places, documentation.

All but `server` is plain Python on texts and offsets; `server` alone speaks the protocol, through pygls.
"""
