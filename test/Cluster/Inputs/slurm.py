# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""slurm.py SLURM FOLDER COMMAND...: runs the command where Slurm gives it this
machine. SLURM is a folder with Debian's packages, unpacked ('./dev setup').

Munge's daemon and both of Slurm's are children of this process and end with it;
all that they write is in FOLDER.
"""
import getpass
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

packages, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
command = sys.argv[3:]
folder = folder.resolve()
libraries = packages / "usr/lib/x86_64-linux-gnu"
programs = packages / "usr/sbin"
host = socket.gethostname().split(".")[0]
user = getpass.getuser()
daemons = []


def make_folder(name, mode):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name).chmod(mode)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(name, *arguments):
    output = open(folder / f"{name}.out", "w")
    daemons.append(subprocess.Popen(
        [programs / name, *arguments], env=environment,
        stdin=subprocess.DEVNULL, stdout=output, stderr=output))


def wait_for(is_there):
    while not is_there():
        for daemon in daemons:
            if daemon.poll() is not None:
                name = pathlib.Path(daemon.args[0]).name
                sys.exit(f"{name} ended with {daemon.returncode}:\n" +
                         (folder / f"{name}.out").read_text())
        time.sleep(0.02)


def is_node_ready():
    state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment,
                           capture_output=True, text=True).stdout.strip()
    return state in ("idle", "mixed", "allocated")


for name, mode in (("munge", 0o755), ("state", 0o700), ("spool", 0o755)):
    make_folder(name, mode)
folder.chmod(0o755)
key, munge = folder / "munge.key", folder / "munge/socket"
key.unlink(missing_ok=True)
key.write_bytes(os.urandom(128))
key.chmod(0o400)
controller, node = free_ports(2)
(folder / "slurm.conf").write_text(f"""\
ClusterName=sluice
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
PluginDir={libraries}/slurm-wlm
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={max(2, os.cpu_count())}
PartitionName=all Nodes={host} Default=YES State=UP OverSubscribe=FORCE:4
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
""")
environment = {
    **os.environ, "SLURM_CONF": str(folder / "slurm.conf"),
    "PATH": f"{packages}/usr/bin:{os.environ['PATH']}",
    "LD_LIBRARY_PATH": f"{libraries}:{libraries}/slurm-wlm"}
try:
    start("munged", "--foreground", "--force", f"--key-file={key}",
          f"--socket={munge}", f"--pid-file={folder}/munged.pid",
          f"--log-file={folder}/munged.log", f"--seed-file={folder}/seed")
    wait_for(munge.exists)
    start("slurmctld-wlm", "-D", "-i")
    start("slurmd-wlm", "-D", "-d", str(programs / "slurmstepd-wlm"))
    wait_for(is_node_ready)
    status = subprocess.call(command, env=environment)
finally:
    for daemon in reversed(daemons):
        daemon.send_signal(signal.SIGTERM)
    for daemon in daemons:
        try:
            daemon.wait(20)
        except subprocess.TimeoutExpired:
            daemon.kill()
sys.exit(status)
