# Executable bits, scripts that parse, long files, full folders and npm
# packages.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
import subprocess

from tree import C_LIKE, Finding

LONG_FILE = 600  # lines; longer ones usually split along their meaning
MAX_FILES = 30  # per folder; a larger one should be split, or needs a reason


def check_modes(tree):
    """A file is executable exactly when it starts with '#!'."""
    for path in tree.files:
        if tree.is_foreign(path) or os.path.islink(tree.full(path)):
            continue
        text = tree.text(path)
        script = text is not None and text.startswith("#!")
        executable = os.access(tree.full(path), os.X_OK)
        if script and not executable:
            yield Finding(path, 1, "starts with '#!' but is not executable")
        if executable and not script:
            yield Finding(path, 1, "is executable but does not start with '#!'")


def check_scripts(tree):
    """Python and shell scripts parse."""
    for path in tree.own_texts():
        text = tree.text(path)
        if path.endswith(".py"):
            try:
                compile(text, path, "exec")
            except SyntaxError as error:
                yield Finding(path, error.lineno or 1, f"python: {error.msg}")
        elif text.startswith(("#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env bash")):
            result = subprocess.run(
                ["bash", "-n", tree.full(path)], capture_output=True, text=True
            )
            if result.returncode:
                yield Finding(path, 1, f"bash: {result.stderr.strip()}")


def check_length(tree):
    """Long source files are worth a second thought."""
    for path in tree.own(*C_LIKE, ".td", ".py"):
        lines = tree.text(path).count("\n")
        if lines > LONG_FILE:
            message = f"{lines} lines; would it read better in parts?"
            yield Finding(path, lines, message, is_warning=True)


def check_folders(tree):
    """A folder of lib has few files, or its README says why it has more: in a
    sentence with the words 'files' and 'because'."""
    numbers = {}
    for path in tree.files:
        folder, name = os.path.split(path)
        if folder.startswith("lib") and name not in ("CMakeLists.txt", "README.md"):
            numbers[folder] = numbers.get(folder, 0) + 1
    for folder, number in sorted(numbers.items()):
        if number <= MAX_FILES:
            continue
        readme = f"{folder}/README.md"
        text = tree.text(readme) if readme in tree.files else ""
        if not re.search(r"\bfiles\b[^.]*\bbecause\b", text):
            message = (
                f"{number} files; split it, or say in {readme} that it has so "
                "many files because ..."
            )
            yield Finding(folder, 1, message)


def check_npm(tree):
    """Packages of npm are named with their checksums, and not where they are read
    from, which is each user's affair."""
    for path in tree.files:
        if os.path.basename(path) != "package-lock.json":
            continue
        text = tree.text(path)
        try:
            packages = json.loads(text)["packages"]
        except (ValueError, KeyError) as error:
            yield Finding(path, 1, f"is no list of packages: {error}")
            continue
        for name, entry in packages.items():
            line = text.count("\n", 0, text.find(f'"{name}": {{')) + 1
            if name and "integrity" not in entry:
                yield Finding(path, line, f"'{name}' has no checksum")
            if "resolved" in entry:
                yield Finding(path, line, f"'{name}' says where it is read from")
