"""Operators compared with those of other libraries, over random attributes, sizes, element types and values.

`table/F.py` says for every operator of a family how its arguments are drawn and what another library makes of
them; an operator without a peer is named with the reason. `python test/unit/fuzz --kinds operators` and
`test_peers.py` share the table:

| file          | what                                                                            |
|---------------|---------------------------------------------------------------------------------|
| `drawing.py`  | random choices: those that build the operator, and those of its sizes and values |
| `registry.py` | the table, and a trial of one of its operators                                   |
| `libraries.py`| functions of PyTorch, numpy and ONNX Runtime as functions of numpy arrays        |
| `special.py`  | choices of sizes about multiples of the lanes, and of special values             |
| `checking.py` | many trials in one C module: peer, interpreter and C agree                       |
"""
