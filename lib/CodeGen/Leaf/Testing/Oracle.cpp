//===- Oracle.cpp - Running one instance at a time ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibres from ucontext.h. A fibre is created when its instance first runs, so a
// leaf without barriers uses one stack at a time.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <cstddef>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace sluice::codegen {

namespace {

constexpr size_t stackSize = 64 * 1024;

struct Fibre {
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(stackSize);
  int64_t instance = 0;
  bool ended = false;
};

const std::function<void(int64_t)> *body;
ucontext_t scheduler;
Fibre *running;

void fibreMain() {
  (*body)(running->instance);
  running->ended = true;
}

void resume(Fibre &fibre) {
  running = &fibre;
  swapcontext(&scheduler, &fibre.context);
}

} // namespace

extern "C" void oracleBarrier() { swapcontext(&running->context, &scheduler); }

void runGroup(int64_t count, const std::function<void(int64_t)> &runInstance) {
  body = &runInstance;
  std::vector<std::unique_ptr<Fibre>> waiting;
  for (int64_t i = 0; i < count; ++i) {
    auto fibre = std::make_unique<Fibre>();
    getcontext(&fibre->context);
    fibre->context.uc_stack.ss_sp = fibre->stack.get();
    fibre->context.uc_stack.ss_size = stackSize;
    fibre->context.uc_link = &scheduler;
    fibre->instance = i;
    makecontext(&fibre->context, fibreMain, 0);
    resume(*fibre);
    if (!fibre->ended)
      waiting.push_back(std::move(fibre));
  }
  while (!waiting.empty()) {
    for (auto &fibre : waiting)
      resume(*fibre);
    std::erase_if(waiting, [](auto &fibre) { return fibre->ended; });
  }
}

} // namespace sluice::codegen
