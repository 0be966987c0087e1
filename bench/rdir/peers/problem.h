//===- problem.h - A peer's program of one problem --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the peers of the programs after Regent share. A problem P is made from
// the sizes in the row's name, "NAME:SIZE:SIZE", and has reset and verify.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_PEERS_PROBLEM_H
#define SLUICE_BENCH_RDIR_PEERS_PROBLEM_H

#include "../../common/harness.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace bench {

using Sizes = std::vector<int64_t>;

/// The problem of the row that is being measured.
template <typename P> inline std::unique_ptr<P> problem;

inline Sizes sizesOfRow() {
  Sizes sizes;
  for (char *text = benchParameters; *text; text += *text == ':')
    sizes.push_back(strtoll(text, &text, 10));
  return sizes;
}

template <typename P, void (*run)(P &)> int serveProblem(const char *name) {
  const BenchRow row = {name,
                        1,
                        1,
                        [] { problem<P> = std::make_unique<P>(sizesOfRow()); },
                        [] { problem<P>->reset(); },
                        [] { run(*problem<P>); },
                        [] { return problem<P>->verify(); },
                        [] { problem<P>.reset(); },
                        0,
                        nullptr};
  return benchServe(&row, 1);
}

/// Memory of a peer's problem.
template <typename T> class Array {
public:
  explicit Array(int64_t count)
      : memory(static_cast<T *>(benchAllocate(count * sizeof(T)))) {}
  T *get() const { return memory.get(); }

private:
  struct Free {
    void operator()(T *array) const { free(array); }
  };
  std::unique_ptr<T, Free> memory;
};

} // namespace bench

#endif // SLUICE_BENCH_RDIR_PEERS_PROBLEM_H
