//===- DatasetParts.cpp - Parts of datasets without gaps ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some kernels need dense arrays. Pack finds the fastest way to copy a part,
// but that takes longer than copying a small part; so recent packers are kept.
//
//===----------------------------------------------------------------------===//

#include "../Execution/KernelCall.h"
#include "Run.h"

#include "sluice-c/TaskProgram.h"
#include "sluice/Base/Text.h"
#include "sluice/Pack/Packer.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

using namespace sluice;

namespace {
/// Packers by their parameters: size of an element, extents, strides.
class RecentPackers {
public:
  std::shared_ptr<pack::Packer> find(const SluiceTaskView &view);

private:
  struct Entry {
    std::vector<int64_t> key;
    std::shared_ptr<pack::Packer> packer;
  };
  static constexpr size_t maxEntries = 64;
  std::mutex mutex;
  std::vector<Entry> entries;
  size_t nextReplaced = 0;
};
} // namespace

static bool isKeyOf(const std::vector<int64_t> &key,
                    const SluiceTaskView &view) {
  return key.size() == 1 + 2 * size_t(view.rank) &&
         key[0] == static_cast<int64_t>(view.elementSize) &&
         std::equal(view.shape, view.shape + view.rank, key.data() + 1) &&
         std::equal(view.strides, view.strides + view.rank,
                    key.data() + 1 + view.rank);
}

static pack::Layout layoutOf(const SluiceTaskView &view) {
  pack::PlacedForm form = {0, pack::blockForm(view.elementSize)};
  for (uint32_t d = view.rank; d-- > 0;)
    form = pack::repeat(form, view.shape[d],
                        view.strides[d] * int64_t(view.elementSize));
  return {form.offset, form.form->high - form.form->low, form.form};
}

std::shared_ptr<pack::Packer> RecentPackers::find(const SluiceTaskView &view) {
  {
    std::lock_guard lock(mutex);
    for (const Entry &entry : entries)
      if (isKeyOf(entry.key, view))
        return entry.packer;
  }
  Entry entry;
  entry.key.push_back(view.elementSize);
  entry.key.insert(entry.key.end(), view.shape, view.shape + view.rank);
  entry.key.insert(entry.key.end(), view.strides, view.strides + view.rank);
  entry.packer = pack::Packer::of(layoutOf(view));
  std::shared_ptr<pack::Packer> packer = entry.packer;
  std::lock_guard lock(mutex);
  if (entries.size() < maxEntries)
    entries.push_back(std::move(entry));
  else
    entries[nextReplaced++ % maxEntries] = std::move(entry);
  return packer;
}

/// Never destroyed: kernels may run while the process ends.
static std::shared_ptr<pack::Packer> packerOf(const SluiceTaskView &view) {
  static RecentPackers &packers = *new RecentPackers;
  return packers.find(view);
}

static const char *firstElement(const void *data, const SluiceTaskView &view) {
  return static_cast<const char *>(data) + view.offset * view.elementSize;
}

static tasks::ArgumentCheck *checkOf(tasks::RunningTask *task) {
  return task ? task->run->getCheck() : nullptr;
}

void *sluiceTaskPack(const void *data, const SluiceTaskView *view, int isRead) {
  std::shared_ptr<pack::Packer> packer = packerOf(*view);
  auto size = static_cast<uint64_t>(packer->layout().size());
  uint64_t room = std::max<uint64_t>(64, (size + 63) & ~uint64_t(63));
  tasks::RunningTask *task = tasks::RunningTask::current();
  tasks::ArgumentCheck *check = checkOf(task);
  uint64_t margin = check ? tasks::AccessCheck::copyMargin : 0;
  void *block = std::aligned_alloc(64, room + 2 * margin);
  if (!block)
    throw KernelFailure{
        concat("no memory for ", size, " bytes of a part without gaps")};
  if (task)
    task->keepMemory(block);
  char *packed = static_cast<char *>(block) + margin;
  // Checks recognise unwritten data by its values.
  if (isRead || check)
    packer->pack(firstElement(data, *view), 1, packed);
  if (check)
    check->addCopy(packed, data, *view);
  return packed;
}

void sluiceTaskUnpack(void *packed, void *data, const SluiceTaskView *view,
                      int isWritten) {
  if (isWritten)
    packerOf(*view)->unpack(packed,
                            const_cast<char *>(firstElement(data, *view)), 1);
  tasks::RunningTask *task = tasks::RunningTask::current();
  void *block = packed;
  if (tasks::ArgumentCheck *check = checkOf(task)) {
    check->removeCopy(packed);
    block = static_cast<char *>(packed) - tasks::AccessCheck::copyMargin;
  }
  if (task)
    task->dropMemory(block);
  std::free(block);
}
