//===- Statistics.h - What was taken over, and what it gained -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts only if SLUICE_MPI_STATS asks for it. The gain is an estimate: at its
// first use, a layout is packed by MPI and by Sluice in scratch memory, and the
// difference per byte is multiplied by all bytes that Sluice packed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H
#define SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H

#include "../Library/Native.h"
#include "../Library/Settings.h"

#include <memory>

namespace sluice::mpi {

class Type;

/// Whether anything is counted.
inline bool isCounting() { return settings().reports != Reports::None; }

void countUse(Call call, Type &type, int64_t bytes);
/// A call packed or unpacked `bytes` bytes of the type. Counts only if asked
/// for.
inline void noteUse(Call call, Type &type, int64_t bytes) {
  if (isCounting()) [[unlikely]]
    countUse(call, type, bytes);
}
/// A handle of the type is freed; its counts are added to the totals.
void noteEndOf(Type &type);
/// Measures the type, once; `handle` is one of its valid handles.
void measure(Type &type, MPI_Datatype handle);
/// Prints the report, if this rank should. Before the native MPI_Finalize.
void printStatistics();

} // namespace sluice::mpi

#endif // SLUICE_LIB_PACKMPI_REQUESTS_STATISTICS_H
