//===- Pool.cpp - Workers and the tasks they share ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the threads of a pool, and decides how long they spin.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "Clock.h"
#include "HostThreads.h"

#include <algorithm>
#include <cstdio>
#include <system_error>

using namespace sluice;

template class sluice::Scheduler<PoolParts>;

bool TimedSpinner::spin() {
  unsigned numPauses = std::min(1 + rounds / 2, 16u);
  for (unsigned i = 0; i < numPauses; ++i)
    pauseProcessor();
  if (++rounds & 7)
    return true;
  uint64_t now = clockNanoseconds();
  if (!start)
    start = now;
  return now - start < limit;
}

Pool::Pool(unsigned numWorkers, TaskRunner &runner) {
  AsymmetricBarrier::prepare();
  // No spinning if threads share a core.
  spinNanoseconds =
      numWorkers <= std::thread::hardware_concurrency() ? 15000 : 500;
  for (unsigned index = 0; index < numWorkers; ++index)
    workers.push_back(std::make_unique<Worker>(index, &runner));
  for (unsigned index = 1; index < numWorkers; ++index) {
    try {
      threads.emplace_back([this, index] { work(*workers[index]); });
    } catch (const std::system_error &error) {
      // Workers without a thread stay idle; the others run all tasks.
      std::fprintf(stderr,
                   "sluice: warning: only %u of %u workers could be started: "
                   "%s\n",
                   index, numWorkers, error.code().message().c_str());
      break;
    }
    nameRuntimeThread(threads.back(), std::to_string(index));
  }
}

Pool::~Pool() {
  stop();
  for (std::thread &thread : threads)
    thread.join();
}
