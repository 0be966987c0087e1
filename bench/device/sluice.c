//===- sluice.c - The table of devices as HPVM graphs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rows.h"

int main(void) {
  const BenchRow rows[] = {saxpyRow(),     stencilRow(),   matmulRow(),
                           histogramRow(), reductionRow(), filtersRow(),
                           uploadRow(),    downloadRow(),  launchRow(),
                           chainRow(),     streamRow()};
  __hpvm__init();
  int status = benchServe(rows, sizeof(rows) / sizeof(rows[0]));
  __hpvm__cleanup();
  return status;
}
