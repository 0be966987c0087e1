//===- Checkpoints.h - Where a program may go on --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is a folder with a file for each field, which has all elements
// in their order: each rank writes those that it owns, so any number of ranks
// may go on from it. It gets its name when all ranks have written their part,
// and replaces the one before.
//
// Room: checkpoints of programs over regions. May include what the room Regions
// may.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKPOINTS_CHECKPOINTS_H
#define SLUICE_RUNTIME_REGIONS_CHECKPOINTS_CHECKPOINTS_H

#include "../Partitions/Partitions.h"

#include "sluice-c/Cluster.h"

#include <map>

namespace sluice::regions {

struct CheckpointSettings {
  /// Empty: none are made.
  std::string folder;
  /// Iterations of a loop from one to the next.
  int64_t every = 100;

  /// SLUICE_CHECKPOINT and SLUICE_CHECKPOINT_EVERY.
  static Result<CheckpointSettings> fromEnvironment();
  /// An error if ranks have different ones; they would wait for one another.
  /// All ranks call this.
  Status compare(const SluiceCluster &cluster) const;
};

/// Before an iteration of a loop that stands in a graph itself.
struct CheckpointPosition {
  uint64_t graph = 0; ///< how many have ended
  uint64_t item = 0;  ///< of the graph
  int64_t iterations = 0;
};

/// Elements of a field that one rank writes or reads.
struct FieldPart {
  std::string file;
  char *base; ///< of element 0
  uint64_t elementBytes;
  int64_t count; ///< elements of the root
  Runs runs;
};

/// A partition that was made from the values of a field, at its time.
struct SavedPartition {
  bool isDisjoint = false;
  std::vector<Runs> colors;
};
/// By number of the partition.
using SavedPartitions = std::map<uint32_t, SavedPartition>;

/// The functions are called by all ranks in the same order.
class Checkpoints {
public:
  /// `name`: of the program. `cluster`: null on one machine.
  Checkpoints(CheckpointSettings settings, std::string_view name,
              const SluiceCluster *cluster);

  /// Looks for a checkpoint.
  Status find();
  /// There is one from which the program has not gone on yet.
  bool isWaiting() const { return waiting; }
  const CheckpointPosition &position() const { return found; }
  const SavedPartitions &partitions() const { return savedPartitions; }

  /// Reads this rank's part. `description`: what must be as it was when the
  /// checkpoint was written.
  Status load(const std::string &description,
              const std::vector<FieldPart> &parts);
  /// Writes none, since tasks have begun to write files, and says so once.
  void skip(const CheckpointPosition &position);
  /// Writes a checkpoint. One that cannot be written is reported, and the one
  /// before stays.
  void save(const CheckpointPosition &position, const std::string &description,
            const std::vector<FieldPart> &parts,
            const SavedPartitions &partitions);
  /// The program has ended: it begins anew next time.
  void removeAll();

  const CheckpointSettings settings;

private:
  std::string pathOf(uint64_t number) const;
  std::vector<uint64_t> numbers() const;
  bool isEverywhere(bool isFine) const;
  bool isFirst() const { return !cluster || cluster->rank == 0; }
  Status readState();
  Status writeParts(const std::string &path,
                    const std::vector<FieldPart> &parts) const;

  const SluiceCluster *const cluster;
  const std::string prefix;
  bool waiting = false;
  uint64_t last = 0;
  CheckpointPosition found;
  std::string foundDescription;
  SavedPartitions savedPartitions;
  bool hasSkipped = false;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_CHECKPOINTS_CHECKPOINTS_H
