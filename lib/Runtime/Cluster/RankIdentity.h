//===- RankIdentity.h - Properties that ranks must have in common ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks decide independently, but identically, what each of them does, from
// the program, its arguments and its settings. If one rank had other inputs,
// ranks would send messages that nobody receives, or mix the results of two
// programs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_CLUSTER_RANKIDENTITY_H
#define SLUICE_RUNTIME_CLUSTER_RANKIDENTITY_H

#include "sluice-c/Cluster.h"
#include "sluice/Base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// The properties that ranks of a program must have in common; the host may
/// differ.
struct RankIdentity {
  std::string host;
  std::string program; ///< hash of its file
  std::string processor;
  /// The arguments after the program's name, in shell quoting.
  std::string arguments = {};
  /// The meanings of the values of `alikeSettings`; a missing or empty text is
  /// the default.
  std::vector<std::string> settings = {};

  static RankIdentity ofThisProcess();
};

/// Environment variables that could make ranks produce different results, or
/// wait for each other forever, if only some ranks had them.
inline constexpr const char *alikeSettings[] = {
    "SLUICE_CHECK",  "SLUICE_EXECUTOR",         "SLUICE_CHECKPOINT",
    "SLUICE_RECORD", "SLUICE_CHECKPOINT_EVERY", "GLIBC_TUNABLES"};

/// Returns the same text for all values of a setting with the same meaning, and
/// an empty text for values that mean the default.
std::string meaningOfSetting(std::string_view name, std::string_view value);

/// Names the first rank that differs from rank 0, the difference, and both
/// values.
Status compareRanks(const std::vector<RankIdentity> &ranks);

/// All ranks call this: returns the identity of each rank. Long texts are
/// represented by their beginning and a hash.
std::vector<RankIdentity> gatherIdentities(const SluiceCluster &cluster);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_RANKIDENTITY_H
