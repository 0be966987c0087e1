//===- ReadRecord.h - Reading the record of a run -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is the history of a program's memory as seen by its graphs: a
// sequence of steps, each with its inputs and its changes. A record of a
// program that ended early is read as far as it goes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_READRECORD_H
#define SLUICE_RUNTIME_RECORD_READRECORD_H

#include "sluice/Base/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// An input or output value of a graph or a node.
struct RecordedValue {
  enum Kind : uint32_t {
    Bytes,
    Null,      ///< a pointer to nothing
    Inside,    ///< a pointer into a block of the launch
    Elsewhere, ///< any other pointer
    Unset      ///< an output that the kernel does not store; nobody reads it
  };
  /// The maximum number of bytes of a value in a record.
  static constexpr size_t maxBytes = 256;

  std::string name;
  Kind kind = Bytes;
  /// The size of the whole value in bytes.
  uint64_t size = 0;
  /// Bytes: the first bytes; and the hash of all bytes, if there are more.
  std::string bytes, hash;
  /// Inside: the block.
  uint32_t block = 0;
  uint64_t offset = 0;
};

/// Consecutive bytes.
struct RecordedRun {
  uint64_t offset, size;
};

/// The changes of one step to one block.
struct RecordedChange {
  /// The block of the launch.
  uint32_t block = 0;
  /// The bytes with a changed value, as ascending runs with gaps between them.
  /// Excludes bytes that were overwritten with the same value.
  std::vector<RecordedRun> runs;
  /// The hash of the runs and of their bytes.
  std::string_view hash;
  enum Content : uint32_t {
    Cut,  ///< no room in the record
    Kept, ///< `bytes` contains the bytes of all runs
    Fill  ///< `bytes` is one byte; all bytes of the runs have this value
  };
  Content content = Cut;
  std::string_view bytes;

  uint64_t numBytes() const {
    uint64_t sum = 0;
    for (const RecordedRun &run : runs)
      sum += run.size;
    return sum;
  }
};

/// Memory that a launch received.
struct RecordedBlock {
  /// The name of the argument; for several that overlap, "a, b".
  std::string name;
  /// The type of its elements, "f64"; empty: not known.
  std::string type;
  uint64_t address, size;
  /// SluiceAccess.
  uint32_t access;
};

struct RecordedNode {
  std::string name, location;
};

struct RecordedGraph {
  std::string name, location;
  /// The hash of the file with its code; empty: not known.
  std::string codeHash;
  /// A program over regions: its nodes are tasks, and an edge leads from a task
  /// to one that waits for some of its points.
  bool isTable = false;
  std::vector<RecordedNode> nodes;
  /// From a node to one that waits for it.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
};

/// A launch of a graph, or an item of a stream.
struct RecordedLaunch {
  uint32_t graph = 0;
  /// The number of earlier launches of this graph.
  uint64_t numBefore = 0;
  /// Disjoint blocks, with addresses of the recorded process.
  std::vector<RecordedBlock> blocks;
  std::vector<RecordedValue> arguments, results;
  bool hasEnded = false;
  /// The reason of a failure; empty if it succeeded.
  std::string error;
};

struct RecordedStep {
  enum Kind : uint32_t {
    Launch,   ///< a graph is launched; the changes are the host program's
    FirstUse, ///< a dataset gets its initial values
    Node,     ///< a node, or a task at one point
    Rest      ///< changes of a launch that no node declared as written
  };
  enum Verification : uint32_t {
    NotTried,
    Same,    ///< run again from the same memory, it did the same
    Differs, ///< it did something else: it is not deterministic
    Refused  ///< it cannot be run again; `finding` gives the reason
  };
  Kind kind = Node;
  uint32_t launch = 0;
  /// The node of the graph.
  uint32_t node = 0;
  /// `extents` contains the coordinates of the task's point; otherwise it
  /// contains three numbers for each level of the node.
  bool isPoint = false;
  std::vector<int64_t> extents;
  std::vector<RecordedValue> inputs, outputs;
  std::vector<RecordedChange> changes;
  /// False for the last step if the program ended during it.
  bool hasEnded = true;
  std::string error;
  Verification verification = NotTried;
  std::string finding;
};

struct Record {
  static constexpr uint32_t none = UINT32_MAX;

  std::string path;
  /// Name, hash of the file, and command line of the program.
  std::string program, programHash, command;
  /// The maximum number of bytes of contents to keep.
  uint64_t limit = 0;
  std::vector<RecordedGraph> graphs;
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedStep> steps;
  /// The parts that were not recorded, and the reasons.
  std::vector<std::string> notes;
  /// The reason why the record ends before the program; empty if it does not.
  std::string endsEarly;

  const RecordedLaunch &launchOf(const RecordedStep &step) const {
    return launches[step.launch];
  }
  const RecordedGraph &graphOf(const RecordedStep &step) const {
    return graphs[launches[step.launch].graph];
  }
  /// "root/blur", "sweep (1, 2)", "launch 3 of 'root'".
  std::string nameOf(const RecordedStep &step) const;
  /// The number of changes without their bytes.
  uint64_t numCut() const;

private:
  friend Result<std::unique_ptr<Record>> readRecord(const std::string &path);
  /// The text to which the views point.
  std::string file;
};

/// Reads the record in a folder, or the file itself. An error describes the
/// problem and gives the byte at which the record is damaged.
Result<std::unique_ptr<Record>> readRecord(const std::string &path);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_READRECORD_H
