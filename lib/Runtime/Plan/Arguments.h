//===- Arguments.h - Copying between argument structures and frames -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host program passes one structure with a graph's arguments and, for
// launches, room for its results. These functions copy values between this
// structure, in the layout of the launch site, and the frame, in the layout of
// the plan.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_ARGUMENTS_H
#define SLUICE_RUNTIME_PLAN_ARGUMENTS_H

#include "../Memory/Tracker.h"
#include "PlanInfo.h"

#include "sluice-c/Plan.h"

#include <cstring>
#include <vector>

namespace sluice {

/// memcpy with common sizes as constants.
inline void copyField(unsigned char *to, const unsigned char *from,
                      uint64_t size) {
  if (size == 8)
    std::memcpy(to, from, 8);
  else if (size == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, size);
}

/// A set of arguments: a stream's fixed ones come with its launch, the
/// streaming ones with every push.
enum class ArgumentSet { All, Fixed, Streaming };

/// Checks that the arguments of `set` may be read from the structure with
/// `layout` (null: packed).
Status checkStructure(const PlanInfo &info, const void *structure,
                      const SluiceLayout *layout, ArgumentSet set);

/// The memory of a pointer argument.
MemoryAccess accessOf(const PointerArgument &pointer,
                      const unsigned char *frame);

/// Copies arguments into the frame.
void readArguments(const PlanInfo &info, const void *structure,
                   const SluiceLayout *layout, ArgumentSet set,
                   unsigned char *frame);

/// The same for all arguments of a packed structure.
inline void readPackedArguments(const PlanInfo &info, const void *structure,
                                unsigned char *frame) {
  auto *bytes = static_cast<const unsigned char *>(structure);
  for (auto [from, to, size] : info.packedCopies) {
    // Mostly pointers and numbers of 8 bytes.
    for (; size >= 8; from += 8, to += 8, size -= 8)
      std::memcpy(frame + to, bytes + from, 8);
    if (size == 4)
      std::memcpy(frame + to, bytes + from, 4);
    else if (size)
      std::memcpy(frame + to, bytes + from, size);
  }
}

/// Copies all results from the frame to `structure + offsets[i]`.
void writeResults(const PlanInfo &info, const unsigned char *frame,
                  const uint64_t *offsets, void *structure);

/// The memory behind the pointer arguments in the frame, except null pointers.
/// Replaces the content of `accesses`.
void readMemoryAccesses(const PlanInfo &info, ArgumentSet set,
                        const unsigned char *frame,
                        std::vector<MemoryAccess> &accesses);

/// Whether these are the accesses of all pointer arguments in the frame, and
/// none of the pointers is null.
inline bool areSameAccesses(const PlanInfo &info, const unsigned char *frame,
                            const std::vector<MemoryAccess> &accesses) {
  if (accesses.size() != info.pointers.size())
    return false;
  const MemoryAccess *access = accesses.data();
  auto differs = [&](uint64_t offset, uint64_t value) {
    uint64_t found;
    std::memcpy(&found, frame + offset, sizeof(found));
    return found != value;
  };
  for (const PointerArgument &pointer : info.pointers) {
    if (differs(pointer.frameOffset, access->start) ||
        (access->sizeKnown && differs(pointer.sizeOffset, access->size)))
      return false;
    ++access;
  }
  return true;
}

/// Refuses null pointers that have a size.
Status checkNullPointers(const PlanInfo &info, ArgumentSet set,
                         const unsigned char *frame);

/// Refuses overlaps of pairs that a proof assumed disjoint; for a stream's
/// items, only pairs with at least one argument that comes with the items.
Status checkDisjoint(const PlanInfo &info, ArgumentSet set,
                     const unsigned char *frame);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_ARGUMENTS_H
