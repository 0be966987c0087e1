//===- sluice.c - The table of devices as HPVM graphs ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our side of the table of devices; the peers beside it run the same rows with
// other systems.
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
