# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`bench stream`: streaming graphs beside pipelines of libraries and threads."""

import pathlib

from . import ours, peers, stream_peers, toolchain
from .outcome import Outcome
from .program import WrongResult
from .ratios import bounded, paired_ratio
from .table import Bar, Entry, Row, Verdict, measure

LIMIT = "the limit set"
# At most 0.3 of the best peer's time.
THIRD = Bar("best", 1 / 0.3, among=tuple(stream_peers.LIBRARIES))
WARM_UP = 0.3     # seconds
ROW_SECONDS = 55  # at most, of a row, where the machine is not busy

STAGE_ROWS = [
    Row("serial", "four near-empty serial stages, time per item", "ns", 1e9,
        [THIRD], is_time=True),
    Row("stateless", "four near-empty stateless stages, time per item", "ns",
        1e9, is_time=True),
    Row("latency-p50", "one item in flight, push to pop, median", "ns", 1e9,
        [Bar(LIMIT, 1.0, limit=200e-9)], is_time=True),
    Row("latency-p99", "one item in flight, push to pop, 99th percentile",
        "ns", 1e9, is_time=True),
]
EDGES_ROWS = [
    Row("edges", "edge detection of 640x480, a frame's buffers its own",
        "frames/s", 1.0),
    Row("edges-large", "edge detection of 1920x1080", "frames/s", 1.0),
]
ROWS = [*STAGE_ROWS, *EDGES_ROWS]
PIXELS = {"edges": 640 * 480, "edges-large": 1920 * 1080}
FRAME_BYTES = 8  # of all buffers, per pixel


def second_level_cache():
    """Bytes of one core's, or 0 where the system does not tell."""
    path = pathlib.Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
    try:
        return int(path.read_text().strip().removesuffix("K")) << 10
    except (OSError, ValueError):
        return 0


def fits_cache(name):
    return PIXELS[name] * FRAME_BYTES <= second_level_cache()


def edges_bars(name):
    """The pipeline's speed and that of the loops; one worker's where a frame
    fits the cache. Where it does not, see judge_scaling."""
    scaling = [Bar(ours.ONE_WORKER, 1.9)] if fits_cache(name) else []
    return [*scaling, Bar(stream_peers.EDGES_PIPELINE, 1.0),
            Bar("best", 0.95, among=(stream_peers.EDGES_FRAMES,
                                     stream_peers.EDGES_ROWS))]


def start_ours(label, source, suffix, flags, compiler, options, threads):
    executable = ours.build(compiler, options.output, source,
                            f"stream-{source}{suffix}", flags, suite="stream")
    return ours.start(executable, label, options.output, threads)


def our_entries(row, compiler, options):
    """The compiled graph, a second process of it; the near-empty stages also
    as written, the real ones also on one worker."""
    is_edges = row in EDGES_ROWS
    source = "edges" if is_edges else "stages"
    plan = [(ours.LABEL, "", [], options.threads),
            (ours.LABEL + " again", "", [], options.threads)]
    off = toolchain.transforms_off(compiler)
    if off:
        plan.append((ours.AS_WRITTEN, "-as-written", off, options.threads))
    if is_edges:
        plan.append((ours.ONE_WORKER, "", [], 1))
    return [Entry(label, start_ours(label, source, suffix, flags, compiler,
                                    options, threads),
                  row.name, is_ours=True, is_judged=label == ours.LABEL,
                  is_again=label == ours.LABEL + " again",
                  warm_seconds=WARM_UP)
            for label, suffix, flags, threads in plan]


def peer_entries(row, programs):
    return [Entry(label, program, row.name,
                  is_judged=label not in stream_peers.LIMITS)
            for label, program in programs.items()]


def judge_scaling(result, times, options):
    """Two threads gain on one what the memory of two cores lets them, so the
    gain is compared with OpenMP's in the same round."""
    labels = (ours.ONE_WORKER, ours.LABEL, stream_peers.EDGES_PLAIN,
              stream_peers.EDGES_FRAMES)
    against = "the speed-up of OpenMP, frames in parallel"
    found = [times.get(label) for label in labels]
    if options.peers and not all(found):
        return
    ratio = bounded([(one / all_of_them) / (plain / frames)
                     for one, all_of_them, plain, frames in zip(*found)]
                    ) if all(found) else None
    result.verdicts.append(Verdict(ours.LABEL, against, ratio, 0.95))


def add_speedups(result, options):
    """Beside Sluice's own: how much two threads gain with OpenMP."""
    times = {entry.label: entry.times for entry in result.entries}
    if result.entries and not fits_cache(result.row.name):
        judge_scaling(result, times, options)
    for one, all_of_them in ((ours.ONE_WORKER, ours.LABEL),
                             (stream_peers.EDGES_PLAIN,
                              stream_peers.EDGES_FRAMES)):
        if times.get(one) and times.get(all_of_them):
            ratio = paired_ratio(times[one], times[all_of_them])
            result.notes.append(f"'{all_of_them}' over '{one}': "
                                f"{ratio.text()}")
    result.notes.append(
        f"a frame's buffers have {PIXELS[result.row.name] * FRAME_BYTES >> 10}"
        f" KiB, a core's second-level cache {second_level_cache() >> 10} KiB")


def run_row(row, programs, compiler, options, round_trip, say, facts):
    mine, problem = [], ""
    if compiler:
        try:
            mine = our_entries(row, compiler, options)
            ours.note_libraries(mine[0].program, facts)
        except (toolchain.Missing, WrongResult) as error:
            problem = f"Sluice: {error}"
    if row in EDGES_ROWS:
        row.bars = edges_bars(row.name)
    result = measure(row, mine + peer_entries(row, programs), options,
                     round_trip, say, ROW_SECONDS)
    if row in EDGES_ROWS and not options.check:
        add_speedups(result, options)
    if problem:
        result.notes.append(problem)
    for entry in mine:
        entry.program.quit()
    return result


def find_compiler(options, outcome):
    try:
        compiler = toolchain.sluice(options.sluice)
    except toolchain.Missing as error:
        outcome.missing.append(f"Sluice: {error}")
        return None
    outcome.facts[ours.LABEL] = {"compiler": toolchain.first_line(
        [compiler, "--version"]), "libraries": {}}
    return compiler


def run(options, round_trip, say):
    outcome = Outcome([], {}, [])
    compiler = find_compiler(options, outcome)
    for rows, makers in ((STAGE_ROWS, stream_peers.STAGES),
                         (EDGES_ROWS, stream_peers.EDGES)):
        wanted = [row for row in rows
                  if not options.rows or row.name in options.rows]
        if not wanted:
            continue
        programs, facts, missing = peers.start_all(
            options.output, options.threads, options.peers, makers)
        outcome.facts.update(facts)
        outcome.missing += missing
        for row in wanted:
            outcome.results.append(
                run_row(row, programs, compiler, options, round_trip, say,
                        outcome.facts))
        for program in programs.values():
            program.quit()
    return outcome
