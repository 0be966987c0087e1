//===- Variant.h - Code compiled once per instruction set -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SLUICE_PACK_VARIANT is the name of the instruction set for which a file is
// compiled. Such a file keeps everything in the namespace of that name or in an
// unnamed one, and uses no inline code from elsewhere: the linker might choose
// that copy for processors that cannot run it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_KERNELS_VARIANT_H
#define SLUICE_LIB_PACK_KERNELS_VARIANT_H

#include "Op.h"

#ifndef SLUICE_PACK_VARIANT
#error "to be compiled once per instruction set; see CMakeLists.txt"
#endif

namespace sluice::pack::kernels::SLUICE_PACK_VARIANT {

// See FunctionTable.
void copy(Byte *out, const Byte *in, int64_t size);
void bytes(const Op &op, const Byte *in, int64_t count, Byte *out,
           const Limits &limits);
OpFunctions blocks(int64_t size);
void blockLines(const Op &op, const Byte *in, int64_t count, Byte *out,
                const Limits &limits);
OpFunctions rows(int64_t size);
OpFunctions tiles(int64_t size);
OpFunctions indexed(int64_t size, bool wide);
OpFunctions runs(int64_t longest, bool wide);
void storeLines(Byte *out, const Byte *in, int64_t size);
void fenceLines();

} // namespace sluice::pack::kernels::SLUICE_PACK_VARIANT

#endif // SLUICE_LIB_PACK_KERNELS_VARIANT_H
