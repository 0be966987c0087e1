# Uses a page of 'sluice graph' in a browser, for tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a page of 'sluice graph' in headless Chromium and uses it as a reader
would: moves, zooms, searches, and clicks. Talks to ChromeDriver by the
WebDriver protocol.

Usage: browser.py PAGE SCENARIO
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request


class Browser:
    def __init__(self, profile):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "HOME": profile, "TMPDIR": profile})
        self.session = None
        # Never through a proxy.
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}))
        try:
            self.start(profile)
        except BaseException:
            self.close()
            raise

    def start(self, profile):
        for line in self.driver.stdout:
            if match := re.search(r"successfully on port (\d+)", line):
                self.base = f"http://127.0.0.1:{match[1]}/session"
                break
        else:
            raise RuntimeError("chromedriver did not start")
        # ChromeDriver gives Chromium a minute to start, which is too little on
        # a very busy machine.
        for attempt in range(3):
            try:
                self.open_session(f"{profile}/data{attempt}")
                return
            except urllib.error.HTTPError:
                if attempt == 2:
                    raise

    def open_session(self, folder):
        options = {"binary": "/usr/bin/chromium",
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage",
                            "--window-size=1200,800",
                            f"--user-data-dir={folder}"]}
        self.base += "/" + self.call("", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})["sessionId"]
        self.session = True

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"},
            method=method)
        with self.opener.open(request, timeout=600) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.call("/execute/sync", {"script": script,
                                           "args": list(arguments)})

    def pointer(self, *actions):
        self.call("/actions", {"actions": [{
            "type": "pointer", "id": "mouse",
            "parameters": {"pointerType": "mouse"}, "actions": [
                {"type": "pointerMove", "x": int(a[1]), "y": int(a[2]),
                 "duration": 0} if a[0] == "move"
                else {"type": a[0], "button": 0} for a in actions]}]})

    def scroll(self, x, y, delta):
        self.call("/actions", {"actions": [{
            "type": "wheel", "id": "wheel", "actions": [{
                "type": "scroll", "x": int(x), "y": int(y), "deltaX": 0,
                "deltaY": delta, "duration": 0}]}]})

    def keys(self, text):
        self.call("/actions", {"actions": [{
            "type": "key", "id": "keys", "actions": [
                action for key in text for action in (
                    {"type": "keyDown", "value": key},
                    {"type": "keyUp", "value": key})]}]})

    def view(self):
        return [float(number) for number in self.run(
            "return document.querySelector('#canvas svg')"
            ".getAttribute('viewBox')").split()]

    def middle(self, name):
        """Where the node is whose details say `name`, in the window."""
        return self.run("""
            const data = JSON.parse(
                document.getElementById('data').textContent);
            const id = data.nodes.find((n) => n.name === arguments[0]).id;
            for (const group of document.querySelectorAll('g.node'))
              if (group.dataset.id === id) {
                const box = group.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
              }""", name)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])"
                        "?.textContent ?? null", selector)

    def click(self, name):
        x, y = self.middle(name)
        self.pointer(("move", x, y), ("pointerDown",), ("pointerUp",))

    def close(self):
        try:
            if self.session:
                self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=600)


def near(a, b, tolerance=0.02):
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def check_moving(browser):
    drawn = browser.view()
    browser.keys("0")
    whole = browser.view()
    assert all(near(a, b) for a, b in zip(drawn, whole)), (drawn, whole)
    # Zooming keeps the point under the mouse where it is.
    before = browser.middle("%sum")
    browser.scroll(*before, -400)
    closer = browser.view()
    assert closer[2] < 0.7 * whole[2], (whole, closer)
    after = browser.middle("%sum")
    assert abs(before[0] - after[0]) < 3 and abs(before[1] - after[1]) < 3, (
        before, after)
    # Dragging moves the drawing with the mouse, and chooses nothing.
    browser.pointer(("move", 500, 400), ("pointerDown",), ("move", 560, 370),
                    ("move", 600, 350), ("pointerUp",))
    moved = browser.middle("%sum")
    assert near(moved[0] - after[0], 100) and near(moved[1] - after[1], -50), (
        after, moved)
    assert browser.text("#details h2") is None
    browser.keys("0")
    assert browser.view() == whole
    browser.keys("+")
    assert browser.view()[2] < whole[2]
    browser.run("document.getElementById('fit').click()")
    assert browser.view() == whole


def check_choosing(browser, page_source):
    browser.click("%sum")
    assert browser.text("#details h2") == "%sum"
    assert browser.text("#details div") == "task @sum"
    line = next(i for i, text in enumerate(page_source, 1)
                if "%sum =" in text)
    assert browser.text("#path").endswith(f"plain.mlir:{line}:10"), (
        browser.text("#path"))
    assert browser.text("#lines .here") == page_source[line - 1]
    assert browser.run("return document.querySelectorAll('.joined').length"
                       ) == 4
    # The lists of what the node is joined with lead there.
    names = browser.run("return [...document.querySelectorAll('#details a')]"
                        ".map((link) => link.textContent)")
    assert names == ["%start", "%xs", "%total0", "%total1"], names
    browser.run("document.querySelectorAll('#details a')[1].click()")
    assert browser.text("#details h2") == "%xs"
    assert browser.run("return decodeURIComponent(location.hash)") == "#%xs"


def check_search(browser):
    browser.keys("/")
    browser.keys("task")
    assert browser.text("#matches") == "2 found", browser.text("#matches")
    assert browser.run("return document.querySelectorAll('.faded').length"
                       ) == 7
    browser.keys("\ue007")
    assert browser.text("#details h2") == "%start"
    browser.keys("\ue007")
    assert browser.text("#details h2") == "%sum"
    assert browser.text("#matches") == "2 of 2"
    browser.keys("\ue00c")
    assert browser.run("return document.querySelectorAll('.faded').length"
                       ) == 0
    assert browser.text("#matches") == ""


def check_violations(browser):
    first = browser.text("#problems .problem")
    assert first.startswith("%t1 no serial order"), first
    assert "[S1]" in first, first
    browser.run("document.querySelector('#problems a').click()")
    assert browser.text("#details h2") == "%t1"
    assert "[S1]" in browser.text("#details .problem")
    browser.click("%a1")
    assert browser.text("#details div") == "version of <b>"
    red = browser.run("""return [...document.querySelectorAll('g.edge')]
        .filter((e) => e.querySelector('path').getAttribute('stroke')
                === '#c62828').map((e) => e.querySelector('path')
                .getAttribute('stroke-dasharray') !== null)""")
    assert red == [True, True, True], red


def main():
    page, scenario = sys.argv[1:]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.call("/url", {"url": "file://" + os.path.abspath(page)})
            if scenario == "plain":
                with open(os.path.join(os.path.dirname(__file__),
                                       "plain.mlir")) as source:
                    lines = source.read().split("\n")
                check_moving(browser)
                check_choosing(browser, lines)
                check_search(browser)
            else:
                check_violations(browser)
            log = browser.call("/se/log", {"type": "browser"})
            assert not log, log
        finally:
            browser.close()
    print("the page works")


if __name__ == "__main__":
    main()
