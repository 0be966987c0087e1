//===- LaunchRecorder.h - One launch of a record ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of recording graphs and tables of tasks: compares memory
// before a launch and after each of its nodes, and writes an event for each.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_LAUNCHRECORDER_H
#define SLUICE_RUNTIME_RECORD_LAUNCHRECORDER_H

#include "Recorder.h"

namespace sluice {

/// The values of an event, with their number.
struct EncodedValues {
  uint64_t count = 0;
  RecordEncoder values;
};

/// From the start of a launch to its end. If memory runs out, the record ends
/// and the program continues.
class LaunchRecorder {
public:
  /// `numRuns`: how many nodes or tasks will run, about.
  LaunchRecorder(Recorder &recorder, const RecordOptions &options,
                 std::vector<GivenMemory> given, uint64_t numRuns);
  ~LaunchRecorder();
  LaunchRecorder(const LaunchRecorder &) = delete;
  LaunchRecorder &operator=(const LaunchRecorder &) = delete;

  /// Blocks are known from here on, so that values can be pointers into them.
  void addValue(EncodedValues &values, std::string_view name,
                const unsigned char *bytes, uint64_t size,
                bool isPointer) const;
  /// The same for an output that was not stored.
  static void addUnset(EncodedValues &values, std::string_view name,
                       uint64_t size);
  /// The block that contains an address.
  const GivenMemory *blockOf(uint64_t address) const;

  void begin(const std::string &graph, const EncodedValues &arguments);
  void firstUse(ByteRange range);
  /// `written`: the memory that it may write, as far as known.
  void beginNode(uint32_t node, bool isPoint, std::span<const int64_t> extents,
                 const EncodedValues &inputs, std::vector<ByteRange> written);
  /// Records the changes of the node. Returns true if it has to run again; then
  /// memory has been restored to its previous state.
  bool nodeHasRun(bool isToRunAgain);
  /// It has run again; memory is as after the first run. `problem` describes
  /// other differences.
  void nodeHasRunAgain(std::string problem);
  void refuseToRunAgain(std::string why);
  void endNode(const EncodedValues &outputs, const std::string &error);
  void end(const EncodedValues &results, const std::string &error);

private:
  /// The difference of one block from its copy.
  struct Change {
    uint32_t block;
    std::vector<RecordedRun> runs;
    /// The bytes of the runs.
    std::string bytes;
  };
  template <typename Work> void guarded(Work &&work);
  void join(std::vector<GivenMemory> given);
  void findChanges(const std::vector<ByteRange> &ranges,
                   std::vector<Change> &changes);
  std::vector<ByteRange> allBlocks() const;
  void takeOver(const std::vector<Change> &changes);
  void encode(const std::vector<Change> &changes, RecordEncoder &out);
  std::string compare(const std::vector<Change> &first,
                      const std::vector<Change> &second) const;
  unsigned char *live(const Change &change) const {
    return reinterpret_cast<unsigned char *>(blocks[change.block].start);
  }

  Recorder &recorder;
  const RecordOptions options;
  std::vector<GivenMemory> blocks;
  /// After each node compare all memory, not only what it may write.
  bool looksAtAll = false;
  std::vector<bool> wasUsed;
  std::vector<ByteRange> written;
  std::vector<Change> changes;
  RecordedStep::Verification verification = RecordedStep::NotTried;
  std::string finding;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_RECORD_LAUNCHRECORDER_H
