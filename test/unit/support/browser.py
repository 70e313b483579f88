"""A page in a real browser: chromium without a window, over the DevTools protocol on two pipes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from optional import Tool

BROWSER = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None
)
CHROMIUM = Tool("chromium", "apt install chromium-headless-shell", lambda: BROWSER)
PATIENCE = 60

KEYS = {
    "Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}  # fmt: skip


class Browser:
    """`with Browser(path) as page: page.press("Tab")`; what goes wrong in the page is in `errors`."""

    def __init__(self, page: Path, width: int = 1400, height: int = 900):
        self.errors: list[Any] = []
        self.requests: list[str] = []
        self._number = 0
        self._session: str | None = None
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self._start(width, height)
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Runtime", "Page", "Network", "Log"):
            self._ask(f"{domain}.enable")
        self._loaded = False
        self._ask("Page.navigate", url=page.resolve().as_uri())
        while not self._loaded:
            self._read()

    def _start(self, width: int, height: int) -> None:
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()

        def renumber() -> None:
            kept = os.dup(commands), os.dup(answers)  # 3 and 4 may be taken
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [
                str(BROWSER), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                "--disable-background-networking", "--remote-debugging-pipe", "--no-first-run",
                f"--user-data-dir={self._folder.name}", f"--window-size={width},{height}",
            ],
            preexec_fn=renumber, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._answers = os.fdopen(self._from, "rb")
        self._rest = b""

    def _ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        number = self._number
        asked: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session is not None:
            asked["sessionId"] = self._session
        os.write(self._to, json.dumps(asked).encode() + b"\0")
        while (answer := self._read()).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._from], [], [], PATIENCE)[0]:
                raise RuntimeError(f"the browser has said nothing for {PATIENCE} seconds")
            more = os.read(self._from, 1 << 20)
            if not more:
                raise RuntimeError("the browser has gone")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return message

    def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def press(self, key: str, times: int = 1) -> None:
        """Press a key of `KEYS`."""
        known = {
            "key": key,
            "code": "Space" if key == " " else key,
            "windowsVirtualKeyCode": KEYS[key],
        }
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        for _ in range(times):
            self._ask("Input.dispatchKeyEvent", type="keyDown", **known, **text)
            self._ask("Input.dispatchKeyEvent", type="keyUp", **known)

    def focus(self, selector: str, most: int = 40) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(most):
            if self.value(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.press("Tab")
        raise RuntimeError(f"{selector}: expected to get there by Tab, found no way")

    def colours(self, scheme: str) -> None:
        """Let the system be `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._ask("Emulation.setEmulatedMedia", features=[feature])

    def type(self, text: str) -> None:
        """Write into the field that has the focus."""
        self._ask("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        """Write what is seen as PNG."""
        found = self._ask("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(found["data"]))

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.terminate()
        self.process.wait()
        os.close(self._to)
        self._answers.close()
        self._folder.cleanup()
