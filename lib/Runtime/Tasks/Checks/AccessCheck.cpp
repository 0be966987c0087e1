//===- AccessCheck.cpp - Accesses of instrumented kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For memory that a task declares as write-only, writes by uninstrumented code
// (a library, for example) are recognised by the values: words that still
// contain the initial pattern were not written.
//
//===----------------------------------------------------------------------===//

#include "AccessCheck.h"

#include "../../Regions/Checks/ElementCheck.h"
#include "../../Regions/Checks/Reporting.h"
#include "../PrintDatasets.h"
#include "../ViewElements.h"

#include "sluice-c/Check.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <mutex>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// All checks of the process
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: kernels may still run while the process ends.
struct ActiveChecks {
  std::mutex mutex;
  std::vector<AccessCheck *> checks;

  static ActiveChecks &get() {
    static ActiveChecks &all = *new ActiveChecks;
    return all;
  }
};
} // namespace

/// The number of checks. Apart from them: what makes them may be checked.
static constinit std::atomic<size_t> numActiveChecks{0};

void AccessCheck::accessed(const SluiceCheckSite &site, const void *address,
                           uint64_t size) {
  if (size == 0 || numActiveChecks.load(std::memory_order_acquire) == 0 ||
      isReporting)
    return;
  const Reporting reporting;
  ActiveChecks &all = ActiveChecks::get();
  std::lock_guard lock(all.mutex);
  for (AccessCheck *one : all.checks)
    if (one->check(site, reinterpret_cast<uintptr_t>(address), size))
      return;
}

void sluiceTaskAccess(const SluiceCheckSite *site, const void *address,
                      uint64_t size) {
  regions::ElementCheck::accessed(*site, address, size);
  AccessCheck::accessed(*site, address, size);
}

AccessCheck::~AccessCheck() { end(); }

void AccessCheck::begin(CodeOwner &newTask, const SluiceTaskRecord &newRecord,
                        const ElementAccess &access) {
  const Reporting reporting;
  ActiveChecks &all = ActiveChecks::get();
  std::lock_guard lock(all.mutex);
  blocks.clear();
  for (uint32_t i = 0; i < program.numData; ++i) {
    const SluiceTaskData &data = program.data[i];
    if (data.kind == SLUICE_DATA_PYOBJ)
      continue;
    Block block = {};
    block.start = reinterpret_cast<uintptr_t>(datasets.address(i));
    block.elementSize = data.elementBits / 8;
    // A scalar has more room than bytes.
    block.size =
        data.kind == SLUICE_DATA_SCALAR ? block.elementSize : data.size;
    block.data = i;
    block.margin = DatasetMemory::margin;
    block.access = access[i];
    if (!block.access.empty())
      block.isWritten.resize(block.size);
    blocks.push_back(std::move(block));
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block &a, const Block &b) { return a.start < b.start; });
  task = &newTask;
  record = &newRecord;
  hasMessage = false;
  all.checks.push_back(this);
  numActiveChecks.store(all.checks.size(), std::memory_order_release);
}

void AccessCheck::end() {
  const Reporting reporting;
  ActiveChecks &all = ActiveChecks::get();
  std::lock_guard lock(all.mutex);
  std::erase(all.checks, this);
  numActiveChecks.store(all.checks.size(), std::memory_order_release);
  blocks.clear();
  copies.clear();
  task = nullptr;
}

static bool isSameView(const SluiceTaskView &a, const SluiceTaskView &b) {
  return a.rank == b.rank && a.offset == b.offset &&
         std::equal(a.shape, a.shape + a.rank, b.shape) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

void AccessCheck::addCopy(const void *copy, const void *dataset,
                          const SluiceTaskView &view) {
  const Reporting reporting;
  std::lock_guard lock(ActiveChecks::get().mutex);
  if (!task)
    return;
  Block block = {};
  block.start = reinterpret_cast<uintptr_t>(copy);
  block.elementSize = view.elementSize;
  block.margin = copyMargin;
  uint8_t allowed = 0;
  for (uint32_t i = 0; i < record->numArguments; ++i) {
    const SluiceTaskArgument &argument = record->arguments[i];
    if (datasets.address(argument.data) != dataset ||
        !isSameView(argument.view, view))
      continue;
    block.data = argument.data;
    allowed |= static_cast<uint8_t>(argument.access);
  }
  forEachElement(view,
                 [&](uint64_t element) { block.elements.push_back(element); });
  block.size = block.elements.size() * view.elementSize;
  block.ownAccess.assign(block.elements.size(), allowed);
  block.access = block.ownAccess;
  block.isWritten.resize(block.size);
  copies.push_back(std::move(block));
}

void AccessCheck::removeCopy(const void *copy) {
  const Reporting reporting;
  std::lock_guard lock(ActiveChecks::get().mutex);
  std::erase_if(copies, [&](const Block &block) {
    return block.start == reinterpret_cast<uintptr_t>(copy);
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

AccessCheck::Block *AccessCheck::findBlock(uintptr_t address) {
  for (Block &copy : copies)
    if (address - (copy.start - copy.margin) < copy.size + 2 * copy.margin)
      return &copy;
  auto next = std::upper_bound(
      blocks.begin(), blocks.end(), address,
      [](uintptr_t value, const Block &block) { return value < block.start; });
  Block *before = next == blocks.begin() ? nullptr : &*(next - 1);
  Block *after = next == blocks.end() ? nullptr : &*next;
  uint64_t behind = before ? address - before->start : UINT64_MAX;
  if (before && behind < before->size)
    return before;
  // Selects the nearer one.
  uint64_t toEnd = before ? behind - before->size : UINT64_MAX;
  uint64_t toStart = after ? after->start - address : UINT64_MAX;
  if (std::min(toEnd, toStart) >= DatasetMemory::margin)
    return nullptr;
  return toEnd <= toStart ? before : after;
}

/// True if a byte contains the value from before the task.
bool AccessCheck::Block::isUnwritten(uint64_t offset) const {
  uint64_t inDataset = elementAt(offset) * elementSize + offset % elementSize;
  return *reinterpret_cast<const char *>(start + offset) ==
         unwrittenByte(inDataset);
}

/// True if the bytes around `offset` were not written, as far as is known.
/// Copying a structure also reads its padding: then one written byte suffices.
bool AccessCheck::Block::isUnwrittenWord(uint64_t offset, bool isCopied) const {
  uint64_t first = offset & ~uint64_t(7), end = std::min(first + 8, size);
  for (uint64_t i = first; i < end; ++i) {
    if (accessAt(i) != SLUICE_ACCESS_OUT)
      continue;
    if (isWritten[i] ? isCopied : !isUnwritten(i))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string AccessCheck::outside(const Block &block, uintptr_t address,
                                 uint64_t size) const {
  std::string object = quoted(program.data[block.data].name);
  if (!block.elements.empty())
    object = concat("its part of ", object);
  uint64_t end = block.start + block.size;
  if (address < block.start)
    return concat(countOf(size, "byte", "bytes"), " that begin ",
                  countOf(block.start - address, "byte", "bytes"),
                  " before the start of ", object);
  if (address == end)
    return concat(countOf(size, "byte", "bytes"), " right behind the end of ",
                  object);
  if (address > end)
    return concat(countOf(size, "byte", "bytes"), " that begin ",
                  countOf(address - end, "byte", "bytes"),
                  " behind the end of ", object);
  return concat(countOf(size, "byte", "bytes"), ", of which ",
                address + size - end, " lie behind the end of ", object);
}

std::string AccessCheck::refused(const Block &block, uint64_t offset,
                                 bool isWrite) const {
  const SluiceTaskData &data = program.data[block.data];
  if (block.access.empty())
    return ", of a dataset that it was not given";
  if (block.accessAt(offset) == 0)
    return ", which is outside of the part that it was given";
  if (isWrite)
    return concat(", but says that it only reads ", quoted(data.name),
                  " ('in')");
  return concat(" before it writes it, but says that it only writes ",
                quoted(data.name), " ('out')");
}

std::string AccessCheck::problem(Block &block, const SluiceCheckSite &site,
                                 uintptr_t address, uint64_t size) const {
  bool isRead = site.kind & SLUICE_CHECK_READ;
  bool isWrite = site.kind & SLUICE_CHECK_WRITE;
  bool isCopied = site.kind & SLUICE_CHECK_COPY;
  std::string_view location = site.location;
  std::string place = location.starts_with("in ") ? concat(' ', location)
                                                  : concat(" at ", location);
  auto does = [&](bool writes) { return writes ? "it writes " : "it reads "; };
  if (address < block.start || size > block.size ||
      address - block.start > block.size - size)
    return concat(does(isWrite && !isRead), outside(block, address, size),
                  place);
  auto found = [&](uint64_t offset, bool writes) {
    return concat(
        does(writes),
        elementName(program.data[block.data], block.elementAt(offset)), place,
        refused(block, offset, writes));
  };
  uint64_t first = address - block.start;
  for (uint64_t i = first; isRead && i < first + size; ++i) {
    uint8_t allowed = block.accessAt(i);
    if (allowed & SLUICE_ACCESS_IN)
      continue;
    if (!(allowed & SLUICE_ACCESS_OUT) ||
        (!block.isWritten[i] && block.isUnwrittenWord(i, isCopied)))
      return found(i, false);
  }
  for (uint64_t i = first; isWrite && i < first + size; ++i) {
    if (!(block.accessAt(i) & SLUICE_ACCESS_OUT))
      return found(i, true);
    block.isWritten[i] = true;
  }
  return "";
}

/// False if the address does not belong to this run.
bool AccessCheck::check(const SluiceCheckSite &site, uintptr_t address,
                        uint64_t size) {
  Block *block = findBlock(address);
  if (!block)
    return false;
  if (hasMessage) // the first one counts
    return true;
  std::string text = problem(*block, site, address, size);
  hasMessage = !text.empty();
  if (hasMessage)
    task->addMessage(text.c_str());
  return true;
}
