//===- Checkpoints.h - Checkpoints of programs over regions ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is a folder with a file for each field, which contains all
// elements in order. Each rank writes its own elements, so any number of ranks
// may continue from it. The folder gets its final name when all ranks have
// written their part, and replaces the previous checkpoint.
//
// Room: checkpoints of programs over regions. May include the same as the room
// Regions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_CHECKPOINTS_CHECKPOINTS_H
#define SLUICE_RUNTIME_REGIONS_CHECKPOINTS_CHECKPOINTS_H

#include "../Partitions/RootPartitions.h"

#include "sluice-c/Cluster.h"

#include <map>

namespace sluice::regions {

struct CheckpointSettings {
  /// Empty: no checkpoints are made.
  std::string folder;
  /// Number of loop iterations between checkpoints.
  int64_t every = 100;

  /// SLUICE_CHECKPOINT and SLUICE_CHECKPOINT_EVERY.
  static Result<CheckpointSettings> fromEnvironment();
  /// An error if ranks have different settings, because they would wait for
  /// each other. All ranks call this.
  Status compare(const SluiceCluster &cluster) const;
};

/// A position before an iteration of a loop at the top level of a graph.
struct CheckpointPosition {
  uint64_t graph = 0; ///< number of graphs that have ended
  uint64_t item = 0;  ///< index in the graph
  int64_t iterations = 0;
};

/// Elements of a field that one rank writes or reads.
struct FieldPart {
  std::string file;
  char *base; ///< of element 0
  uint64_t elementBytes;
  int64_t count; ///< number of elements of the root
  Runs runs;
};

/// A partition made from the values of a field at that time.
struct SavedPartition {
  bool isDisjoint = false;
  std::vector<Runs> colors;
};
/// By partition number.
using SavedPartitions = std::map<uint32_t, SavedPartition>;

/// All ranks call the functions in the same order.
class Checkpoints {
public:
  /// `name`: of the program. `cluster`: null on one machine.
  Checkpoints(CheckpointSettings settings, std::string_view name,
              const SluiceCluster *cluster);

  /// Looks for a checkpoint.
  Status find();
  /// Whether there is a checkpoint from which the program has not continued
  /// yet.
  bool isWaiting() const { return waiting; }
  const CheckpointPosition &position() const { return found; }
  const SavedPartitions &partitions() const { return savedPartitions; }

  /// Reads this rank's part. `description`: the properties that must not have
  /// changed since the checkpoint was written.
  Status load(const std::string &description,
              const std::vector<FieldPart> &parts);
  /// Writes no checkpoint, because tasks have begun to write files, and reports
  /// this once.
  void skip(const CheckpointPosition &position);
  /// Writes a checkpoint. If that fails, reports the error and keeps the
  /// previous one.
  void save(const CheckpointPosition &position, const std::string &description,
            const std::vector<FieldPart> &parts,
            const SavedPartitions &partitions);
  /// The program has ended: it starts from the beginning next time.
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
