//===- ArgumentCheck.cpp - Comparing datasets before and after tasks ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares datasets before and after a task with what its arguments allow.
// Fills write-only data in advance, so that elements that the task leaves out
// are found.
//
//===----------------------------------------------------------------------===//

#include "ArgumentCheck.h"

#include "../PrintDatasets.h"
#include "../ViewElements.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace sluice;
using namespace sluice::tasks;

bool sluice::tasks::wantsArgumentCheck(const SluiceTaskProgram &program) {
  const char *text = std::getenv("SLUICE_CHECK");
  if (!text || !*text)
    return program.flags & SLUICE_TASK_PROGRAM_CHECKED;
  return std::string_view(text) == "1";
}

static ElementAccess accessOf(const SluiceTaskProgram &program,
                              const SluiceTaskRecord &task) {
  ElementAccess access(program.numData);
  for (uint32_t i = 0; i < task.numArguments; ++i) {
    const SluiceTaskArgument &argument = task.arguments[i];
    const SluiceTaskData &data = program.data[argument.data];
    if (data.kind == SLUICE_DATA_PYOBJ)
      continue;
    std::vector<uint8_t> &elements = access[argument.data];
    elements.resize(data.size / (data.elementBits / 8));
    forEachElement(argument.view, [&](uint64_t element) {
      elements[element] |= static_cast<uint8_t>(argument.access);
    });
  }
  return access;
}

static bool isUnwritten(const char *memory, uint64_t element, uint64_t size) {
  for (uint64_t i = element * size; i < (element + 1) * size; ++i)
    if (memory[i] != unwrittenByte(i))
      return false;
  return true;
}

void ArgumentCheck::begin(CodeOwner &task, const SluiceTaskRecord &record) {
  access = accessOf(program, record);
  before.assign(program.numData, {});
  for (uint32_t i = 0; i < program.numData; ++i) {
    const SluiceTaskData &data = program.data[i];
    if (!datasets.isInUse(i) || data.kind == SLUICE_DATA_PYOBJ)
      continue;
    char *memory = datasets.address(i);
    uint64_t size = data.elementBits / 8;
    for (uint64_t element = 0; element < access[i].size(); ++element)
      if (isWrittenOnly(i, element))
        for (uint64_t k = element * size; k < (element + 1) * size; ++k)
          memory[k] = unwrittenByte(k);
    before[i].assign(memory, memory + data.size);
  }
  if (program.flags & SLUICE_TASK_PROGRAM_CHECKED)
    accesses.begin(task, record, access);
}

std::string ArgumentCheck::findChange(uint32_t data) const {
  const SluiceTaskData &one = program.data[data];
  const char *now = datasets.address(data);
  const std::vector<char> &old = before[data];
  if (old.empty() || std::memcmp(old.data(), now, one.size) == 0)
    return "";
  uint64_t size = one.elementBits / 8;
  const std::vector<uint8_t> &allowed = access[data];
  for (uint64_t element = 0; element < one.size / size; ++element) {
    bool mayChange = !allowed.empty() && allowed[element] & SLUICE_ACCESS_OUT;
    if (!mayChange &&
        std::memcmp(&old[element * size], now + element * size, size) != 0)
      return concat("it changed ", elementName(one, element), " from ",
                    elementText(one, old.data(), element), " to ",
                    elementText(one, now, element),
                    allowed.empty() ? ", of a dataset that it was not given"
                    : allowed[element] == 0
                        ? ", which is outside of the part that it was given"
                        : concat(", but says that it only reads ",
                                 quoted(one.name), " ('in')"));
  }
  return "";
}

/// A single byte may equal the pattern by chance; eight consecutive bytes do
/// not.
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
    if (!isWrittenOnly(argument.data, element) ||
        !isUnwritten(memory, element, size)) {
      inRow = 0;
      return;
    }
    if (inRow++ == 0)
      row = element;
    if (inRow * size < enough)
      return;
    // The row has just reached the relevant length, or was long enough before.
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
  accesses.end();
  std::string found;
  for (uint32_t i = 0; i < program.numData && found.empty(); ++i)
    found = findChange(i);
  for (uint32_t i = 0; i < record.numArguments && found.empty(); ++i) {
    const SluiceTaskArgument &argument = record.arguments[i];
    if (argument.access == SLUICE_ACCESS_OUT && !before[argument.data].empty())
      found = findUnwritten(argument);
  }
  before.clear();
  return found;
}

void ArgumentCheck::cancel() {
  accesses.end();
  before.clear();
}
