//===- RankMemory.h - The program's memory on this rank -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only rank 0 has the memory that the host program allocated. Other ranks
// reserve addresses for each tracked object, and get memory for the parts that
// they access.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_RANKMEMORY_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_RANKMEMORY_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <map>

namespace sluice {

class RankMemory {
public:
  /// On rank 0 addresses are unchanged.
  explicit RankMemory(bool isHome) : isHome(isHome) {}
  ~RankMemory() { clear(); }
  RankMemory(const RankMemory &) = delete;
  RankMemory &operator=(const RankMemory &) = delete;

  /// Reserves addresses for an object, with the same offset within a page as on
  /// rank 0.
  Status track(uintptr_t start, uint64_t size);
  void untrack(uintptr_t start);
  void clear();
  /// The local address for an address of rank 0. An address outside of all
  /// objects is unchanged.
  uintptr_t at(uintptr_t address) const;

private:
  struct Object {
    uint64_t size;
    char *pages;
    uint64_t pageBytes;
    uintptr_t here;
  };
  const bool isHome;
  std::map<uintptr_t, Object> objects;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_RANKMEMORY_H
