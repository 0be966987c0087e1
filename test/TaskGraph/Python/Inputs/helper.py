"""What kern.py imports."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

OFFSET = 0.5


def decorated(function):
    return lambda state: None
