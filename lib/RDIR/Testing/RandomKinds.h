//===- RandomKinds.h - Kinds of random modules ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support, for tests that run once for each kind of random input.
// SLUICE_RDIR_RANDOM sets how many modules or graphs of each kind a test uses,
// SLUICE_RDIR_SEED their first seed.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_RANDOMKINDS_H
#define SLUICE_LIB_RDIR_TESTING_RANDOMKINDS_H

#include "OracleBodies.h"

#include <cstdlib>

namespace sluice::rdir::oracle {

inline uint64_t numberIn(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}
inline uint64_t numRandom(uint64_t otherwise) {
  return numberIn("SLUICE_RDIR_RANDOM", otherwise);
}
inline uint64_t firstSeed() { return numberIn("SLUICE_RDIR_SEED", 0); }

/// Modules with or without launches, loops and epochs.
struct BodyKind {
  const char *name;
  SmallKinds kinds;
};

inline constexpr BodyKind bodyKinds[] = {
    {"Tasks", {.launches = false, .loops = false, .epochs = false}},
    {"Launches", {.loops = false, .epochs = false}},
    {"Loops", {.launches = false, .epochs = false}},
    {"Epochs", {.loops = false}},
    {"All", {}},
};

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_RANDOMKINDS_H
