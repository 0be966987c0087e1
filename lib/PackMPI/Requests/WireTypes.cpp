//===- WireTypes.cpp - Types for packed bytes with a gap ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are cached by size, since programs repeat their messages.
//
//===----------------------------------------------------------------------===//

#include "WireTypes.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>

using namespace sluice::mpi;

namespace {
struct GapTypes {
  std::mutex lock;
  std::unordered_map<int64_t, MPI_Datatype> types;
};
constexpr size_t maxTypes = 1024;
} // namespace

static GapTypes &gapTypes() {
  static GapTypes *instance = new GapTypes;
  return *instance;
}

bool sluice::mpi::wantsGap(int64_t bytes) {
  // From the smallest message that is not sent eagerly.
#ifdef OPEN_MPI
  constexpr int64_t first = 4000, last = 1 << 20;
#else
  constexpr int64_t first = (16 << 10) + 1, last = 4 << 20;
#endif
  return bytes >= first && bytes < last;
}

static MPI_Datatype makeGapType(int64_t bytes) {
  int lengths[] = {int(bytes - gapBytes), int(gapBytes)};
  MPI_Aint places[] = {0, MPI_Aint(bytes)};
  MPI_Datatype type;
  if (PMPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &type) !=
      MPI_SUCCESS)
    return MPI_DATATYPE_NULL;
  if (native::Type_commit(&type) == MPI_SUCCESS)
    return type;
  return MPI_DATATYPE_NULL;
}

MPI_Datatype sluice::mpi::gapType(int64_t bytes, bool &isOwned) {
  GapTypes &all = gapTypes();
  isOwned = false;
  {
    std::lock_guard guard(all.lock);
    auto found = all.types.find(bytes);
    if (found != all.types.end())
      return found->second;
  }
  MPI_Datatype made = makeGapType(bytes);
  if (made == MPI_DATATYPE_NULL)
    return made;
  std::lock_guard guard(all.lock);
  isOwned = all.types.size() >= maxTypes ||
            !all.types.try_emplace(bytes, made).second;
  return made;
}

void sluice::mpi::freeGapTypes() {
  std::unordered_map<int64_t, MPI_Datatype> all;
  {
    std::lock_guard guard(gapTypes().lock);
    all.swap(gapTypes().types);
  }
  for (auto &[bytes, type] : all)
    native::Type_free(&type);
}

void sluice::mpi::closeGap(char *data, int64_t capacity, int64_t received) {
  int64_t before = capacity - gapBytes;
  // A status may belong to another operation with the same handle.
  received = std::min(received, capacity);
  if (received > before)
    std::memcpy(data + before, data + capacity, size_t(received - before));
}
