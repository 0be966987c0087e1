# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench pack`: data layouts beside loops by hand and two MPI libraries."""

import contextlib
import dataclasses
import functools
import typing

from . import pack_layouts as layouts_of, pack_programs as programs_of
from .outcome import Outcome
from .pack_layouts import (CALLS, COMMITTED, DISTINCT, EXCHANGED, GAINS, HALOS,
                           IRREGULAR, OTHERS, SIZES)
from .pack_programs import (HAND, LABEL, MEMCPY, MPICH, MPIS, OPEN_MPI,
                            READY_MADE)
from .pack_table import Column, Overall, Table
from .table import Bar, Entry, Row, measure

WARM_UP, PAIR_WARM_UP = 0.01, 0.1  # seconds; a round takes milliseconds
ROW_SECONDS = 30  # at most, of a row, where the machine is not busy
MPI_LABELS = (OPEN_MPI, MPICH)
HAND_LABELS = tuple(HAND)
AGAIN = LABEL + " again"

# No layout has every loop by hand.
OF_HAND = Bar("best", 0.9, among=HAND_LABELS, optional=HAND_LABELS)
OF_MPI = Bar("best", 1.0, among=MPI_LABELS)
OF_ALL = Bar("best", 0.95, among=HAND_LABELS + MPI_LABELS,
             optional=HAND_LABELS)
COMMIT_EXTRA, CALL_EXTRA = 2e-6, 20e-9  # seconds
MANY_LIMIT = 2.0

RATIOS = [("of hand", OF_HAND), ("of the better MPI", OF_MPI)]
HALO_RATIOS = [("of the best of all", OF_ALL), ("of the better MPI", OF_MPI)]
PACKING_COLUMNS = [Column("memcpy", (MEMCPY,)), Column("hand", HAND_LABELS),
                   Column(OPEN_MPI, (OPEN_MPI,)), Column(MPICH, (MPICH,)),
                   Column("ready-made", (READY_MADE,)), Column(LABEL, (LABEL,))]


@dataclasses.dataclass
class Family:
    """Rows that `--rows` selects together; of these it may name some."""

    name: str
    title: str
    titles: dict  # of its rows, by layout
    run: typing.Callable
    packs: bool = False  # a layout alone selects it here

    def wanted(self, options):
        """The layouts to measure: if the family is named, those of its layouts
        that are named too, or all; else what no named family has."""
        rows = options.rows or [self.name]
        here = [layout for layout in self.titles if layout in rows]
        if self.name in rows:
            return here or list(self.titles)
        taken = {layout for family in ROWS if family.name in rows
                 for layout in family.titles}
        return [layout for layout in here
                if self.packs and layout not in taken]


class Session:
    """What all families need to measure their rows."""

    def __init__(self, options, round_trip, say):
        self.options, self.round_trip, self.say = options, round_trip, say
        self.outcome = Outcome([], {}, [])

    @contextlib.contextmanager
    def programs(self, makers):
        """Those that can be started, by label."""
        programs = programs_of.start_all(makers, self.options,
                                         self.outcome.facts,
                                         self.outcome.missing)
        try:
            yield programs
        finally:
            for program in programs.values():
                program.quit()

    def measure(self, row, entries, is_parallel=False):
        result = measure(row, entries, self.options,
                         self.round_trip if is_parallel else None, self.say,
                         ROW_SECONDS)
        self.outcome.results.append(result)
        return result

    def table(self, family, unit, columns, ratios, title="", name=""):
        made = Table(title or family.title, unit, columns, ratios,
                     name or family.name)
        self.outcome.tables.append(made)
        return made


# Packing and unpacking in one process.

def packing_makers():
    ours = {label: functools.partial(programs_of.sluice, name, "sluice")
            for label, name in ((LABEL, LABEL), (READY_MADE, READY_MADE),
                                (AGAIN, LABEL))}
    hand = {label: functools.partial(programs_of.hand, label)
            for label in HAND}
    mpis = {mpi.label: functools.partial(programs_of.mpi_peer, mpi, "mpi")
            for mpi in MPIS}
    return {**ours, MEMCPY: programs_of.memcpy, **hand, **mpis}


def packing_entries(direction, layout, programs, hand_rows):
    """Bars hold for the compiled kernel, or without a compiler for ours."""
    judged = LABEL if LABEL in programs else READY_MADE
    entries = []
    for label, program in programs.items():
        row = (direction, layouts_of.hand_name(layout))
        if label in HAND and row not in hand_rows[label]:
            continue
        mine = programs_of.is_ours(label)
        entries.append(Entry(
            label, program, f"{direction}:{layout}", is_ours=mine,
            is_again=label == AGAIN,
            is_judged=label == judged if mine else label != MEMCPY,
            warm_seconds=WARM_UP))
    return entries


def run_packing(ratios, bars, judge, family, session):
    """A table with the family's layouts packed, then unpacked."""
    layouts = family.wanted(session.options)
    if not layouts:
        return
    hand_rows = programs_of.hand_rows(session.options.output)
    table = session.table(family, "GB/s", PACKING_COLUMNS, ratios)
    with session.programs(packing_makers()) as programs:
        for direction in ("pack", "unpack"):
            for layout in layouts:
                title = f"{direction} {family.titles[layout]}"
                row = Row(f"{direction}:{layout}", title, "GB/s", 1e-9, bars)
                entries = packing_entries(direction, layout, programs,
                                          hand_rows)
                table.add(title, session.measure(row, entries))
    judge(table)


def judge_nothing(table):
    """The rows' own bars are all there are."""


def judge_irregular(table):
    rows = [f"{direction}:{name}" for direction in ("pack", "unpack")
            for name in IRREGULAR]
    table.judge(Overall.median("the better MPI, median of the irregular rows",
                               rows, OF_MPI, 3.0))


def judge_halos(table):
    for direction in ("pack", "unpack"):
        rows = [f"{direction}:{name}" for name in HALOS]
        table.judge(Overall.mean(
            f"the better MPI, geometric mean to {direction}", rows, OF_MPI,
            1.5))


# Between two ranks, and what commits and calls cost.

def measure_all(session, row, programs, row_name, warm_seconds=WARM_UP,
                is_parallel=False):
    entries = [Entry(label, program, row_name,
                     is_ours=programs_of.is_ours(label),
                     warm_seconds=warm_seconds)
               for label, program in programs.items()]
    return session.measure(row, entries, is_parallel)


def columns_of(labels):
    return [Column(label, (label,)) for label in labels]


def run_pingpong(mpi, family, session):
    layouts = family.wanted(session.options)
    if not layouts:
        return
    makers = {label: functools.partial(programs_of.pair_peer, mpi, label)
              for label in (mpi.label, mpi.interposed, mpi.manual)}
    bar = Bar(mpi.label, 0.97)
    table = session.table(family, "us", columns_of(makers),
                          [("of native", bar)])
    with session.programs(makers) as programs:
        for layout in layouts:
            title = family.titles[layout]
            row = Row(f"{family.name}:{layout}", title, "us", 1e6, [bar],
                      is_time=True)
            parameters = f"pingpong:{layouts_of.exchange(layout)}"
            table.add(title, measure_all(session, row, programs, parameters,
                                         PAIR_WARM_UP, is_parallel=True))
    table.judge(Overall.mean(
        f"{mpi.label}, geometric mean of structs, LAMMPS, SPECFEM3D, FFT",
        [f"{family.name}:{name}" for name in GAINS], bar, 1.5))


def run_beside_native(source, extra, unit, scale, family, session):
    """Times of a library with ours before it and without."""
    layouts = family.wanted(session.options)
    for mpi in MPIS if layouts else []:
        makers = {mpi.label: functools.partial(programs_of.mpi_peer, mpi,
                                               source),
                  mpi.interposed: functools.partial(
                      programs_of.interposed_peer, mpi, source)}
        bar = Bar(mpi.label, 1.0, extra=extra)
        ratios = [(f"of native + {extra * scale:g} {unit}", bar)]
        table = session.table(family, unit, columns_of(makers), ratios,
                              f"{family.title}, {mpi.label}",
                              f"{family.name}-{mpi.name}")
        with session.programs(makers) as programs:
            for layout in layouts:
                title = family.titles[layout]
                row = Row(f"{table.name}:{layout}", title, unit, scale, [bar],
                          is_time=True)
                table.add(title, measure_all(session, row, programs,
                                             f"{family.name}:{layout}"))


def run_commit(label, family, session):
    """Our own commits; `label` says whether they compile."""
    layouts = family.wanted(session.options)
    if not layouts:
        return
    makers = {label: functools.partial(programs_of.sluice, label,
                                       "commit_sluice")}
    table = session.table(family, "us", columns_of(makers), [])
    with session.programs(makers) as programs:
        for layout in layouts:
            title = family.titles[layout]
            row = Row(f"{family.name}:{layout}", title, "us", 1e6,
                      is_time=True)
            table.add(title, measure_all(session, row, programs,
                                         f"commit:{layout}"))


def run_many(family, session):
    if not family.wanted(session.options):
        return
    makers = {READY_MADE: functools.partial(programs_of.sluice, READY_MADE,
                                            "commit_sluice")}
    for mpi in MPIS:
        makers[mpi.label] = functools.partial(programs_of.mpi_peer, mpi,
                                              "commit_mpi")
        makers[mpi.interposed] = functools.partial(
            programs_of.interposed_peer, mpi, "commit_mpi")
    table = session.table(family, "ms", columns_of(makers), [])
    title = family.titles["many"]
    row = Row("many", title, "ms", 1e3,
              [Bar("the limit set", 1.0, limit=MANY_LIMIT)], is_time=True)
    with session.programs(makers) as programs:
        table.add(title, measure_all(session, row, programs, "many"))


def packing(name, title, titles, ratios, bars, judge=judge_nothing):
    return Family(name, title, titles,
                  functools.partial(run_packing, ratios, bars, judge), True)


ROWS = [
    *(packing(f"vector-{size}", "half of an array of doubles, "
              f"{layouts_of.size_title(size)} packed",
              layouts_of.vectors([size], layouts_of.BLOCKS), RATIOS,
              [OF_HAND, OF_MPI]) for size in SIZES),
    packing("irregular", "structs, bytes, lists, a transpose", OTHERS, RATIOS,
            [OF_HAND, OF_MPI], judge_irregular),
    packing("halo", "halo exchanges of applications, as in DDTBench", HALOS,
            HALO_RATIOS, [OF_ALL], judge_halos),
    *(Family(f"pingpong-{mpi.name}",
             f"half a round trip between two ranks, {mpi.label}", EXCHANGED,
             functools.partial(run_pingpong, mpi)) for mpi in MPIS),
    Family("commit", "MPI_Type_commit", COMMITTED,
           functools.partial(run_beside_native, "commit_mpi", COMMIT_EXTRA,
                             "us", 1e6)),
    Family("first", "MPI_Type_commit and the first two packs", COMMITTED,
           functools.partial(run_beside_native, "commit_mpi", COMMIT_EXTRA,
                             "us", 1e6)),
    Family("call", "a call whose type is left alone", CALLS,
           functools.partial(run_beside_native, "calls_mpi", CALL_EXTRA, "ns",
                             1e9)),
    Family("commit-own", "DDT_Commit", COMMITTED,
           functools.partial(run_commit, READY_MADE)),
    Family("compile", "DDT_Commit that compiles", DISTINCT,
           functools.partial(run_commit, LABEL)),
    Family("many", "many types made, committed, packed three times, freed",
           {"many": "40,000 distinct types"}, run_many),
]
MORE_ROWS = {layout for family in ROWS for layout in family.titles}


def run(options, round_trip, say):
    session = Session(options, round_trip, say)
    for family in ROWS:
        family.run(family, session)
    return session.outcome
