"""The tools that compare passes with those of TVM."""
