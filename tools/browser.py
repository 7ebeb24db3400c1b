"""A headless Chromium, spoken to over a pipe (DevTools protocol). Standard library only.

    with Browser() as browser:
        page = browser.open("/tmp/page.html", width=1280)
        page.evaluate("document.title")
        page.screenshot("/tmp/page.png")

Chromium is Debian's package `chromium`; NC_CHROMIUM names another one.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 60


class BrowserError(Exception):
    pass


def find():
    name = os.environ.get("NC_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not name:
        raise BrowserError("needs chromium, and there is none: apt-get install chromium, or set NC_CHROMIUM")
    return name


class Browser:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="nc_browser_")
        to_read, self.out = os.pipe()
        self.back, to_write = os.pipe()
        command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                   "--disable-background-networking", "--force-color-profile=srgb", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        def pipes():
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.events = 0, b"", []
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.back)
        shutil.rmtree(self.folder.name, ignore_errors=True)

    def read(self, until):
        """The next message; raises after SECONDS."""
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise BrowserError("the browser does not answer")
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise BrowserError("the browser ended")
            self.rest += piece
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            answer = self.read(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, name):
        """Until the event has come."""
        until = time.monotonic() + SECONDS
        while not any(event.get("method") == name for event in self.events):
            self.events.append(self.read(until))

    def open(self, path, width=1280, height=900, dark=False, anchor=""):
        return Page(self, path, width, height, dark, anchor)


class Page:
    """A file in a tab of its own. `messages`: what came to the console; `requests`: addresses that were asked for."""

    def __init__(self, browser, path, width, height, dark, anchor):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        browser.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + (f"#{anchor}" if anchor else ""))
        browser.wait("Page.loadEventFired")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key):
        text = "\r" if key == "Enter" else key
        code = {"Enter": 13}.get(key, ord(key[0].upper()))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path, clip=None):
        """Of the whole page, or of (x, y, width, height)."""
        area = clip or (0, 0, *self.evaluate("[innerWidth, document.documentElement.scrollHeight]"))
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={**dict(zip(("x", "y", "width", "height"), area)), "scale": 1})
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def printed(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))

    def happened(self, *methods):
        self.evaluate("0")  # what was on its way has come
        return [event for event in self.browser.events if event.get("method") in methods]

    @property
    def messages(self):
        return self.happened("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")

    @property
    def requests(self):
        return [event["params"]["request"]["url"] for event in self.happened("Network.requestWillBeSent")]

    @property
    def load_seconds(self):
        return self.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000

    @property
    def busy_seconds(self):
        """What the page's thread worked until now: processor time, whatever else the machine does."""
        told = {metric["name"]: metric["value"] for metric in self.call("Performance.getMetrics")["metrics"]}
        return told["TaskDuration"]
