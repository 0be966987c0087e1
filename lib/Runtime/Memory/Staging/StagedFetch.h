//===- StagedFetch.h - One fetch through pinned memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fetch of boxes or of packed ranges. They differ in how a chunk is read into
// a piece of pinned memory and copied out of it; this class implements the
// common order of these steps.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_MEMORY_STAGING_STAGEDFETCH_H
#define SLUICE_RUNTIME_MEMORY_STAGING_STAGEDFETCH_H

#include "Staging.h"

#include <deque>
#include <span>

namespace sluice {

/// Data to fetch, in chunks that fit into a piece.
class FetchSource {
public:
  virtual ~FetchSource() = default;
  /// The end of the positions, which count bytes or ranges.
  virtual uint64_t end() const = 0;
  /// Whether reading without pieces takes very many transfers.
  virtual bool areManySmall() const { return false; }
  /// Whether a piece has the resources to read from `position` on into it.
  virtual bool prepare(StagingPiece &piece, uint64_t position) = 0;
  /// Enqueues reading a chunk into a piece, and advances the position.
  virtual Result<device::Event> read(StagingPiece &piece, uint64_t &position,
                                     std::span<const device::Event> after) = 0;
  /// Copies the arrived chunk at `position` to its place on the host.
  virtual void unpack(StagingPiece &piece, uint64_t position) = 0;
  /// Called if a chunk could not be read.
  virtual void failed() {}
};

class BoxSource final : public FetchSource {
public:
  BoxSource(Staging &staging, TransferQueue &queue, const BoxTransfer &transfer)
      : staging(staging), queue(queue), transfer(transfer) {}
  uint64_t end() const override { return transfer.size(); }
  bool prepare(StagingPiece &, uint64_t) override { return true; }
  Result<device::Event> read(StagingPiece &piece, uint64_t &position,
                             std::span<const device::Event> after) override;
  void unpack(StagingPiece &piece, uint64_t position) override;

private:
  Staging &staging;
  TransferQueue &queue;
  const BoxTransfer transfer;
};

class RangeSource final : public FetchSource {
public:
  RangeSource(Staging &staging, TransferQueue &queue,
              const RangeTransfer &transfer)
      : staging(staging), queue(queue), transfer(transfer) {}
  uint64_t end() const override { return transfer.ranges.size(); }
  bool areManySmall() const override { return true; }
  bool prepare(StagingPiece &piece, uint64_t position) override;
  Result<device::Event> read(StagingPiece &piece, uint64_t &position,
                             std::span<const device::Event> after) override;
  void unpack(StagingPiece &piece, uint64_t position) override;
  void failed() override;

private:
  PackedRanges chunkAt(uint64_t position) const;

  Staging &staging;
  TransferQueue &queue;
  const RangeTransfer transfer;
};

/// Completes when the bytes are in place: the thread that queries completion
/// copies arrived chunks.
class StagedFetch : public HostCompletion {
public:
  StagedFetch(Staging &staging, std::unique_ptr<FetchSource> source,
              std::span<const device::Event> after)
      : staging(staging), source(std::move(source)),
        after(after.begin(), after.end()) {}
  ~StagedFetch() override;

  /// Enqueues as many chunks as there are free pieces; false if there are none.
  Result<bool> begin();

  bool hasEnded() override;
  Status wait() override;
  Result<device::TimeInterval> interval() override;
  void appendDeviceEvents(std::vector<device::Event> &events) override;

private:
  struct Chunk {
    StagingPiece *piece;
    uint64_t position;
    device::Event event;
  };

  void enqueue(StagingPiece *piece);
  void advance(bool waits);
  void finishFirst();

  Staging &staging;
  const std::unique_ptr<FetchSource> source;
  const std::vector<device::Event> after;
  std::mutex mutex;
  /// Everything before this position has been enqueued.
  uint64_t position = 0;
  /// Enqueued chunks that have not been copied yet, in order.
  std::deque<Chunk> chunks;
  Status status;
  std::atomic<bool> isDone{false};
};

} // namespace sluice

#endif // SLUICE_RUNTIME_MEMORY_STAGING_STAGEDFETCH_H
