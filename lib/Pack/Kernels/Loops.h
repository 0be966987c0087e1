//===- Loops.h - Ops made of other ops ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, lists of offsets and sequences over any op, and consecutive bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_LOOPS_H
#define SLUICE_LIB_PACK_KERNELS_LOOPS_H

#include "Op.h"

namespace sluice::pack::kernels {

extern const OpFunctions loopFunctions;
extern const OpFunctions placesFunctions;
extern const OpFunctions sequenceFunctions;

// Values of Op::packStreamed.
void streamBlocks(const Op &op, const Byte *in, int64_t count, Byte *out,
                  const Limits &limits);
void streamRows(const Op &op, const Byte *in, int64_t count, Byte *out,
                const Limits &limits);
void streamIndexed(const Op &op, const Byte *in, int64_t count, Byte *out,
                   const Limits &limits);
void streamRuns(const Op &op, const Byte *in, int64_t count, Byte *out,
                const Limits &limits);

} // namespace sluice::pack::kernels

#endif // SLUICE_LIB_PACK_KERNELS_LOOPS_H
