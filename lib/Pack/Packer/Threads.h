//===- Threads.h - Starting threads inside a user's program ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library's threads must not receive the program's signals, and the library
// must work in a process that cannot start more threads.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_PACKER_THREADS_H
#define SLUICE_LIB_PACK_PACKER_THREADS_H

#include <csignal>
#include <system_error>
#include <thread>

namespace sluice::pack {

/// Runs `body` in a thread in which all signals are blocked. Returns whether
/// the thread could be started.
template <typename Body> bool startThread(std::thread &thread, Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool hasStarted = true;
  try {
    thread = std::thread(std::move(body));
  } catch (const std::system_error &) {
    hasStarted = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return hasStarted;
}

} // namespace sluice::pack

#endif // SLUICE_LIB_PACK_PACKER_THREADS_H
