//===- CHandles.h - The layouts of C programs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C programs free handles twice and use them afterwards, from several threads.
// So a handle is not an address, but the index of a slot in a table and the
// number of earlier uses of the slot.
//
//   63      48 47      24 23       0
//   |  mark   | generation |  slot  |
//
// The mark distinguishes handles from addresses (no address of a program has
// it), since LibPack's programs pass either to LPK_Compile.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PACK_CINTERFACE_CHANDLES_H
#define SLUICE_LIB_PACK_CINTERFACE_CHANDLES_H

#include "sluice-c/Pack.h"
#include "sluice/Pack/Datatype.h"

namespace farc {

/// A layout in the table never changes. Committing replaces it by another one,
/// so that threads may use it meanwhile.
using SharedType = std::shared_ptr<Datatype>;

/// An invalid handle; becomes LPK_ERR_HANDLE.
class HandleError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A new handle for `type`.
LPK_Datatype addHandle(std::unique_ptr<Datatype> type);
/// The layout of `handle`; throws HandleError if it is invalid.
SharedType typeOf(LPK_Datatype handle);
/// Replaces the layout of `handle`.
void replaceType(LPK_Datatype handle, SharedType type);
/// Removes the handle; throws HandleError if it is invalid.
void removeHandle(LPK_Datatype handle);
/// Whether this could be a handle and cannot be an address.
bool looksLikeHandle(const void *value);

} // namespace farc

#endif // SLUICE_LIB_PACK_CINTERFACE_CHANDLES_H
