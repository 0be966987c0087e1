//===- KnownDefects.cpp - Known differences of MPIs -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs an example to check whether a defect still exists.
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

  // Wrong packs may read outside of the type.
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
