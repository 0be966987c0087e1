#!/usr/bin/env python3
# Runs one fuzzer for a while over the tests' inputs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The corpus is the folder of the tests: `fuzz-NAME` reads the files that end
# in `.NAME`. Inputs that make the fuzzer fail are kept in the work folder, and
# the result is written as a JUnit file for summary.py.

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
from xml.sax.saxutils import escape


def collect_seeds(tests, suffix, folder):
    """Copies the tests with this suffix, split into their parts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for path in sorted(pathlib.Path(tests).rglob(f"*.{suffix}")):
        for part in path.read_text(errors="replace").split("// -----"):
            (folder / f"{count:05}.{suffix}").write_text(part)
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fuzzer", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seeds", default="test")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--junit", type=pathlib.Path, required=True)
    options = parser.parse_args()

    name = options.fuzzer.name
    seeds = options.work / "seeds"
    corpus = options.work / "corpus"
    crashes = options.work / "failures"
    count = collect_seeds(options.seeds, name.rsplit("-", 1)[-1], seeds)
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    print(f"{name}: {count} seeds, {options.seconds} s", flush=True)
    result = subprocess.run(
        [
            str(options.fuzzer.resolve()),
            f"-max_total_time={options.seconds}",
            f"-fork={max(1, os.cpu_count() or 1)}",
            "-timeout=20",
            "-rss_limit_mb=4096",
            f"-artifact_prefix={crashes.resolve()}/",
            str(corpus.resolve()),
            str(seeds.resolve()),
        ],
        cwd=options.work,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    failure = ""
    if result.returncode:
        failure = "\n".join(result.stdout.splitlines()[-60:])
        print(failure)
        print(f"{name}: failing inputs are kept in '{crashes}'")
    write_result(options.junit, name, options.seconds, failure)
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main())
