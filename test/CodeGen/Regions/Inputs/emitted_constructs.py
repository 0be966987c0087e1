# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes each construct of programs over regions in each language.

usage: emitted_constructs.py SLUICE FOLDER. What a language cannot say must be
refused, with the name of the partition or graph, or at the task's place.
"""

import pathlib
import subprocess
import sys

sluice, folder = sys.argv[1], pathlib.Path(sys.argv[2])
LANGUAGES = ("c++", "legion", "starpu", "starpu-mpi")
HEAD = """rdir.parameter @n : i64 = 8
rdir.variable @flag : i32 = 0
rdir.root @r [16] {a : f64, c : i64, l : i64}
rdir.root @g [8, 8] {a : f64}
rdir.partition @p of @r [4] disjoint complete by blocks
rdir.partition @t of @g [2, 2] disjoint complete by blocks
"""
# Declarations of @x, and whether Legion has them.
PARTITIONS = {
    "@r [4] disjoint incomplete by field(\"c\")": True,
    "@r [4] aliased incomplete by image(@p, \"c\")": True,
    "@r [4] aliased incomplete by preimage(\"c\", @p)": True,
    "@r [4] aliased incomplete by union(@p, @p)": True,
    "@p[1] [2] disjoint complete by blocks": True,
    "@g [2, 2] aliased complete by halo(@t, [1, 1], axes)": True,
    "@g [2, 2] aliased complete by halo(@t, [1, 1], periodic)": False,
    "@r [4] aliased incomplete by image(@p, \"c\" to next)": False,
    "@r [4] aliased incomplete by preimage(\"c\" to \"l\", @p)": False,
    "@r [4, 4] disjoint incomplete by cross(@p, @p)": False,
    "@r [4, 2] disjoint complete by blocks(@p)": False,
    "@r [4] disjoint complete by color([i mod 4])": False,
    "@g [2, 2] disjoint complete by image(@t, [j, i])": False,
    "@g [2, 2] disjoint complete by preimage([j, i], @t)": False,
    "@r [4] aliased incomplete by difference(@p, @p whole)": False,
    "@r [4] aliased incomplete by intersection(@p, @p[1])": False}
TASK = "rdir.task @f over [4] writes(@p {a})"
# Statements, and whether source code can have them.
STATEMENTS = {
    TASK: True,
    f"rdir.loop 3 while @flag {{ {TASK} }}": True,
    f"rdir.loop if @flag {{ {TASK} }}": True,
    f"rdir.loop unless @flag {{ {TASK} }}": True,
    f"rdir.loop if @flag {{ {TASK} }} else {{ rdir.task @h writes(@r {{a}}) }}":
        True,
    "rdir.task @f over [2] writes(@p[i] {a}, @p[i + 2] {a})": True,
    "rdir.loop %k in 3 { rdir.task @f over [2] writes(@p[i + %k mod 4] {a}) }":
        False,
    "rdir.loop %k in 3 { rdir.task @f writes(@p[%k] {a}) }": False,
    "rdir.loop %k in 3 { rdir.task @f over [4 - %k] writes(@p {a}) }": False,
    "rdir.loop %k in 3 { rdir.task @f over [4] writes(@p {a}) with(%k) }":
        False,
    f"rdir.loop %k in 3 {{ rdir.loop 4 - %k {{ {TASK} }} }}": False,
    "rdir.task @f over [@n - 4] writes(@p {a})": False,
    "rdir.task @f over [4] reads(@p[i + 1 mod 4] {c}) writes(@p {a})": False}


def check(text, expected, reason):
    path = folder / "construct.mlir"
    path.write_text(HEAD + text + "\n")
    for language in LANGUAGES:
        done = subprocess.run(
            [sluice, "build", path, f"--emit={language}", "-o",
             folder / "construct.txt"], capture_output=True, text=True,
            check=False)
        isRight = done.returncode == 0 and "error" not in done.stderr \
            if expected(language) else \
            done.returncode == 1 and reason in done.stderr
        if not isRight:
            sys.exit(f"{language}: status {done.returncode}\n{text}\n"
                     f"{done.stderr}")


for rule, isLegion in PARTITIONS.items():
    task = "rdir.task @f over [{}] reads(@x {{a}})".format(
        rule[rule.index("[", 4 if rule[1] == "p" else 0) + 1:].split("]")[0])
    check(f"rdir.partition @x of {rule}\nrdir.graph @main {{ {task} }}",
          lambda language: isLegion or language != "legion",
          "partition '@x' has a rule that generated Legion programs")
for statement, isCode in STATEMENTS.items():
    check(f"rdir.graph @main {{ {statement} }}", lambda language: isCode,
          "depends on the iteration of a loop, or on a sum")
check("rdir.partition @x of @r [4] disjoint incomplete by field(\"c\")\n"
      "rdir.graph @main repeats 3 { rdir.task @f over [4] writes(@x {c}) }",
      lambda language: False, "graph '@main' is repeated")
print(f"{len(PARTITIONS) + len(STATEMENTS) + 1} constructs")
