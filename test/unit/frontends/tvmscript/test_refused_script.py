"""Scripts that cannot be read: each problem with its line, its column and the reason, nothing run."""

from __future__ import annotations

import sys

import pytest

from relax_dialect.frontends.tvmscript import ScriptError, load, loads
from relax_dialect.frontends.tvmscript.operators import TABLE

HEAD = '@R.function\ndef main(x: R.Tensor(("n", 4), "float32")):\n'


def refused(text: str) -> str:
    with pytest.raises(ScriptError) as caught:
        loads(text, "f.py")
    return str(caught.value)


BODIES = {
    "y = R.nn.relo(x)\n    return y": (
        "f.py:3:9: error: expected an operator that we have, found R.nn.relo; is R.nn.relu meant?\n"
        "      y = R.nn.relo(x)\n          ^"
    ),
    "return R.add(x)": "f.py:3:12: error: R.add: expected 'x2', found no argument",
    "return R.add(x, x, x)": "expected at most 2 arguments",
    "return R.sum(x, axes=1)": "3:26: error: R.sum: expected each of its arguments once, found 'axes'",
    "return R.sum(x, axis=9)": "f.py:3:12: error: relax.sum: expected an axis from -2 to 1",
    "return y": "expected a name that is defined, found 'y'",
    "return __import__('os').system('echo')": "expected a function of the module, found '.system'",
    "return (lambda: x)()": "expected an expression of TVMScript, found 'lambda'",
    "return [x for _ in x]": "found a comprehension",
    "for i in range(3):\n        y = x\n    return y": "expected a statement of TVMScript, found 'for'",
    "import os\n    return x": "found 'import'",
    "y = x\n    return y\n    z = x": "expected no statement after the return",
    "y = R.add(x, x)": "expected a return at the end of main, found none",
    "with R.other():\n        y = x\n    return x": "expected R.dataflow() after 'with'",
    "if x:\n        y = x\n    return y": "expected both branches to end by binding one name",
    "return x[0]": "expected a tuple before the index, found a value of type",
    "return (x, x)[2]": "expected an index below 2, found 2",
    'return R.match_cast(x, R.Tensor((2.5,), "float32"))': "expected a size, found 2.5",
    'return R.zeros((1,), "float31")': "expected an element type, found 'float31'",
    'return R.zeros((1e400,), "int8")': "expected a size, found inf",
    'return R.zeros((k,), "int8")': "expected a name that is defined, found 'k'",
    "return R.reshape(x, (9**99, 2))": "expected a small power",
    "return R.reshape(x, (1 // 0, 2))": "3:26: error: expected a number, found none",
    'return R.match_cast(x, R.Tensor(("n +",)))': "expected an expression in the text, found 'n +'",
    'return metadata["relax.expr.Constant"][0]': "expected an entry of the metadata",
    "return main(x)": "expected a Relax function whose result type is known, found main",
    "y: R.Tensor(ndim=2, foo=2) = x\n    return y": "R.Tensor: expected none of name 'foo'",
    "with R.dataflow():\n        y = x\n        R.output(y)\n        z = x\n    return y": (
        "f.py:6:9: error: expected no statement after R.output"
    ),
    "with R.dataflow():\n        y = R.exp(x)\n        z = R.exp(y)\n        R.output(z)\n    return y": (
        "f.py:7:12: error: expected a name that its dataflow block outputs, found 'y', which is not in R.output"
    ),
    "t = R.call_packed('f', x, ty_args=R.Tensor)\n    return R.inspect.tensor_ndim(t)": (
        "4:34: error: expected a tensor of known rank, found !relax.tensor<*>; declare it, or insert an "
        "R.match_cast: the fact is read from the type"
    ),
    "return R.inspect.tensor_shape_i(x, 2)": "expected an axis from 0 to 1 as a number, found 2; write one",
    "return x == x": "expected a comparison of tensors by <, >, <= or >=",
    "return cls.f(x)": "expected a name that is defined, found 'cls'",
    "return R.const([[1], [1, 2]])": "expected lists of numbers of equal lengths",
    "return "
    + "-" * 20000
    + "1": "f.py:3:1: error: expected expressions and statements that are nested less",
    "return " + "(" * 300 + "x" + ")" * 300: "too many nested parentheses",
    "return R.prim_value(" + "9" * 5000 + ")": "Exceeds the limit",
    "return R.prim_value(" + "9" * 50 + ")": "error: ",
}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:40])
def test_one_problem_of_a_body(body):
    message = refused(f"{HEAD}    {body}\n") if BODIES[body] else ""
    assert BODIES[body] in message and len(message) < 2000
    assert all(line.startswith(("f.py:", "  ")) for line in message.split("\n"))


TEXTS = {
    "": "1:1: error: expected @I.ir_module or @R.function, found none",
    "x = (": "1:5: error: expected Python's syntax, found an error",
    "\0": "expected Python's syntax",
    "while True: pass": "expected a module or a function, found 'while'",
    "@evil\n@R.function\ndef f(x: R.Tensor):\n    return x": "1:2: error: expected @R.function or @T.prim_func",
    "def f(x: R.Tensor):\n    return x": "expected one decorator on the function f, @R.function or @T.prim_func, found 0",
    "@evil\nclass M:\n    pass": "1:2: error: expected @I.ir_module, found another decorator",
    "@I.ir_module\nclass M(Base):\n    pass": "f.py:2:9: error: expected a class of its own, found M with",
    "@I.ir_module\nclass M(metaclass=x):\n    pass": "expected a class of its own",
    "class M:\n    pass": "expected one decorator on the class M, @I.ir_module, found 0",
    "@I.ir_module\nclass M:\n    x = open('f')": "expected a function, found an assignment",
    "@R.function\ndef f(x):\n    return x": "2:7: error: expected a type after 'x'",
    "@R.function\ndef f(x: R.Tensor = 1):\n    return x": "expected parameters with types alone",
    "@R.function\ndef f(x: int):\n    return x": "expected a type, such as",
    "@R.function\ndef f(x: R.Tensor):\n    return x\n"
    * 2: "expected each function once, found a second f",
    "metadata = tvm.ir.load_json('{')": "expected TVM's metadata",
    HEAD.replace("):", ') -> R.Tensor((3, 5), "float32"):', 1)
    + "    return x": "result of the declared type",
    HEAD.replace('("n", 4)', '("n // 2", 4)') + "    return x": "",
}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:40])
def test_one_problem_of_a_text(text):
    assert TEXTS[text] in refused(text)


def test_all_problems_are_listed_with_their_lines_and_what_follows_from_them_is_not():
    message = refused(
        HEAD
        + "    a = R.unknown(x)\n    b = R.add(a, x)\n    c = R.nowhere(x)\n    d = nothing\n    return b\n"
    )
    assert [line for line in message.split("\n") if line.startswith("f.py")] == [
        "f.py:3:9: error: expected an operator that we have, found R.unknown; "
        "docs/from-tvm-names.md lists the operators",
        "f.py:5:9: error: expected an operator that we have, found R.nowhere; "
        "docs/from-tvm-names.md lists the operators",
        "f.py:6:9: error: expected a name that is defined, found 'nothing'; define it before",
    ]
    many = refused(HEAD + "".join(f"    y{i} = R.nowhere(x)\n" for i in range(80)) + "    return x")
    assert many.count("f.py:") == 50 and many.endswith("... and 30 more")


def test_names_that_are_words_of_python_or_c_name_values_functions_and_sizes():
    text = (
        'from evil_package_that_is_nowhere import anything\n@R.function\ndef double(int: R.Tensor(("min", "auto"),'
        ' "float32"), mod: R.Shape(["static"])):\n    auto = R.add(int, int)\n    return auto\n'
    )
    module = loads(text)
    assert "evil_package_that_is_nowhere" not in sys.modules
    assert "relax.func @double(%int: !relax.tensor<[min_, auto], f32>" in str(module)


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(ScriptError, match=r"none\.py"):
        load(tmp_path / "none.py")
    with pytest.raises(ScriptError, match="expected the text of a script, found int"):
        loads(3)  # pyright: ignore


HOSTILE = {
    "return " + "R.exp(" * 90 + "x" + ")" * 90: "",  # deep, and read
    "return " + "R.exp(" * 150 + "x" + ")" * 150: "",
    "y = x\n    return " + "y + " * 400 + "y": "",
    'return R.zeros((1, ' + "1, " * 3000 + '1), "int8")': "",
    'return R.const("' + "a" * 100000 + '")': "expected a number or a list of numbers",
    "return R.const(" + "[" * 80 + "1" + "]" * 80 + ")": "expected lists of numbers",
    "return R.const(1e999)": "",
    "return R.const([None])": "expected lists of numbers",
    "return R.const(0x" + "f" * 9000 + ")": "expected numbers of at most 4096 bits",
    "return R.const(" + " * ".join(["(1 << 64)"] * 400) + ")": "expected numbers of at most 4096 bits",
    'y: R.Tensor(("0x' + "f" * 9000 + '",)) = x\n    return y': "expected numbers of at most 4096 bits",
    "return R.reshape(x, (2**63, 1))": "f.py:3:",
    "return R.prim_value(1 << 1000000)": "expected a small power",
    "return os.system('true')": "expected a name that is defined, found 'os'",
    "return x.__class__.__bases__[0]": "expected a function of the module, found '.__bases__'",
    "return eval('1')": "expected a name that is defined, found 'eval'",
    "return R.__init__(x)": "expected an operator that we have, found R.__init__",
    'return f"{x}"': "found a formatted text",
    "return (y := x)": "found an assignment inside",
    "return await x": "error: ",
    "return x if x else x": "found a choice",
    "yield x\n    return x": "found 'yield'",
    "global x\n    return x": "error: ",
    "del x\n    return x": "found 'del'",
    "try:\n        y = x\n    except E:\n        y = x\n    return y": "found 'try'",
    "match x:\n        case _:\n            y = x\n    return x": "found 'match'",
    "while x:\n        y = x\n    return x": "found 'while'",
    "a = b = x\n    return a": "found an assignment",
    "x.y = x\n    return x": "found an assignment",
    "x += x\n    return x": "found an assignment that reads",
    'return R.call_packed("f", x, sinfo=R.Any)': "expected ty_args alone by name",
    "return R.call_packed(x, x)": "expected the name of a function, found a value of type",
    'return R.print(x, format=3)': "expected a text, found 3",
    "return R.call_inplace_packed('f', x, inplace_indices=x, ty_args=R.Any)": "expected a list of integers",
    "return T.nothing(x)": "expected an element type or one of max, min",
    "return I.Call(x, 3)": "expected an expression, found I.Call",
    "return R.invoke_closure()": "3:12: error: expected the argument 'closure', found none",
    'R.func_attr({"tir_var_upper_bound": {"n": "x"}})\n    return x': "f.py:2:1: error: relax.func @main: expected",
    "return R.hint_on_device()": "expected the argument 'x', found none",
    "return R.vision.roi_align(x, R.null_value(), (2, 2), 0.5, 2, True)": "expected 'rois', found no argument",
    "def f(y: R.Tensor):\n        return f(y)\n    return f(x)": "error: ",
}  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE, ids=lambda body: body[:40])
def test_hostile_bodies_are_read_or_refused_with_a_place(body):
    text = f"{HEAD}    {body}\n"
    if HOSTILE[body]:
        message = refused(text)
        assert HOSTILE[body] in message and message.startswith("f.py:") and len(message) < 2000
    else:
        assert loads(text, "f.py")


def test_operands_that_are_left_out_are_refused():
    """Each operator of the table with `R.null_value()` in place of all operands, and of each one alone."""
    tried = 0
    for operator in TABLE:
        names = [parameter.name for parameter in operator.parameters]
        for left_out in (names, *([name] for name in names)):
            words = (f"{n}={'R.null_value()' if n in left_out else 'x'}" for n in names)
            try:
                loads(f"{HEAD}    return R.{operator.name}({', '.join(words)})\n", "f.py")
            except ScriptError as error:
                assert str(error).startswith("f.py:")
            tried += 1
    assert tried > 500
