# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a table measures, as hashes: whether it is older than that.

Results say of which sources they are, and docs/measured keeps it; the lint asks
whether these are still the same. Two parts count:

* the benchmark: the folders of its programs, and what they share. Not the
  driver, where titles and bars change without any program doing so;
* the product: each library of lib with its headers in include, apart, so that
  one can say which has changed. Tests, build files and texts do not count.
"""

import functools
import hashlib
import pathlib

SHARED = "bench/common"
# Where that is more than bench/NAME.
FOLDERS = {"hpvm": ["bench/hpvm", "bench/nd"],
           "device": ["bench/device", "bench/nd"],
           "cluster": ["bench/cluster", "bench/rdir"],
           "taskgraph-apps": ["bench/taskgraph-apps", "examples/blur",
                              "examples/matrix", "examples/radar"]}
COUNTED = {".c", ".cpp", ".cl", ".cu", ".def", ".h", ".mlir", ".py", ".td"}


def files_below(folder):
    return sorted(path for path in folder.rglob("*")
                  if path.suffix in COUNTED and path.is_file())


def is_test(name):
    """Of a path below the root."""
    return name.stem.endswith("Test") or "Testing" in name.parts


def digest(root, files):
    """Of their names and contents."""
    made = hashlib.sha256()
    for path in files:
        made.update(f"{path.relative_to(root)}\0".encode())
        made.update(hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()[:8]


def benchmark_mark(name, root):
    folders = [SHARED, *FOLDERS.get(name, [f"bench/{name}"])]
    return digest(root, [path for folder in folders
                         for path in files_below(root / folder)])


@functools.cache
def product_marks(root):
    """By library; headers for C in include/sluice-c are one, too."""
    libraries = {}
    for top in ("lib", "include"):
        for path in files_below(root / top):
            name = path.relative_to(root / top)
            room = name.parts[name.parts[0] == "sluice"]
            if not is_test(name):
                libraries.setdefault(room.partition(".")[0], []).append(path)
    return {name: digest(root, files)
            for name, files in sorted(libraries.items())}


def marks(name, root):
    """What goes into the results of that benchmark."""
    root = pathlib.Path(root)
    return {"benchmark": benchmark_mark(name, root),
            "product": product_marks(root)}


def changes(kept, now):
    """Whether the benchmark is another one, and which libraries are."""
    old, new = kept["product"], now["product"]
    return (kept["benchmark"] != now["benchmark"],
            sorted(name for name in {*old, *new}
                   if old.get(name) != new.get(name)))
