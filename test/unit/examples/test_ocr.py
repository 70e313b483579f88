"""examples/ocr: the geometry and the decoding by numpy alone, and the words of its picture by interpreted networks."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from optional import OCR, needs

from relax_dialect import RelaxError, interpret

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "examples" / "ocr"))

# ruff: noqa: E402
import detect
import geometry
import networks
import reader
import recognise

RNG = np.random.default_rng(5)


def flooded(mask: np.ndarray) -> set[frozenset[tuple[int, int]]]:
    """The connected sets of pixels, one pixel after the other."""
    left = set(zip(*map(np.ndarray.tolist, np.nonzero(mask))))
    found = set()
    while left:
        waiting = [left.pop()]
        part = set(waiting)
        while waiting:
            y, x = waiting.pop()
            near = {(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} & left
            left -= near
            part |= near
            waiting += near
        found.add(frozenset(part))
    return found


@pytest.mark.parametrize("density", [0.0, 0.2, 0.4, 0.7, 1.0])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (13, 17), (0, 4)])
def test_connected_pixels(shape: tuple[int, int], density: float):
    mask = RNG.random(shape) < density
    found = [
        frozenset((y, x) for y, first, end in runs.tolist() for x in range(first, end))
        for runs in geometry.components(mask)
    ]
    assert len(found) == len(set(found))
    assert set(found) == flooded(mask)


def test_the_smallest_rectangle():
    """It holds all points, and none of the rectangles at 180 angles is smaller; a turned one is found again."""
    for count in (1, 2, 3, 5, 30):
        points = RNG.integers(0, 20, (count, 2))
        found = geometry.smallest_rectangle(points)
        assert found.contains(*points.T).all()
        turns = np.deg2rad(np.arange(180))
        along = points @ np.stack([np.cos(turns), np.sin(turns)])
        across = points @ np.stack([-np.sin(turns), np.cos(turns)])
        assert (
            found.width * found.height
            <= (np.ptp(along, axis=0) * np.ptp(across, axis=0)).min() + 1e-6
        )
    along = np.array([np.cos(0.3), np.sin(0.3)])
    drawn = geometry.Rectangle(np.array([50.0, 40.0]), along, 30.0, 8.0)
    again = geometry.smallest_rectangle(drawn.corners())
    np.testing.assert_allclose(again.corners(), drawn.corners(), atol=1e-9)
    top_left, top_right, bottom_right, bottom_left = drawn.grown(2).corners()
    assert np.isclose(np.linalg.norm(top_right - top_left), 34)
    assert np.isclose(np.linalg.norm(bottom_left - top_left), 12)
    np.testing.assert_allclose((top_left + bottom_right) / 2, drawn.middle)


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (14, 10), (3, 40)])
def test_another_size(size: tuple[int, int]):
    """As numpy interpolates along one axis and then the other."""
    picture = RNG.integers(0, 256, (7, 5, 3)).astype(np.uint8)
    expected = picture.astype(float)
    for axis in (0, 1):
        old = picture.shape[axis]
        at = (np.arange(size[axis]) + 0.5) * old / size[axis] - 0.5
        between = partial(np.interp, at, np.arange(old))
        expected = np.apply_along_axis(between, axis, expected)
    np.testing.assert_allclose(geometry.resize(picture, *size), expected, atol=1e-3)


def test_what_a_quadrilateral_shows():
    picture = RNG.integers(0, 256, (12, 20, 3)).astype(np.uint8)
    whole = np.array([[0, 0], [20, 0], [20, 12], [0, 12]])
    np.testing.assert_allclose(geometry.crop(picture, whole), picture, atol=1e-3)
    part = np.array([[3, 2], [10, 2], [10, 8], [3, 8]])
    np.testing.assert_allclose(geometry.crop(picture, part), picture[2:8, 3:10], atol=1e-3)
    quadrilateral = np.array([[2.0, 1.0], [17.0, 3.0], [15.0, 10.0], [1.0, 9.0]])
    u, v, w = geometry.perspective(whole, quadrilateral) @ np.vstack([whole.T, np.ones(4)])
    np.testing.assert_allclose(np.stack([u / w, v / w], axis=1), quadrilateral)
    y, x = np.indices((40, 60))
    ramp = np.stack([x, y, x + y], axis=2).astype(np.float32)
    shown = geometry.crop(ramp, quadrilateral)  # of a picture that tells its own coordinates
    np.testing.assert_allclose(shown[0, 0], [2, 1, 3], atol=1e-4)
    assert (np.diff(shown[:, :, 0], axis=1) > 0).all() and (
        np.diff(shown[:, :, 1], axis=0) > 0
    ).all()


def test_lines_are_found_in_a_map_of_likelihoods():
    """A turned line and a straight one, beside what is too low, too unsure, and nothing at all."""
    y, x = np.indices((128, 160))
    lines = [
        geometry.Rectangle(np.array([80.0, 30.0]), np.array([1.0, 0.0]), 100.0, 12.0),
        geometry.Rectangle(
            np.array([80.0, 85.0]), np.array([np.cos(0.2), np.sin(0.2)]), 110.0, 10.0
        ),
    ]
    likelihoods = np.zeros((128, 160), np.float32)
    for line in lines:
        likelihoods[line.contains(x, y)] = 0.9
    likelihoods[120:122, 10:12] = 0.9
    likelihoods[60:70, 5:20] = 0.4
    boxes = detect.detect(lambda x: likelihoods[None, None], np.zeros((128, 160, 3), np.uint8))
    size = np.array(detect.network_size(128, 160)[::-1])
    scale = np.array([160, 128]) / size
    expected = [
        line.grown(1.6 * line.width * line.height / 2 / (line.width + line.height))
        for line in lines
    ]
    assert len(boxes) == 2
    for box, line in zip(boxes, expected):
        np.testing.assert_allclose(box, line.corners() * scale, atol=1)
    blank = np.zeros((1, 1, 32, 32), np.float32)
    assert detect.detect(lambda x: blank, np.zeros((1, 1, 3), np.uint8)) == []


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1, 1), (736, 736)),
        ((640, 960), (736, 1088)),
        ((3000, 4000), (1504, 2016)),
        ((1, 40_000), (32, 2016)),
    ],
)
def test_the_size_that_the_network_sees(size: tuple[int, int], expected: tuple[int, int]):
    assert detect.network_size(*size) == expected


def test_boxes_are_read_row_by_row():
    def box(x: float, y: float) -> np.ndarray:
        return np.array([[x, y], [x + 50, y], [x + 50, y + 20], [x, y + 20]])

    places = [(100, 4), (0, 0), (0, 40), (200, 45), (100, 38)]
    ordered = [(0, 0), (100, 4), (0, 40), (100, 38), (200, 45)]
    assert [
        tuple(b[0]) for b in detect.in_reading_order([box(*place) for place in places])
    ] == ordered


def test_decoding():
    """Of equal characters in a row one, unless there is a blank between; how sure it is, of those alone."""

    def steps(path: str) -> np.ndarray:
        likelihoods = np.full((len(path), 4), 0.1, np.float32)
        likelihoods[np.arange(len(path)), ["_abc".index(c) for c in path]] = 0.7
        return likelihoods

    for path, text in [("", ""), ("___", ""), ("aab", "ab"), ("a_a", "aa"), ("_cc_cb_", "ccb")]:
        found = recognise.decode(steps(path), "abc")
        assert found.text == text
        assert found.confidence == pytest.approx(0.7 if text else 0)
    unsure = steps("ab")
    unsure[1, 2] = 0.5
    assert recognise.decode(unsure, "abc").confidence == pytest.approx(0.6)


def test_lines_are_turned_and_read_in_any_order():
    """Networks that answer by the width and the brightness of what they get."""
    dark, light = np.zeros((24, 300, 3), np.uint8), np.full((48, 20, 3), 255, np.uint8)
    dark[0, 0] = 1

    def classifier(x: np.ndarray) -> np.ndarray:
        assert x.shape[1:] == (3, 48, 192) and x.min() >= -1 and x.max() <= 1
        return np.array([[0.0, 1.0], [0.05, 0.95], [0.2, 0.8]], np.float32)

    turned = recognise.upright(classifier, [dark, light, dark])
    assert [line[-1, -1, 0] for line in turned] == [1, 255, 0]

    def recogniser(x: np.ndarray) -> np.ndarray:
        assert x.shape == (2, 3, 48, 600)
        assert (x[0, :, :, 20:] == 0).all() and (x[1] < 0).all(), (
            "filled up; narrow lines come first"
        )
        return np.eye(3, dtype=np.float32)[[[1, 1], [2, 0]]]

    words = recognise.recognise(recogniser, "ab", [dark, light])
    assert [each.text for each in words] == ["b", "a"]
    assert recognise.recognise(recogniser, "ab", []) == []


def test_without_the_networks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(networks, "find_spec", lambda name: None)
    with pytest.raises(
        RelaxError, match=r"the package rapidocr-onnxruntime, .*`make ocr` installs it"
    ):
        reader.compiled(ROOT)


def test_make_installs_what_the_message_says():
    version = networks.INSTALL.split()[-1]
    assert version in (ROOT / "Makefile").read_text("utf-8")


@needs(OCR)
def test_the_words_of_a_part_of_the_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """All of the script: a line that is turned and one upside down, by interpreted networks."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "ocr"))  # other examples have a `run` too
    monkeypatch.delitem(sys.modules, "run", raising=False)
    import run
    from PIL import Image  # pyright: ignore

    def interpreted(folder: Path) -> reader.Reader:
        def network(name: str) -> detect.Network:
            program = reader.program(name)
            return lambda x: interpret.run(program, "main", x)

        return reader.reader(network)

    monkeypatch.setattr(run, "compiled", interpreted)
    monkeypatch.setattr(detect, "SHORT_SIDE", 224)
    part, blank, broken = (tmp_path / f"{name}.png" for name in ("part", "blank", "broken"))
    Image.open(run.HERE / "sign.png").crop((40, 370, 540, 600)).save(part)
    Image.new("L", (1, 1)).save(blank)
    broken.write_bytes(part.read_bytes()[:300])
    wrong = run.run([part, broken, blank], None, tmp_path, False)
    assert wrong == [
        f"{broken}: expected a picture, found one that is damaged or of another kind"
    ], "and the others are read"
    said = capsys.readouterr().out
    assert "part.png: 500 x 230 pixels, 2 lines of text" in said
    assert re.search(
        r"^ +(9\d|100)%  Ships of three centuries\n +(9\d|100)%  Upside down$", said, re.M
    )
    assert "blank.png: 1 x 1 pixels, no lines of text" in said
    assert Image.open(tmp_path / "part_words.png").size == (1000, 230)
    assert run.missing([recognise.Words("Har bour", 1.0)])[0] == "Museum"


@needs(OCR)
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "F"])
def test_pictures_of_every_kind(mode: str, tmp_path: Path):
    import picture
    from PIL import Image  # pyright: ignore

    made = {
        "LA": lambda: Image.merge("LA", [Image.new("L", (4, 3), 0), Image.new("L", (4, 3), 0)]),
        "RGBA": lambda: Image.new("RGBA", (4, 3), (0, 0, 0, 0)),
        "I;16": lambda: Image.fromarray(np.full((3, 4), 65535, np.uint16)),
        "F": lambda: Image.fromarray(np.full((3, 4), 255, np.float32)),
    }.get(mode, lambda: Image.new("RGB", (4, 3), (255, 255, 255)).convert(mode))()
    made.save(tmp_path / "image.tiff")
    read = picture.read(tmp_path / "image.tiff")
    assert read.shape == (3, 4, 3) and (read == 255).all(), "white, or nothing on white"


@needs(OCR)
def test_what_is_no_picture(tmp_path: Path):
    import picture
    from PIL import Image  # pyright: ignore

    sign = (ROOT / "examples/ocr/sign.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(sign[:3000])
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "empty.png").write_bytes(b"")
    Image.new("1", (8000, 7000)).save(tmp_path / "huge.png")
    for name, found in [
        ("none.png", "expected a picture, found No such file"),
        ("", "expected a picture, found Is a directory"),
        ("cut.png", "expected a picture, found one that is damaged or of another kind"),
        ("text.png", "expected a picture, found one that is damaged or of another kind"),
        ("empty.png", "expected a picture, found one that is damaged or of another kind"),
        ("huge.png", "at most 50 million pixels, found a larger one; make it smaller"),
    ]:
        with pytest.raises(RelaxError, match=re.escape(found)):
            picture.read(tmp_path / name)
    with pytest.raises(RelaxError, match="expected a file to write a picture to"):
        picture.write(Image.new("L", (1, 1)), tmp_path / "words.unknown")
