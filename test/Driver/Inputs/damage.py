"""Damages files of the cache at random; programs must run as if nothing were.

Usage: damage.py [--variants] FOLDER COMMAND..., where each command is a shell
line that prints the same whenever it is run, and the first one has variants
compiled. SLUICE_TEST_ROUNDS says how often to damage something (12 times).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import random
import shutil
import subprocess
import sys
import time

arguments = sys.argv[1:]
has_variants = arguments[0] == "--variants"
folder, *commands = arguments[has_variants:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "12"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))
environment = dict(os.environ, SLUICE_CACHE_DIR=folder, SLUICE_SPECIALIZE="2")


def run(command):
    result = subprocess.run(command, shell=True, env=environment,
                            capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"'{command}' ended with {result.returncode}:\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def files():
    """Every file, but those that some process is about to name."""
    found = []
    for place, folders, names in os.walk(folder):
        found += [os.path.join(place, name) for name in names
                  if not name.endswith((".tmp", "lock"))]
    return sorted(found)


def written(file):
    """When; a helper may be removing what it found damaged."""
    try:
        return os.stat(file).st_mtime_ns
    except FileNotFoundError:
        return None


def settle():
    """Waits until helpers seem to write no more; if one does, that is a case as
    well."""
    before = None
    for _ in range(300):
        now = [(file, written(file)) for file in files()]
        if now == before:
            return
        before = now
        time.sleep(0.1)


def await_variant():
    """Waits until the helper has compiled one: the CHECK lines want it seen."""
    end = time.monotonic() + 600
    while not any(file.endswith(".so") for file in files()):
        if time.monotonic() > end:
            sys.exit("no variant was compiled")
        time.sleep(0.1)


def damage(file):
    try:
        with open(file, "rb") as old:
            content = bytearray(old.read())
    except FileNotFoundError:
        return f"{os.path.relpath(file, folder)} is gone"
    kind = random.choice(["flip", "flip", "truncate", "empty", "grow", "zero"])
    if kind == "flip" and content:
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    elif kind == "truncate":
        content = content[:random.randrange(len(content) + 1)]
    elif kind == "grow":
        content += b"\n"
    elif kind == "zero" and content:
        start = random.randrange(len(content))
        content[start:start + 4096] = bytes(len(content[start:start + 4096]))
    else:
        content = b""
    with open(file, "wb") as new:
        new.write(content)
    return f"{kind} of {os.path.relpath(file, folder)}"


def main():
    random.seed(seed)
    shutil.rmtree(folder, ignore_errors=True)
    expected = [run(command) for command in commands]
    if has_variants:
        await_variant()
    kinds = set()
    for number in range(rounds):
        settle()
        there = files()
        what = [damage(file) for file in
                random.sample(there, random.randint(1, len(there)))]
        kinds |= {os.path.dirname(os.path.relpath(file, folder)) + "/*"
                  + os.path.splitext(file)[1] for file in there}
        for command, output in zip(commands, expected):
            if (got := run(command)) != output:
                sys.exit(f"round {number}, {what}: expected '{output}', "
                         f"got '{got}'")
    print(f"{rounds} rounds, kinds of files: {sorted(kinds)}")


main()
