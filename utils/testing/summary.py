#!/usr/bin/env python3
# Adds up the results of `./dev test` and prints its closing line.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each stage has a folder below the given one, with JUnit files:
#   <stage>/ctest.xml        one case per unit test executable
#   <stage>/gtest/NAME.xml   the cases of the executable NAME
#   <stage>/*.xml            other suites: lit, fuzzers
# An executable counts by its own cases; one that died before or after writing
# them counts as a failed case too. A test that runs in several stages, release
# and sanitizers, is one distinct test and several runs; the closing line counts
# runs. What `./dev setup` installs is there when the release stage runs, so a
# test that misses it there has failed.

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


# Features of lit, and the corresponding messages of unit tests.
INSTALLED = re.compile(
    r"\b(dolfinx|halide|llvm-as-14|mpich|openmpi|pack-fortran|pack-jit|pocl|"
    r"python-tasks|smpi|starpu)\b",
    re.IGNORECASE,
)
SLOWEST = 10  # tests that are named at the end


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.distinct = set()  # names without their stages
        self.times = []  # seconds and names

    def add(self, name, case):
        """One JUnit case of lit, ctest or GoogleTest."""
        self.times.append((float(case.get("time") or 0), name))
        self.distinct.add(name.split(": ", 1)[-1])
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed.append(name)
        elif case.get("status") == "fail":
            self.failed.append(name)
        elif skipped is not None:
            reason = skipped.get("message") or (skipped.text or "").strip()
            self.skipped.append((name, " ".join(reason.split())))
        elif case.get("status") in ("notrun", "disabled"):
            self.skipped.append((name, "disabled"))
        else:
            self.passed += 1


def cases(path):
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        group = case.get("classname") or ""
        yield f"{group}.{case.get('name')}".strip("."), case


def add_stage(folder, count):
    stage = folder.name
    for path in sorted(folder.glob("*.xml")):
        for name, case in cases(path):
            if path.name == "ctest.xml":
                add_executable(folder, stage, case, count)
            else:
                count.add(f"{stage}: {name}", case)


def add_executable(folder, stage, case, count):
    name = case.get("name")
    path = folder / "gtest" / f"{name}.xml"
    own = Count()
    if path.exists():
        for test, result in cases(path):
            own.add(f"{stage}: {name}: {test}", result)
    whole = Count()
    whole.add(f"{stage}: {name}", case)
    if not path.exists():
        own = whole
    elif whole.failed and not own.failed:
        own.failed += whole.failed
        own.distinct |= whole.distinct
    count.distinct |= own.distinct
    count.times += own.times
    count.passed += own.passed
    count.failed += own.failed
    count.skipped += own.skipped


def main():
    count = Count()
    for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        if folder.is_dir():
            add_stage(folder, count)
    for name, reason in list(count.skipped):
        if name.startswith("release: ") and INSTALLED.search(reason):
            count.skipped.remove((name, reason))
            count.failed.append(f"{name}: skipped, although './dev setup' "
                                f"installs what it needs: {reason}")
    for name, reason in count.skipped:
        print(f"skipped: {name}: {reason or 'no reason given'}")
    for name in count.failed:
        print(f"failed: {name}")
    for seconds, name in sorted(count.times, reverse=True)[:SLOWEST]:
        if seconds:
            print(f"slow: {seconds:6.1f} s  {name}")
    runs = count.passed + len(count.failed) + len(count.skipped)
    print(f"{runs} runs of {len(count.distinct)} distinct tests")
    print(
        f"{count.passed} passed, {len(count.failed)} failed, "
        f"{len(count.skipped)} skipped"
    )
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
