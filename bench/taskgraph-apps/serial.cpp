//===- serial.cpp - The graphs as a program that calls the kernels --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel after the other in one thread, as one would write it by hand.
//
//===----------------------------------------------------------------------===//

#include "steps.h"

using namespace bench;

void bench::prepareApp(const std::string &app) {
  steps = std::make_unique<Steps>(app);
}

void bench::runApp() {
  steps->begin();
  for (size_t i = 0; i < steps->steps.size(); ++i)
    steps->run(i);
}

std::vector<double> bench::resultOfApp() { return steps->result(); }
void bench::releaseApp() { steps.reset(); }

static int runLoop(void *context, halide_task_t task, int min, int size,
                   uint8_t *closure) {
  for (int i = min; i < min + size; ++i)
    if (int status = task(context, i, closure))
      return status;
  return 0;
}

int main() {
  halide_set_custom_do_par_for(runLoop);
  return serveApps();
}
