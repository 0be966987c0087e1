# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def solve(state):
    if state:
