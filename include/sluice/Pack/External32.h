//===- External32.h - Packing in the portable representation --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's `external32` (MPI 3.1, section 13.5.2) is one representation for all
// machines: big-endian, with fixed sizes. For most types, only the byte order
// changes. C's long and wchar_t are narrower in external32, and long double is
// an IEEE quad. MPI does not define what happens to a value that the narrower
// type cannot hold, and other libraries truncate it; here it is an error.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_EXTERNAL32_H
#define SLUICE_PACK_EXTERNAL32_H

#include "sluice/Pack/DatatypeBase.h"
#include "sluice/Pack/PrimitiveDatatype.h"

namespace sluice::pack {

/// Size in bytes of one element of the basic type in external32.
int64_t external32Size(farc::PrimitiveDatatype::PrimitiveType type);

/// Size in bytes of `count` instances of `type` in external32. Like all
/// functions here, throws farc::Error for a negative count, sizes beyond 64
/// bits, and a user-defined Datatype with unknown elements.
int64_t external32Size(const farc::Datatype &type, int64_t count);

/// Writes `count` instances at byte `position` of `out`, which has `outSize`
/// bytes, and advances `position`. `type` need not be committed. Throws
/// TRUNCATED, before anything is written, if the instances do not fit. Throws
/// ARGUMENT for a value out of the range of its type in external32; then the
/// contents of `out` from `position` on are undefined.
void packExternal32(const farc::Datatype &type, const void *in, int64_t count,
                    void *out, int64_t outSize, int64_t &position);

/// Reads `count` instances from byte `position` of `in`, which has `inSize`
/// bytes, and advances `position`. A quad is rounded to the nearest long
/// double, ties to even.
void unpackExternal32(const farc::Datatype &type, const void *in,
                      int64_t inSize, int64_t &position, void *out,
                      int64_t count);

} // namespace sluice::pack

#endif // SLUICE_PACK_EXTERNAL32_H
