//===- Stack.cpp - Tools with a stack that is large enough ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack uses memory only as needed; unused parts use only address space.
// Below it is a guard page. The signal handler that reports an overflow has its
// own stack.
//
//===----------------------------------------------------------------------===//

#include "sluice/Base/Stack.h"

#include "sluice/Base/Temporary.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace sluice;

static constexpr size_t stackSize = size_t(512) << 20;
static constexpr size_t smallerStackSize = size_t(64) << 20;
/// Size of the guard: a function with a large frame may skip single pages.
static constexpr size_t guardSize = size_t(1) << 20;

namespace {
struct StackCall {
  const char *tool;
  const std::function<int()> &body;
  int status;
  char *stack;
};
} // namespace

static StackCall *theCall = nullptr;
static struct sigaction previous;
static rlimit given;
static bool hasRaised = false, hasIgnored = false;

static void complainAndEnd(int signal, siginfo_t *info, void *context) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  auto low = reinterpret_cast<uintptr_t>(theCall->stack);
  if (address >= low && address < low + guardSize + 65536) {
    auto say = [](const char *text) {
      ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
      (void)written;
    };
    say(theCall->tool);
    say(": error: the input is nested too deeply\n");
    removeTemporaries();
    ::_exit(1);
  }
  ::sigaction(SIGSEGV, &previous, nullptr);
  if (info->si_code <= 0) // sent by a process: returning would lose it
    ::raise(signal);
}

static void *serve(void *argument) {
  static char handlerStack[65536];
  stack_t alternative = {};
  alternative.ss_sp = handlerStack;
  alternative.ss_size = sizeof handlerStack;
  ::sigaltstack(&alternative, nullptr);
  auto *call = static_cast<StackCall *>(argument);
  call->status = call->body();
  return nullptr;
}

/// Programs that the tool starts, such as the linker, get the usual stack size,
/// if the limit may be raised.
static void raiseLimit() {
  constexpr rlim_t usual = rlim_t(8) << 20;
  if (::getrlimit(RLIMIT_STACK, &given) != 0 || given.rlim_cur >= usual)
    return;
  rlimit limit = given;
  limit.rlim_cur = std::min(usual, limit.rlim_max);
  hasRaised = ::setrlimit(RLIMIT_STACK, &limit) == 0;
}

void sluice::restoreLimits() {
  if (hasIgnored)
    ::signal(SIGXFSZ, SIG_DFL);
  if (hasRaised)
    (void)::setrlimit(RLIMIT_STACK, &given);
}

static bool start(StackCall &call, size_t size) {
  void *memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  (void)::mprotect(memory, guardSize, PROT_NONE);
  call.stack = static_cast<char *>(memory);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  pthread_t thread;
  bool hasStarted = ::pthread_attr_setstack(&attributes, call.stack + guardSize,
                                            size - guardSize) == 0 &&
                    ::pthread_create(&thread, &attributes, serve, &call) == 0;
  ::pthread_attr_destroy(&attributes);
  if (hasStarted)
    ::pthread_join(thread, nullptr);
  ::munmap(memory, size);
  return hasStarted;
}

int sluice::runOnLargeStack(const char *tool,
                            const std::function<int()> &body) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  hasIgnored = ::signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
  return body(); // They know stacks that they have seen themselves.
#else
  hasIgnored = ::signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
  raiseLimit();
  StackCall call{tool, body, 1, nullptr};
  theCall = &call;
  struct sigaction action = {};
  action.sa_sigaction = complainAndEnd;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &previous);
  bool hasRun = start(call, stackSize) || start(call, smallerStackSize);
  ::sigaction(SIGSEGV, &previous, nullptr);
  theCall = nullptr;
  return hasRun ? call.status : body();
#endif
}
