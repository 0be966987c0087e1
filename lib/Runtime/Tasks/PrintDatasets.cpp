//===- PrintDatasets.cpp - Datasets as text -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints numbers with the fewest digits that distinguish them from their
// neighbours.
//
//===----------------------------------------------------------------------===//

#include "PrintDatasets.h"

#include "sluice/Base/Text.h"

#include <charconv>
#include <cstring>

using namespace sluice;

template <typename Number>
static void appendNumber(std::string &text, const void *at) {
  Number number;
  std::memcpy(&number, at, sizeof(number));
  char digits[48];
  text.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

static void appendElement(std::string &text, const SluiceTaskData &data,
                          const char *at) {
  bool isSigned = data.elementKind == SLUICE_ELEMENT_INT;
  if (data.elementKind == SLUICE_ELEMENT_FLOAT)
    return data.elementBits == 32 ? appendNumber<float>(text, at)
                                  : appendNumber<double>(text, at);
  switch (data.elementBits) {
  case 8:
    return isSigned ? appendNumber<int8_t>(text, at)
                    : appendNumber<uint8_t>(text, at);
  case 16:
    return isSigned ? appendNumber<int16_t>(text, at)
                    : appendNumber<uint16_t>(text, at);
  case 32:
    return isSigned ? appendNumber<int32_t>(text, at)
                    : appendNumber<uint32_t>(text, at);
  default:
    return isSigned ? appendNumber<int64_t>(text, at)
                    : appendNumber<uint64_t>(text, at);
  }
}

std::string sluice::tasks::elementText(const SluiceTaskData &data,
                                       const void *values, uint64_t element) {
  std::string text;
  appendElement(text, data,
                static_cast<const char *>(values) +
                    element * (data.elementBits / 8));
  return text;
}

std::string sluice::tasks::elementName(const SluiceTaskData &data,
                                       uint64_t element) {
  std::string index;
  for (uint32_t d = data.rank; d-- > 0;) {
    uint64_t extent = static_cast<uint64_t>(data.shape[d]);
    index = concat(element % extent, index.empty() ? "" : ", ", index);
    element /= extent;
  }
  return data.rank ? concat(data.name, '[', index, ']') : data.name;
}

std::string sluice::tasks::textOf(const SluiceTaskData &data,
                                  const void *values) {
  std::string text = concat(data.name, " =");
  if (data.kind == SLUICE_DATA_PYOBJ)
    return text + " a dictionary\n";
  uint64_t size = data.elementBits / 8, count = 1;
  for (uint32_t i = 0; i < data.rank; ++i)
    count *= static_cast<uint64_t>(data.shape[i]);
  text += data.rank ? '\n' : ' ';
  for (uint64_t i = 0; i < count; ++i) {
    appendElement(text, data, static_cast<const char *>(values) + i * size);
    // Ends rows, and separates blocks of rows by an empty line.
    uint64_t next = i + 1;
    uint32_t numEnded = 0;
    for (uint32_t d = data.rank; d-- > 0; next /= data.shape[d]) {
      if (next % static_cast<uint64_t>(data.shape[d]))
        break;
      ++numEnded;
    }
    if (numEnded == 0 && data.rank)
      text += ' ';
    else if (numEnded < 2 || i + 1 == count)
      text += '\n';
    else
      text += "\n\n";
  }
  return text;
}
