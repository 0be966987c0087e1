//===- DatatypeElements.h - Walking the elements of a layout --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type maps of large layouts are long; blocks of a primitive type are visited
// as one run, which shortens the walk.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_LAYOUTS_DATATYPEELEMENTS_H
#define SLUICE_LIB_PACK_LAYOUTS_DATATYPEELEMENTS_H

#include "sluice/Pack/PrimitiveDatatype.h"

namespace farc {

/// Visits the elements of `blocklen` consecutive instances of `base` from
/// `offset` on.
inline void forEachElementOfBlock(const Datatype &base, int64_t offset,
                                  int64_t blocklen,
                                  const Datatype::ElementVisitor &visit) {
  if (blocklen == 0 || base.getSize() == 0)
    return;
  if (base.getDatatypeName() == PRIMITIVE)
    return visit(offset, static_cast<const PrimitiveDatatype &>(base),
                 blocklen);
  for (int64_t i = 0; i != blocklen; ++i)
    base.forEachElement(offset + i * base.getExtent(), visit);
}

} // namespace farc

#endif // SLUICE_LIB_PACK_LAYOUTS_DATATYPEELEMENTS_H
