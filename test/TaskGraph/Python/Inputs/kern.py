"""Functions that tests of Python tasks call or refuse."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from os.path import join as joined  # noqa: F401
import helper


def solve(state, values, count):
    state["sum"] = sum(map(sum, values.tolist())) * count


def show(state, result):
    result[()] = state["sum"] + helper.OFFSET
    print("the sum is", state["sum"])


def scale(values, factor=2, /):
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[i, j] *= factor


def named(state, *, count):
    pass


def anything(*arguments):
    pass


async def later(state):
    pass


def lazy(state):
    yield state


def fail(state):
    state["inner"] = [1, 2, 3]
    check(state)


def check(state):
    raise ValueError(f"three is too many: {state['inner']}")


def leave(state):
    raise SystemExit(0)


def answer(state):
    return 42


@helper.decorated
def decorated(a, b, c):
    pass
