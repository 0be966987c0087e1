//===- FormText.cpp - Normal forms for readers and for caches -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line that describes what a layout copies, and a byte string that is equal
// for equal layouts and different for others.
//
//===----------------------------------------------------------------------===//

#include "sluice/Pack/Datatype.h"
#include "sluice/Pack/Form.h"

using namespace sluice::pack;

/// Longer lists are shortened.
static constexpr size_t shownEntries = 8;

static std::string bytes(int64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

static std::string cutNote(size_t count) {
  return count <= shownEntries ? ""
                               : ", ... (" + std::to_string(count) + " in all)";
}

/// `entry(i)` for the first entries, separated by commas.
template <typename Entry>
static std::string listText(size_t count, Entry entry) {
  std::string text;
  for (size_t i = 0; i != std::min(count, shownEntries); ++i)
    text += (i ? ", " : "") + entry(i);
  return text + cutNote(count);
}

static std::string formText(const Form &form);

static std::string childText(const Form &child) {
  std::string text = formText(child);
  return child.kind == FormKind::Block || child.kind == FormKind::Custom
             ? text
             : "(" + text + ")";
}

static std::string stridedText(const Form &form) {
  std::string text, strides;
  for (auto [count, stride] : form.dimensions) {
    text += std::to_string(count) + " x ";
    strides += (strides.empty() ? " every " : ", ") + std::to_string(stride);
  }
  return text + childText(*form.children.front()) + strides;
}

static std::string formText(const Form &form) {
  switch (form.kind) {
  case FormKind::Empty:
    return "no bytes";
  case FormKind::Block:
    return bytes(form.size);
  case FormKind::Strided:
    return stridedText(form);
  case FormKind::Indexed:
    return childText(*form.children.front()) + " at " +
           listText(form.offsets.size(),
                    [&](size_t i) { return std::to_string(form.offsets[i]); });
  case FormKind::Runs:
    return listText(form.offsets.size(), [&](size_t i) {
      return bytes(form.lengths[i]) + " at " + std::to_string(form.offsets[i]);
    });
  case FormKind::Sequence:
    return listText(form.offsets.size(), [&](size_t i) {
      return childText(*form.children[i]) + " at " +
             std::to_string(form.offsets[i]);
    });
  case FormKind::Custom:
    return "custom code for " + bytes(form.size);
  }
  return "";
}

std::string sluice::pack::toText(const Layout &layout) {
  std::string text = formText(*layout.form);
  if (layout.form->kind == FormKind::Empty)
    return text;
  if (layout.offset != 0)
    text += "; from " + std::to_string(layout.offset);
  return text + "; extent " + std::to_string(layout.extent);
}

static void appendNumber(std::string &key, int64_t number) {
  // Zigzag encoding with seven bits per byte: most numbers are small.
  uint64_t rest = (uint64_t(number) << 1) ^ uint64_t(number >> 63);
  for (; rest >= 128; rest >>= 7)
    key.push_back(char(rest | 128));
  key.push_back(char(rest));
}

static void appendNumbers(std::string &key, std::span<const int64_t> numbers) {
  appendNumber(key, int64_t(numbers.size()));
  for (int64_t number : numbers)
    appendNumber(key, number);
}

/// A custom form is identified by its number: no two in one process are equal.
static void appendForm(std::string &key, const Form &form) {
  key.push_back(char('0' + int(form.kind)));
  if (form.kind == FormKind::Block || form.kind == FormKind::Custom)
    appendNumber(key, form.size);
  if (form.kind == FormKind::Custom)
    appendNumber(key, int64_t(form.customSerial));
  if (form.kind == FormKind::Strided) {
    appendNumber(key, int64_t(form.dimensions.size()));
    for (auto [count, stride] : form.dimensions) {
      appendNumber(key, count);
      appendNumber(key, stride);
    }
  }
  if (!form.offsets.empty())
    appendNumbers(key, form.offsets);
  if (!form.lengths.empty())
    appendNumbers(key, form.lengths);
  for (const FormRef &child : form.children)
    appendForm(key, *child);
}

std::string sluice::pack::toKey(const Layout &layout) {
  std::string key;
  appendNumber(key, layout.offset);
  appendNumber(key, layout.extent);
  appendForm(key, *layout.form);
  return key;
}
