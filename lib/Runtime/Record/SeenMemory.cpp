//===- SeenMemory.cpp - The last known memory contents --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies with overlapping ranges are joined, so that every byte has one copy,
// however launches refer to it.
//
//===----------------------------------------------------------------------===//

#include "SeenMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

using namespace sluice;

unsigned char *SeenMemory::cover(ByteRange range,
                                 std::vector<ByteRange> &unknown) {
  auto first = copies.upper_bound(range.begin);
  if (first != copies.begin()) {
    auto before = std::prev(first);
    if (range.end <= before->first + before->second.size())
      return before->second.data() + (range.begin - before->first);
    if (range.begin < before->first + before->second.size())
      first = before;
  }
  ByteRange all = range;
  auto last = first;
  for (; last != copies.end() && last->first < range.end; ++last) {
    all.begin = std::min(all.begin, last->first);
    all.end = std::max(all.end, last->first + last->second.size());
  }
  std::vector<unsigned char> joined(all.size());
  uint64_t known = range.begin;
  for (auto copy = first; copy != last; ++copy) {
    std::memcpy(joined.data() + (copy->first - all.begin), copy->second.data(),
                copy->second.size());
    if (known < copy->first)
      unknown.push_back({known, copy->first});
    known = copy->first + copy->second.size();
    total -= copy->second.size();
  }
  if (known < range.end)
    unknown.push_back({known, range.end});
  copies.erase(first, last);
  total += joined.size();
  auto added = copies.emplace(all.begin, std::move(joined)).first;
  return added->second.data() + (range.begin - all.begin);
}

unsigned char *SeenMemory::find(uint64_t address) {
  auto copy = std::prev(copies.upper_bound(address));
  return copy->second.data() + (address - copy->first);
}

void SeenMemory::forgetOthers(const std::vector<ByteRange> &kept,
                              uint64_t limit) {
  if (total <= limit)
    return;
  for (auto copy = copies.begin(); copy != copies.end();) {
    const ByteRange own = {copy->first, copy->first + copy->second.size()};
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const ByteRange &one) { return one.overlaps(own); })) {
      ++copy;
      continue;
    }
    total -= copy->second.size();
    copy = copies.erase(copy);
  }
}

void sluice::findDifferences(const unsigned char *before,
                             const unsigned char *now, uint64_t size,
                             uint64_t base, std::vector<RecordedRun> &runs) {
  constexpr uint64_t part = 4096, word = 8;
  uint64_t i = 0;
  while (i < size) {
    while (size - i >= part && std::memcmp(before + i, now + i, part) == 0)
      i += part;
    while (size - i >= word && std::memcmp(before + i, now + i, word) == 0)
      i += word;
    while (i < size && before[i] == now[i])
      ++i;
    if (i == size)
      return;
    const uint64_t begin = i;
    while (i < size && before[i] != now[i])
      ++i;
    if (!runs.empty() && runs.back().offset + runs.back().size == base + begin)
      runs.back().size += i - begin;
    else
      runs.push_back({base + begin, i - begin});
  }
}

uint64_t sluice::readableBytes(uint64_t address, uint64_t size) {
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr size_t maxParts = 512;
  unsigned char bytes[maxParts];
  iovec from[maxParts];
  uint64_t done = 0;
  while (done < size) {
    size_t count = 0;
    uint64_t next = done;
    for (; count < maxParts && next < size; ++count) {
      from[count] = {reinterpret_cast<void *>(address + next), 1};
      next += page - (address + next) % page;
    }
    const iovec to = {bytes, count};
    const ssize_t got = ::process_vm_readv(::getpid(), &to, 1, from, count, 0);
    // If the check is not permitted, trusts the program.
    if (got < 0 && errno != EFAULT)
      return size;
    const size_t good = got < 0 ? 0 : static_cast<size_t>(got);
    if (good < count)
      return reinterpret_cast<uint64_t>(from[good].iov_base) - address;
    done = std::min(next, size);
  }
  return size;
}
