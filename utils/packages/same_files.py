#!/usr/bin/env python3
# Packages do not depend on where, when and by whom they are built.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   same_files.py SOURCE PACKAGES WORK
#   same_files.py --compare PACKAGES OTHERS [FOLDER...]
#
# Builds a copy of the sources in SOURCE as packages again, below WORK: in folders
# with other names, the build outside of the sources, with another home, language
# and time zone. Every file of PACKAGES must come out the same, byte for byte, and
# name neither SOURCE nor WORK. WORK is kept, so that the next time only what
# has changed is compiled.
#
# --compare only compares two folders of packages; no file may name a FOLDER.

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Differences from the first build, which uses its user's settings.
SURROUNDINGS = {"TZ": "Pacific/Kiritimati",
                "LC_ALL": "C.UTF-8", "USER": "somebody"}


def call(*command, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command], check=True, **options)


def source_files(source):
    """What belongs to the sources, whether it was committed or not."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-zco",
         "--exclude-standard"], cwd=source, check=True, capture_output=True,
        text=True).stdout.split("\0")
    return [name for name in names if (source / name).is_file()]


def copy_sources(source, target):
    """Makes target a copy of the sources. What is the same stays, with its time,
    so that it is not compiled again."""
    names = source_files(source)
    wanted = {target / name for name in names}
    for path in list(target.rglob("*")):
        if not path.is_dir() and path not in wanted:
            path.unlink()
    for name in names:
        old, new = target / name, source / name
        if not old.exists() or not filecmp.cmp(old, new, shallow=False):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old)
        old.chmod(new.stat().st_mode)


def make_packages(source, work):
    """The folder of the packages that a copy of the sources becomes."""
    copy, built = work / "copied", work / "built-elsewhere"
    tree = work / "made/sluice"
    copy_sources(source, copy)
    surroundings = {**os.environ, **SURROUNDINGS, "HOME": str(work)}
    call("cmake", "--preset", "packages", "-B", built, cwd=copy, env=surroundings)
    call("cmake", "--build", built, env=surroundings)
    shutil.rmtree(tree.parent, ignore_errors=True)
    shutil.copytree(copy, tree)
    call("dpkg-buildpackage", "-b", "-us", "-uc", cwd=tree,
         env={**surroundings, "SLUICE_BUILD": str(built)})
    return tree.parent


def unpack(package, folder):
    """All of a package below a folder, with what dpkg reads."""
    call("dpkg-deb", "-R", package, folder)
    listing = subprocess.run(["dpkg-deb", "-c", package], check=True,
                             capture_output=True, text=True).stdout
    return listing.splitlines()


def files_below(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*")
                  if path.is_symlink() or not path.is_dir())


def content(path):
    """Of a link: where it leads."""
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    return path.read_bytes()


def differences(package, other):
    """What differs between two packages."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = pathlib.Path(folder, "1"), pathlib.Path(folder, "2")
        listing, other_listing = unpack(package, first), unpack(other, second)
        names, others = files_below(first), files_below(second)
        for name in sorted(set(names) ^ set(others)):
            yield f"only one {package.name} has '{name}'"
        found = False
        for name in sorted(set(names) & set(others)):
            if content(first / name) != content(second / name):
                found = True
                yield f"'{name}' differs in {package.name}"
        if names == others and not found:
            for line, other_line in zip(listing, other_listing):
                if line != other_line:
                    yield (f"{package.name} has\n  {line}\nand the other\n  "
                           f"{other_line}")
                    return
            yield f"{package.name} is compressed in another way"


def named_in(package, words):
    """Files of a package that name one of these folders."""
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "all")
        unpack(package, target)
        for name in files_below(target):
            data = content(target / name)
            for word in words:
                if word.encode() in data:
                    yield f"'{name}' of {package.name} names '{word}'"


def compare(packages, others, folders):
    words = list(folders)
    names = sorted(path.name for path in packages.glob("*.deb"))
    other_names = sorted(path.name for path in others.glob("*.deb"))
    if not names:
        yield f"'{packages}' has no packages"
    for name in sorted(set(names) ^ set(other_names)):
        yield f"{name} was made once only"
    for name in sorted(set(names) & set(other_names)):
        yield from named_in(packages / name, words)
        if not filecmp.cmp(packages / name, others / name, shallow=False):
            yield from differences(packages / name, others / name)


def main():
    parser = argparse.ArgumentParser(
        description="builds packages again, and compares them")
    parser.add_argument("folders", type=pathlib.Path, nargs="+")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.folders]
    if len(folders) < 2 or (len(folders) != 3 and not options.compare):
        parser.error("wrong number of folders")
    if options.compare:
        packages, others, *named = folders
    else:
        source, packages, work = folders
        work.mkdir(parents=True, exist_ok=True)
        others = make_packages(source, work)
        named = [source, work]
    problems = list(compare(packages, others, map(str, named)))
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if not problems:
        print(f"the same packages: {len(list(packages.glob('*.deb')))}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
