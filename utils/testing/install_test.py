#!/usr/bin/env python3
# Tests the installed tree: it may be moved, and other projects can use it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   1. Install into a fresh folder and move that folder.
#   2. Build and run test/Install/consumer, which says find_package(Sluice).
#   3. Let the moved `sluice`, if it was built, run the example 'hello'.

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def call(command, **settings):
    print("+", " ".join(str(word) for word in command), flush=True)
    environment = {**os.environ, **settings}
    subprocess.run(
        [str(word) for word in command], check=True, env=environment
    )


def build_consumer(options, prefix, folder):
    source = options.source / "test/Install/consumer"
    call(
        [
            options.cmake,
            "-S", source,
            "-B", folder,
            "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}",
        ]
    )
    call([options.cmake, "--build", folder])
    for program in (
        "consumer", "consumer-static",
        "pack-c", "pack-cStatic", "pack-cpp", "pack-cppStatic",
    ):
        call([folder / program])
    if (folder / "pack-fortran").exists():
        call([folder / "pack-fortran"])
    if (folder / "pack-jit").exists():
        # Found beside the library that was moved, and linked.
        call([folder / "pack-cpp", "compiled"])
        call([folder / "pack-jit", "compiled"])


def run_hello(options, prefix, folder):
    hello = sorted((options.source / "examples/hello").glob("*.c*"))
    sluice = prefix / "bin/sluice"
    cache = str(folder / "cache")
    call([sluice, "run", *hello], SLUICE_CACHE_DIR=cache)
    call([sluice, "build", *hello, "-o", folder / "hello"])
    call([folder / "hello"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.build) as name:
        folder = pathlib.Path(name)
        first = folder / "first"
        call([options.cmake, "--install", options.build, "--prefix", first])
        prefix = folder / "moved" / "here"
        prefix.parent.mkdir()
        shutil.move(first, prefix)
        build_consumer(options, prefix, folder / "consumer")
        if (prefix / "bin/sluice").exists():
            run_hello(options, prefix, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
