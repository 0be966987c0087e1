"""Gives tools damaged bytecode, which must end in a message.

Usage: bytecode.py SLUICE SLUICE_OPT MODULE FOLDER. First files that MLIR's
own reader never ends with, frees memory twice after and aborts on, then random
changes of MODULE as bytecode: SLUICE_TEST_ROUNDS says how many (12),
SLUICE_TEST_SEED which.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import base64
import os
import random
import signal
import subprocess
import sys

sluice, opt, module, folder = sys.argv[1:]
rounds = int(os.environ.get("SLUICE_TEST_ROUNDS", "12"))
seed = int(os.environ.get("SLUICE_TEST_SEED", "1"))

ENDLESS = """
    TUzvUg1NTElSMjIuMS44AAENAwEDAQMHAyMVAwEVBxMLEw8PEw8TCwEDDwJDDwMDBQcFBQEFCQsB
    AwEBAwcBBQEPEQEFFxMDAwUHAQICBBkFAVERAwEHBAcDAQEGAwEFAQBNCRcPDxFidWlsdGluAG1v
    ZHVsZQByZGlyLmEAc21hbGwubWxpcgAICQMFAQE=
"""
FREES = """
    TUzvUg1NTElSMjIuMS44AAENAwEDAQMHAyMVAwEXBxMLEw8PEw8TCwEDDwJDDwMDBQcFBQEFCQsB
    AwEBAw0BBQEPEQEFFxMDAwUHAQICBBkFAVERAwEHBAcDAQEGAwEFAQBNCRcPDxFidWlsdGluAG1v
    ZHVsZQByZGlyLmEAc21hbGwubWxpcgAICQMFAQE=
"""
ABORTS = """
    TUzvUg1NTElSMjIuMS44AAEhBQEFEQEDCwMPDxMXGx8jJwNvVwkBVwsHCw8TCxMLCw8PDwsT
    DwsTCxMTDwsLMxMLDxMLEwsTCxMPExMLCxcPCxMBBw8PCwMDLQJqAgUVDwkRAQMdAQULHwUX
    AQUPDw0BBRkBAxURARERAwUFGxcBAQERATEFHRcBBQMFHxcBBwMXAQkDEQMJCRkFISMBAxEB
    AAAAAAAAABcBCwMFIxEBARcBDQMFJRcBDwMFJxcBEQMFKRcBEwMBAwsjBQEBFwEVDQlNBSsj
    BQMDAB1TVQUtFwEXAwEChAECAgFBIXJkaXIubm9kZQAEfwUBUBsBBwRvBgEhA0AhAwNAJQUF
    QCcHBUAxCQdANwsHQDsNCUA/DwtQQxEHBCMDBQkNQkkTAwcPRlEVAwcDAQYDAQUBAGYCLwUF
    CwUHBQUFBQUFBTsLDw0VExULDwsRYnVpbHRpbgByZGlyAG1vZHVsZQByb290AHBhcnRpdGlv
    bgB2YXJpYWJsZQBwYXJhbWV0ZXIAZ3JhcGgAcmVnaW9uAHRhc2sAL3dvcmuddHJ5L3JkaXIv
    bmVnL2NybGYubWxpcgB4AGEAcAB5AGIAaABzAGdvAG4AbWFpbgBmAEAACJ8XBQEBCwcJDREB
    CwcJDSMBHQETAQEHBy8BBQEBGQEBHQETAQEHAlNXBQEBLQFfBzMBNQc5ARcHPQEVBUEBEQGL
    B0cBAQEFEQEBl08BAQEB
"""


def ignore_limit():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])


def run(words, note="", prepare=None):
    result = subprocess.run(words, capture_output=True, preexec_fn=prepare)
    text = result.stderr.decode(errors="replace")
    if result.returncode not in (0, 1, 2) or note not in text or \
            (result.returncode and not text.strip()) or "LLVM ERROR" in text:
        print(f"seed {seed}: status {result.returncode} of {words}:\n{text}")
        sys.exit(1)


def write(name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


for name, text, note in (
        ("endless", ENDLESS, "its reader does not come to an end"),
        ("frees", FREES, ""),  # whether that is noticed is chance
        ("aborts", ABORTS, "its reader ends with signal 6")):
    # What a file is does not depend on its name.
    for ending in ("mlirbc", "mlir")[:2 if name == "aborts" else 1]:
        path = write(f"{name}.{ending}", base64.b64decode(text))
        run([sluice, "check", path], f"'{path}' is bytecode that cannot be "
            f"read: {note}", ignore_limit)
        if name != "endless":  # that takes seconds
            run([opt, path], note)
# As a graph behind a task of another program.
tasks = write("tasks.mlir", b"""dfg.dataset @A : f64 [3, 2]
dfg.task_graph @main {
  %0 = dfg.task hpvm "root"(@A) source("aborts.mlirbc")
}
""")
run([sluice, "check", tasks], "its reader ends with signal 6")
good = os.path.join(folder, "good.mlirbc")
subprocess.run([opt, "--emit-bytecode", module, "-o", good], check=True)
with open(good, "rb") as file:
    content = file.read()
pick = random.Random(seed)
for number in range(rounds):
    changed = bytearray(content)
    for _ in range(pick.choice((1, 1, 2, 5))):
        changed[pick.randrange(4, len(changed))] = pick.randrange(256)
    path = write("changed.mlirbc", changed)
    run([sluice, "check", path])
    run([opt, "-o", os.devnull, path])
print("all ended well")
