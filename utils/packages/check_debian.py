#!/usr/bin/env python3
# The files in debian/ say what CMake's say: versions and packages; and each tool
# has a manual page.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   check_debian.py SOURCE BUILD

import pathlib
import re
import sys


def problems(source, build):
    def read(path):
        return (source / path).read_text()

    version = re.search(r"project\(Sluice VERSION (\S+)",
                        read("CMakeLists.txt"))[1]
    changes = re.match(r"sluice \((\S+)\)", read("debian/changelog"))[1]
    if changes != version:
        yield f"debian/changelog has version {changes}, CMakeLists.txt {version}"

    number = re.search(r"set\(SLUICE_SOVERSION (\d+)\)",
                       read("cmake/SharedLibraries.cmake"))[1]
    packages = re.findall(r"^Package: (\S+)$", read("debian/control"), re.M)
    if f"libsluice{number}" not in packages:
        yield (f"libraries end in .so.{number}, but debian/control has no "
               f"package libsluice{number}")
    rules = read("debian/rules")
    for name in re.findall(r"\.so\.(\d+)", rules):
        if name != number:
            yield f"debian/rules names a library .so.{name}, not .so.{number}"

    # Each component of the installation belongs to one package.
    installed = dict(re.findall(r"\$\(call install,([\w-]+),([\w-]+)\)", rules))
    if sorted(installed) != sorted(packages):
        yield (f"debian/rules installs {sorted(installed)}, debian/control has "
               f"{sorted(packages)}")
    components, tools = set(), set()
    for path in build.rglob("cmake_install.cmake"):
        text = path.read_text()
        components |= set(re.findall(
            r'CMAKE_INSTALL_COMPONENT STREQUAL "([^"]+)"', text))
        tools |= set(re.findall(r'TYPE EXECUTABLE FILES ".*/bin/([^"/]+)"', text))
    for component in sorted(components ^ set(installed.values())):
        yield f"the component '{component}' is CMake's or debian/rules' alone"

    for tool in sorted(tools):
        if not (build / "share/man/man1" / f"{tool}.1").exists():
            yield (f"the tool '{tool}' has no manual page: "
                   "cmake/CommandFiles.cmake does not name it")


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    found = list(problems(source, build))
    for problem in found:
        print(f"error: {problem}")
    if not found:
        print("debian/ agrees with CMake")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
