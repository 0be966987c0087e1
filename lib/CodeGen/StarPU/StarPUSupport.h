//===- StarPUSupport.h - Common code of generated StarPU programs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs contain the parts of Support/ that they need as text. Roots,
// partitions and operators come from Sluice's runtime (sluice-c/Partitions.h).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_STARPU_STARPUSUPPORT_H
#define SLUICE_LIB_CODEGEN_STARPU_STARPUSUPPORT_H

#include "sluice/CodeGen/RegionModel.h"

namespace sluice::codegen {

/// Writes the parts of Support/ that the program needs.
void writeStarPUSupport(const RegionModel &program,
                        const StarPUOptions &options, llvm::raw_ostream &os);

/// True if an argument is the union of all colors of its partition.
inline bool isAllColors(const RegionArgument &argument) {
  return argument.kind == RegionArgument::Region &&
         argument.partition != noIndex && argument.color < 0 &&
         argument.projection.kind == RegionProjection::Whole;
}

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_STARPU_STARPUSUPPORT_H
