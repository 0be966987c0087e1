"""Runs the HPVM examples on a device and on the host, and compares.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

usage: examples.py compare SLUICE FOLDER HINT NAME...
       examples.py share SLUICE FOLDER NAME...
       examples.py each SLUICE FOLDER NAME...
       examples.py ptx SLUICE FOLDER NAME...

`compare` builds each example with --hint=HINT and runs it with
SLUICE_DEVICE=host and SLUICE_DEVICE=opencl: what it prints, times aside, and
the files it writes must be equal. `share` does the same with two devices that
share nodes. `each` is `compare` with the hint gpu, and runs the example once more
with CUDA, whose stand-in SLUICE_CUDA_LIBRARY names and which interprets the PTX. `ptx` makes PTX of each, looks at it, and
assembles it if there is a ptxas. NAME is an example, or `all`.
"""

import glob
import os
import re
import subprocess
import sys

import ptx

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
EXAMPLES = os.path.join(ROOT, "examples")
INPUTS = os.path.join(ROOT, "test/Examples/Inputs")


class Example:
    """Sources, flags of the linker, arguments, and what is made before.

    {out} stands for a name of the run's own, {in} for the folder of inputs,
    {examples} for that of the examples.
    """

    def __init__(self, sources, flags=(), runs=((),), inputs=None):
        self.sources, self.flags, self.runs = sources, list(flags), runs
        self.inputs = inputs  # the script that makes them


CAMERA = ("{examples}/camera/data/raw_tulip-small.bin",
          "{examples}/camera/data/NikonD7000", "{out}.png", "1")
PROGRAMS = {
    "hello": Example(["hello.cpp"]),
    "hierarchy": Example(["hierarchy.cpp"]),
    "histogram": Example(["histogram.cpp"]),
    "matmul": Example(["matmul.cpp"]),
    "reduction": Example(["reduction.cpp"]),
    "ports": Example(["ports.c"]),
    "structs": Example(["structs.c"]),
    "stencil3d": Example(["stencil3d.cpp"]),
    "spmv": Example(["spmv.cpp"],
                    runs=[["{examples}/spmv/data/network.mtx"]]),
    "hetero": Example(["hetero.cpp"]),
    "twofiles": Example(["host.cpp", "graph.cpp"]),
    "hpvm-ir": Example(["saxpy.ll"]),
    "camera": Example(["camera.cpp", "develop.cpp", "files.cpp", "plain.cpp"],
                      ["-lpng"], [CAMERA]),
    "edges": Example(["edges.cpp", "detect.cpp", "graph.cpp", "plain.cpp",
                      "input.cpp", "pan.cpp", "output.cpp"], ["-lpng"],
                     [["--check", "--pan", "3", "{in}/colour.ppm",
                       "{out}-%d.pgm"]], "frames.py"),
    "audio": Example(["audio.cpp", "encode.cpp", "plain.cpp", "decode.cpp",
                      "files.cpp"],
                     runs=[["encode", "{out}.slq", "sweep"],
                           ["decode", "{out}.slq", "{out}.wav", "sweep"]]),
}


def call(command, **settings):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=600,
                          env={**os.environ, **settings})


def complain(name, what, done):
    print(f"{name}: {what}\n{done.stdout}{done.stderr}")
    return False


def sources(example, name):
    return [os.path.join(EXAMPLES, name, file) for file in example.sources]


def without_times(text):
    """What is printed, less what differs from run to run."""
    return re.sub(r"[0-9.]+ (ms|s|us|ns|frames/s|times as fast)\b", "TIME", text)


def made_by(folder, kind):
    """The files a run wrote, by their names without its kind."""
    paths = glob.glob(os.path.join(folder, kind + "[.-]*"))
    contents = {}
    for path in paths:
        with open(path, "rb") as file:
            contents[os.path.basename(path)[len(kind):]] = file.read()
    return contents


def run_once(example, program, folder, kind, **settings):
    """Runs the program; its text without times, and its files."""
    words = {"out": os.path.join(folder, kind),
             "in": os.path.join(folder, "in"), "examples": EXAMPLES}
    text, errors = "", ""
    for arguments in example.runs:
        done = call([program, *(a.format(**words) for a in arguments)],
                    **settings)
        text += done.stdout.replace(words["out"], "OUT")
        errors += done.stderr
        if done.returncode != 0:
            return None, done
    return (without_times(text), errors, made_by(folder, kind)), None


def twice(settings):
    """The second run takes kernels that the first one built."""
    return [("first run", settings), ("second run", settings)]


ONE_DEVICE = twice({"SLUICE_DEVICE": "opencl"})
EACH_DEVICE = [*ONE_DEVICE, ("run by PTX", {"SLUICE_DEVICE": "cuda"})]
# PoCL's device, twice.
TWO_DEVICES = twice({"SLUICE_DEVICE": "opencl:0,opencl:1", "SLUICE_SHARE": "1",
                     "POCL_DEVICES": "pthread pthread"})


def compare(sluice, folder, hint, devices, name):
    example = PROGRAMS[name]
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "program")
    done = call([sluice, "build", "-O2", "--hint=" + hint,
                 *sources(example, name), *example.flags, "-o", program])
    if done.returncode != 0:
        return complain(name, "cannot be built", done)
    if example.inputs:
        subprocess.run([sys.executable, os.path.join(INPUTS, example.inputs),
                        os.path.join(folder, "in")], check=True)
    host, failed = run_once(example, program, folder, "host",
                            SLUICE_DEVICE="host")
    if failed:
        return complain(name, "fails on the host", failed)
    said = ""
    for turn, settings in devices:
        device, failed = run_once(example, program, folder, "device",
                                  **settings)
        if failed:
            return complain(name, "fails on the device", failed)
        if device[0] != host[0]:
            print(f"{name}: printed\n{device[0]}\nbut on the host\n{host[0]}")
            return False
        if device[2] != host[2]:
            print(f"{name}: the {turn} wrote other files than the host: "
                  f"{sorted(device[2])} and {sorted(host[2])}")
            return False
        if device[1] not in said:
            print(f"{name} says:\n{device[1]}", end="")
            said += device[1]
    return True


def make_ptx(sluice, folder, name):
    example = PROGRAMS[name]
    os.makedirs(folder, exist_ok=True)
    done = call([sluice, "build", "-O2", "--hint=gpu", "--print=ptx",
                 *sources(example, name)])
    if done.returncode != 0:
        return complain(name, "has no PTX", done)
    path = os.path.join(folder, name + ".ptx")
    with open(path, "w") as file:
        file.write(done.stdout)
    problems = list(ptx.problems(path, "sm_90"))
    for problem in problems:
        print(f"{name}: {problem}")
    return not problems


def main(action, sluice, folder, *rest):
    hint, *names = rest if action == "compare" else ("gpu", *rest)
    if names == ["all"]:
        names = list(PROGRAMS)
    devices = {"compare": ONE_DEVICE, "share": TWO_DEVICES,
               "each": EACH_DEVICE}.get(action)
    if devices:
        good = [compare(sluice, os.path.join(folder, name), hint, devices, name)
                for name in names]
        print(f"{sum(good)} of {len(good)} examples compute the same")
        return
    good = [make_ptx(sluice, folder, name) for name in names]
    print(f"{sum(good)} of {len(good)} examples have PTX, "
          + ("assembled by ptxas" if ptx.find_ptxas()
             else "looked at: no ptxas"))


if __name__ == "__main__":
    main(*sys.argv[1:])
