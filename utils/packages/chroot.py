#!/usr/bin/env python3
# Installs the packages into a fresh Debian in a folder, uses them as a newcomer
# would, and removes them again.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   chroot.py PACKAGES FOLDER
#
# FOLDER is made by debootstrap from the mirror that apt uses here, and kept for
# the next time as FOLDER.base. Nothing is mounted from this system but /proc, /sys
# and /dev, so programs use installed files only, the examples and the pages of the
# tutorial among them. Debian's packages are fetched first; then it counts how long it takes from the installation to the first correct run
# of a new project: processors' time is limited, since others may use them too.

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

LIMIT = 60  # processor seconds from `apt install` to the first correct run
DOC = "/usr/share/doc/sluice"
# Pages whose commands are run and compared with the output shown there.
PAGES = ("tutorial/first-graph", "tutorial/packing", "tutorial/regions",
         "tutorial/task-graphs", "region-programs")


def call(*command, **options):
    print("+", " ".join(map(str, command)), flush=True)
    return subprocess.run([str(word) for word in command], check=True,
                          text=True, **options)


def mirror_and_suite():
    """Those of the first archive in apt's sources."""
    text = subprocess.run(
        ["apt-get", "indextargets", "--format",
         "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
        check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        site, release, component = line.split()
        if component == "main" and re.fullmatch("[a-z]+", release):
            return site, release
    sys.exit("apt's sources name no Debian archive")


class System:
    """A Debian in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def make(self):
        base = pathlib.Path(f"{self.folder}.base")
        if not (base / "made").exists():
            shutil.rmtree(base, ignore_errors=True)
            mirror, suite = mirror_and_suite()
            call("debootstrap", "--variant=minbase", suite, base, mirror)
            sources = base / "etc/apt/sources.list.d"
            for path in pathlib.Path("/etc/apt/sources.list.d").glob("debian*"):
                shutil.copy(path, sources)
            if any(sources.iterdir()):
                (base / "etc/apt/sources.list").unlink()
            else:
                shutil.copy("/etc/apt/sources.list", base / "etc/apt")
            (base / "made").touch()
        shutil.rmtree(self.folder, ignore_errors=True)
        call("cp", "-a", base, self.folder)

    def run(self, script, **options):
        """A shell script inside, in its home."""
        print(f"# {script}", flush=True)
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
             'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" '
             '&& mount --rbind -o ro /sys "$0/sys" '
             '&& exec chroot "$0" /usr/bin/env -i HOME=/root '
             'PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive '
             'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '
             'sh -ec "cd /root; $1"', self.folder, script],
            check=True, text=True, **options)

    def output(self, script):
        return self.run(script, stdout=subprocess.PIPE).stdout


def expect(text, wanted, what):
    if wanted not in text:
        sys.exit(f"{what}: expected '{wanted}' in:\n{text}")
    print(f"{what}: {wanted}")


def processor_time():
    """Of all that has ended here."""
    times = os.times()
    return times.children_user + times.children_system


def sluice_files(folder):
    """Files with Sluice's name, but for what lies in homes and temporary
    folders, and pages that `man` has kept."""
    return sorted(
        str(path.relative_to(folder))
        for top in ("usr", "etc", "var", "opt")
        for path in (folder / top).rglob("*luice*")
        if not path.is_relative_to(folder / "var/cache/man"))


INSTALL = "apt-get install -y -q --no-install-recommends"


def main():
    parser = argparse.ArgumentParser(
        description="tries packages in a fresh system")
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    system = System(options.folder)
    system.make()
    root = options.folder
    (root / "packages").mkdir()
    for path in options.packages.glob("*.deb"):
        shutil.copy(path, root / "packages")
    here = pathlib.Path(__file__).parent
    shutil.copy(here / "try_python.py", root / "root")
    shutil.copy(here.parent / "docs/sessions.py", root / "root")

    # Time for the network does not count for the packages.
    others = ("cmake make g++ openmpi-bin libopenmpi-dev mpich libmpich-dev "
              "python3-mpi4py graphviz libhalide14-0-dev man-db")
    system.run("apt-get update -q")
    system.run(f"{INSTALL} --download-only /packages/*.deb {others}")

    start, worked = time.monotonic(), processor_time()
    system.run(f"{INSTALL} /packages/*.deb")
    system.run("sluice init hello")
    ran = system.output("cd hello; sluice run hello.cpp")
    seconds = time.monotonic() - start
    expect(ran, "hello: ok", "sluice init")
    worked = processor_time() - worked
    print(f"from the installation to the first run: {seconds:.1f} s, of which "
          f"processors worked {worked:.1f} s")
    if worked > LIMIT:
        sys.exit(f"that is more than {LIMIT} s")

    system.run(f"{INSTALL} {others}")
    for kind in ("hpvm", "regions", "tasks", "pack"):
        system.run(f"sluice init --{kind} my-{kind}; cd my-{kind}; "
                   "cmake -B build; cmake --build build; "
                   "ctest --test-dir build --output-on-failure; "
                   "cmake --install build --prefix ../there")
        expect(system.output(f"there/bin/my-{kind}"),
               f"my-{kind}: ok", f"sluice init --{kind}, installed")
    system.run(f"cp -r {DOC}/examples .")
    expect(system.output("sluice run examples/hello/hello.cpp"),
           "hello: ok", "hello")
    expect(system.output("sluice run examples/halo/halo.mlir "
                         "examples/halo/halo.cpp"), "halo: ok", "halo")
    # In a folder with a blank; Halide is linked with another LLVM.
    system.run(f"cmake -S {DOC}/examples/blur -B 'a blur'; cmake --build 'a blur'; "
               f"cd 'a blur'; ./blur-meta {DOC}/examples/blur/tulip.bmp out.bmp; "
               "./blur; test -s out.bmp")
    expect(system.output(
        "sluice run --ranks=2 examples/halo/halo.mlir "
        "examples/halo/halo.cpp"), "halo: ok", "halo on two ranks")
    for mpi, start_two in (
        ("openmpi", "mpirun.openmpi --oversubscribe -n 2 -x SLUICE_MPI_STATS "
         "-x LD_PRELOAD="),
        ("mpich", "mpirun.mpich -n 2 -genv LD_PRELOAD ")
    ):
        said = system.output(
            f"mpicc.{mpi} examples/pack-mpi/halo.c -lm -o halo-{mpi}; "
            f"export SLUICE_MPI_STATS=1; "
            f"{start_two}libsluice-mpi-{mpi}.so ./halo-{mpi} 2>&1")
        expect(said, "pack-mpi: ok", f"pack-mpi, {mpi}")
        # The interception worked: the library was loaded.
        if not re.search(r"MPI_I(send|recv) +[0-9]+ calls", said):
            sys.exit(f"pack-mpi, {mpi}: expected statistics in:\n{said}")

    expect(system.output("python3 try_python.py"), "python: ok", "python3-sluice")
    for page in PAGES:
        expect(system.output(f"SLUICE=/usr python3 sessions.py {DOC}/docs/"
                             f"{page}.md 'with blanks/{page}'"),
               " commands", page)
    expect(system.output("MANPAGER=cat man sluice-run"), "SYNOPSIS", "man")

    # A user without a home folder.
    nobody = "runuser -u nobody -- env HOME=/nonexistent"
    refused = system.output(f"install -m 644 hello/hello.cpp /tmp; cd /tmp; ! {nobody} "
                            "sluice run hello.cpp 2>&1")
    expect(refused, "SLUICE_CACHE_DIR names another folder", "no home")
    expect(system.output(f'cd /tmp; {nobody} SLUICE_CACHE_DIR="$PWD/the cache" '
                         "sluice run hello.cpp"), "hello: ok", "no home")

    # Packages that are already installed, and a single MPI.
    system.run(f"{INSTALL} --reinstall /packages/*.deb")
    system.run("apt-get purge -y -q sluice-mpi-openmpi")
    expect(system.output("sluice run --ranks=2 examples/halo/halo.mlir "
                         "examples/halo/halo.cpp"), "halo: ok", "MPICH alone")
    system.run("apt-get purge -y -q sluice-mpi-mpich")
    expect(system.output("! sluice run --ranks=2 examples/halo/halo.mlir "
                         "examples/halo/halo.cpp 2>&1"),
           "it is in the package 'sluice-mpi-openmpi'", "no MPI")

    system.run("apt-get purge -y -q 'sluice*' 'libsluice*' python3-sluice")
    left = sluice_files(root)
    if left:
        sys.exit("left after the packages were purged: " + ", ".join(left))
    print("purged: nothing is left")
    shutil.rmtree(root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
