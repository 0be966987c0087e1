# Searches the site in a browser, as a reader would, and says what comes first.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   search_site.py FOLDER WORDS...
#
# FOLDER has the versions; it is served, and opened at its own address.

import functools
import http.server
import pathlib
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Driver/Graph"))

from browser import Browser  # noqa: E402

# Waits until the first result for the words is there.
SEARCH = """
const [words, done] = arguments;
const find = () => {
  const first = document.querySelector('.md-search-result__item a');
  if (first)
    done(first.href + ' | ' + document.querySelector('.md-version').innerText
         .split('\\n').join(' '));
  return first;
};
const input = document.querySelector('.md-search__input');
const ask = () => {
  input.focus();
  input.value = words;
  input.dispatchEvent(new Event('keyup', {bubbles: true}));
  input.dispatchEvent(new Event('input', {bubbles: true}));
};
new MutationObserver((_, self) => {
  if (find())
    self.disconnect();
}).observe(document.body, {childList: true, subtree: true});
ask();
"""
# Waits until the page that names the newest version has led there.
READY = """
const [done] = arguments;
const look = () => document.querySelector('.md-version') ? done(location.href)
                                                         : setTimeout(look, 50);
look();
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    folder, words = sys.argv[1], " ".join(sys.argv[2:])
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.call("/timeouts", {"script": 300000})
            browser.call("/url", {"url": address + "0.1/index.html"})
            print("opened", browser.call("/execute/async", {
                "script": READY, "args": []}).removeprefix(address))
            print("found", browser.call("/execute/async", {
                "script": SEARCH, "args": [words]}).removeprefix(address))
        finally:
            browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
