//===- ArgumentCheck.cpp - What tasks do to their datasets ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentCheck.h"

#include "sluice/Base/Text.h"

#include <cstdlib>
#include <cstring>
#include <functional>

using namespace sluice;
using namespace sluice::tasks;

bool sluice::tasks::wantsArgumentCheck() {
  const char *text = std::getenv("SLUICE_CHECK");
  return text && std::string_view(text) == "1";
}

/// Calls `visit` with the position of each element of a part.
static void forEachElement(const SluiceTaskView &view,
                           const std::function<void(uint64_t)> &visit) {
  std::vector<int64_t> index(view.rank);
  int64_t position = view.offset;
  for (;;) {
    visit(static_cast<uint64_t>(position));
    uint32_t d = view.rank;
    while (d-- > 0) {
      position += view.strides[d];
      if (++index[d] < view.shape[d])
        break;
      position -= index[d] * view.strides[d];
      index[d] = 0;
    }
    if (d == UINT32_MAX)
      return;
  }
}

static bool isEmpty(const SluiceTaskView &view) {
  for (uint32_t d = 0; d < view.rank; ++d)
    if (view.shape[d] <= 0)
      return true;
  return false;
}

/// The byte at `offset` of values that nobody would write.
static char unlikely(uint64_t offset) {
  uint64_t mixed = (offset / 8 + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  return static_cast<char>((mixed * 0xBF58476D1CE4E5B9u) >> (8 * (offset % 8)));
}

static bool isUnlikely(const char *memory, uint64_t element, uint64_t size) {
  for (uint64_t i = element * size; i < (element + 1) * size; ++i)
    if (memory[i] != unlikely(i))
      return false;
  return true;
}

bool ArgumentCheck::isWrittenOnly(const SluiceTaskRecord &task,
                                  uint32_t argument) const {
  const SluiceTaskArgument &one = task.arguments[argument];
  if (one.access != SLUICE_ACCESS_OUT || isEmpty(one.view) ||
      program.data[one.data].kind == SLUICE_DATA_PYOBJ)
    return false;
  for (uint32_t i = 0; i < task.numArguments; ++i)
    if (i != argument && task.arguments[i].data == one.data)
      return false;
  return true;
}

void ArgumentCheck::begin(uint32_t task) {
  const SluiceTaskRecord &record = program.tasks[task];
  for (uint32_t i = 0; i < record.numArguments; ++i) {
    if (!isWrittenOnly(record, i))
      continue;
    const SluiceTaskView &view = record.arguments[i].view;
    char *memory = datasets.address(record.arguments[i].data);
    forEachElement(view, [&](uint64_t element) {
      uint64_t first = element * view.elementSize;
      for (uint64_t k = first; k < first + view.elementSize; ++k)
        memory[k] = unlikely(k);
    });
  }
  before.assign(program.numData, {});
  for (uint32_t i = 0; i < program.numData; ++i)
    if (datasets.isInUse(i) && program.data[i].kind != SLUICE_DATA_PYOBJ)
      before[i].assign(datasets.address(i),
                       datasets.address(i) + program.data[i].size);
}

std::string ArgumentCheck::findChange(uint32_t task, uint32_t data) const {
  const SluiceTaskData &one = program.data[data];
  const char *now = datasets.address(data);
  const std::vector<char> &old = before[data];
  if (old.empty() || std::memcmp(old.data(), now, one.size) == 0)
    return "";
  const SluiceTaskRecord &record = program.tasks[task];
  uint64_t size = one.elementBits / 8;
  std::vector<bool> mayChange(one.size / size);
  bool isGiven = false, isWritten = false;
  for (uint32_t i = 0; i < record.numArguments; ++i) {
    const SluiceTaskArgument &argument = record.arguments[i];
    isGiven |= argument.data == data;
    if (argument.data != data || !(argument.access & SLUICE_ACCESS_OUT) ||
        isEmpty(argument.view))
      continue;
    isWritten = true;
    forEachElement(argument.view,
                   [&](uint64_t element) { mayChange[element] = true; });
  }
  for (uint64_t element = 0; element < mayChange.size(); ++element)
    if (!mayChange[element] &&
        std::memcmp(&old[element * size], now + element * size, size) != 0)
      return concat("it changed ", elementName(one, element), " from ",
                    elementText(one, old.data(), element), " to ",
                    elementText(one, now, element),
                    isWritten
                        ? ", which is outside of the part that it was given"
                    : isGiven ? concat(", but says that it only reads ",
                                       quoted(one.name), " ('in')")
                              : ", of a dataset that it was not given");
  return "";
}

/// One byte may be what was put there by chance; eight in a row are not.
std::string
ArgumentCheck::findUnwritten(const SluiceTaskArgument &argument) const {
  const SluiceTaskData &one = program.data[argument.data];
  const char *memory = datasets.address(argument.data);
  uint64_t size = argument.view.elementSize, all = 0, inRow = 0;
  uint64_t count = 0, first = 0, row = 0;
  forEachElement(argument.view, [&](uint64_t) { ++all; });
  uint64_t enough = std::min<uint64_t>(all * size, 8);
  if (enough < 4)
    return "";
  forEachElement(argument.view, [&](uint64_t element) {
    if (!isUnlikely(memory, element, size)) {
      inRow = 0;
      return;
    }
    if (inRow++ == 0)
      row = element;
    if (inRow * size < enough)
      return;
    // The row has just become long enough, or longer.
    uint64_t added = (inRow - 1) * size < enough ? inRow : 1;
    if (count == 0)
      first = row;
    count += added;
  });
  if (count == 0)
    return "";
  return concat("it says that it writes all of ", quoted(one.name),
                " ('out'), but did not write ", count, " of ", all,
                all == 1 ? " element" : " elements", ", first ",
                elementName(one, first));
}

std::string ArgumentCheck::end(uint32_t task) {
  const SluiceTaskRecord &record = program.tasks[task];
  std::string found;
  for (uint32_t i = 0; i < program.numData && found.empty(); ++i)
    found = findChange(task, i);
  for (uint32_t i = 0; i < record.numArguments && found.empty(); ++i)
    if (isWrittenOnly(record, i))
      found = findUnwritten(record.arguments[i]);
  before.clear();
  return found;
}
