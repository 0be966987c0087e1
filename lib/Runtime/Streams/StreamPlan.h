//===- StreamPlan.h - The common data of all streams of a plan ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derived from the plan at its first streaming launch: the values that change
// with every item, the dependences between nodes of different items, the
// maximum number of items in a batch, and the unused batches.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAMS_STREAMPLAN_H
#define SLUICE_RUNTIME_STREAMS_STREAMPLAN_H

#include "../Engine/PlanTable.h"
#include "../Plan/PlanInfo.h"
#include "ItemOrder.h"
#include "StreamPace.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice {

class StreamBatch;

class StreamPlan final : public StreamState {
public:
  explicit StreamPlan(const PlanInfo &info);
  ~StreamPlan() override;

  /// A value to copy between a frame and a structure of the host.
  struct Field {
    uint32_t index; ///< of the argument or result
    uint64_t frameOffset;
    uint64_t size;
  };

  /// The StreamPlan of a plan; made by the first call.
  static StreamPlan &of(PlanEntry &entry);

  const PlanInfo &info;
  const ItemOrder order;
  std::vector<Field> streamingArguments;
  std::vector<Field> results;
  /// The maximum number of items that go through the graph together.
  const uint32_t maxItems;
  /// The cost of an item in earlier streams, in nanoseconds; 0: unknown.
  std::atomic<uint64_t> itemCost{0};
  /// For items that are neither cheap nor expensive.
  StreamPace pace;

  /// An unused batch. Throws std::bad_alloc.
  StreamBatch &takeBatch();
  /// Batches are kept until the runtime ends: see Instance.h.
  void giveBack(std::vector<StreamBatch *> &batches);

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<StreamBatch>> batches;
  std::vector<StreamBatch *> idle;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAMS_STREAMPLAN_H
