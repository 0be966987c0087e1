"""Layouts from and to datatypes of mpi4py, beside MPI's own packing."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import random
import unittest

import numpy as np
from mpi4py import MPI
from sluice import pack

BASIC = [MPI.INT, MPI.DOUBLE, MPI.BYTE, MPI.INT16_T, MPI.C_DOUBLE_COMPLEX]


def random_type(pick, depth):
    """A datatype that begins at 0 or behind, and what must be freed."""
    if depth == 0 or pick.random() < 0.2:
        return pick.choice(BASIC), False
    base, is_made = random_type(pick, depth - 1)
    n = pick.randint
    kind = n(0, 10)
    if kind == 0:
        made = base.Create_contiguous(n(1, 3))
    elif kind == 1:
        made = base.Create_vector(n(1, 3), n(1, 2), n(2, 4))
    elif kind == 2:
        made = base.Create_hvector(n(1, 3), 1, 64 * n(1, 3) + base.extent)
    elif kind == 3:
        made = base.Create_indexed([1, 2], [n(2, 4), 0])
    elif kind == 4:
        made = base.Create_hindexed([1, 1], [2 * base.extent + 8, 0])
    elif kind == 5:
        made = base.Create_indexed_block(2, [0, n(2, 4)])
    elif kind == 6:
        made = base.Create_hindexed_block(1, [4 * base.extent, 0])
    elif kind == 7:
        made = MPI.Datatype.Create_struct([1, 2], [0, 16 + base.extent],
                                          [base, MPI.INT])
    elif kind == 8:
        made = base.Create_resized(0, base.extent + 16)
    elif kind == 9:
        made = base.Create_subarray([3, 4], [2, 2], [1, n(0, 2)],
                                    pick.choice([MPI.ORDER_C,
                                                 MPI.ORDER_FORTRAN]))
    else:
        made = base.Create_darray(
            4, n(0, 3), [5, 6], [MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC],
            [MPI.DISTRIBUTE_DFLT_DARG, 2], [2, 2], MPI.ORDER_C)
    if is_made:
        base.Free()
    return made, True


class Datatypes(unittest.TestCase):
    def test_both_ways(self):
        for seed in range(300):
            pick = random.Random(seed)
            datatype, is_made = random_type(pick, 3)
            lower, extent = datatype.Get_true_extent()
            count = 2
            reach = lower + extent + abs(datatype.extent)
            if not 0 <= lower or reach > 1 << 20:
                continue
            datatype.Commit()
            data = np.frombuffer(np.random.default_rng(seed).bytes(reach),
                                 np.uint8)
            with self.subTest(seed=seed):
                expected = packed_by_mpi(data, count, datatype)
                layout = pack.from_mpi(datatype)
                self.assertEqual(layout.size, datatype.size)
                self.assertEqual((layout.lower_bound, layout.extent),
                                 (datatype.lb, datatype.extent))
                self.assertEqual(layout.pack(data, count).tobytes(), expected)
                back = layout.to_mpi()
                self.assertEqual((back.size, back.lb, back.extent),
                                 (datatype.size, datatype.lb, datatype.extent))
                self.assertEqual(packed_by_mpi(data, count, back), expected)
                back.Free()
            if is_made:
                datatype.Free()

    def test_faces_are_sent(self):
        cube = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)
        face = cube[:, 1:4, 2]
        datatype = pack.of(face).to_mpi()
        got = np.zeros(face.size)
        first = cube.ravel()[8:]  # where the face begins
        MPI.COMM_SELF.Sendrecv([first, 1, datatype], 0, recvbuf=got, source=0)
        np.testing.assert_array_equal(got, face.ravel())
        datatype.Free()

    def test_what_has_no_layout(self):
        with self.assertRaisesRegex(TypeError, "no layout"):
            pack.from_mpi(MPI.DOUBLE_INT)
        with self.assertRaisesRegex(ValueError, "NULL"):
            pack.from_mpi(MPI.DATATYPE_NULL)


def packed_by_mpi(data, count, datatype):
    """What MPI sends of the data."""
    got = np.zeros(datatype.size * count, np.uint8)
    MPI.COMM_SELF.Sendrecv([data, count, datatype], 0,
                           recvbuf=[got, got.size, MPI.BYTE], source=0)
    return got.tobytes()


if __name__ == "__main__":
    unittest.main()
