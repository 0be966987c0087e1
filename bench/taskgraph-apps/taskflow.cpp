//===- taskflow.cpp - The graphs with Taskflow ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph is built once and run many times. Halide's parallel loops are
// Taskflow's as well, so that there is one pool of threads.
//
//===----------------------------------------------------------------------===//

#include "steps.h"

#include <taskflow/taskflow.hpp>

#include <taskflow/algorithm/for_each.hpp>

#include <atomic>
#include <memory>

using namespace bench;

namespace {

std::unique_ptr<tf::Taskflow> flow;
std::unique_ptr<tf::Executor> executor;

/// Called on a worker, which works on the loop until it has ended.
int runLoop(void *context, halide_task_t task, int min, int size,
            uint8_t *closure) {
  std::atomic<int> status = 0;
  tf::Taskflow loop;
  loop.for_each_index(min, min + size, 1, [&](int i) {
    if (int found = task(context, i, closure))
      status = found;
  });
  executor->corun(loop);
  return status;
}

} // namespace

void bench::prepareApp(const std::string &app) {
  steps = std::make_unique<Steps>(app);
  flow = std::make_unique<tf::Taskflow>();
  std::vector<tf::Task> tasks;
  for (size_t i = 0; i < steps->steps.size(); ++i) {
    tasks.push_back(flow->emplace([i] { steps->run(i); }));
    for (size_t before : steps->steps[i].after)
      tasks[before].precede(tasks[i]);
  }
}

void bench::runApp() {
  steps->begin();
  executor->run(*flow).wait();
}

std::vector<double> bench::resultOfApp() { return steps->result(); }

void bench::releaseApp() {
  flow.reset();
  steps.reset();
}

int main() {
  executor =
      std::make_unique<tf::Executor>(static_cast<size_t>(benchThreads()));
  halide_set_custom_do_par_for(runLoop);
  int status = serveApps();
  executor.reset();
  return status;
}
