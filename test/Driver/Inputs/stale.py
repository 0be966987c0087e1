"""Tries to get a stale program out of the cache.

One program prints a line for each thing that it depends on. Each step changes
one of them, in a way that a cache may overlook, and says what the program must
print from then on. Usage: stale.py SLUICE CLANG AR FOLDER
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import shutil
import subprocess
import sys

sluice, clang, ar, root = sys.argv[1:]

SOURCE = """
#include <stdio.h>
#include "edited.h"
#include "linked.h"
#include "below/folder.h"
#include "shadowed.h"
#include "renamed.h"
#include "hard.h"
#include <fromcpath.h>
#include <fromenv.h>
#if __has_include("appears.h")
enum { appears = 1 };
#else
enum { appears = 0 };
#endif
static const unsigned char embedded[] = {
#embed "data.bin"
};
int object(void), archive(void), library(void), path(void), script(void);
int preferred(void), response(void);
int main(void) {
  printf("source 1\\nedited %d\\nlinked %d\\nfolder %d\\nshadowed %d\\n"
         "renamed %d\\nhard %d\\ncpath %d\\nenv %d\\nappears %d\\nembed %c\\n"
         "forced %d\\nflag %d\\nobject %d\\narchive %d\\n"
         "library %d\\npath %d\\npreferred %d\\nscript %d\\nresponse %d\\n"
         "date %s\\n", EDITED,
         LINKED, FOLDER, SHADOWED, RENAMED, HARD, CPATH, ENV, appears,
         embedded[0], FORCED, FLAG, object(), archive(), library(),
         path(), preferred(), script(), response(), __DATE__);
  return 0;
}
"""

# Nobody tells which files an assembler reads, and time passes.
UNFORESEEN = """
#include <stdio.h>
__asm__(".data\\n.globl included\\nincluded: .incbin \\"asm.bin\\"\\n.text");
extern const char included;
int main(void) {
  puts(__TIMESTAMP__);
  return included;
}
"""

expected = {}
environment = dict(os.environ, SLUICE_CACHE_DIR=os.path.join(root, "cache"))
count = 0


def write(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as file:
        file.write(text)


def write_like_before(name, text):
    """An edit that keeps the size and the time."""
    info = os.stat(name)
    with open(name) as file:
        assert len(file.read()) == len(text)
    write(name, text)
    os.utime(name, ns=(info.st_atime_ns, info.st_mtime_ns))


def build_object(name, function, value):
    write("tmp.c", f"int {function}(void) {{ return {value}; }}\n")
    subprocess.run([clang, "-c", "tmp.c", "-o", name], check=True)


def build_archive(name, function, value):
    build_object("tmp.o", function, value)
    os.makedirs(os.path.dirname(name), exist_ok=True)
    subprocess.run([ar, "rcs", "new.a", "tmp.o"], check=True)
    os.replace("new.a", name)


def build_library(name, function, value):
    write("tmp.c", f"int {function}(void) {{ return {value}; }}\n")
    os.makedirs(os.path.dirname(name), exist_ok=True)
    subprocess.run([clang, "-shared", "-fPIC", "tmp.c", "-o", name],
                   check=True)


def symlink(target, name):
    if os.path.islink(name):
        os.remove(name)
    os.symlink(target, name)


def run():
    return subprocess.run(
        [sluice, "run", "main.c", "-std=c23", "-Iempty", "-Ifirst", "-Isecond",
         "-Iappearing", "-include", "forced.h", "@flags.rsp", "object.o",
         "lib/libarchive.a", "-Lfirstlib", "-Llib", "-llibrary", "-lpreferred",
         "-lpath", "-lscript", "-Wl,@linker.rsp", "-Wl,-rpath," + root],
        env=environment, capture_output=True, text=True)


def run_other(name):
    return subprocess.run([sluice, "run", name], env=environment,
                          capture_output=True, text=True)


def artefacts():
    folder = os.path.join(root, "cache", "programs")
    return sorted((entry.name, entry.stat().st_mtime_ns)
                  for entry in os.scandir(folder))


def check(what, **changes):
    """The program prints what it must; `changes` are from now on."""
    global count
    count += 1
    expected.update({key: str(value) for key, value in changes.items()})
    result = run()
    got = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    wrong = {key: (value, got.get(key)) for key, value in expected.items()
             if got.get(key) != value}
    if result.returncode or wrong:
        sys.exit(f"{what}: expected and got {wrong}\n{result.stderr}")
    return got


def main():
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    os.chdir(root)
    os.makedirs("empty")
    write("main.c", SOURCE)
    for name, text in {
            "edited.h": "#define EDITED 1\n", "one.h": "#define LINKED 1\n",
            "two.h": "#define LINKED 2\n", "f1/folder.h": "#define FOLDER 1\n",
            "f2/folder.h": "#define FOLDER 2\n",
            "second/shadowed.h": "#define SHADOWED 1\n",
            "renamed.h": "#define RENAMED 1\n", "old.h": "#define RENAMED 2\n",
            "hard.h": "#define HARD 1\n", "c1/fromcpath.h": "#define CPATH 1\n",
            "c2/fromcpath.h": "#define CPATH 2\n",
            "e1/fromenv.h": "#define ENV 1\n", "data.bin": "a", "asm.bin": "\1",
            "forced.h": "#define FORCED 1\n", "flags.rsp": "-DFLAG=1\n",
            "linker.rsp": "--defsym=response=object\n",
            "lib/libscript.so": "INPUT(script1.o)\n"}.items():
        write(name, text)
    os.utime("old.h", (1, 1))
    symlink("one.h", "linked.h")
    symlink("f1", "below")
    os.link("hard.h", "other-name.h")
    build_object("object.o", "object", 1)
    build_object("script1.o", "script", 1)
    build_object("script2.o", "script", 2)
    for name in ("archive", "path", "preferred"):
        build_archive(f"lib/lib{name}.a", name, 1)
    build_archive("lib/liblibrary.a", "library", 1)
    environment["CPATH"] = "c1"
    environment["C_INCLUDE_PATH"] = "e1"
    environment["SOURCE_DATE_EPOCH"] = "86400"

    check("first", source=1, edited=1, linked=1, folder=1, shadowed=1,
          renamed=1, hard=1, cpath=1, env=1, appears=0, embed="a",
          forced=1, flag=1, object=1, archive=1, library=1, path=1,
          preferred=1, script=1, response=1, date="Jan  2 1970")

    write_like_before("main.c", SOURCE.replace("source 1", "source 2"))
    check("a source, size and time kept", source=2)
    write_like_before("edited.h", "#define EDITED 2\n")
    check("a header, size and time kept", edited=2)
    write("edited.h", "#define EDITED 3\n")
    check("a header, edited once", edited=3)
    write("edited.h", "#define EDITED 4\n")
    check("a header, edited again at once", edited=4)
    symlink("two.h", "linked.h")
    check("a link to another header", linked=2)
    symlink("f2", "below")
    check("a link to another folder", folder=2)
    os.replace("old.h", "renamed.h")
    check("a header, replaced by an older one", renamed=2)
    write("other-name.h", "#define HARD 2\n")
    check("a header, edited under its other name", hard=2)
    write("first/shadowed.h", "#define SHADOWED 2\n")
    check("a header in a folder that was not there", shadowed=2)
    write("empty/shadowed.h", "#define SHADOWED 3\n")
    check("a header in a folder that was empty", shadowed=3)
    write("shadowed.h", "#define SHADOWED 4\n")
    check("a header beside the source", shadowed=4)
    os.remove("shadowed.h")
    check("no header beside the source", shadowed=3)
    write("appearing/appears.h", "")
    check("__has_include of what appears", appears=1)
    os.remove("appearing/appears.h")
    check("__has_include of what goes", appears=0)
    write_like_before("data.bin", "b")
    check("#embed", embed="b")
    write_like_before("forced.h", "#define FORCED 2\n")
    check("-include", forced=2)
    write_like_before("flags.rsp", "-DFLAG=2\n")
    check("@file", flag=2)
    environment["CPATH"] = "c2"
    check("CPATH", cpath=2)
    write_like_before("e1/fromenv.h", "#define ENV 2\n")
    check("a header of C_INCLUDE_PATH", env=2)
    write("e0/fromenv.h", "#define ENV 3\n")
    environment["C_INCLUDE_PATH"] = "e0:e1"
    check("C_INCLUDE_PATH", env=3)
    build_object("object.o", "object", 2)
    check("an object", object=2, response=2)
    build_archive("lib/libarchive.a", "archive", 2)
    check("an archive", archive=2)
    build_archive("lib/liblibrary.a", "library", 2)
    check("an archive of -l", library=2)
    build_archive("firstlib/liblibrary.a", "library", 3)
    check("an archive earlier on the path of -l", library=3)
    build_library("lib/libpreferred.so", "preferred", 2)
    shutil.copy("lib/libpreferred.so", root)
    environment["LD_LIBRARY_PATH"] = root
    check("a shared library beside the archive", preferred=2)
    os.remove("lib/libpath.a")
    build_archive("envlib/libpath.a", "path", 3)
    environment["LIBRARY_PATH"] = "envlib"
    check("LIBRARY_PATH", path=3)
    build_archive("envlib/libpath.a", "path", 4)
    check("an archive on LIBRARY_PATH", path=4)
    write("lib/libscript.so", "INPUT(script2.o)\n")
    check("a script of the linker", script=2)
    build_object("script2.o", "script", 3)
    check("an object that a script of the linker names", script=3)
    write("linker.rsp", "--defsym=response=archive\n")
    check("a response file of the linker", response=2)
    environment["SOURCE_DATE_EPOCH"] = "172800"
    check("SOURCE_DATE_EPOCH", date="Jan  3 1970")
    os.remove("edited.h")
    if run().returncode != 1:
        sys.exit("a header that is gone was not missed")

    del environment["SOURCE_DATE_EPOCH"]
    write("unforeseen.c", UNFORESEEN)
    before = run_other("unforeseen.c")
    write_like_before("asm.bin", "\2")
    os.utime("unforeseen.c", (100000000, 100000000))
    after = run_other("unforeseen.c")
    if (before.returncode, after.returncode) != (1, 2):
        sys.exit(".incbin is stale")
    if before.stdout == after.stdout:
        sys.exit("__TIMESTAMP__ is stale")

    # The same names and the same command in another folder.
    for folder, value in (("x", 1), ("y", 2)):
        write(folder + "/main.c",
              f'int main(void) {{ return {value}; }}\n')
        result = subprocess.run([sluice, "run", "main.c"], cwd=folder,
                                env=environment)
        if result.returncode != value:
            sys.exit("a program of another folder was run")
    # What has not changed is not built again.
    os.chdir("y")
    before = artefacts()
    for _ in range(2):
        subprocess.run([sluice, "run", "main.c"], env=environment)
    if artefacts() != before:
        sys.exit("a program was built although nothing had changed")
    print(f"{count} programs, none stale")


main()
