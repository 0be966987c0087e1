# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench pack`: data layouts beside loops by hand and two MPI libraries."""

import dataclasses
import functools

from . import pack_programs as programs_of
from .outcome import Outcome
from .pack_programs import (AVX512, HAND, LABEL, MEMCPY, MPICH, MPIS, OPEN_MPI,
                            PLAIN, READY_MADE, STRAIGHT, STREAMING)
from .pack_table import Column, Overall, Table
from .table import Bar, Entry, Row, measure

WARM_UP = 0.01  # seconds; rounds are milliseconds
ROW_SECONDS = 30  # at most, of a row, where the machine is not busy
MPI_LABELS = (OPEN_MPI, MPICH)
HAND_LABELS = tuple(HAND)
OF_HAND = Bar("best", 0.9, among=HAND_LABELS)
OF_MPI = Bar("best", 1.0, among=MPI_LABELS)
OF_ALL = Bar("best", 0.95, among=HAND_LABELS + MPI_LABELS)

KIB, MIB = 1 << 10, 1 << 20
SIZES = {"64K": 64 * KIB, "1M": MIB, "64M": 64 * MIB}
BLOCKS = [1, 2, 4, 8, 16]

# Layouts of bench/pack/layouts.h, with what the table calls them.
OTHERS = {
    "struct-di": "struct {double[3], int}",
    "struct-cdsi": "struct {char, double, short, int}",
    "bytes": "bytes, stride 4",
    "floats": "vec(16384 3 4) of float",
    "indexed-short": "512 doubles, irregular, 16 times",
    "indexed-long": "8192 doubles, irregular",
    "transpose": "transpose of 512\u00b2 complex",
}
IRREGULAR = [name for name in OTHERS if name != "floats"]
HALOS = {
    "wrf-x-vec": "WRF x, vectors", "wrf-x-sa": "WRF x, subarrays",
    "wrf-y-vec": "WRF y, vectors", "wrf-y-sa": "WRF y, subarrays",
    "milc-su3-zdown": "MILC su3 zdown", "nas-lu-x": "NAS LU x",
    "nas-lu-y": "NAS LU y", "nas-mg-x": "NAS MG x", "nas-mg-y": "NAS MG y",
    "nas-mg-z": "NAS MG z", "lammps-full": "LAMMPS full",
    "lammps-atomic": "LAMMPS atomic", "specfem3d-oc": "SPECFEM3D oc",
    "specfem3d-cm": "SPECFEM3D cm", "specfem3d-mt": "SPECFEM3D mt",
    "fft2": "FFT2, sent", "fft2-received": "FFT2, received",
}
# What is received by another layout than it was sent by.
RECEIVED = ["lammps-full", "lammps-atomic", "specfem3d-mt", "fft2"]
PINGPONG_VECTORS = {
    f"vector:{block}:{SIZES[size]}": f"vector, block {block}, {size}iB"
    for size in ("64K", "1M") for block in (1, 4, 16, 64, 512)}
PINGPONG = {**PINGPONG_VECTORS,
            **{name: OTHERS[name] for name in ("struct-di", "struct-cdsi")},
            **{name: title for name, title in HALOS.items()
               if name != "fft2-received"}}
GAINS = ["struct-di", "struct-cdsi", "lammps-full", "lammps-atomic",
         "specfem3d-oc", "specfem3d-cm", "specfem3d-mt", "fft2"]

COMMITS = {"vectors": "vectors, each new", "structs": "structs, each new",
           "lists": "lists of 5, each new",
           "vector:8:65536": "vector, block 8, 64 KiB",
           "struct-cdsi": OTHERS["struct-cdsi"],
           **{name: HALOS[name] for name in
              ("wrf-y-vec", "wrf-y-sa", "milc-su3-zdown", "fft2",
               "lammps-full", "specfem3d-cm")}}
COMPILES = {"vectors": "vectors", "structs": "structs", "lists": "lists of 5"}
CALLS = {"basic": "send a double", "derived": "send a contiguous type",
         "request": "send without blocking, and wait"}
COMMIT_EXTRA, CALL_EXTRA = 2e-6, 20e-9  # seconds
MANY_LIMIT = 2.0  # seconds


@dataclasses.dataclass
class Family:
    """Rows that `--rows` selects together."""

    name: str
    title: str
    run: callable
    layouts: tuple  # `--rows` may name one of them too


def size_title(size):
    return f"{size[:-1]} {size[-1]}iB"


def is_wanted(family, layout, options):
    return (not options.rows or family.name in options.rows or
            layout in options.rows)


# Packing and unpacking.

def hand_name(layout):
    """`vector:8` of `vector:8:65536`."""
    return layout.rsplit(":", 1)[0] if layout.count(":") == 2 else layout


def packing_makers():
    makers = {LABEL: functools.partial(programs_of.sluice, LABEL, "sluice"),
              READY_MADE: functools.partial(programs_of.sluice, READY_MADE,
                                            "sluice"),
              MEMCPY: programs_of.memcpy}
    makers |= {label: functools.partial(programs_of.hand, label)
               for label in HAND}
    makers |= {mpi.label: functools.partial(programs_of.mpi_peer, mpi, "mpi")
               for mpi in MPIS}
    return makers


def packing_entries(direction, layout, programs, hand_rows):
    """Bars hold for the compiled kernel, or without a compiler for ours."""
    judged = LABEL if LABEL in programs else READY_MADE
    entries = []
    for label, program in programs.items():
        if label in HAND and ((direction, hand_name(layout))
                              not in hand_rows[label]):
            continue
        mine = programs_of.is_ours(label)
        entries.append(Entry(label, program, f"{direction}:{layout}",
                             is_ours=mine,
                             is_judged=label == judged if mine
                             else label != MEMCPY, warm_seconds=WARM_UP))
    return entries


PACKING_COLUMNS = [Column("memcpy", (MEMCPY,)), Column("hand", HAND_LABELS),
                   Column(OPEN_MPI, (OPEN_MPI,)), Column(MPICH, (MPICH,)),
                   Column("ready-made", (READY_MADE,)), Column(LABEL, (LABEL,))]


class Packing:
    """The programs that pack, for all families that need them."""

    def __init__(self, options, outcome, round_trip, say):
        self.options, self.outcome = options, outcome
        self.round_trip, self.say = round_trip, say
        self.programs = None

    def start(self):
        if self.programs is None:
            self.hand_rows = programs_of.hand_rows(self.options.output)
            self.programs = programs_of.start_all(
                packing_makers(), self.options, self.outcome.facts,
                self.outcome.missing)

    def measure(self, family, direction, layout, title, bars):
        self.start()
        row = Row(f"{direction}:{layout}", f"{direction} {title}", "GB/s", 1e-9,
                  bars)
        entries = packing_entries(direction, layout, self.programs,
                                  self.hand_rows)
        result = measure(row, entries, self.options.rounds, self.round_trip,
                         self.say, self.options.quick, ROW_SECONDS)
        self.outcome.results.append(result)
        return result

    def table(self, family, titles, bars, ratios):
        """A table of one family: each layout packed, each unpacked."""
        table = Table(family.title, "GB/s", PACKING_COLUMNS, ratios,
                      name=family.name)
        for direction in ("pack", "unpack"):
            for layout, title in titles.items():
                if is_wanted(family, layout, self.options):
                    result = self.measure(family, direction, layout, title,
                                          bars)
                    table.add(f"{direction} {title}", result)
        if table.results:
            self.outcome.tables.append(table)
        return table

    def quit(self):
        for program in (self.programs or {}).values():
            program.quit()


def vector_layouts(size):
    return {f"vector:{block}:{SIZES[size]}": f"block {block:2}"
            for block in BLOCKS}


RATIOS = [("of hand", OF_HAND), ("of the better MPI", OF_MPI)]
HALO_RATIOS = [("of the best of all", OF_ALL), RATIOS[1]]


def run_vectors(size, family, packing):
    packing.table(family, vector_layouts(size), [OF_HAND, OF_MPI], RATIOS)


def run_others(family, packing):
    table = packing.table(family, OTHERS, [OF_HAND, OF_MPI], RATIOS)
    rows = [f"{direction}:{name}" for direction in ("pack", "unpack")
            for name in IRREGULAR]
    table.judge(Overall.median("the better MPI, median of the irregular rows",
                               rows, OF_MPI, 3.0))


def run_halos(family, packing):
    table = packing.table(family, HALOS, [OF_ALL], HALO_RATIOS)
    for direction in ("pack", "unpack"):
        rows = [f"{direction}:{name}" for name in HALOS]
        table.judge(Overall.mean(
            f"the better MPI, geometric mean to {direction}", rows,
            OF_MPI, 1.5))


# Between two ranks, and what commits and calls cost.

def pair_layouts(layout):
    received = f" {layout}-received" if layout in RECEIVED else ""
    return f"pingpong:{layout}{received}"


def start_mpi(makers, packing):
    return programs_of.start_all(makers, packing.options,
                                 packing.outcome.facts,
                                 packing.outcome.missing)


def measure_row(row, programs, row_name, packing):
    entries = [Entry(label, program, row_name,
                     is_ours=programs_of.is_ours(label), warm_seconds=WARM_UP)
               for label, program in programs.items()]
    result = measure(row, entries, packing.options.rounds, packing.round_trip,
                     packing.say, packing.options.quick, ROW_SECONDS)
    packing.outcome.results.append(result)
    return result


def run_pingpong(mpi, family, packing):
    layouts = [layout for layout in PINGPONG
               if is_wanted(family, layout, packing.options)]
    if not layouts:
        return
    labels = (mpi.label, mpi.interposed, mpi.manual)
    programs = start_mpi({label: functools.partial(programs_of.pair_peer, mpi,
                                                   label)
                          for label in labels}, packing)
    bar = Bar(mpi.label, 0.97)
    table = Table(family.title, "us", [Column(label, (label,))
                                       for label in labels],
                  [("of native", bar)], name=family.name)
    for layout in layouts:
        row = Row(f"pingpong-{mpi.name}:{layout}", PINGPONG[layout], "us", 1e6,
                  [bar], is_time=True)
        table.add(PINGPONG[layout],
                  measure_row(row, programs, pair_layouts(layout), packing))
    table.judge(Overall.mean(
        f"{mpi.label}, geometric mean of structs, LAMMPS, SPECFEM3D, FFT",
        [f"pingpong-{mpi.name}:{name}" for name in GAINS], bar, 1.5))
    packing.outcome.tables.append(table)
    for program in programs.values():
        program.quit()


def run_beside_native(source, titles, extra, unit, scale, family, packing):
    """Rows that compare a library with and without ours, in time."""
    layouts = [layout for layout in titles
               if is_wanted(family, layout, packing.options)]
    for mpi in MPIS if layouts else []:
        makers = {mpi.label: functools.partial(programs_of.mpi_peer, mpi,
                                               source),
                  mpi.interposed: functools.partial(
                      programs_of.interposed_peer, mpi, source)}
        programs = start_mpi(makers, packing)
        bar = Bar(mpi.label, 1.0, extra=extra)
        table = Table(f"{family.title}, {mpi.label}", unit,
                      [Column(label, (label,)) for label in makers],
                      [(f"of native + {extra * scale:g} {unit}", bar)],
                      name=f"{family.name}-{mpi.name}")
        for layout in layouts:
            row = Row(f"{family.name}-{mpi.name}:{layout}", titles[layout],
                      unit, scale, [bar], is_time=True)
            table.add(titles[layout],
                      measure_row(row, programs, f"{family.name}:{layout}",
                                  packing))
        packing.outcome.tables.append(table)
        for program in programs.values():
            program.quit()


def run_own(row_of, titles, labels, unit, scale, family, packing):
    """Rows of our own library alone."""
    layouts = [layout for layout in titles
               if is_wanted(family, layout, packing.options)]
    if not layouts:
        return
    programs = start_mpi({label: functools.partial(programs_of.sluice, label,
                                                   "commit_sluice")
                          for label in labels}, packing)
    table = Table(family.title, unit, [Column(label, (label,))
                                       for label in labels], [],
                  name=family.name)
    for layout in layouts:
        row = Row(f"{family.name}:{layout}", titles[layout], unit, scale,
                  is_time=True)
        table.add(titles[layout], measure_row(row, programs,
                                              f"{row_of}:{layout}", packing))
    packing.outcome.tables.append(table)
    for program in programs.values():
        program.quit()


def run_many(family, packing):
    if not is_wanted(family, "many", packing.options):
        return
    makers = {READY_MADE: functools.partial(programs_of.sluice, READY_MADE,
                                            "commit_sluice")}
    for mpi in MPIS:
        makers[mpi.label] = functools.partial(programs_of.mpi_peer, mpi,
                                              "commit_mpi")
        makers[mpi.interposed] = functools.partial(
            programs_of.interposed_peer, mpi, "commit_mpi")
    programs = start_mpi(makers, packing)
    bar = Bar("the limit set", 1.0, limit=MANY_LIMIT)
    row = Row("many", "40,000 distinct types", "ms", 1e3, [bar], is_time=True)
    table = Table(family.title, "ms", [Column(label, (label,))
                                       for label in makers], [],
                  name=family.name)
    table.add(row.title, measure_row(row, programs, "many", packing))
    packing.outcome.tables.append(table)
    for program in programs.values():
        program.quit()


def families():
    vectors = [Family(f"vector-{size}",
                      f"half of an array of doubles, {size_title(size)} packed",
                      functools.partial(run_vectors, size),
                      tuple(vector_layouts(size))) for size in SIZES]
    pairs = [Family(f"pingpong-{mpi.name}",
                    f"half a round trip between two ranks, {mpi.label}",
                    functools.partial(run_pingpong, mpi), tuple(PINGPONG))
             for mpi in MPIS]
    return [
        *vectors,
        Family("irregular", "structs, bytes, lists, a transpose", run_others,
               tuple(OTHERS)),
        Family("halo", "halo exchanges of applications, as in DDTBench",
               run_halos, tuple(HALOS)),
        *pairs,
        Family("commit", "MPI_Type_commit", functools.partial(
            run_beside_native, "commit_mpi", COMMITS, COMMIT_EXTRA, "us", 1e6),
            ()),
        Family("call", "a call whose type is left alone", functools.partial(
            run_beside_native, "calls_mpi", CALLS, CALL_EXTRA, "ns", 1e9), ()),
        Family("commit-own", "DDT_Commit", functools.partial(
            run_own, "commit", COMMITS, [READY_MADE], "us", 1e6), ()),
        Family("compile", "DDT_Commit that compiles", functools.partial(
            run_own, "commit", COMPILES, [LABEL], "us", 1e6), ()),
        Family("many", "40,000 distinct types made, committed, packed, freed",
               run_many, ()),
    ]


ROWS = families()
MORE_ROWS = {layout for family in ROWS for layout in family.layouts}


def run(options, round_trip, say):
    outcome = Outcome([], {}, [])
    packing = Packing(options, outcome, None, say)
    for family in ROWS:
        family.run(family, packing)
        if family.name == "halo":  # the last one that packs in one process
            packing.quit()
            packing.programs = None
    packing.quit()
    return outcome
