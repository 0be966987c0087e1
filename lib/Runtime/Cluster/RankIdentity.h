//===- RankIdentity.h - What ranks must have in common --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks decide alike what each of them does, from the program, its
// arguments and its settings. Where one had others, ranks would send what
// nobody takes, or mix the results of two programs.
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

/// What the ranks of a program are to have in common, but for the host.
struct RankIdentity {
  std::string host;
  std::string program; ///< hash of its file
  std::string processor;
  /// Those behind the program's name, as a shell would take them.
  std::string arguments = {};
  /// What the values of `alikeSettings` mean; what is missing, or empty, is not
  /// set, or as if it were not.
  std::vector<std::string> settings = {};

  static RankIdentity ofThisProcess();
};

/// Variables of the environment by which ranks could give other results, or
/// wait for each other for ever, if only some of them had them.
inline constexpr const char *alikeSettings[] = {
    "SLUICE_CHECK",  "SLUICE_EXECUTOR",         "SLUICE_CHECKPOINT",
    "SLUICE_RECORD", "SLUICE_CHECKPOINT_EVERY", "GLIBC_TUNABLES"};

/// The same text for all values of one of them that mean the same; empty for
/// those that mean what the setting is by itself.
std::string meaningOfSetting(std::string_view name, std::string_view value);

/// Names the first rank that differs from rank 0, in what, and both values.
Status compareRanks(const std::vector<RankIdentity> &ranks);

/// All ranks call this: gives what each of them is. Long texts come with their
/// beginning and a hash.
std::vector<RankIdentity> gatherIdentities(const SluiceCluster &cluster);

} // namespace sluice

#endif // SLUICE_RUNTIME_CLUSTER_RANKIDENTITY_H
