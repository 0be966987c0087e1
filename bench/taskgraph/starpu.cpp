//===- starpu.cpp - Task graphs with StarPU -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks with explicit dependences; the host submits them all and waits.
//
//===----------------------------------------------------------------------===//

#include "rows.h"

#include <starpu.h>

using namespace bench;

namespace {

std::vector<starpu_task *> tasks;
starpu_codelet codelet;

void runCodelet(void **, void *argument) {
  runTask(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(argument)));
}

void submit(uint32_t node) {
  starpu_task *task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = reinterpret_cast<void *>(uintptr_t(node));
  task->destroy = 0; // later tasks name it
  tasks[node] = task;
  std::span<const uint32_t> before = graph.predecessors(node);
  starpu_task *named[maxPredecessors];
  for (size_t i = 0; i < before.size(); ++i)
    named[i] = tasks[before[i]];
  starpu_task_declare_deps_array(task, static_cast<unsigned>(before.size()),
                                 named);
  if (starpu_task_submit(task) != 0) {
    std::fprintf(stderr, "cannot submit task %u\n", node);
    std::exit(1);
  }
}

} // namespace

void bench::prepareGraph() { tasks.assign(graph.size(), nullptr); }

void bench::runGraph() {
  for (uint32_t node = 0; node < graph.size(); ++node)
    submit(node);
  starpu_task_wait_for_all();
  for (starpu_task *task : tasks)
    starpu_task_destroy(task);
}

void bench::releaseGraph() { tasks.clear(); }

int main() {
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = runCodelet;
  codelet.name = "task";
  if (starpu_init(nullptr) != 0) {
    std::fprintf(stderr, "cannot start StarPU\n");
    return 1;
  }
  int status = serveRows(1);
  starpu_shutdown();
  return status;
}
