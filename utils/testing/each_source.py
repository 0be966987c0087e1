#!/usr/bin/env python3
# Checks that each source compiles alone: builds join several into one, where
# one source may use what another one includes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   each_source.py BUILD [--alone] [--only TEXT] [--plugin LIBRARY]
#
# BUILD must be built: compile_commands.json in it names the joined sources, their
# flags, and the precompiled headers. Each source of each of them is read with the
# same flags and -fsyntax-only, which also gives the warnings that joining hides;
# the first of each, which the build compiles as if it were alone, is left out.
# With --alone they are read without precompiled headers too, so that a source
# must include what it uses of LLVM, MLIR and the standard library as well. With
# --plugin sources with the same flags are read by processes that start from where
# one has read the precompiled headers (EachSource.cpp), in two thirds of the time;
# what does not compile there is compiled alone, and only that counts.

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def without_output(words):
    """The words of a compilation that say what to compile and how."""
    kept = []
    words = iter(words)
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word not in ("-MD", "-MF", "-MT"):
            kept.append(word)
    return kept


def without_headers(words):
    """The same without what CMake adds for precompiled headers."""
    kept = []
    index = 0
    while index < len(words):
        if words[index:index + 2] == ["-Xclang", "-include-pch"] or (
                words[index:index + 2] == ["-Xclang", "-include"]):
            index += 4  # and '-Xclang FILE'
        else:
            kept.append(words[index])
            index += 1
    return kept


def compilations(build, skips_first):
    """Pairs of a source and the words that compile it; maybe without those before
    which the build joins nothing."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        words = without_output(shlex.split(entry["command"]))
        sources = [str(path)]
        if "Unity" in path.parts and path.is_relative_to(build):
            sources = INCLUDED.findall(path.read_text())
        elif path.is_relative_to(build):
            continue  # written by the build itself
        if skips_first:
            sources = sources[1:]
        for source in sources:
            if source.endswith((".cpp", ".c")):
                yield source, entry["directory"], words


def check(task):
    source, folder, words = task
    done = subprocess.run([*words, "-fsyntax-only", source], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if not done.returncode:
        return source, ""
    return source, done.stdout or f"ended with status {done.returncode}"


# Sources that one process begins: for fewer, its start does not pay.
FEWEST, MOST = 5, 100
USES = pathlib.Path(__file__).with_name("common_uses.cpp")


def chunks(tasks):
    """Tasks with the same flags, as one process may begin them."""
    groups = collections.defaultdict(list)
    for task in tasks:
        groups[task[1], tuple(task[2])].append(task)
    parts = [group[i:i + MOST] for group in groups.values()
             for i in range(0, len(group), MOST)]
    return sorted(parts, key=len, reverse=True)


def suspects(plugin, tasks):
    """The tasks that do not compile where their process was forked."""
    _, folder, words = tasks[0]
    if not plugin or len(tasks) < FEWEST or "-include-pch" not in words:
        return tasks
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as paths:
        paths.write("".join(task[0] + "\n" for task in tasks))
        paths.flush()
        done = subprocess.run(
            [*words, "-fsyntax-only", f"-fplugin={plugin}", str(USES)],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace",
            env={**os.environ, "SLUICE_EACH_SOURCE": paths.name})
    if done.returncode:
        print(f"without the plugin, which ends with {done.returncode}: "
              f"{done.stderr}", flush=True)
        return tasks
    found = set(done.stdout.splitlines())
    return [task for task in tasks if task[0] in found]


def check_chunk(plugin, tasks):
    return [check(task) for task in suspects(plugin, tasks)]


def main():
    parser = argparse.ArgumentParser(description="compiles each source alone")
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--alone", action="store_true",
                        help="without precompiled headers")
    parser.add_argument("--only", default="", help="sources with this text")
    parser.add_argument("--plugin", help="see EachSource.cpp")
    options = parser.parse_args()

    # A source that several libraries share is read once.
    tasks = {source: (source, folder,
                      without_headers(words) if options.alone else words)
             for source, folder, words in compilations(
                 options.build, not (options.alone or options.only))
             if options.only in source}
    num_problems = 0
    jobs = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for results in pool.map(lambda part: check_chunk(options.plugin, part),
                                chunks(tasks.values())):
            for source, text in results:
                if text:
                    print(f"{os.path.relpath(source)}:\n{text}", flush=True)
                    num_problems += 1
    print(f"{len(tasks)} sources, {num_problems} of them do not compile alone")
    return 1 if num_problems or not tasks else 0


if __name__ == "__main__":
    sys.exit(main())
