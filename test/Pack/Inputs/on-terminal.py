# Runs a command whose standard error is a terminal, and prints what it wrote
# there, each line that overwrites another in a line of its own.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pty
import subprocess
import sys


def main():
    ours, terminal = pty.openpty()
    process = subprocess.Popen(
        sys.argv[1:], stdout=subprocess.DEVNULL, stderr=terminal
    )
    os.close(terminal)
    written = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how a terminal says that nobody writes any more
            break
        if not part:
            break
        written += part
    print(written.decode().replace("\x1b[K", "").replace("\r", "\n") + "<end>")
    return process.wait()


sys.exit(main())
