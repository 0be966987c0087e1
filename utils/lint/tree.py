# The files that lint checks, and its messages about them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Most checks skip two kinds of files: files below a folder with its own
# LICENSE come from elsewhere and stay unchanged; inputs of tests contain
# deliberate errors or RUN lines. The bad samples of test/Lint are never read.

import dataclasses
import os
import subprocess

C_LIKE = (".c", ".cpp", ".h")


@dataclasses.dataclass
class Finding:
    path: str
    line: int
    message: str
    is_warning: bool = False

    def __str__(self):
        kind = "warning" if self.is_warning else "error"
        return f"{self.path}:{self.line}: {kind}: {self.message}"


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = sorted(self._list())
        self._foreign = {
            os.path.dirname(path) + "/"
            for path in self.files
            if os.path.basename(path) == "LICENSE" and os.path.dirname(path)
        }
        self._texts = {}

    def _list(self):
        """Paths below the root: those git knows or would add, else all."""
        if os.path.exists(os.path.join(self.root, ".git")):
            command = "git -c safe.directory=* ls-files -z -co --exclude-standard"
            out = subprocess.run(
                command.split(), cwd=self.root, check=True, capture_output=True
            ).stdout.decode()
            paths = {path for path in out.split("\0") if path}
        else:
            paths = {
                os.path.relpath(os.path.join(folder, name), self.root)
                for folder, _, names in os.walk(self.root)
                for name in names
            }
        return [
            path
            for path in paths
            if os.path.isfile(self.full(path))
            and not path.startswith("test/Lint/")
        ]

    def full(self, path):
        return os.path.join(self.root, path)

    def text(self, path):
        """The text of a file, or None for one that is not UTF-8 text."""
        if path not in self._texts:
            with open(self.full(path), "rb") as file:
                data = file.read()
            try:
                text = None if b"\0" in data else data.decode()
            except UnicodeDecodeError:
                text = None
            self._texts[path] = text
        return self._texts[path]

    def is_foreign(self, path):
        return any(path.startswith(folder) for folder in self._foreign)

    def is_test_input(self, path):
        return path.startswith("test/") and not path.endswith(
            (".py", ".txt", ".in")
        )

    def own(self, *suffixes):
        """Our own files with these suffixes, inputs of tests left out."""
        for path in self.files:
            if not path.endswith(suffixes):
                continue
            if self.is_foreign(path) or self.is_test_input(path):
                continue
            if self.text(path) is not None:
                yield path

    def own_texts(self):
        """All of our own text files, inputs of tests included."""
        for path in self.files:
            if not self.is_foreign(path) and self.text(path) is not None:
                yield path
