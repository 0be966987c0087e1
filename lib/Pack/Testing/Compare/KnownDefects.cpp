//===- KnownDefects.cpp - Where an MPI differs from us, and why -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs an example, to see whether a defect is still there.
//
//===----------------------------------------------------------------------===//

#include "KnownDefects.h"

#include "PackChecks.h"

using namespace sluice::pack::naive;

bool packsDifferently(const char *text, int64_t count) {
  auto parsed = farc::parseDatatypes(text);
  const farc::Datatype &type = *parsed.at(0);
  std::optional<TypeMap> map = typeMapOf(type);
  MPITypes types([](const farc::Datatype &, const BothBounds &, bool) {});
  MPI_Datatype theirs = types.make(type);
  MPI_Type_commit(&theirs);

  // Wrong packs may read beside the type.
  std::vector<std::byte> room(1 << 16), bytes(map->size() * count);
  for (size_t i = 0; i != room.size(); ++i)
    room[i] = static_cast<std::byte>(i ^ i >> 8);
  const std::byte *in = room.data() + room.size() / 2;
  int position = 0;
  MPI_Pack(in, count, theirs, bytes.data(), bytes.size(), &position,
           MPI_COMM_SELF);
  MPI_Type_free(&theirs);
  return bytes != pack(*map, in, count);
}
