#!/usr/bin/env python3
# What is installed does not depend on where it was built.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   same_files.py SOURCE WORK [PACKAGE...]
#
# Builds the libraries of programs, without the compiler, from two copies of the
# sources in folders whose names have unequal lengths, installs both, and compares
# every file. Of packages, which have the compiler, no file names the folder of the
# sources.

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys


def call(*command, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def copy_sources(source, target):
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-co",
         "--exclude-standard"], cwd=source, check=True, capture_output=True,
        text=True).stdout.splitlines()
    for name in names:
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)


def build(source, folder):
    """The folder of what was installed."""
    sources, built = folder / "sources", folder / "built"
    copy_sources(source, sources)
    call("cmake", "--preset", "packages", "-B", built,
         "-DSLUICE_ENABLE_COMPILER=OFF", "-DSLUICE_UNITY=ON", cwd=sources)
    # An object that was kept from the other folder would tell nothing.
    call("cmake", "--build", built, env={**os.environ, "CCACHE_DISABLE": "1"})
    call("cmake", "--install", built, "--prefix", folder / "installed")
    return folder / "installed"


def files_below(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*")
                  if not path.is_dir())


def differences(first, second):
    names = files_below(first)
    if names != files_below(second):
        yield "the files are not the same ones"
    for name in names:
        one, other = first / name, second / name
        if other.exists() and not filecmp.cmp(one, other, shallow=False):
            yield f"'{name}' differs"


def named_in(package, folder, words):
    """Files of a package that name one of these folders."""
    target = folder / package.stem
    call("dpkg-deb", "-x", package, target)
    for name in files_below(target):
        path = target / name
        if path.is_symlink():
            continue
        text = path.read_bytes()
        for word in words:
            if word.encode() in text:
                yield f"'{name}' of {package.name} names '{word}'"


def main():
    parser = argparse.ArgumentParser(
        description="compares what is installed from two folders")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("packages", type=pathlib.Path, nargs="*")
    options = parser.parse_args()
    source, work = options.source.resolve(), options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    problems = []
    for package in options.packages:
        problems += named_in(package, work / "packages", [str(source)])
    first = build(source, work / "one")
    second = build(source, work / "another-one")
    problems += differences(first, second)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(files_below(first))} files are the same")
        shutil.rmtree(work)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
