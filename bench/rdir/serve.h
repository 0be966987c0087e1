//===- serve.h - The driver's orders inside a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs over regions run by themselves, so a host statement in a loop takes
// the place of common/harness.h's: it answers for what ran since it was called
// last, and returns when the next repetition is wanted.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_SERVE_H
#define SLUICE_BENCH_RDIR_SERVE_H

#include "../common/harness.h"

namespace bench {

/// Before main: where the time of the first host statement counts from.
inline const double processBegan = benchSeconds();

class Server {
public:
  /// Returns 1 if the program is to run a repetition, 0 if it is to end.
  /// `reset` writes fresh inputs; `verify` returns null or what is wrong.
  template <typename Reset, typename Verify>
  int serve(Reset reset, Verify verify) {
    if (firstCall == 0)
      firstCall = benchSeconds();
    if (order == Order::Run) {
      printf("time %.9e\n", benchSeconds() - start);
    } else if (order == Order::WarmUp) { // its own time starts now
      order = Order::Run;
      start = benchSeconds();
      return 1;
    } else if (order == Order::Check) {
      const char *wrong = verify();
      if (wrong)
        printf("wrong %s\n", wrong);
      else
        printf("ok 1\n");
    }
    fflush(stdout);
    return wait(reset);
  }

private:
  enum class Order { None, WarmUp, Run, Check };

  template <typename Reset> int wait(Reset reset) {
    char line[128];
    while (fgets(line, sizeof(line), stdin)) {
      line[strcspn(line, "\n")] = '\0';
      if (strncmp(line, "prepare ", 8) == 0 || strcmp(line, "check") == 0) {
        reset();
        order = Order::Check;
        return 1;
      }
      if (strcmp(line, "run") == 0) {
        order = Order::WarmUp;
        return 1;
      }
      if (strcmp(line, "libraries") == 0)
        benchPrintLibraries();
      else if (strcmp(line, "instantiation") == 0)
        printf("time %.9e\n", firstCall - processBegan);
      else if (strcmp(line, "release") == 0)
        printf("ok 0\n");
      else
        break;
      fflush(stdout);
    }
    return 0;
  }

  Order order = Order::None;
  double start = 0;
  double firstCall = 0; ///< when roots, partitions and tasks were there
};

} // namespace bench

#endif // SLUICE_BENCH_RDIR_SERVE_H
