//===- Datasets.cpp - The datasets of a run -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several tasks may use a dataset for the first time simultaneously: one of
// them fills it, the others wait.
//
//===----------------------------------------------------------------------===//

#include "Datasets.h"

#include <cstring>

using namespace sluice;
using namespace sluice::tasks;

static constinit std::atomic<const SluicePythonHooks *> theHooks{nullptr};

const SluicePythonHooks *sluice::tasks::pythonHooks() {
  return theHooks.load(std::memory_order_acquire);
}

void sluiceSetPythonHooks(const SluicePythonHooks *hooks) {
  theHooks.store(hooks, std::memory_order_release);
}

Datasets::Datasets(std::span<const SluiceTaskData> data, bool keepsAll,
                   bool isRecorded)
    : data(data), keepsAll(keepsAll), isRecorded(isRecorded),
      bindings(data.size()), datasets(new Dataset[data.size()]) {}

Datasets::~Datasets() {
  for (uint32_t i = 0; i < data.size(); ++i)
    end(i);
}

void Datasets::setInitial(uint32_t index, const void *values) {
  std::unique_ptr<char[]> &initial = datasets[index].initial;
  initial.reset();
  if (!values || data[index].kind == SLUICE_DATA_PYOBJ)
    return;
  initial.reset(new char[data[index].size]);
  std::memcpy(initial.get(), values, data[index].size);
}

void Datasets::beginRun(std::span<const uint32_t> numUses) {
  for (uint32_t i = 0; i < data.size(); ++i) {
    end(i);
    datasets[i].usesLeft.store(numUses.empty() ? data[i].numUses : numUses[i],
                               std::memory_order_relaxed);
    datasets[i].state.store(Unused, std::memory_order_relaxed);
  }
}

void Datasets::fill(uint32_t index, uint32_t access) {
  if (isInPlace(index))
    return;
  bool isZero = memory.beginUse(index);
  const SluiceTaskData &one = data[index];
  const char *bound = bindings[index].memory;
  const void *initial = bound ? bound
                        : datasets[index].initial
                            ? datasets[index].initial.get()
                            : one.initial;
  // Not needed for a task that writes all elements; but in the caller's memory,
  // elements that the task leaves out keep their values.
  bool isOverwritten = access == SLUICE_ACCESS_OUT &&
                       one.size >= DatasetMemory::minMapped && !bound &&
                       !isRecorded;
  if (isOverwritten)
    return;
  if (initial && one.kind != SLUICE_DATA_PYOBJ)
    std::memcpy(address(index), initial, one.size);
  else if (!isZero)
    std::memset(address(index), 0, one.size);
}

void Datasets::beginUse(uint32_t index, uint32_t access) {
  std::atomic<uint32_t> &state = datasets[index].state;
  uint32_t seen = state.load(std::memory_order_acquire);
  if (seen == Unused &&
      state.compare_exchange_strong(seen, Filling, std::memory_order_acquire)) {
    fill(index, access);
    state.store(Used, std::memory_order_release);
    state.notify_all();
    return;
  }
  while (seen == Filling) {
    state.wait(Filling, std::memory_order_acquire);
    seen = state.load(std::memory_order_acquire);
  }
}

/// Copies to the caller's array, if tasks worked on a copy.
void Datasets::copyBack(uint32_t index) {
  const Binding &binding = bindings[index];
  if (binding.memory && copiesBound && !binding.isReadOnly &&
      datasets[index].state.load(std::memory_order_acquire) == Used)
    std::memcpy(binding.memory, memory.address(index), data[index].size);
}

/// Frees the content, if there is any.
void Datasets::end(uint32_t index) {
  Dataset &dataset = datasets[index];
  if (dataset.state.load(std::memory_order_acquire) != Used)
    return;
  dataset.state.store(Ended, std::memory_order_relaxed);
  if (data[index].kind == SLUICE_DATA_PYOBJ) {
    void *object;
    std::memcpy(&object, address(index), sizeof(object));
    std::memset(address(index), 0, sizeof(object));
    if (const SluicePythonHooks *hooks = pythonHooks(); hooks && object)
      hooks->release(object);
  }
  if (!isInPlace(index))
    memory.endUse(index);
}

void Datasets::endUse(uint32_t index) {
  if (datasets[index].usesLeft.fetch_sub(1, std::memory_order_acq_rel) != 1 ||
      isKept(index))
    return;
  copyBack(index);
  end(index);
}

void Datasets::endRun(bool succeeded) {
  for (uint32_t i = 0; i < data.size(); ++i) {
    copyBack(i);
    if (!succeeded || !isKept(i))
      end(i);
    else
      beginUse(i, SLUICE_ACCESS_IN);
  }
}

void Datasets::endPrinting() {
  for (uint32_t i = 0; i < data.size(); ++i)
    if (!isForCaller(i))
      end(i);
}
