//===- RecordHistory.cpp - Finding the writers of a byte ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Record/RecordHistory.h"

#include "sluice-c/Plan.h"

#include <algorithm>

using namespace sluice;

/// Takes the bytes of one change that are still unknown; returns their number.
static uint64_t take(const RecordedBlock &block, const RecordedChange &change,
                     uint32_t step, uint64_t address,
                     std::vector<RecordedByte> &bytes) {
  const uint64_t end = address + bytes.size();
  if (address >= block.address + block.size || end <= block.address)
    return 0;
  // Offsets within the block.
  const uint64_t first = address > block.address ? address - block.address : 0;
  const uint64_t last = std::min(end - block.address, block.size);
  uint64_t numTaken = 0, before = 0;
  for (const RecordedRun &run : change.runs) {
    if (run.offset >= last)
      break;
    const uint64_t begin = std::max(run.offset, first);
    const uint64_t stop = std::min(run.offset + run.size, last);
    for (uint64_t i = begin; i < stop; ++i) {
      RecordedByte &byte = bytes[block.address + i - address];
      if (byte.step != Record::none)
        continue;
      byte.step = step;
      ++numTaken;
      if (change.content == RecordedChange::Fill)
        byte.value = static_cast<unsigned char>(change.bytes[0]);
      else if (change.content == RecordedChange::Kept)
        byte.value =
            static_cast<unsigned char>(change.bytes[before + i - run.offset]);
    }
    before += run.size;
  }
  return numTaken;
}

std::vector<RecordedByte> sluice::memoryAfter(const Record &record,
                                              uint32_t step, uint64_t address,
                                              uint64_t size) {
  std::vector<RecordedByte> bytes(size);
  uint64_t numLeft = size;
  for (uint32_t i = std::min<uint64_t>(uint64_t(step) + 1, record.steps.size());
       i-- > 0 && numLeft;) {
    const RecordedStep &one = record.steps[i];
    const RecordedLaunch &launch = record.launchOf(one);
    for (const RecordedChange &change : one.changes)
      numLeft -= take(launch.blocks[change.block], change, i, address, bytes);
  }
  return bytes;
}

/// Whether a node received the block of an address, and may write it.
static bool mayWrite(const Record &record, const RecordedStep &step,
                     uint64_t address) {
  const RecordedLaunch &launch = record.launchOf(step);
  for (uint32_t i = 0; i < launch.blocks.size(); ++i) {
    const RecordedBlock &block = launch.blocks[i];
    if (address - block.address >= block.size ||
        !(block.access & SLUICE_ACCESS_OUT))
      continue;
    return std::any_of(step.inputs.begin(), step.inputs.end(),
                       [&](const RecordedValue &value) {
                         return value.kind == RecordedValue::Inside &&
                                value.block == i;
                       });
  }
  return false;
}

std::vector<uint32_t> sluice::silentWriters(const Record &record,
                                            uint32_t since, uint32_t step,
                                            uint64_t address) {
  std::vector<uint32_t> found;
  for (uint32_t i = since == Record::none ? 0 : since + 1;
       i <= step && i < record.steps.size(); ++i)
    if (record.steps[i].kind == RecordedStep::Node &&
        mayWrite(record, record.steps[i], address))
      found.push_back(i);
  return found;
}
