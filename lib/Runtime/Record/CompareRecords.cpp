//===- CompareRecords.cpp - The first difference between two runs ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Record/CompareRecords.h"

#include "sluice/Base/Text.h"
#include "sluice/Runtime/Record/RecordHistory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Values as text
//===----------------------------------------------------------------------===//

uint64_t sluice::sizeOfType(std::string_view type) {
  static constexpr std::pair<std::string_view, uint64_t> sizes[] = {
      {"i8", 1},  {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1}, {"u16", 2},
      {"u32", 4}, {"u64", 8}, {"f32", 4}, {"f64", 8}, {"x8", 1}};
  for (auto [name, size] : sizes)
    if (name == type)
      return size;
  return 0;
}

static std::string floatText(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

static std::string typedText(std::string_view bytes, std::string_view type) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  if (type == "f32") {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return floatText(value, 9);
  }
  if (type == "f64") {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return floatText(value, 17);
  }
  if (type[0] == 'i') {
    const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes.size());
    return std::to_string(static_cast<int64_t>(bits << shift) >> shift);
  }
  return std::to_string(bits);
}

static std::string hexText(std::string_view bytes) {
  std::string text;
  char digits[3];
  for (char byte : bytes) {
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned char>(byte));
    text += concat(text.empty() ? "" : " ", digits);
  }
  return text;
}

/// Whether a number with that exponent may be a float: numbers that are almost
/// zero, or almost infinite, are integers or parts of other data.
static bool mayBeFloat(std::string_view bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  if (bits == 0)
    return true;
  const bool isLong = bytes.size() == 8;
  const uint64_t exponent = isLong ? bits >> 52 & 0x7ff : bits >> 23 & 0xff;
  const uint64_t middle = isLong ? 1023 : 127, around = isLong ? 100 : 40;
  return exponent >= middle - around && exponent <= middle + around;
}

std::string sluice::numberText(std::string_view bytes, std::string_view type) {
  if (type == "x8")
    return hexText(bytes);
  if (!type.empty() && sizeOfType(type) == bytes.size())
    return typedText(bytes, type);
  switch (bytes.size()) {
  case 1:
    return typedText(bytes, "i8");
  case 2:
    return typedText(bytes, "i16");
  case 4:
  case 8: {
    const bool isLong = bytes.size() == 8;
    std::string integer = typedText(bytes, isLong ? "i64" : "i32");
    if (integer == "0" || !mayBeFloat(bytes))
      return integer;
    return concat(typedText(bytes, isLong ? "f64" : "f32"), " (as an integer ",
                  integer, ")");
  }
  default:
    return hexText(bytes.substr(0, 32)) + (bytes.size() > 32 ? " ..." : "");
  }
}

std::string sluice::textOf(const RecordedValue &value,
                           const RecordedLaunch &launch) {
  switch (value.kind) {
  case RecordedValue::Null:
    return "null";
  case RecordedValue::Unset:
    return "not stored, since nobody reads it";
  case RecordedValue::Elsewhere:
    return "a pointer to memory that is not recorded";
  case RecordedValue::Inside:
    return concat("pointer to ", quoted(launch.blocks[value.block].name),
                  value.offset ? concat(" + ", value.offset) : std::string());
  case RecordedValue::Bytes:
    break;
  }
  return concat(numberText(value.bytes, ""),
                value.size > 8 ? concat(" (", value.size, " bytes)") : "");
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

static bool isSame(const RecordedValue &a, const RecordedValue &b) {
  return a.name == b.name && a.kind == b.kind && a.size == b.size &&
         a.bytes == b.bytes && a.hash == b.hash && a.block == b.block &&
         a.offset == b.offset;
}

static bool isSameRun(const RecordedRun &a, const RecordedRun &b) {
  return a.offset == b.offset && a.size == b.size;
}

namespace {
class Comparison {
public:
  Comparison(const Record &a, const Record &b) : a(a), b(b) {}

  std::optional<RecordDifference> run() {
    const size_t numSteps = std::min(a.steps.size(), b.steps.size());
    for (step = 0; step < numSteps; ++step)
      if (std::string what = compareStep(); !what.empty())
        return RecordDifference{step, a.nameOf(a.steps[step]), std::move(what),
                                conclude()};
    step = static_cast<uint32_t>(numSteps);
    if (a.steps.size() == b.steps.size())
      return compareEnds();
    const Record &longer = a.steps.size() > numSteps ? a : b;
    const Record &shorter = &longer == &a ? b : a;
    // Where a record was cut off, there is no difference.
    if (!shorter.endsEarly.empty())
      return std::nullopt;
    return RecordDifference{
        step, longer.nameOf(longer.steps[step]),
        concat("it is in ", quoted(longer.path), " only, where ",
               longer.steps.size() - numSteps, " steps more follow"),
        "the host program did something else"};
  }

private:
  const RecordedStep &stepA() const { return a.steps[step]; }
  const RecordedStep &stepB() const { return b.steps[step]; }

  /// The difference; empty if there is none.
  std::string compareStep() {
    const RecordedStep &x = stepA(), &y = stepB();
    isInput = true;
    if (x.kind != y.kind || a.nameOf(x) != b.nameOf(y))
      return concat("step ", step + 1, " is ", quoted(a.nameOf(x)),
                    " in one and ", quoted(b.nameOf(y)), " in the other");
    if (x.kind == RecordedStep::Launch)
      if (std::string what = compareLaunches(); !what.empty())
        return what;
    if (x.extents != y.extents)
      return concat("its extents are ", extentsOf(x), " and ", extentsOf(y));
    if (std::string what = compareValues("input", x.inputs, y.inputs);
        !what.empty())
      return what;
    isInput = false;
    if (std::string what = compareEndings(x, y); !what.empty())
      return what;
    if (std::string what = compareValues("output", x.outputs, y.outputs);
        !what.empty())
      return what;
    return compareChanges();
  }

  static std::string extentsOf(const RecordedStep &step) {
    std::string text = "(";
    for (size_t i = 0; i < step.extents.size(); ++i)
      text += concat(i ? ", " : "", step.extents[i]);
    return text + ")";
  }

  static std::string compareEndings(const RecordedStep &x,
                                    const RecordedStep &y) {
    auto endOf = [](const RecordedStep &step) {
      return !step.hasEnded       ? "it did not end"
             : step.error.empty() ? "it ended well"
                                  : step.error;
    };
    if (x.hasEnded == y.hasEnded && x.error == y.error)
      return {};
    return concat(endOf(x), " in one, and in the other: ", endOf(y));
  }

  std::string compareValues(const char *kind,
                            const std::vector<RecordedValue> &x,
                            const std::vector<RecordedValue> &y) const {
    if (x.size() != y.size())
      return concat("it has ", x.size(), " and ", y.size(), " ", kind, "s");
    for (size_t i = 0; i < x.size(); ++i)
      if (!isSame(x[i], y[i]))
        return concat(kind, " ", quoted(x[i].name), " is ",
                      textOf(x[i], a.launchOf(stepA())), " in one and ",
                      textOf(y[i], b.launchOf(stepB())), " in the other");
    return {};
  }

  std::string compareLaunches() const {
    const RecordedLaunch &x = a.launchOf(stepA()), &y = b.launchOf(stepB());
    for (size_t i = 0; i < std::max(x.blocks.size(), y.blocks.size()); ++i)
      if (i >= x.blocks.size() || i >= y.blocks.size() ||
          x.blocks[i].size != y.blocks[i].size)
        return concat(
            "memory ", quoted((i < x.blocks.size() ? x : y).blocks[i].name),
            " has ", i < x.blocks.size() ? x.blocks[i].size : 0,
            " bytes in one and ", i < y.blocks.size() ? y.blocks[i].size : 0,
            " in the other");
    return compareValues("argument", x.arguments, y.arguments);
  }

  static const RecordedChange *changeOf(const RecordedStep &step,
                                        uint32_t block) {
    for (const RecordedChange &change : step.changes)
      if (change.block == block)
        return &change;
    return nullptr;
  }

  std::string compareChanges() {
    const RecordedLaunch &launch = a.launchOf(stepA());
    for (uint32_t block = 0; block < launch.blocks.size(); ++block) {
      const RecordedChange *x = changeOf(stepA(), block);
      const RecordedChange *y = changeOf(stepB(), block);
      if ((!x && !y) || (x && y && x->hash == y->hash))
        continue;
      if (std::string what = compareChange(block, x, y); !what.empty())
        return what;
    }
    return {};
  }

  /// The first differing byte, if contents are known.
  std::string compareChange(uint32_t block, const RecordedChange *x,
                            const RecordedChange *y) {
    static const RecordedChange nothing;
    if (!x)
      x = &nothing;
    if (!y)
      y = &nothing;
    const bool isCut = (x != &nothing && x->content == RecordedChange::Cut) ||
                       (y != &nothing && y->content == RecordedChange::Cut);
    size_t i = 0, k = 0;
    while (!isCut && (i < x->runs.size() || k < y->runs.size())) {
      const RecordedRun &run =
          k == y->runs.size() ||
                  (i < x->runs.size() && x->runs[i].offset <= y->runs[k].offset)
              ? x->runs[i++]
              : y->runs[k++];
      if (std::string what = compareBytes(block, run); !what.empty())
        return what;
    }
    if (!isCut)
      return {};
    const std::string name = quoted(a.launchOf(stepA()).blocks[block].name);
    return std::equal(x->runs.begin(), x->runs.end(), y->runs.begin(),
                      y->runs.end(), isSameRun)
               ? concat("what it left in the ",
                        countOf(x->numBytes(), "byte", "bytes"), " of ", name,
                        " that it changed, from byte ", x->runs.front().offset,
                        " on (contents were not kept: see "
                        "SLUICE_RECORD_BYTES)")
               : concat("it changed ", countOf(x->numBytes(), "byte", "bytes"),
                        " of ", name, " in one and ",
                        countOf(y->numBytes(), "byte", "bytes"),
                        " in the other");
  }

  std::string compareBytes(uint32_t block, const RecordedRun &run) {
    const uint64_t baseA = a.launchOf(stepA()).blocks[block].address;
    const uint64_t baseB = b.launchOf(stepB()).blocks[block].address;
    constexpr uint64_t part = 1 << 16;
    for (uint64_t at = run.offset; at < run.offset + run.size; at += part) {
      const uint64_t size = std::min(part, run.offset + run.size - at);
      const auto x = memoryAfter(a, step, baseA + at, size);
      const auto y = memoryAfter(b, step, baseB + at, size);
      for (uint64_t i = 0; i < size; ++i)
        if (x[i].value != y[i].value && x[i].value >= 0 && y[i].value >= 0 &&
            !isSamePointer(block, at + i))
          return differenceText(block, at + i, x[i].value, y[i].value);
    }
    return {};
  }

  /// `size` bytes at an offset of a block; empty if some are unknown.
  static std::string bytesOf(const Record &record, uint32_t step,
                             const RecordedBlock &block, uint64_t offset,
                             uint64_t size) {
    std::string bytes;
    if (offset + size > block.size)
      return {};
    for (const RecordedByte &byte :
         memoryAfter(record, step, block.address + offset, size)) {
      if (byte.value < 0)
        return {};
      bytes += static_cast<char>(byte.value);
    }
    return bytes;
  }

  /// Whether the words around a byte point to the same place of a block.
  bool isSamePointer(uint32_t block, uint64_t offset) const {
    const uint64_t start = offset / 8 * 8;
    auto targetOf = [&](const Record &record, const RecordedStep &step) {
      const RecordedLaunch &launch = record.launchOf(step);
      const std::string bytes =
          bytesOf(record, this->step, launch.blocks[block], start, 8);
      uint64_t address = 0;
      if (bytes.size() == sizeof address)
        std::memcpy(&address, bytes.data(), sizeof address);
      for (uint32_t i = 0; i < launch.blocks.size(); ++i)
        if (address - launch.blocks[i].address < launch.blocks[i].size)
          return std::pair(i, address - launch.blocks[i].address);
      return std::pair(Record::none, address);
    };
    const auto target = targetOf(a, stepA());
    return target.first != Record::none && target == targetOf(b, stepB());
  }

  std::string differenceText(uint32_t block, uint64_t offset, int x,
                             int y) const {
    const RecordedBlock &blockA = a.launchOf(stepA()).blocks[block];
    const RecordedBlock &blockB = b.launchOf(stepB()).blocks[block];
    std::string text = concat("byte ", offset, " of ", quoted(blockA.name),
                              " is ", x, " in one and ", y, " in the other");
    const uint64_t known = sizeOfType(blockA.type);
    auto add = [&](const char *type, uint64_t size) {
      const uint64_t start = offset / size * size;
      const std::string one = bytesOf(a, step, blockA, start, size);
      const std::string other = bytesOf(b, step, blockB, start, size);
      const bool isFloat = type[0] == 'f';
      if (!one.empty() && !other.empty() &&
          (!isFloat || (mayBeFloat(one) && mayBeFloat(other))))
        text += concat("; as ", type, " element ", start / size, ": ",
                       numberText(one, type), " and ", numberText(other, type));
    };
    if (known)
      add(blockA.type.c_str(), known);
    else
      for (auto [type, size] : {std::pair{"i32", 4}, {"f32", 4}, {"f64", 8}})
        add(type, uint64_t(size));
    return text;
  }

  std::optional<RecordDifference> compareEnds() {
    for (size_t i = 0; i < std::min(a.launches.size(), b.launches.size());
         ++i) {
      const RecordedLaunch &x = a.launches[i], &y = b.launches[i];
      if (!x.hasEnded || !y.hasEnded || x.error == y.error)
        continue;
      return RecordDifference{
          step, concat("launch of ", quoted(a.graphs[x.graph].name)),
          concat("it ended with '", x.error, "' in one and '", y.error,
                 "' in the other"),
          ""};
    }
    return std::nullopt;
  }

  std::string conclude() const {
    const RecordedStep &x = stepA();
    if (x.kind == RecordedStep::Launch)
      return "the host program gave the launch something else";
    if (x.kind != RecordedStep::Node)
      return "";
    if (isInput)
      return "what it was given differs, though all that was recorded before "
             "is the same: it comes from memory that is not recorded, or from "
             "the graph, which may be another one";
    const std::string &code = a.graphOf(x).codeHash;
    if (!code.empty() && code == b.graphOf(stepB()).codeHash &&
        a.programHash == b.programHash)
      return "all that it was given is the same, and so is the program: the "
             "node is not deterministic, or uses memory that is not recorded";
    return "all that it was given is the same: the node does something else "
           "in one of the programs";
  }

  const Record &a, &b;
  uint32_t step = 0;
  /// The step did not cause the difference.
  bool isInput = false;
};
} // namespace

std::optional<RecordDifference> sluice::compareRecords(const Record &first,
                                                       const Record &second) {
  return Comparison(first, second).run();
}
