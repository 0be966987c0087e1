# The test that chroot.py runs in a fresh system: the Python package 'sluice',
# with everything that it needs from the other packages: their libraries,
# compilers and tools.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib

import numpy as np
import sluice
from mpi4py import MPI
from sluice import CKernel, in_, out

KERNELS = """\
#include <stdint.h>

void add_one(double *base, double *first, int64_t offset, int64_t rows,
             int64_t columns, int64_t rowStride, int64_t columnStride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      first[offset + i * rowStride + j * columnStride] += 1;
}
"""

PROGRAM = """\
#include "hpvm.h"
#include <stddef.h>

void square(double *x, size_t xBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  x[i] *= x[i];
}

void root(double *x, size_t xBytes, size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *node = __hpvm__createNodeND(1, square, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
"""


def expect(got, wanted):
    np.testing.assert_array_equal(got, wanted)


def double(x, y):
    y[:] = 2 * x


def graphs():
    pathlib.Path("kernels.c").write_text(KERNELS)
    x, y = np.arange(6.0).reshape(3, 2), np.zeros((3, 2))
    graph = sluice.TaskGraph("scale")
    a, b = graph.dat(x), graph.dat(y)
    graph.task(CKernel("add_one", "kernels.c"), a)
    graph.task(double, in_(a), out(b))
    graph.run()
    expect(x, np.arange(6.0).reshape(3, 2) + 1)
    expect(y, 2 * x)
    assert "add_one" in graph.html()  # by the tool 'sluice', and dot

    graph.task(CKernel("no_such", "kernels.c"), a)
    try:
        graph.run()
    except sluice.CompileError as error:
        assert error.problems[0].file.endswith("try_python.py"), error
    else:
        raise AssertionError("a kernel that is not there was found")


def programs():
    pathlib.Path("square.c").write_text(PROGRAM)
    x = np.arange(1000.0)
    sluice.load("square.c", "root")(x, len(x))
    expect(x, np.arange(1000.0) ** 2)


def packing():
    cube = np.arange(4.0 * 5 * 6).reshape(4, 5, 6)
    face = cube[:, :, 2]
    layout = sluice.pack.of(face).compile()
    buffer = layout.pack(face)
    assert bytes(buffer) == face.tobytes()
    copy = np.zeros_like(cube)
    layout.unpack(buffer, copy[:, :, 2])
    expect(copy[:, :, 2], face)
    expect(np.delete(copy, 2, axis=2), 0)

    column = MPI.DOUBLE.Create_vector(4, 1, 6).Commit()
    table = np.arange(24.0)
    packed = sluice.pack.from_mpi(column).pack(table)
    assert bytes(packed) == table[::6].tobytes()
    column.Free()


if __name__ == "__main__":
    graphs()
    programs()
    packing()
    print("python: ok")
