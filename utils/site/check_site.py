# Checks that links of a site lead to existing files and headings.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import html.parser
import os
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.names = set()
        self.links = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.names.add(value)
            elif value and name in ("href", "src"):
                self.links.add(value)


def broken_links(site):
    """Lines that tell of each link of a page that leads nowhere on the site. The
    reference checks itself, and its pages count as they are."""
    site = str(site)
    pages = {}

    def load(path):
        if path not in pages:
            with open(path, encoding="utf-8") as file:
                pages[path] = Page(file.read())
        return pages[path]

    found = []
    for folder, _, names in os.walk(site):
        below = os.path.relpath(folder, site).split(os.sep)[0]
        for name in names:
            if not name.endswith(".html") or below == "reference":
                continue
            if name == "404.html":  # its links begin at the root of a server
                continue
            path = os.path.join(folder, name)
            for link in load(path).links:
                address = urllib.parse.urlsplit(link)
                if address.scheme or address.netloc:
                    continue
                target = path
                if address.path:
                    target = os.path.normpath(os.path.join(
                        folder, urllib.parse.unquote(address.path)))
                where = os.path.relpath(path, site)
                if not os.path.isfile(target):
                    found.append(f"{where}: no such page: '{link}'")
                elif address.fragment and target.endswith(".html"):
                    heading = urllib.parse.unquote(address.fragment)
                    if heading not in load(target).names:
                        found.append(f"{where}: no such heading: '{link}'")
    return sorted(found)
