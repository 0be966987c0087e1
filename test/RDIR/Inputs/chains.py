# Prints a program of chains and trees with about the given number of nodes:
# again and again the grid is opened, tasks in a row change its pieces, and a
# close puts them together. With `--stale`, the last task reads the first grid.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

NUM_PIECES = 50
NUM_STEPS = 4


def main(num_nodes, is_stale):
    print("rdir.root @grid [1000] {a : f64}")
    print(f"rdir.partition @p of @grid [{NUM_PIECES}] disjoint complete by blocks")
    print("rdir.graph @main {")
    print("  %g0 = rdir.region @grid initial")
    count = 1
    phase = 0
    while count < num_nodes:
        pieces = [f"%p{phase}_0_{i}" for i in range(NUM_PIECES)]
        print(f"  rdir.open reads(%g{phase}) writes({', '.join(pieces)})")
        for i, piece in enumerate(pieces):
            print(f"  {piece} = rdir.region @p[{i}]")
        for step in range(1, NUM_STEPS + 1):
            for i in range(NUM_PIECES):
                new = f"%p{phase}_{step}_{i}"
                print(f"  rdir.task @f reads({pieces[i]}) writes({new})")
                print(f"  {new} = rdir.region @p[{i}]")
                pieces[i] = new
        phase += 1
        print(f"  rdir.close reads({', '.join(pieces)}) writes(%g{phase})")
        print(f"  %g{phase} = rdir.region @grid")
        count += 3 + NUM_PIECES * (1 + 2 * NUM_STEPS)
    if is_stale:
        print(f"  %last = rdir.task reads(%g{phase}, %g0) writes(%end)")
        print("  %end = rdir.region @grid")
    print("}")


main(int(sys.argv[1]), "--stale" in sys.argv)
