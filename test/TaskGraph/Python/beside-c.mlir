// A C task runs while Python runs: each waits for a file of the other.
// REQUIRES: python-tasks
// RUN: rm -rf %t && mkdir %t && cp %s %t/graph.mlir
// RUN: printf 'import os\ndef wait():\n    open("python", "w").close()\n    while not os.path.exists("c"):\n        pass\n' > %t/waits.py
// RUN: printf '#include <stdio.h>\n#include <unistd.h>\nvoid wait_c(void) {\n  fclose(fopen("c", "w"));\n  while (access("python", F_OK))\n    ;\n}\n' > %t/waits.c
// RUN: cd %t && env SLUICE_WORKERS=2 timeout 500 %sluice run graph.mlir

dfg.kernel_source "waits.c"
dfg.task_graph @beside {
  %a = dfg.task python "wait" of "waits"()
  %b = dfg.task c "wait_c"()
}
