//===- Grant.cpp - One field of one argument of a running task ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are numbered densely, so that what is kept of them depends on their
// number and not on where they are in the root.
//
//===----------------------------------------------------------------------===//

#include "Grant.h"

#include "../Builtins.h"
#include "UnwrittenBytes.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::regions;

Grant::Grant(const Root &root, uint32_t field, SluicePrivilege privilege,
             const std::string &part, const SluiceDomain &domain, void *base)
    : root(root), field(field), privilege(privilege), part(part),
      domain(domain), base(reinterpret_cast<uintptr_t>(base)),
      elementBytes(static_cast<int64_t>(root.fields[field].elementBytes())) {
  if (domain.count == 0)
    return;
  for (int d = 0; d < domain.rank; ++d) {
    first += domain.lower[d] * domain.stride[d];
    end += (domain.upper[d] - 1) * domain.stride[d];
  }
  ++end;
  if (!discards())
    return;
  int64_t count = 0;
  for (int64_t i = 0; domain.runs && i < domain.numRuns; ++i) {
    before.push_back(count);
    count += domain.runs[i].end - domain.runs[i].begin;
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t Grant::indexAt(uintptr_t address) const {
  const auto offset = static_cast<int64_t>(address - base);
  const int64_t index = offset / elementBytes;
  return index - (offset % elementBytes < 0 ? 1 : 0);
}

/// The elements in memory are those of a box of the root.
int64_t Grant::positionAt(uintptr_t address) const {
  const Shape &shape = root.shape;
  int64_t index = indexAt(address), position = 0, stored = 0;
  // The same position where rows are those of the root.
  if (indexOf(domain, shape.count() - 1) == shape.count() - 1)
    return index < shape.count() ? std::max<int64_t>(index, -1) : -1;
  for (int d = 0; d < shape.rank; ++d)
    stored += root.stored.lower[d] * domain.stride[d];
  index -= stored;
  if (index < 0 || index >= root.stored.count())
    return -1;
  for (int d = 0; d < shape.rank; ++d) {
    position = position * shape.extent[d] + root.stored.lower[d] +
               index / domain.stride[d];
    index %= domain.stride[d];
  }
  return position;
}

int64_t Grant::numberOf(int64_t position) const {
  if (domain.runs) {
    const SluiceRun *behind = std::upper_bound(
        domain.runs, domain.runs + domain.numRuns, position,
        [](int64_t at, const SluiceRun &run) { return at < run.begin; });
    if (behind == domain.runs || position >= behind[-1].end)
      return -1;
    const int64_t run = behind - domain.runs - 1;
    return before.empty() ? 0 : before[run] + position - domain.runs[run].begin;
  }
  int64_t at[SLUICE_MAX_RANK], number = 0;
  root.shape.coordinates(position, at);
  for (int d = 0; d < domain.rank; ++d) {
    if (at[d] < domain.lower[d] || at[d] >= domain.upper[d])
      return -1;
    number =
        number * (domain.upper[d] - domain.lower[d]) + at[d] - domain.lower[d];
  }
  return number;
}

int64_t Grant::elementAt(uintptr_t address) const {
  const int64_t index = indexAt(address);
  if (index < first || index >= end)
    return -1;
  const int64_t position = positionAt(address);
  return position < 0 ? -1 : numberOf(position);
}

uintptr_t Grant::addressOf(int64_t element) const {
  int64_t position;
  if (domain.runs) {
    const auto run = std::upper_bound(before.begin(), before.end(), element) -
                     before.begin() - 1;
    position = domain.runs[run].begin + element - before[run];
  } else {
    int64_t at[SLUICE_MAX_RANK] = {};
    for (int d = domain.rank; d-- > 0;) {
      const int64_t extent = domain.upper[d] - domain.lower[d];
      at[d] = domain.lower[d] + element % extent;
      element /= extent;
    }
    position = root.shape.position(at);
  }
  return base + indexOf(domain, position) * elementBytes;
}

uint64_t Grant::distanceTo(uintptr_t address) const {
  const uintptr_t begin = start();
  const uintptr_t behind = base + end * elementBytes;
  return std::min(address < begin ? begin - address : address - begin,
                  address < behind ? behind - address : address - behind);
}

//===----------------------------------------------------------------------===//
// Values that do not matter
//===----------------------------------------------------------------------===//

/// Calls `function(byte, address, size)` for contiguous bytes of elements.
template <typename Function>
void Grant::forEachPiece(Function &&function) const {
  uint64_t byte = 0;
  forEachSpan(domain, [&](int64_t begin, int64_t behind) {
    const auto size = static_cast<uint64_t>((behind - begin) * elementBytes);
    function(
        byte,
        reinterpret_cast<char *>(base + indexOf(domain, begin) * elementBytes),
        size);
    byte += size;
  });
}

void Grant::hideValues() {
  const auto size = static_cast<uint64_t>(domain.count * elementBytes);
  hidden.resize(size);
  written.resize(size);
  forEachPiece([&](uint64_t byte, char *at, uint64_t count) {
    std::copy_n(at, count, hidden.begin() + static_cast<ptrdiff_t>(byte));
    for (uint64_t i = 0; i < count; ++i)
      at[i] = unwrittenByte(byte + i);
  });
}

/// The first of the eight bytes by which a byte is judged; all of them if there
/// are fewer. A shorter word at the end would often look unwritten by chance.
uint64_t Grant::beginOfWord(uint64_t byte) const {
  const uint64_t begin = byte & ~uint64_t(7);
  return begin + 8 <= hidden.size() ? begin
         : hidden.size() < 8        ? 0
                                    : hidden.size() - 8;
}

/// Whether nothing was written of the eight bytes around one, as far as is
/// known: code that reports nothing is recognised by what it wrote.
bool Grant::isUnwrittenWord(uint64_t byte, bool isCopied) const {
  const uint64_t begin = beginOfWord(byte);
  const uint64_t behind = std::min<uint64_t>(begin + 8, hidden.size());
  for (uint64_t i = begin; i < behind; ++i) {
    if (written[i]) {
      if (isCopied)
        return false;
      continue;
    }
    const uintptr_t at =
        addressOf(static_cast<int64_t>(i) / elementBytes) + i % elementBytes;
    if (*reinterpret_cast<const char *>(at) != unwrittenByte(i))
      return false;
  }
  return true;
}

bool Grant::isWritten(int64_t element, uintptr_t address, uint64_t size,
                      bool isCopied) const {
  const uint64_t begin = element * elementBytes +
                         static_cast<int64_t>(address - base) -
                         indexAt(address) * elementBytes;
  for (uint64_t i = begin; i < begin + size; ++i)
    if (!written[i] && isUnwrittenWord(i, isCopied))
      return false;
  return true;
}

void Grant::noteWritten(int64_t element, uintptr_t address, uint64_t size) {
  const uint64_t begin = element * elementBytes +
                         static_cast<int64_t>(address - base) -
                         indexAt(address) * elementBytes;
  for (uint64_t i = begin; i < begin + size; ++i)
    written[i] = true;
}

void Grant::restoreValues() {
  if (hidden.size() < 4)
    return;
  std::vector<char> now(hidden.size());
  forEachPiece([&](uint64_t byte, char *at, uint64_t count) {
    std::copy_n(at, count, now.begin() + static_cast<ptrdiff_t>(byte));
  });
  // Backwards, since the last word may begin in the one before it.
  for (uint64_t byte = (now.size() - 1) & ~uint64_t(7);; byte -= 8) {
    const uint64_t begin = beginOfWord(byte);
    const uint64_t behind = std::min<uint64_t>(begin + 8, now.size());
    bool isUnwritten = true;
    for (uint64_t i = begin; i < behind; ++i)
      isUnwritten &= written[i] || now[i] == unwrittenByte(i);
    for (uint64_t i = byte; isUnwritten && i < behind; ++i)
      if (!written[i])
        now[i] = hidden[i];
    if (byte == 0)
      break;
  }
  forEachPiece([&](uint64_t byte, char *at, uint64_t count) {
    std::copy_n(now.begin() + static_cast<ptrdiff_t>(byte), count, at);
  });
}
