"""What kern.py imports: a module of the user beside that of the tasks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

OFFSET = 0.5


def decorated(function):
    return lambda state: None
