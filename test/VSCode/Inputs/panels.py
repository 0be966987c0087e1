# Shows the pages of panels in a browser, as VS Code does: their own scripts run, and
# no others.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   panels.py SOURCE FOLDER

import pathlib
import sys
import tempfile

source, folder = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(source / "test/Driver/Graph"))
from browser import Browser  # noqa: E402

# What VS Code gives to pages.
EDITOR = """
  window.said = [];
  let state = JSON.parse(window.name || 'null');
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.said.push(message),
    getState: () => state,
    setState: (given) => { state = given; window.name = JSON.stringify(given); },
  });"""
FOREIGN = """<script>document.title = 'a script'</script>
<img src="x" onerror="document.title = 'a handler'">
<a id="bad" href="javascript:document.title = 'a link'">x</a>
<svg onload="document.title = 'svg'"></svg>"""


def show(browser, page):
    browser.call("/url", {"url": (folder / page).as_uri()})


def problems(browser):
    """What the browser says since it was asked last."""
    return [entry["message"] for entry in browser.call("/se/log", {"type": "browser"})]


def check_graph(browser):
    show(browser, "graph.html")
    browser.click("saxpy")
    assert browser.text("#details h2") == "saxpy"
    browser.run("document.getElementById('path').click()")
    [said] = browser.run("return window.said")
    assert said["open"].endswith(":11:16"), said
    assert not problems(browser)
    # Drawn again, the same node is chosen.
    show(browser, "graph.html")
    assert browser.text("#details h2") == "saxpy"
    print("graph")


def check_odd(browser):
    show(browser, "odd.html")
    images = browser.run("return document.querySelectorAll('#canvas img').length")
    assert images == 0
    names = browser.run("return JSON.parse(document.getElementById('data')"
                        ".textContent).nodes.map((node) => node.kind).join()")
    assert "<img src=x onerror=alert(1)>" in names, names
    assert not problems(browser)
    print("odd names")


def check_picture(browser):
    show(browser, "trace.html")
    width = "return parseFloat(document.querySelector('svg').getAttribute('width'))"
    before = browser.run(width)
    browser.run("document.getElementById('closer').click()")
    assert browser.run(width) > before
    assert "<img src=x onerror=alert(1)>" in browser.text("#text")
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert not problems(browser)
    print("trace")


def check_policy(browser):
    """What gets into a page in spite of all does nothing."""
    for page in ("graph.html", "trace.html"):
        text = (folder / page).read_text()
        assert text.count("<body>") == 1
        (folder / "bad.html").write_text(text.replace("<body>", "<body>" + FOREIGN))
        show(browser, "bad.html")
        title = browser.run("return document.title")
        browser.run("document.getElementById('bad').click()")
        assert browser.run("return document.title") == title
        assert title not in ("a script", "a handler", "a link", "svg")
        refused = problems(browser)
        assert sum("Content Security Policy" in message for message in refused) >= 4, (
            refused)
    print("policy")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = Browser(profile)
    try:
        browser.call("/goog/cdp/execute", {
            "cmd": "Page.addScriptToEvaluateOnNewDocument",
            "params": {"source": EDITOR}})
        check_graph(browser)
        check_odd(browser)
        check_picture(browser)
        check_policy(browser)
    finally:
        browser.close()
