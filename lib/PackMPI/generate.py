"""Writes the interposer's wrappers from calls.txt.

Usage: generate.py calls.txt FOLDER

Native.inc   the MPI library's own functions, one object each
Calls.inc    the names of the calls, for enum Call and the statistics
Wrappers.inc the definitions of MPI_* and PMPI_*
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys


class Call:
    """One line of the table."""

    def __init__(self, line):
        self.name, self.family, parameters = (
            field.strip() for field in line.split("|"))
        self.parameters = [p.strip() for p in parameters.split(",") if p]
        self.is_new = "MPI_Session" in parameters or self.name.endswith("_c")
        self.has_large = bool(
            re.search(r"\b(Count|Displ|Place)\b", parameters))
        self.arguments = ", ".join(
            re.search(r"(\w+)$", p).group(1) for p in self.parameters)

    def prototype(self, count, displ, place):
        """The parameter list with the table's placeholders filled in."""
        types = {"Count": count, "Displ": displ, "Place": place}
        return ", ".join(
            re.sub(r"\b(Count|Displ|Place)\b", lambda m: types[m.group(1)], p)
            for p in self.parameters)

    def variants(self):
        """(suffix, prototype) of each variant of the call."""
        yield "", self.prototype("int", "int", "MPI_Aint")
        if self.has_large:
            yield "_c", self.prototype("MPI_Count", "MPI_Aint", "MPI_Count")


def read_table(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [Call(line) for line in lines if line and line[0] != "#"]


def guarded(call, suffix, text):
    """Large variants and sessions exist from MPI 4 on."""
    if not suffix and not call.is_new:
        return text
    return "#if MPI_VERSION >= 4\n%s#endif\n" % text


def native(calls):
    for call in calls:
        for suffix, _ in call.variants():
            name = call.name + suffix
            yield guarded(call, suffix, (
                "inline constinit Function<decltype(&PMPI_{0})> {0}"
                '{{"PMPI_{0}"}};\n').format(name))


def names(calls):
    for call in calls:
        yield "SLUICE_MPI_CALL(%s)\n" % call.name


def wrappers(calls):
    for call in calls:
        for suffix, prototype in call.variants():
            yield guarded(call, suffix, (
                "SLUICE_MPI_ENTRY int PMPI_{name}({prototype}) {{\n"
                "  return {family}<native::{name}, Call::{call}>({args});\n"
                "}}\n"
                "SLUICE_MPI_ALIAS(PMPI_{name}) MPI_{name};\n").format(
                    name=call.name + suffix, call=call.name,
                    prototype=prototype, family=call.family,
                    args=call.arguments))


def write(folder, name, parts):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("// Written by generate.py from calls.txt.\n")
        file.writelines(parts)


def main():
    table, folder = sys.argv[1:]
    calls = read_table(table)
    os.makedirs(folder, exist_ok=True)
    write(folder, "Native.inc", native(calls))
    write(folder, "Calls.inc", names(calls))
    write(folder, "Wrappers.inc", wrappers(calls))


if __name__ == "__main__":
    main()
