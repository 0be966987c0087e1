#!/usr/bin/env python3
# Runs one fuzzer for a while over the tests' inputs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   1. The tests that end in `.NAME` are the first inputs of `fuzz-NAME`, and of
#      `fuzz-LIBRARY-NAME`.
#   2. The fuzzer runs in processes of its own, so that it survives crashes.
#   3. Every input it kept is run once more. A failure whose stack leads through
#      Sluice's sources is ours and counts; one that lies in LLVM alone, which
#      we called to parse the text, is listed.
# The result is written as a JUnit file for summary.py; failing inputs stay in
# the work folder.

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.sax.saxutils import escape


# What separates the parts of a test.
PARTS = re.compile(r"^(?:// -----|[/;#]+--- .*)$", re.MULTILINE)

SYMBOLIZER = "/usr/lib/llvm-22/bin/llvm-symbolizer"

# A stack frame in Sluice's sources, and a message of a harness.
ROOT = re.escape(str(pathlib.Path(__file__).resolve().parents[2]))
FRAME = re.compile(
    rf"^\s*#\d+ \S+ in (.*) {ROOT}/(?:lib|include|build)/\S+:\d+:\d+"
)
MESSAGE = re.compile(r"^fuzz-[\w-]+: ", re.MULTILINE)
# Only LLVM's parser is called by these functions.
PARSERS = ("sluice::parseText(",)


def collect_seeds(tests, suffix, folder):
    """Copies the tests with this suffix, split into their parts, each with
    the declarations that tests of its folder add."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for path in sorted(pathlib.Path(tests).rglob(f"*.{suffix}")):
        added = path.parent / "Inputs" / f"hpvm.{suffix}"
        declarations = added.read_text() if added.exists() else ""
        for part in PARTS.split(path.read_text(errors="replace")):
            seed = folder / f"{count:05}.{suffix}"
            seed.write_text(part + "\n" + declarations)
            count += 1
    return count


def write_result(path, name, seconds, failure):
    body = ""
    if failure:
        body = f"<failure>{escape(failure)}</failure>"
    path.write_text(
        f'<testsuite name="fuzz"><testcase classname="fuzz" name="{name}" '
        f'time="{seconds}">{body}</testcase></testsuite>\n'
    )


def fuzz(options, folders):
    """Runs the fuzzer; what fails lies in the folder of failures then."""
    subprocess.run(
        [
            str(options.fuzzer.resolve()),
            f"-max_total_time={options.seconds}",
            f"-fork={os.cpu_count() or 1}",
            "-ignore_crashes=1",
            "-ignore_timeouts=1",
            "-ignore_ooms=1",
            "-detect_leaks=0",
            "-timeout=20",
            "-rss_limit_mb=4096",
            f"-artifact_prefix={folders['failures'].resolve()}/",
            str(folders["corpus"].resolve()),
            str(folders["seeds"].resolve()),
        ],
        cwd=options.work,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def examine(fuzzer, path):
    """Runs one failing input; returns whose it is and the fuzzer's output."""
    result = subprocess.run(
        [str(fuzzer.resolve()), "-timeout=20", "-rss_limit_mb=4096", str(path)],
        env={**os.environ, "ASAN_SYMBOLIZER_PATH": SYMBOLIZER},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if result.returncode == 0:
        return "passes now", ""
    return whose(result.stdout), result.stdout


def whose(output):
    """Whose failure a fuzzer's output tells of."""
    if MESSAGE.search(output):
        return "ours"
    for line in output.splitlines():
        frame = FRAME.match(line)
        if frame:
            return "LLVM's" if frame[1].startswith(PARSERS) else "ours"
    return "LLVM's"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuzzer", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seeds", default="test")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--junit", type=pathlib.Path, required=True)
    options = parser.parse_args()

    name = options.fuzzer.name
    folders = {
        kind: options.work / kind for kind in ("seeds", "corpus", "failures")
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    suffix = name.rsplit("-", 1)[-1]
    count = collect_seeds(options.seeds, suffix, folders["seeds"])
    print(f"{name}: {count} seeds, {options.seconds} s", flush=True)
    fuzz(options, folders)

    ours = ""
    for path in sorted(folders["failures"].iterdir()):
        owner, output = examine(options.fuzzer, path)
        print(f"{name}: {path}: {owner}")
        if owner == "ours":
            ours += f"{path}:\n" + "\n".join(output.splitlines()[:40]) + "\n"
    if ours:
        print(ours)
    write_result(options.junit, name, options.seconds, ours)
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
