//===- External32.h - Packing in the portable representation --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's `external32` (MPI 3.1, section 13.5.2) is one representation for all
// machines: big-endian, with fixed sizes. Most types only turn their bytes
// around; C's long and wchar_t are narrower there, long double is an IEEE quad.
// A value that the narrower type cannot hold is an error here, where MPI leaves
// it open and libraries cut it off.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_PACK_EXTERNAL32_H
#define SLUICE_PACK_EXTERNAL32_H

#include "sluice/Pack/DatatypeBase.h"
#include "sluice/Pack/PrimitiveDatatype.h"

namespace sluice::pack {

/// Bytes one element of the basic type takes in external32.
int64_t external32Size(farc::PrimitiveDatatype::PrimitiveType type);

/// Bytes that `count` instances of `type` take in external32. Like all
/// functions here, throws farc::Error for a negative count, sizes beyond 64
/// bits, and a user's own Datatype whose elements are not known.
int64_t external32Size(const farc::Datatype &type, int64_t count);

/// Writes `count` instances at byte `position` of `out`, which has `outSize`
/// bytes, and moves `position` behind them. `type` need not be committed.
/// Throws TRUNCATED, before anything is written, if they do not fit; ARGUMENT
/// for a value out of the range that external32 has for its type, after which
/// the contents of `out` from `position` on are not defined.
void packExternal32(const farc::Datatype &type, const void *in, int64_t count,
                    void *out, int64_t outSize, int64_t &position);

/// Reads `count` instances from byte `position` of `in`, which has `inSize`
/// bytes, and moves `position` behind them. A quad is rounded to the nearest
/// long double, ties to even.
void unpackExternal32(const farc::Datatype &type, const void *in,
                      int64_t inSize, int64_t &position, void *out,
                      int64_t count);

} // namespace sluice::pack

#endif // SLUICE_PACK_EXTERNAL32_H
