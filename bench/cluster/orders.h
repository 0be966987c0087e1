//===- orders.h - The driver's orders as a scalar ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host statement speaks with the driver, on rank 0; tasks on all ranks do
// what it says.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_ORDERS_H
#define SLUICE_BENCH_CLUSTER_ORDERS_H

#include "../rdir/serve.h"

namespace bench {

enum Order : int32_t { End, Repeat, Check };

/// The next order; `wrong` is what the comparison of the last one found: by how
/// much a result was off, or more than `allowed`.
inline int32_t nextOrder(double wrong, double allowed) {
  static Server server;
  bool isCheck = false;
  const int goesOn =
      server.serve([&] { isCheck = true; },
                   [&]() -> const char * {
                     return wrong <= allowed
                                ? nullptr
                                : benchWrong("largest error", 0, 0, wrong);
                   });
  return !goesOn ? End : isCheck ? Check : Repeat;
}

} // namespace bench

#endif // SLUICE_BENCH_CLUSTER_ORDERS_H
