//===- StagedFetch.h - One transfer home through pinned memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_STAGEDFETCH_H
#define SLUICE_RUNTIME_MEMORY_STAGEDFETCH_H

#include "Staging.h"

#include <deque>
#include <span>

namespace sluice {

/// The part of a box from byte `position` of its packed form on, as large as
/// it can be as a box of at most `limit` bytes.
BoxTransfer cutBox(const BoxTransfer &transfer, uint64_t position,
                   uint64_t limit);
/// The same box, but packed on the host, at `memory`.
BoxTransfer packedBox(const BoxTransfer &transfer, unsigned char *memory);
/// Copy the host's side of a box to its packed form and back.
void packBox(const BoxTransfer &transfer, unsigned char *packed);
void unpackBox(const BoxTransfer &transfer, unsigned char *packed);

/// Enqueue one operation and count it.
Result<device::Event> writeBox(TransferQueue &queue,
                               const BoxTransfer &transfer,
                               std::span<const device::Event> after);
Result<device::Event> readBox(TransferQueue &queue, const BoxTransfer &transfer,
                              std::span<const device::Event> after);

/// Ends when the bytes are in place, which whoever asks brings about.
class StagedFetch : public HostCompletion {
public:
  StagedFetch(Staging &staging, TransferQueue &queue,
              const BoxTransfer &transfer, std::span<const device::Event> after)
      : staging(staging), queue(queue), transfer(transfer),
        after(after.begin(), after.end()) {}
  ~StagedFetch() override;

  /// Enqueues as much as there are pieces for; false: for nothing.
  Result<bool> begin();

  bool hasEnded() override;
  Status wait() override;
  Result<device::Interval> interval() override;
  void appendDeviceEvents(std::vector<device::Event> &events) override;

private:
  struct Chunk {
    Staging::Piece *piece;
    BoxTransfer part;
    device::Event event;
  };

  void enqueue(Staging::Piece *piece);
  void advance(bool waits);
  void finishFirst();

  Staging &staging;
  TransferQueue &queue;
  const BoxTransfer transfer;
  const std::vector<device::Event> after;
  std::mutex mutex;
  /// Bytes of the packed box that are enqueued.
  uint64_t position = 0;
  /// On their way, in order.
  std::deque<Chunk> chunks;
  Status status;
  std::atomic<bool> isDone{false};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGEDFETCH_H
