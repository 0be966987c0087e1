"""A shell on a terminal, in which words are completed as a user does it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pty
import re
import signal
import subprocess

PROMPT = "READY> "
# What terminals do, not what they show.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")


class Shell:
    def __init__(self, command, **variables):
        signal.alarm(300)
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "500",
                 "PS1": PROMPT, "HISTFILE": "", **variables})
        os.close(slave)
        self.text = ""

    def read_until(self, ending, behind=""):
        """All up to an ending, behind something else."""
        while True:
            text = CONTROL.sub("", self.text)
            if text.endswith(ending) and behind in text:
                self.text = ""
                return text
            self.text += os.read(self.master, 4096).decode()

    def run(self, line):
        """The lines that a command prints."""
        mark = "<done>"
        os.write(self.master, (line + "; printf '<%s>\\n' done\n").encode())
        text = self.read_until(PROMPT, mark)
        return text.partition(mark)[0].splitlines()[1:]

    def complete(self, line):
        """The words of a command line whose last word was completed; the shell
        has a function 'sluice' that shows them."""
        os.write(self.master, (line + "\t\n").encode())
        text = self.read_until(PROMPT, "]")
        return re.findall(r"^\[.*\]\r?$", text, re.MULTILINE)[-1].strip()

    def quit(self):
        os.write(self.master, b"exit\n")
        os.close(self.master)
        return self.process.wait()
