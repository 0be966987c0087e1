"""What the tests of outputs have in common: small programs to build, and a
list of what went wrong.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

failures = []

SOURCE = """
#include "hpvm.h"
#include <stdio.h>
void leaf(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, x);
  x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 3;
}
void root(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, x);
  void *node = __hpvm__createNodeND(1, leaf, 4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
int main(void) {
  int x[4];
  struct __attribute__((packed)) { int *x; size_t bytes; } a = {x, sizeof x};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &a));
  __hpvm__cleanup();
  printf("value %d\\n", x[3]);
  return 0;
}
"""

TASKS = """dfg.kernel_source "kernel.c"
dfg.dataset @x : si32 [3] printed
dfg.task_graph @g {
  %first = dfg.task c "twice"(@x)
}
"""

KERNEL = """void twice(int *x_buf, int *x, int offset, int n, int stride) {
  for (int i = 0; i < n; ++i)
    x[offset + i * stride] += 2;
}
"""


def expect(condition, what):
    if not condition:
        failures.append(what)


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def is_plain(result):
    """An error, or none, but no signal and no trace of a stack."""
    return (result.returncode in (0, 1, 2)
            and not any(trace in result.stderr for trace in (
                "LLVM ERROR", "Stack dump", "PLEASE submit", "terminate")))


def finish(message):
    """Says that all was well, or what was not."""
    if failures:
        sys.exit("\n".join(failures))
    print(message)
