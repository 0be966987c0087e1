//===- Stream.h - A streaming graph ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands behind the handle of a streaming launch. Items run one after
// another in push order, each of them in parallel inside.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_STREAM_H
#define SLUICE_RUNTIME_STREAM_H

#include "Arguments.h"
#include "Handles.h"
#include "Instance.h"
#include "PlanTable.h"
#include "Pool.h"
#include "Tracker.h"

#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice {

class Runtime;

/// An item's way:
///
///   push --> pending (arguments copied) --> running --> results --> pop
///            at most `bound` unfinished                  any number
///
/// A host thread that has to wait in push, pop or wait runs nodes meanwhile.
class Stream final : public Handled, public InstanceOwner, public MemoryUser {
public:
  static constexpr uint64_t defaultBound = 64;

  Stream(Runtime &runtime, PlanEntry &entry);
  ~Stream() override;

  PlanEntry &entry;

  /// Reads the fixed arguments and claims their memory.
  Status open(const void *structure, const SluiceLayout *layout);
  Status setBound(uint64_t bound);
  Status push(const void *structure, const SluiceLayout *layout);
  /// A packed structure that stays valid until the next pop.
  Result<void *> pop();
  Status wait();
  bool isClosed();

  void instanceEnded(Worker *worker) override;
  void memoryReady(Worker *worker) override;

private:
  struct Item;
  using Bytes = std::unique_ptr<unsigned char[]>;

  Status failure() const;
  void startNext(Worker *worker);
  void itemReady(Item &item, Worker *worker);
  Result<bool> waitForResult();

  Runtime &runtime;
  GraphInstance instance;
  /// The frame with the fixed arguments, and room to look at new ones.
  Bytes fixedFrame;
  WaitPoint progress;

  std::mutex mutex;
  /// Unfinished items; the first may be running.
  std::deque<std::unique_ptr<Item>> items;
  std::deque<Bytes> results;
  Bytes popped;
  uint64_t bound = defaultBound;
  bool isRunning = false;
  bool fixedMemoryReady = false;
  bool closed = false;
  /// Why an item failed; empty: none did.
  std::string error;
  /// The only thread that launched and pushed so far.
  std::thread::id producer;
  bool severalProducers = false;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_STREAM_H
