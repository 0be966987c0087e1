//===- StreamBatch.h - Stream items that travel together ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expensive item forms its own batch; many cheap items go through a node
// before the next node starts, so that scheduling costs nothing per item.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_STREAMBATCH_H
#define SLUICE_RUNTIME_STREAMS_STREAMBATCH_H

#include "../Execution/Instance.h"
#include "../Memory/Tracker.h"
#include "ItemOrder.h"

#include <vector>

namespace sluice {

class StreamBatch;

/// Receives notifications about a batch.
class BatchOwner {
public:
  virtual ~BatchOwner() = default;
  virtual void batchEnded(StreamBatch &batch, Worker *worker) = 0;
  virtual void batchNodeEnded(StreamBatch &batch, Worker *worker,
                              uint32_t node) = 0;
  virtual void batchMemoryReady(StreamBatch &batch, Worker *worker) = 0;
  virtual void batchMemoryWanted(StreamBatch &batch) = 0;
};

/// The stream and its lock own everything except the instance.
class StreamBatch final : public InstanceOwner, public MemoryUser {
public:
  StreamBatch(const PlanInfo &info, uint32_t maxItems)
      : instance(info, *this, maxItems), hasEnded(info.nodes.size()),
        dependents(info.nodes.size()) {}

  enum class State {
    Filling, ///< items are being pushed into it
    Waiting, ///< closed, not started
    Running, ///< nodes run, or wait for nodes of earlier batches
    Ended,   ///< waits for earlier batches to deliver their results
  };
  /// A node of a later batch that waits for a node of this one.
  struct Dependent {
    StreamBatch *batch;
    uint32_t node;
  };

  /// A request for memory may come late, when another stream has the batch.
  std::atomic<BatchOwner *> owner{nullptr};
  GraphInstance instance;
  State state = State::Filling;
  uint32_t numItems = 0;
  uint32_t numGood = 0; ///< items with results, after it has ended
  std::string error;
  bool memoryIsReady = true;
  /// Items use memory of each other or of fixed arguments.
  bool goesItemByItem = false;
  /// An item uses memory of a fixed argument.
  bool touchesFixed = false;
  /// Memory of streaming pointers.
  std::vector<ArgumentRange> ranges;
  /// Per node.
  std::vector<char> hasEnded;
  std::vector<std::vector<Dependent>> dependents;
  bool hasDependents = false;
  StreamBatch *next = nullptr;

  /// Adds memory of an item. Items often follow each other in an array; then
  /// the batch has one range.
  void addRange(const ArgumentRange &range) {
    for (ArgumentRange &known : ranges)
      if (known.argument == range.argument && known.end == range.start) {
        known.end = range.end;
        return;
      }
    ranges.push_back(range);
  }

  void instanceEnded(Worker *worker) override {
    owner.load()->batchEnded(*this, worker);
  }
  void nodeEnded(Worker *worker, uint32_t node) override {
    owner.load()->batchNodeEnded(*this, worker, node);
  }
  void memoryReady(Worker *worker) override {
    owner.load()->batchMemoryReady(*this, worker);
  }
  void memoryWanted() override { owner.load()->batchMemoryWanted(*this); }
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_STREAMBATCH_H
