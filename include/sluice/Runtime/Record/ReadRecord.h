//===- ReadRecord.h - What a run left under SLUICE_RECORD -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is the history of a program's memory as its graphs saw it: one step
// after another, each with what was given and what it changed. A record whose
// program was ended early is read as far as it goes.
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

/// A value that a graph or a node was given, or delivered.
struct RecordedValue {
  enum Kind : uint32_t {
    Bytes,
    Null,      ///< a pointer to nothing
    Inside,    ///< a pointer into a block of the launch
    Elsewhere, ///< any other pointer
    Unset      ///< an output that the kernel does not store: nobody reads it
  };
  /// A record has no more bytes of a value.
  static constexpr size_t maxBytes = 256;

  std::string name;
  Kind kind = Bytes;
  /// In bytes, of the whole value.
  uint64_t size = 0;
  /// Bytes: the first of them; and the hash of all, if there are more.
  std::string bytes, hash;
  /// Inside: where.
  uint32_t block = 0;
  uint64_t offset = 0;
};

/// Bytes that follow each other.
struct RecordedRun {
  uint64_t offset, size;
};

/// What one step did to one block.
struct RecordedChange {
  /// Of the launch.
  uint32_t block = 0;
  /// Whose value is another one afterwards; ascending and apart. Bytes that
  /// were written with the value they had are not among them.
  std::vector<RecordedRun> runs;
  /// Of the runs and of the bytes in them.
  std::string_view hash;
  enum Content : uint32_t {
    Cut,  ///< the record had no room for them
    Kept, ///< `bytes`: those of all runs
    Fill  ///< `bytes` is one byte, which all of them have
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

/// Memory that a launch was given.
struct RecordedBlock {
  /// Of the argument; of several that overlap, "a, b".
  std::string name;
  /// Of its elements, "f64"; empty: not known.
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
  /// Of the file that has its code; empty: not known.
  std::string codeHash;
  /// Of a program over regions: its nodes are tasks, and its edges lead from a
  /// task to one that waits for some of its points.
  bool isTable = false;
  std::vector<RecordedNode> nodes;
  /// From a node to one that waits for it.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
};

/// A launch of a graph, or an item of a stream.
struct RecordedLaunch {
  uint32_t graph = 0;
  /// Of this graph before it.
  uint64_t numBefore = 0;
  /// Apart from each other, with addresses of the process that ran.
  std::vector<RecordedBlock> blocks;
  std::vector<RecordedValue> arguments, results;
  bool hasEnded = false;
  /// Why it failed; empty if it did not.
  std::string error;
};

struct RecordedStep {
  enum Kind : uint32_t {
    Launch,   ///< a graph is launched; changes are the host program's
    FirstUse, ///< a dataset gets its first values
    Node,     ///< a node, or a task at one point
    Rest      ///< what a launch changed that no node of it was given to write
  };
  enum Verification : uint32_t {
    NotTried,
    Same,    ///< run again from the same memory, it did the same
    Differs, ///< it did something else: it is not deterministic
    Refused  ///< it cannot be run again, as `finding` says
  };
  Kind kind = Node;
  uint32_t launch = 0;
  /// Of the graph.
  uint32_t node = 0;
  /// `extents` are the coordinates of the task's point; else three numbers for
  /// each level of the node.
  bool isPoint = false;
  std::vector<int64_t> extents;
  std::vector<RecordedValue> inputs, outputs;
  std::vector<RecordedChange> changes;
  /// False of the last one, if the program ended in it.
  bool hasEnded = true;
  std::string error;
  Verification verification = NotTried;
  std::string finding;
};

struct Record {
  static constexpr uint32_t none = UINT32_MAX;

  std::string path;
  /// Name, hash of the file, and words of the program.
  std::string program, programHash, command;
  /// Bytes of contents that were to be kept at most.
  uint64_t limit = 0;
  std::vector<RecordedGraph> graphs;
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedStep> steps;
  /// What is not recorded, and why.
  std::vector<std::string> notes;
  /// Empty: it goes to the end of the program. Else why it does not.
  std::string endsEarly;

  const RecordedLaunch &launchOf(const RecordedStep &step) const {
    return launches[step.launch];
  }
  const RecordedGraph &graphOf(const RecordedStep &step) const {
    return graphs[launches[step.launch].graph];
  }
  /// "root/blur", "sweep (1, 2)", "launch 3 of 'root'".
  std::string nameOf(const RecordedStep &step) const;
  /// How many changes are without their bytes.
  uint64_t numCut() const;

private:
  friend Result<std::unique_ptr<Record>> readRecord(const std::string &path);
  /// What the views point into.
  std::string file;
};

/// Reads the record in a folder, or the file itself. An error says what is
/// wrong with it, and at which byte it is damaged.
Result<std::unique_ptr<Record>> readRecord(const std::string &path);

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_READRECORD_H
