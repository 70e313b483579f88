"""Tables of rewrite rules, in the dataflow pattern language; the passes that apply them stand beside."""
