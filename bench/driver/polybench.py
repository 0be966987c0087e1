# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench polybench`: the kernels of PolyBench/C 4.2, written anew in OpenMP."""

import functools
import os

from . import apps, apps_programs, openmp, ours, peers, toolchain
from .apps import App
from .pack_table import Column, Table
from .table import Bar
from .toolchain import BENCH, CLANG_FLAGS, GCC_FLAGS

HERE = BENCH / "polybench"
KERNELS = [HERE / f"{name}.c"
           for name in ("linear", "solvers", "stencils", "medley")]
POLLY = "Polly"
POLLY_FLAGS = [part for flag in ("-polly", "-polly-parallel",
                                 "-polly-omp-backend=LLVM")
               for part in ("-mllvm", flag)]

OF_OPENMP = Bar("best", 0.9, among=apps_programs.OPENMP, of=ours.LABEL)
OF_SERIAL = Bar(apps_programs.SERIAL, 0.95, of=ours.ONE_WORKER)
MEANS = [("the better of gcc and clang, OpenMP", OF_OPENMP, 1.2),
         ("serial clang, with one worker", OF_SERIAL, 1.0)]


def kernel(name, numbers, small, medium, large, check):
    """`numbers` says what those of a size, behind its repetitions, are."""
    return App(name, f"{name}: {numbers}",
               {"small": small, "medium": medium, "large": large}, check)


APPS = [
    kernel("gemm", "rows, columns, inner", "10:60:70:80", "1:200:220:240",
           "1:600:660:720", "1:37:29:23"),
    kernel("symm", "rows, columns", "10:60:80", "1:200:240", "1:600:720",
           "1:37:29"),
    kernel("syrk", "rows, inner", "10:80:60", "1:240:200", "1:900:600",
           "1:37:29"),
    kernel("syr2k", "rows, inner", "10:80:60", "1:240:200", "1:900:600",
           "1:37:29"),
    kernel("trmm", "rows, columns", "10:60:128", "1:200:320", "1:700:960",
           "1:37:129"),
    kernel("2mm", "four sides", "10:40:50:70:80", "1:180:190:210:220",
           "1:500:550:600:650", "1:17:29:23:31"),
    kernel("3mm", "side", "10:50", "1:190", "1:480", "1:37"),
    kernel("doitgen", "planes, rows, columns", "10:20:25:30", "1:40:50:60",
           "1:100:120:140", "1:7:9:13"),
    kernel("gemver", "side", "20:120", "4:700", "1:3000", "1:101"),
    kernel("gesummv", "side", "20:120", "4:700", "1:3000", "1:101"),
    kernel("atax", "rows, columns", "20:116:124", "4:700:800",
           "1:3600:4400", "1:101:67"),
    kernel("bicg", "rows, columns", "20:116:124", "4:700:800",
           "1:3600:4400", "1:67:101"),
    kernel("mvt", "side", "20:120", "4:700", "1:4000", "1:101"),
    kernel("cholesky", "side", "4:120", "1:400", "1:1000", "1:67"),
    kernel("durbin", "length", "10:400", "1:2000", "1:8000", "1:101"),
    kernel("gramschmidt", "rows, columns", "4:80:60", "1:240:200",
           "1:600:500", "1:147:131"),
    kernel("lu", "side", "4:120", "1:400", "1:900", "1:67"),
    kernel("ludcmp", "side", "4:120", "1:400", "1:900", "1:67"),
    kernel("trisolv", "side", "20:120", "4:1000", "1:4000", "1:301"),
    kernel("jacobi-1d", "length, steps", "4:400:100", "1:20000:200",
           "1:400000:100", "1:301:5"),
    kernel("jacobi-2d", "side, steps", "4:90:40", "1:250:100", "1:1300:40",
           "1:67:5"),
    kernel("heat-3d", "side, steps", "4:20:40", "1:40:100", "1:120:40",
           "1:19:5"),
    kernel("fdtd-2d", "width, height, steps", "4:60:80:40", "1:200:240:100",
           "1:1000:1200:20", "1:67:43:5"),
    kernel("seidel-2d", "side, steps", "4:120:10", "1:400:20", "1:2000:4",
           "1:147:3"),
    kernel("adi", "side, steps", "4:60:40", "1:200:40", "1:1000:5",
           "1:67:4"),
    kernel("correlation", "attributes, points", "10:80:100", "1:240:260",
           "1:700:800", "1:41:67"),
    kernel("covariance", "attributes, points", "10:80:100", "1:240:260",
           "1:700:800", "1:41:67"),
    kernel("deriche", "width, height", "10:192:128", "1:720:480",
           "1:4096:2160", "1:101:67"),
    kernel("floyd-warshall", "vertices", "4:120", "1:400", "1:900", "1:67"),
    kernel("nussinov", "length", "4:180", "1:500", "1:1200", "1:67"),
]


def row_of(app, size, numbers):
    row = apps.row_of(app, size, numbers)
    row.bars = [OF_OPENMP, OF_SERIAL]
    return row


ROWS = [row_of(app, size, numbers) for app in APPS
        for size, numbers in app.sizes.items()]
MORE_ROWS = [app.name for app in APPS]  # stand for all their sizes


#===-- Programs ----------------------------------------------------------===#


def inputs():
    return [*HERE.iterdir(), BENCH / "common/harness.h"]


def build(folder, kind, command, libraries=(), environment=None):
    """All kernels by one compiler, with the oracle, which is clang's."""
    oracle = folder / "polybench/oracle.o"
    toolchain.build(oracle, [toolchain.clang(), "-O2", "-DORACLE",
                             "-Wno-unknown-pragmas", "-nostdlib", "-r",
                             *KERNELS, "-o", oracle], inputs())
    output = folder / "polybench" / kind
    return toolchain.build(output, [*command, *KERNELS, HERE / "main.c", oracle,
                                    *libraries, "-lm", "-o", output],
                           [*inputs(), oracle, command[0]], environment)


def peer(label, kind, compiler, flags, library, libraries, folder, threads):
    found = compiler()
    return peers.Peer(label, str(build(folder, kind, [found, *flags],
                                       libraries)), library,
                      {"OMP_NUM_THREADS": str(threads)},
                      toolchain.first_line([found, "--version"]))


def libomp():
    return toolchain.need_file("/usr/lib/llvm-22/lib/libomp.so",
                               "libomp-22-dev")


def polly(folder, threads):
    return peer(POLLY, "polly", toolchain.clang, [*CLANG_FLAGS, *POLLY_FLAGS],
                "libomp", [libomp()], folder, threads)


def openmp_clang(folder, threads):
    libomp()
    return peer(peers.OPENMP_CLANG, "clang", toolchain.clang,
                [*CLANG_FLAGS, *apps_programs.LIBOMP], "libomp", [], folder,
                threads)


bind = functools.partial
PEERS = {
    apps_programs.SERIAL: bind(peer, apps_programs.SERIAL, "serial",
                               toolchain.clang, CLANG_FLAGS, "", []),
    peers.OPENMP_CLANG: openmp_clang,
    peers.OPENMP_GCC: bind(peer, peers.OPENMP_GCC, "gcc", toolchain.gcc,
                           [*GCC_FLAGS, "-fopenmp"], "libgomp", []),
    POLLY: polly}


def sluice(compiler, folder):
    return build(folder, "sluice", [compiler, "build", "-q", *CLANG_FLAGS],
                 environment={**os.environ, **ours.environment(folder, 2)})


#===-- Measuring ---------------------------------------------------------===#


def run_app(app, compiler, options, round_trip, say, outcome):
    openmp.run_rows(app, apps.rows_of(app, options, row_of,
                                      f"kernel:{app.name}"),
                    PEERS, bind(sluice, compiler, options.output), compiler,
                    options, round_trip, say, outcome)


def table_of(results):
    """A line a row, and the means over all that were measured."""
    columns = [Column(label, (label,)) for label in
               (ours.LABEL, ours.ONE_WORKER, *PEERS)]
    table = Table("kernels of PolyBench, time of a repetition", "ms", columns,
                  [("of OpenMP", OF_OPENMP),
                   ("1 worker, of serial", OF_SERIAL)], name="polybench")
    return openmp.judged(table, results, MEANS)


def run(options, round_trip, say):
    return apps.run_all(APPS, run_app, table_of, options, round_trip, say)
