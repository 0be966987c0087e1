//===- RootMemory.h - The memory of a graph, for its record -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records name memory as the program does: by the fields of its roots.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_RECORDS_ROOTMEMORY_H
#define SLUICE_RUNTIME_REGIONS_RECORDS_ROOTMEMORY_H

#include "../../Record/Recorder.h"
#include "../Launches.h"
#include "../Partitions/Roots.h"

#include <memory>
#include <span>

namespace sluice::regions {

/// The fields of all roots, each as a block, and the elements that each task of
/// a graph receives. All elements of the roots must be in memory. Refers to the
/// expansion.
TableMemory rootMemory(std::span<const std::unique_ptr<Root>> roots,
                       const Expansion &expansion);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_RECORDS_ROOTMEMORY_H
