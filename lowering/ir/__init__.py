"""Tools that passes on loops share: constants, insertion, sizes and views of memrefs."""
