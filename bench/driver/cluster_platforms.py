# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks on which `bench cluster` simulates ranks, as SimGrid's platform
files: hosts n0, n1 and so on, of one rank each and 1e9 operations a second.

usage: cluster_platforms.py NETWORK RANKS FOLDER writes FOLDER/NETWORK-RANKS.xml
and the list of hosts beside it, FOLDER/NETWORK-RANKS.hosts.
"""

import pathlib
import sys

SPEED = "1Gf"
LINK = 'bw="12.5GBps"'  # 100 Gb/s
SITES = 4


def cluster(ranks):
    """All hosts at one switch, which never is the limit."""
    return (f'<cluster id="hosts" prefix="n" suffix="" radical="0-{ranks - 1}" '
            f'speed="{SPEED}" {LINK} lat="1us" bb_bw="10000GBps" '
            'bb_lat="0.5us"/>')


def fat_tree(ranks):
    """As many hosts at each switch as there are switches, and half as many
    links up as down."""
    side = round(ranks ** 0.5)
    if side * side != ranks:
        raise ValueError(f"a fat tree of {ranks} hosts: expected a square")
    up = max(1, side // 2)
    return (f'<cluster id="hosts" prefix="n" suffix="" radical="0-{ranks - 1}" '
            f'speed="{SPEED}" {LINK} lat="0.5us" topology="FAT_TREE" '
            f'topo_parameters="2;{side},{side};1,{up};1,1"/>')


def wide_area(ranks):
    """Four sites, 10 ms and 10 Gb/s from each other."""
    if ranks % SITES:
        raise ValueError(f"{SITES} sites of {ranks} hosts: expected a multiple")
    each = ranks // SITES
    lines = ['<zone id="world" routing="Full">']
    for site in range(SITES):
        first = site * each
        lines.append(f'<cluster id="site{site}" prefix="n" suffix="" '
                     f'radical="{first}-{first + each - 1}" speed="{SPEED}" '
                     f'{LINK} lat="1us" bb_bw="10000GBps" bb_lat="0.5us" '
                     f'router_id="router{site}"/>')
    pairs = [(a, b) for a in range(SITES) for b in range(a + 1, SITES)]
    for a, b in pairs:
        lines.append(f'<link id="far{a}-{b}" bandwidth="1.25GBps" '
                     'latency="10ms"/>')
    for a, b in pairs:
        lines.append(f'<zoneRoute src="site{a}" dst="site{b}" '
                     f'gw_src="router{a}" gw_dst="router{b}">'
                     f'<link_ctn id="far{a}-{b}"/></zoneRoute>')
    return "\n".join([*lines, "</zone>"])


NETWORKS = {"cluster": cluster, "fat-tree": fat_tree, "wide-area": wide_area}


def write(network, ranks, folder):
    """The paths of the platform and of its hosts."""
    folder.mkdir(parents=True, exist_ok=True)
    platform = folder / f"{network}-{ranks}.xml"
    hosts = folder / f"{network}-{ranks}.hosts"
    platform.write_text("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                        "'https://simgrid.org/simgrid.dtd'>\n"
                        f"<platform version='4.1'>\n{NETWORKS[network](ranks)}"
                        "\n</platform>\n", encoding="utf-8")
    hosts.write_text("".join(f"n{rank}\n" for rank in range(ranks)),
                     encoding="utf-8")
    return platform, hosts


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in NETWORKS:
        sys.exit(f"usage: cluster_platforms.py {'|'.join(NETWORKS)} RANKS "
                 "FOLDER")
    try:
        write(arguments[0], int(arguments[1]), pathlib.Path(arguments[2]))
    except ValueError as error:
        sys.exit(f"cluster_platforms.py: error: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
