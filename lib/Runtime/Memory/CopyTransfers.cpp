//===- CopyTransfers.cpp - Transfers of an object -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between the copies of an object. A queue cannot wait for events of
// another device. So the host waits for bytes from another device, piece by
// piece: the next piece is fetched while the previous one is sent.
//
//===----------------------------------------------------------------------===//

#include "MemoryCopies.h"

#include "sluice/Base/Text.h"

#include <bit>

using namespace sluice;

/// Size of these pieces; large enough that the start-up time of a transfer does
/// not matter.
static constexpr uint64_t pieceSize = UINT64_C(4) << 20;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string MemoryCopies::text(const MemoryPart &part) const {
  std::string object = concat(countOf(size, "byte", "bytes"), " at ",
                              static_cast<const void *>(host));
  return *part.name ? concat(quoted(part.name), " (", object, ")")
                    : concat("the ", object);
}

Status MemoryCopies::lostError(const MemoryPart &part, ByteRange bytes) const {
  std::string devices;
  for (auto &copy : copies)
    if (copy && copy->isLost)
      devices +=
          concat(devices.empty() ? "" : " and ", quoted(copy->device->name()));
  return Status::error(
      StatusCode::System,
      concat("bytes ", bytes.begin, " to ", bytes.end - 1, " of ", text(part),
             " are lost: only ",
             devices.empty() ? std::string("a kernel that failed") : devices,
             " had them"));
}

Status MemoryCopies::transferError(const MemoryPart &part, std::string_view way,
                                   MemoryPlace place, uint64_t bytes,
                                   const Status &status) const {
  return Status::error(
      status.code(),
      concat("cannot transfer ", countOf(bytes, "byte", "bytes"), " of ",
             text(part), " ", way, " ", quoted(copies[place]->device->name()),
             ": ", status.message()));
}

static uint64_t sumOf(const std::vector<ValidRange> &parts) {
  uint64_t sum = 0;
  for (const ValidRange &part : parts)
    sum += part.bytes.size();
  return sum;
}

static ByteRange boundsOf(const std::vector<ValidRange> &parts) {
  return {parts.front().bytes.begin, parts.back().bytes.end};
}

//===----------------------------------------------------------------------===//
// To a device
//===----------------------------------------------------------------------===//

/// The ranges of a part that are not valid at a place.
std::vector<ValidRange> MemoryCopies::missing(const MemoryPart &part,
                                              MemoryPlace place) const {
  std::vector<ValidRange> all;
  part.visit([&](ByteRange bytes) {
    valid.visit(bytes, [&](ByteRange range, PlaceSet places) {
      if (!(places & setOf(place)))
        all.push_back({range, places});
    });
  });
  return all;
}

/// Makes a part valid on a device. Transfers from the host are only enqueued.
Status MemoryCopies::fetchTo(Copy &copy, const MemoryPart &part, Lock &lock) {
  MemoryPlace place = copy.device->number;
  dropLost(lock);
  uint64_t bytes = 0;
  part.visit([&](ByteRange range) { bytes += range.size(); });
  copy.device->countHit(bytes - sumOf(missing(part, place)));
  Status failure;
  while (true) {
    std::vector<ValidRange> lacking = missing(part, place);
    if (lacking.empty())
      return {};
    if (!failure.ok())
      return failure;
    if (Status status = beginDownloads(part, Home::MissingAt, place, lock);
        !status.ok())
      return status;
    std::vector<ValidRange> ready = readyToSend(copy, part);
    if (!ready.empty()) {
      if (Status status = sendReady(copy, part, std::move(ready)); !status.ok())
        return status;
      continue;
    }
    lacking = missing(part, place);
    const Operation *user = lacking.empty()
                                ? nullptr
                                : findUser(hostPlace, boundsOf(lacking), false);
    if (!user)
      continue;
    MemoryPlace source = user->reads;
    uint64_t awaited = sumOf(user->parts);
    if (Status status = waitOutside(lock, *user); !status.ok())
      failure = transferError(part, "from", source, awaited, status);
    retire();
    dropLost(lock);
  }
}

/// The ranges of a part that a copy lacks, that the host has, and that no
/// transfer is writing.
std::vector<ValidRange>
MemoryCopies::readyToSend(const Copy &copy, const MemoryPart &part) const {
  std::vector<ValidRange> ready = missing(part, copy.device->number);
  std::erase_if(ready, [](const ValidRange &range) {
    return !(range.places & setOf(hostPlace));
  });
  for (const auto &operation : operations)
    if (operation->writes == hostPlace && !ready.empty() &&
        operation->bounds.overlaps(boundsOf(ready)))
      cut(ready, operation->bounds);
  return ready;
}

/// Sends parts that are valid on the host.
Status MemoryCopies::sendReady(Copy &copy, const MemoryPart &part,
                               std::vector<ValidRange> parts) {
  MemoryPlace place = copy.device->number;
  auto transfer = std::make_shared<Operation>();
  transfer->reads = hostPlace;
  transfer->writes = place;
  transfer->bounds = boundsOf(parts);
  std::vector<device::Event> after;
  appendEvents(place, transfer->bounds, /*writes=*/true, after);
  Status status = copy.device->send(
      {*copy.buffer, copy.bufferBegin, host, parts}, after, transfer->events);
  add(transfer);
  if (!status.ok())
    return transferError(part, "to", place, sumOf(parts), status);
  for (const ValidRange &sent : parts)
    valid.add(sent.bytes, place);
  transfer->parts = std::move(parts);
  return {};
}

//===----------------------------------------------------------------------===//
// To the host
//===----------------------------------------------------------------------===//

/// Begins to fetch the ranges of a part that the host does not have.
Status MemoryCopies::beginDownloads(const MemoryPart &part, Home which,
                                    MemoryPlace place, Lock &lock) {
  while (true) {
    std::vector<ValidRange> wanted =
        which == Home::OnlyAt ? valid.parts(part.bytes) : missing(part, place);
    for (const ValidRange &range : wanted)
      if (!range.places && which != Home::OnlyAt)
        return lostError(part, range.bytes);
    std::erase_if(wanted, [&](const ValidRange &range) {
      return which == Home::OnlyAt ? range.places != setOf(place)
                                   : range.places & setOf(hostPlace);
    });
    if (wanted.empty())
      return {};
    if (const Operation *other = findHostConflict(wanted)) {
      (void)waitOutside(lock, *other);
      retire();
      continue;
    }
    if (which != Home::MissingAt)
      return download(part, std::move(wanted));
    return downloadPieces(part, wanted);
  }
}

/// An operation that still uses host bytes which are about to be overwritten,
/// without being ordered with the overwriting operation: one of another device,
/// or an earlier fetch, whose staged bytes may arrive at any time. Transfers to
/// the same device are ordered by the later kernel that wrote there.
const MemoryCopies::Operation *
MemoryCopies::findHostConflict(const std::vector<ValidRange> &parts) const {
  ByteRange bounds = boundsOf(parts);
  for (const auto &operation : operations) {
    if (!operation->uses(hostPlace) || !operation->bounds.overlaps(bounds))
      continue;
    for (const ValidRange &range : parts)
      if (operation->bounds.overlaps(range.bytes) &&
          (operation->writes == hostPlace ||
           std::countr_zero(range.places) != int(operation->writes)))
        return operation.get();
  }
  return nullptr;
}

/// Downloads in operations of a few megabytes each.
Status MemoryCopies::downloadPieces(const MemoryPart &part,
                                    const std::vector<ValidRange> &parts) {
  std::vector<ValidRange> piece;
  uint64_t bytes = 0;
  auto flush = [&] {
    bytes = 0;
    return piece.empty() ? Status() : download(part, std::exchange(piece, {}));
  };
  for (auto [rest, places] : parts)
    while (!rest.isEmpty()) {
      ByteRange next = {rest.begin,
                        std::min(rest.end, rest.begin + pieceSize - bytes)};
      piece.push_back({next, places});
      bytes += next.size();
      rest.begin = next.end;
      if (bytes < pieceSize)
        continue;
      if (Status status = flush(); !status.ok())
        return status;
    }
  return flush();
}

/// Downloads each part from one of its places.
Status MemoryCopies::download(const MemoryPart &part,
                              std::vector<ValidRange> parts) {
  std::vector<std::vector<ValidRange>> byPlace(copies.size());
  for (ValidRange &range : parts)
    byPlace[std::countr_zero(range.places)].push_back(range);
  for (MemoryPlace place = 1; place < byPlace.size(); ++place)
    if (!byPlace[place].empty())
      if (Status status =
              downloadFrom(*copies[place], part, std::move(byPlace[place]));
          !status.ok())
        return status;
  return {};
}

Status MemoryCopies::downloadFrom(Copy &copy, const MemoryPart &part,
                                  std::vector<ValidRange> parts) {
  MemoryPlace place = copy.device->number;
  auto transfer = std::make_shared<Operation>();
  transfer->reads = place;
  transfer->writes = hostPlace;
  transfer->bounds = boundsOf(parts);
  std::vector<device::Event> after;
  appendEvents(place, transfer->bounds, /*writes=*/false, after);
  Status status = copy.device->fetch(
      {*copy.buffer, copy.bufferBegin, host, parts}, after, transfer->events);
  add(transfer);
  if (!status.ok())
    return transferError(part, "from", place, sumOf(parts), status);
  for (const ValidRange &fetched : parts)
    valid.add(fetched.bytes, hostPlace);
  transfer->parts = std::move(parts);
  return {};
}
