//===- CExternal.cpp - C functions for external32 -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI's portable format, for committed and uncommitted layouts.
//
//===----------------------------------------------------------------------===//

#include "CErrors.h"
#include "sluice/Pack/External32.h"

using namespace farc;

int LPK_Pack_external_size(LPK_Count count, LPK_Datatype datatype,
                           LPK_Count *size) {
  return guarded([&] {
    resultAt(size, "the size") =
        sluice::pack::external32Size(*typeOf(datatype), count);
  });
}

int LPK_Pack_external(const void *inbuf, LPK_Count incount, LPK_Datatype intype,
                      void *outbuf, LPK_Count outsize, LPK_Count *position) {
  return guarded([&] {
    sluice::pack::packExternal32(*typeOf(intype), inbuf, incount, outbuf,
                                 outsize, resultAt(position, "the position"));
  });
}

int LPK_Unpack_external(const void *inbuf, LPK_Count insize,
                        LPK_Count *position, void *outbuf, LPK_Count outcount,
                        LPK_Datatype outtype) {
  return guarded([&] {
    sluice::pack::unpackExternal32(*typeOf(outtype), inbuf, insize,
                                   resultAt(position, "the position"), outbuf,
                                   outcount);
  });
}
