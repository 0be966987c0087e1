"""on_terminal.py COMMAND...: runs a command whose standard error is a terminal,
prints what it writes there, and exits with its status."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pty
import subprocess
import sys


def main():
    master, slave = pty.openpty()
    process = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave,
                               stderr=slave)
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # no writer is left
            break
        if not part:
            break
        text += part
    sys.stdout.write(text.decode().replace("\r\n", "\n"))
    sys.stdout.flush()
    sys.exit(process.wait())


main()
