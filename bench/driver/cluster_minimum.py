# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fewest messages and bytes of a repetition on two ranks, computed from what
the problems say: each value that the other rank made and this one reads crosses
once, what can leave at the same time in one message each way. A sum over both
ranks is a number to the one that adds, and the sum back.
"""

NUMBER = 8  # bytes
RANKS = 2


def first_of(count, rank):
    return count * rank // RANKS


def owner_of(count, index):
    """Of a block of the indices."""
    return next(rank for rank in range(RANKS)
                if first_of(count, rank) <= index < first_of(count, rank + 1))


def halo(n, rows, columns, pairs):
    """A row each way before each sweep; the ranks have a half each."""
    assert (rows, columns) == (RANKS, 1)
    return 2 * pairs * RANKS, 2 * pairs * RANKS * n * NUMBER


class Circuit:
    """Wires of pieces, drawn as bench/rdir/circuit.h draws them."""

    def __init__(self, nodes, wires, pieces):
        self.state = 2026
        self.nodes, self.pieces = nodes, pieces
        for _ in range(3 * nodes):
            self.random()
        self.ends = []  # of each wire: its piece, the node where it ends
        for wire in range(wires):
            piece = next(p for p in range(pieces)
                         if wire < (p + 1) * wires // pieces)
            self.node_of(piece)
            leaves = self.random() < 1 / 16
            there = int(self.random() * pieces) if leaves else piece
            self.ends.append((piece, self.node_of(there)))
            for _ in range(3):
                self.random()

    def random(self):
        self.state = (self.state * 6364136223846793005
                      + 1442695040888963407) % 2 ** 64
        return (self.state >> 11) * 2.0 ** -53

    def first_node(self, piece):
        return piece * self.nodes // self.pieces

    def node_of(self, piece):
        first = self.first_node(piece)
        return first + int(self.random()
                           * (self.first_node(piece + 1) - first))


def circuit(nodes, wires, pieces, steps):
    """Of each node in which a wire of the other rank ends, the voltage goes to
    it and a sum of charges comes back."""
    assert pieces == RANKS
    shared = {(piece, node) for piece, node in Circuit(nodes, wires,
                                                       pieces).ends
              if owner_of(nodes, node) != piece}
    ways = len({piece for piece, _ in shared})
    return 2 * ways * steps, 2 * len(shared) * NUMBER * steps


def cg(rows, entries, pieces, steps):
    """Elements of p in the columns of the other rank's rows; two sums a step,
    and one before the first."""
    side = round(rows ** 0.5)
    assert (pieces, entries) == (RANKS, 5 * rows - 4 * side)
    needed = {(owner_of(rows, row), column)
              for row in range(max(0, rows // 2 - side), rows // 2 + side)
              for column in (row - side, row + side, row - 1, row + 1)
              if 0 <= column < rows and abs(row // side - column // side) +
              abs(row % side - column % side) == 1
              and owner_of(rows, column) != owner_of(rows, row)}
    ways, sums = len({rank for rank, _ in needed}), 2 * steps + 1
    return (ways * steps + 2 * sums,
            (len(needed) * steps + 2 * sums) * NUMBER)


def hydro(width, zoneCount, pointCount, sideCount, pieces, cycles):
    """Of each point that a zone of the other rank touches, forces go to its
    owner, two numbers, and its place and mean speed come back, four. The least
    time step of the other rank comes to the one that compares, and goes back with
    forces."""
    assert (pieces, sideCount) == (RANKS, 4 * zoneCount)
    shared = set()
    for zone in range(zoneCount):
        first = zone // width * (width + 1) + zone % width
        owner = owner_of(zoneCount, zone)
        for point in (first, first + 1, first + width + 1, first + width + 2):
            if owner_of(pointCount, point) != owner:
                shared.add((owner, point))
    ways = len({owner for owner, _ in shared})
    return ((2 * ways + 1) * cycles,
            (6 * len(shared) + 2) * NUMBER * cycles)


OF = {"halo": halo, "circuit": circuit, "cg": cg, "hydro": hydro}


def of(problem):
    """(messages, bytes)."""
    return OF[problem.source](**problem.parameters)
