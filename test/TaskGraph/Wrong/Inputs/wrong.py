# Kernels that wrong graphs call in a wrong way.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


def solve(state):
    state["solution"] = 1


def scale(array, factor, *, base):
    pass


value = 3
