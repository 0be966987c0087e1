#!/usr/bin/env python3
# Checks that each source compiles alone: builds join several into one, where
# one source may use what another one includes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   each_source.py BUILD [--alone] [--only TEXT] [--plugin LIBRARY] [--part N/COUNT]
#
# BUILD must be built: compile_commands.json in it names the joined sources, their
# flags, and the precompiled headers. Each source of each of them is read with the
# same flags and -fsyntax-only, which also gives the warnings that joining hides;
# the first of each, which the build compiles as if it were alone, is left out.
# With --alone they are read without precompiled headers too, so that a source
# must include what it uses of LLVM, MLIR and the standard library as well. With
# --plugin sources with the same flags are read by processes that start from where
# one has read the precompiled headers and what all of them include before all else
# (EachSource.cpp), in a third of the time, without the bodies of templates; what
# does not compile there is compiled alone, and only that counts. With --part only
# the Nth of COUNT parts is read, which have about as many sources each, by one process
# at a time.

import argparse
import collections
import concurrent.futures
import functools
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


# Sources that one process begins: for fewer, its start does not pay. And lines of
# headers that must be read less often, for a process between.
FEWEST, MOST, FEWEST_LINES = 5, 100, 500
USES = pathlib.Path(__file__).with_name("common_uses.cpp")

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
GUARD = re.compile(r"\s*(#pragma once\n|#ifndef (\w+)\n\s*#define \2\n)")
INCLUDES = re.compile(r'(?:\s*#include [<"].+[>"]\n)*')


class Headers:
    """What sources with the same flags include, whatever else they say."""

    def __init__(self, words):
        self.folders = [word[2:] for word in words if word.startswith("-I")]
        self.closures = {}

    @functools.cache
    def read(self, path):
        """The headers that a file includes before it says anything else, and how
        many lines it has; None for one that may be read twice, or differently."""
        text = COMMENT.sub("", pathlib.Path(path).read_text(errors="replace"))
        guard = GUARD.match(text)
        if path.endswith(".h") and not guard:
            return None
        begin = guard.end() if guard else 0
        names = INCLUDED.findall(INCLUDES.match(text, begin).group())
        found = (self.find(name, os.path.dirname(path)) for name in names)
        return [path for path in found if path], text.count("\n")

    def find(self, name, folder):
        for place in (folder, *self.folders):
            path = os.path.normpath(os.path.join(place, name))
            if path.endswith(".h") and os.path.isfile(path):
                return path if self.read(path) else None
        return None

    @functools.cache
    def closure(self, path):
        """All headers that come with a file."""
        seen, left = set(), [path]
        while left:
            new = set(self.read(left.pop())[0]) - seen
            seen |= new
            left += new
        return frozenset(seen)

    def lines(self, paths):
        return sum(self.read(path)[1] for path in paths)


def share(headers, sources, known=frozenset()):
    """A tree of the sources: a list of paths, and of pairs of a header and a list
    of what includes it. Each header saves most where it is."""
    tree = []
    sources = list(sources)
    while True:
        users = collections.Counter(
            header for source in sources
            for header in headers.closure(source) - known)
        saved = {header: (count - 1) * headers.lines(
            headers.closure(header) - known | {header})
            for header, count in users.items() if count > 1}
        best = max(saved, key=saved.get, default=None)
        if best is None or saved[best] < FEWEST_LINES:
            return tree + sources
        below = [one for one in sources if best in headers.closure(one)]
        tree.append((best, share(headers, below,
                                 known | headers.closure(best) | {best})))
        sources = [one for one in sources if best not in headers.closure(one)]


def leaves(tree):
    for one in tree:
        if isinstance(one, str):
            yield one
        else:
            yield from leaves(one[1])


def groups_of(tasks, number, count):
    """Tasks with the same flags, by their sources: of all groups, the share that has
    this number."""
    groups = collections.defaultdict(dict)
    for task in tasks:
        groups[task[1], tuple(task[2])][task[0]] = task
    # Pieces of neighbours, which share headers.
    most = max(1, sum(map(len, groups.values())) // count)
    pieces = []
    for (_, words), group in groups.items():
        order = sorted(group)
        pieces += [(words, {source: group[source] for source in order[i:i + most]})
                   for i in range(0, len(order), most)]
    shares = [[] for _ in range(count)]
    for piece in sorted(pieces, key=lambda piece: -len(piece[1])):
        min(shares, key=lambda share: sum(len(group) for _, group in share)).append(piece)
    return shares[number - 1]


def chunks(groups):
    """Tasks as one process may begin them; close to each other are those that share
    headers. With each, what is included by all."""
    parts = []
    for words, group in groups:
        headers = Headers(words)
        order = list(leaves(share(headers, group)))
        for i in range(0, len(order), MOST):
            part = order[i:i + MOST]
            parts.append(([group[source] for source in sorted(part)],
                          share(headers, part)))
    return sorted(parts, key=lambda part: len(part[0]), reverse=True)


def write_tree(folder, header, tree, sources_of):
    """Writes what compiles the tree, after the header, and returns its path."""
    paths = [one if isinstance(one, str)
             else write_tree(folder, *one, sources_of) for one in tree]
    path = f"{folder}/{len(sources_of)}.cpp"
    sources_of[path] = set(leaves(tree))
    listed = " ".join(f'"{one}"' for one in paths)
    pathlib.Path(path).write_text(
        f'#include "{header}"\n#pragma sluice_each_source {listed}\n')
    return path


def suspects(plugin, tasks, tree):
    """The tasks that do not compile where their process was forked."""
    _, folder, words = tasks[0]
    if not plugin or len(tasks) < FEWEST or "-include-pch" not in words:
        return tasks
    with tempfile.TemporaryDirectory() as place:
        sources_of = {}
        path = write_tree(place, USES, tree, sources_of)
        done = subprocess.run(
            [*words, "-fsyntax-only", f"-fplugin={plugin}", path],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace")
    if done.returncode:
        print(f"without the plugin, which ends with {done.returncode}: "
              f"{done.stderr}", flush=True)
        return tasks
    found = set()
    for path in done.stdout.splitlines():
        found |= sources_of.get(path, {path})
    return [task for task in tasks if task[0] in found]


def check_chunk(plugin, part):
    return [check(task) for task in suspects(plugin, *part)]


def main():
    parser = argparse.ArgumentParser(description="compiles each source alone")
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--alone", action="store_true",
                        help="without precompiled headers")
    parser.add_argument("--only", default="", help="sources with this text")
    parser.add_argument("--plugin", help="see EachSource.cpp")
    parser.add_argument("--part", default="", help="N/COUNT")
    options = parser.parse_args()

    # A source that several libraries share is read once.
    tasks = {source: (source, folder,
                      without_headers(words) if options.alone else words)
             for source, folder, words in compilations(
                 options.build, not (options.alone or options.only))
             if options.only in source}
    num_problems = 0
    jobs = 1 if options.part else len(os.sched_getaffinity(0))
    number, count = map(int, (options.part or "1/1").split("/"))
    groups = groups_of(tasks.values(), number, count)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for results in pool.map(lambda part: check_chunk(options.plugin, part),
                                chunks(groups)):
            for source, text in results:
                if text:
                    print(f"{os.path.relpath(source)}:\n{text}", flush=True)
                    num_problems += 1
    num_sources = sum(len(group) for _, group in groups)
    print(f"{num_sources} sources, {num_problems} of them do not compile alone")
    return 1 if num_problems or not num_sources else 0


if __name__ == "__main__":
    sys.exit(main())
