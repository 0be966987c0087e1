# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two network namespaces with names of their own, as two machines with a wire
between them, for tests that may make some (as root).

With `with Machines(folder, wire) as machines`, `machines.run(command, ...)` runs
a command on the first one, whose Open MPI starts ranks on both. `wire` is a
program that delays and loses packets, or empty for a direct one.
"""
import os
import pathlib
import stat
import subprocess
import time

ADDRESSES = ("10.77.0.1", "10.77.0.2")
NAMES = ("first", "second")


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Machines:
    def __init__(self, folder, wire=(), slots=1):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.spaces = [f"sluice-{os.getpid()}-{name}" for name in NAMES]
        # Names of devices have at most 15 characters.
        self.devices = [f"sl{os.getpid() % 1000000}{end}" for end in "ab"]
        self.wire, self.slots, self.process = list(wire), slots, None

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        for space in self.spaces:
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
        if self.wire:
            self.process = subprocess.Popen(
                [self.wire[0], *(f"/run/netns/{s}" for s in self.spaces),
                 *self.devices, *self.wire[1:]], stdout=subprocess.PIPE)
            self.process.stdout.read(1)  # it is there
        else:
            ip("link", "add", self.devices[0], "netns", self.spaces[0], "type",
               "veth", "peer", "name", self.devices[1], "netns",
               self.spaces[1])
        for space, device, address in zip(self.spaces, self.devices, ADDRESSES):
            ip("-n", space, "addr", "add", f"{address}/24", "dev", device)
            ip("-n", space, "link", "set", device, "up")
        (self.folder / "hosts").write_text(
            "".join(f"{address} slots={self.slots}\n" for address in ADDRESSES))
        # What Open MPI calls instead of ssh: AGENT HOST COMMAND.
        agent = self.folder / "agent"
        agent.write_text(
            "#!/bin/sh\nshift\n" + " ".join(self.on(1)) +
            ' sh -c "$*"\n')
        agent.chmod(agent.stat().st_mode | stat.S_IXUSR)

    def on(self, machine):
        """What runs a command there, on a host of that name."""
        return ["ip", "netns", "exec", self.spaces[machine], "unshare", "-u",
                "sh", "-c", f"'hostname {NAMES[machine]}; exec \"$@\"'", "sh"]

    def environment(self):
        return {**os.environ,
                "OMPI_MCA_plm_rsh_agent": str(self.folder / "agent"),
                "OMPI_MCA_btl_tcp_if_include": "10.77.0.0/24",
                "OMPI_MCA_oob_tcp_if_include": "10.77.0.0/24",
                "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
                "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def start(self, command, environment={}, **options):
        words = [word.strip("'") for word in self.on(0)]
        return subprocess.Popen([*words, *command], stdin=subprocess.DEVNULL,
                                env={**self.environment(), **environment},
                                **options)

    @property
    def hostfile(self):
        return str(self.folder / "hosts")

    def bytes_sent(self, machine):
        """By the wire's own count, with all heads of packets."""
        text = subprocess.run(
            ["ip", "netns", "exec", self.spaces[machine], "cat",
             "/proc/net/dev"], check=True, capture_output=True,
            text=True).stdout
        line = next(line for line in text.splitlines()
                    if line.strip().startswith(self.devices[machine] + ":"))
        return int(line.split(":")[1].split()[8])

    def cut(self):
        """Packets are lost from now on, and nobody is told."""
        ip("-n", self.spaces[1], "link", "set", self.devices[1], "down")

    def processes(self):
        return [process for space in self.spaces
                for process in self.processes_of(space)]

    def wait_until_empty(self):
        """What runs there after ten minutes; nothing, it is to be hoped."""
        end = time.monotonic() + 600
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.05)
        return left

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self.process.wait()
        for space in self.spaces:
            if pathlib.Path(f"/run/netns/{space}").exists():
                for process in self.processes_of(space):
                    os.kill(process, 9)
                ip("netns", "del", space)

    @staticmethod
    def processes_of(space):
        text = subprocess.run(["ip", "netns", "pids", space],
                              capture_output=True, text=True).stdout
        return [int(word) for word in text.split()]
