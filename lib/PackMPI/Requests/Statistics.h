//===- Statistics.h - Statistics of handled calls and their gain ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts only if SLUICE_MPI_STATS requests it. The gain is an estimate: on its
// first use, a layout is packed by MPI and by Sluice in scratch memory, and the
// difference per byte is multiplied by all bytes that Sluice packed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H
#define SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H

#include "../Library/InterposerSettings.h"
#include "../Library/Native.h"

#include <memory>

namespace sluice::mpi {

class Type;

/// Whether anything is counted.
inline bool isCounting() { return settings().reports != Reports::None; }

void countUse(Call call, Type &type, int64_t bytes);
/// Records that a call packed or unpacked `bytes` bytes of the type. Counts
/// only if requested.
inline void noteUse(Call call, Type &type, int64_t bytes) {
  if (isCounting()) [[unlikely]]
    countUse(call, type, bytes);
}
/// A handle of the type is being freed; adds its counts to the totals.
void noteEndOf(Type &type);
/// Measures the type, once; `handle` is one of its valid handles.
void measure(Type &type, MPI_Datatype handle);
/// Prints the report, if this rank should. Call it before the native
/// MPI_Finalize.
void printStatistics();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H
