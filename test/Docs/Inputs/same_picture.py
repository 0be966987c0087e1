# Compares pictures of graphs by what they show, for tests.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two pictures of Graphviz are the same if they have the same nodes, arrows and
texts; where those stand depends on the fonts of the machine.

Usage: same_picture.py SHOWN MADE
"""
import sys
import xml.etree.ElementTree


def contents(path):
    space = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.parse(path).getroot()
    return sorted((element.tag, element.text) for element in root.iter()
                  if element.tag in (space + "text", space + "title"))


def main():
    shown, made = map(contents, sys.argv[1:])
    if shown != made:
        sys.exit(f"{sys.argv[1]} is not what is made today; not in both: "
                 f"{sorted(set(shown) ^ set(made))}")
    print(f"{len(shown)} texts are the same")


if __name__ == "__main__":
    main()
