"""Tables of rewrite rules, in the dataflow pattern language; the passes apply them."""
