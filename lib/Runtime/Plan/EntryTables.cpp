//===- EntryTables.cpp - Tables that say where instances go ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries in use are those of all values of the variables for which no sum
// but the first is positive. They are visited in rows: places with equal
// distances. Entries are marked in a bit map if they are close to each other,
// and are sorted otherwise, so that memory and time grow with their number.
//
//===----------------------------------------------------------------------===//

#include "EntryTables.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// What is longer is tested each time.
static constexpr uint64_t mostKnown = uint64_t(64) << 20;

static bool hasRows(const SluicePlanTable &table) {
  return table.rule & SLUICE_TABLE_ROWS;
}

static uint32_t numFormulas(const SluicePlanTable &table) {
  return table.numVariables +
         table.numSums * (table.numVariables + table.numLoads + 1);
}

static uint32_t numOperands(uint32_t kind) {
  switch (kind) {
  case SLUICE_STEP_CONSTANT:
  case SLUICE_STEP_ARGUMENT:
    return 0;
  case SLUICE_STEP_ADD:
  case SLUICE_STEP_MULTIPLY:
  case SLUICE_STEP_MAXIMUM:
    return 2;
  default:
    return 1;
  }
}

static bool isIntegerArgument(const SluicePlan &plan, int64_t index) {
  if (index < 0 || index >= plan.numArguments)
    return false;
  const SluicePlanArgument &argument = plan.arguments[index];
  return !(argument.flags & SLUICE_PORT_POINTER) && argument.size != 0 &&
         argument.size <= 8;
}

Status sluice::checkTableSteps(const SluicePlan &plan,
                               const SluicePlanTable &table) {
  auto error = [&](std::string what) {
    return Status::invalidArgument(
        concat("plan ", quoted(plan.name), ": a table ", what));
  };
  auto isPointer = [&](uint32_t argument) {
    return argument < plan.numArguments &&
           (plan.arguments[argument].flags & SLUICE_PORT_POINTER);
  };
  auto isSize = [](uint32_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  };
  if (!isPointer(table.argument))
    return error("is in no pointer argument");
  if (!hasRows(table) && !isSize(table.entryBytes))
    return error(concat("has entries of ", table.entryBytes, " bytes"));
  if (table.numVariables > SLUICE_TABLE_VARIABLES || table.numSums == 0 ||
      table.numSums > 64)
    return error("has too many variables, or no or too many sums");
  if (hasRows(table)
          ? table.numLoads > SLUICE_TABLE_VARIABLES ||
                table.numIds > table.numVariables || table.numEnds == 0 ||
                table.numEnds > 64 || table.numNonZeros > 64 ||
                table.numLoads + 1 + table.numEnds + table.numNonZeros >
                    table.numSums
          : table.numLoads != 0)
    return error("has other sums than its rows");
  for (uint32_t i = 0; i != table.numLoads; ++i)
    if (!isPointer(table.loads[i].argument) ||
        !isSize(table.loads[i].entryBytes))
      return error(concat("has no memory for load ", i));
  uint32_t height = 0, numEnds = 0;
  for (uint32_t i = 0; i < table.numSteps; ++i) {
    const SluicePlanStep &step = table.steps[i];
    if (step.kind > SLUICE_STEP_END || numOperands(step.kind) > height ||
        (step.kind == SLUICE_STEP_END && height != 1))
      return error(concat("has no number for step ", i));
    if ((step.kind == SLUICE_STEP_ARGUMENT &&
         !isIntegerArgument(plan, step.value)) ||
        (step.kind == SLUICE_STEP_DIVIDE && step.value <= 0) ||
        ((step.kind == SLUICE_STEP_SIGNED ||
          step.kind == SLUICE_STEP_UNSIGNED) &&
         (step.value < 1 || step.value > 64)))
      return error(concat("has no such value for step ", i));
    const bool isEnd = step.kind == SLUICE_STEP_END;
    numEnds += isEnd;
    height = height - numOperands(step.kind) + !isEnd;
  }
  if (height != 0 || numEnds != numFormulas(table))
    return error(
        concat("has ", numEnds, " formulas, expected ", numFormulas(table)));
  return {};
}

/// The integer of `size` bytes, with its sign.
static int64_t readInteger(const unsigned char *from, uint64_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  const unsigned unused = 64 - 8 * unsigned(size);
  return int64_t(bits << unused) >> unused;
}

static int64_t divideDown(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0);
}

/// The values of all formulas; false if one does not fit.
static bool evaluate(const SluicePlan &plan, const SluicePlanTable &table,
                     const unsigned char *frame, std::vector<int64_t> &values) {
  std::vector<int64_t> stack;
  values.clear();
  for (const SluicePlanStep &step : std::span(table.steps, table.numSteps)) {
    const uint32_t operands = numOperands(step.kind);
    const int64_t last = operands ? stack.back() : 0;
    const int64_t before = operands == 2 ? stack[stack.size() - 2] : 0;
    stack.resize(stack.size() - operands);
    int64_t result = 0;
    bool overflows = false;
    switch (step.kind) {
    case SLUICE_STEP_CONSTANT:
      result = step.value;
      break;
    case SLUICE_STEP_ARGUMENT: {
      const SluicePlanArgument &argument = plan.arguments[step.value];
      result = readInteger(frame + argument.frameOffset, argument.size);
      break;
    }
    case SLUICE_STEP_ADD:
      overflows = __builtin_add_overflow(before, last, &result);
      break;
    case SLUICE_STEP_MULTIPLY:
      overflows = __builtin_mul_overflow(before, last, &result);
      break;
    case SLUICE_STEP_MAXIMUM:
      result = std::max(before, last);
      break;
    case SLUICE_STEP_DIVIDE:
      result = divideDown(last, step.value);
      break;
    case SLUICE_STEP_SIGNED:
      result =
          int64_t(uint64_t(last) << (64 - step.value)) >> (64 - step.value);
      break;
    case SLUICE_STEP_UNSIGNED:
      result =
          int64_t(uint64_t(last) << (64 - step.value) >> (64 - step.value));
      break;
    case SLUICE_STEP_END:
      values.push_back(last);
      continue;
    }
    if (overflows)
      return false;
    stack.push_back(result);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Entries in use
//===----------------------------------------------------------------------===//

namespace {
/// Places in bytes from the argument.
struct EntryRow {
  int64_t first = 0, stride = 0;
  uint64_t count = 0;
};

/// The rows of entries that are in use.
class EntryRows {
public:
  EntryRows(const SluicePlanTable &table, const std::vector<int64_t> &values,
            uint64_t size)
      : table(table), values(values), size(size) {
    std::vector<Number> sums;
    for (uint32_t sum = 0; sum < table.numSums; ++sum)
      sums.push_back(factor(sum, 0));
    visit(0, sums);
  }

  std::vector<EntryRow> rows;
  uint64_t numEntries = 0;

private:
  using Number = __int128;

  /// The formula of a sum for variable `number` - 1, or the one without any.
  int64_t factor(uint32_t sum, uint32_t number) const {
    return values[table.numVariables + sum * (table.numVariables + 1) + number];
  }
  bool isLastOf(uint32_t sum, uint32_t variable) const {
    for (uint32_t i = variable + 1; i < table.numVariables; ++i)
      if (factor(sum, i + 1) != 0)
        return false;
    return true;
  }
  bool visit(uint32_t variable, const std::vector<Number> &sums);
  void add(Number first, Number stride, Number count);

  const SluicePlanTable &table;
  const std::vector<int64_t> &values;
  const uint64_t size;
};
} // namespace

/// Adds those within the table's size: no instance may use others.
void EntryRows::add(Number first, Number stride, Number count) {
  if (stride < 0) {
    first += stride * (count - 1);
    stride = -stride;
  }
  const Number most = Number(size) - table.entryBytes;
  if (first < 0 && stride > 0) {
    const Number skipped = (-first + stride - 1) / stride;
    first += skipped * stride;
    count -= skipped;
  }
  if (first < 0 || first > most || count <= 0)
    return;
  if (stride > 0)
    count = std::min(count, (most - first) / stride + 1);
  rows.push_back(
      {int64_t(first), count == 1 ? 0 : int64_t(stride), uint64_t(count)});
  numEntries += uint64_t(count);
}

/// True if some entry is in use.
bool EntryRows::visit(uint32_t variable, const std::vector<Number> &sums) {
  if (variable == table.numVariables) {
    for (uint32_t sum = 1; sum < table.numSums; ++sum)
      if (sums[sum] > 0)
        return false;
    add(sums[0], 0, 1);
    return true;
  }
  Number least = 0, end = values[variable];
  for (uint32_t sum = 1; sum < table.numSums; ++sum) {
    const Number by = factor(sum, variable + 1), value = sums[sum];
    if (by == 0 || !isLastOf(sum, variable))
      continue;
    // value + by * x <= 0
    if (by > 0)
      end = std::min(end, value > 0 ? Number(0) : -value / by + 1);
    else if (value > 0)
      least = std::max(least, (value - by - 1) / -by);
  }
  const bool isLast = variable + 1 == table.numVariables;
  const Number stride = factor(0, variable + 1);
  if (isLast) {
    for (uint32_t sum = 1; sum < table.numSums; ++sum)
      if (factor(sum, variable + 1) == 0 && sums[sum] > 0)
        return false;
    if (least >= end)
      return false;
    add(sums[0] + stride * least, stride,
        stride == 0 ? Number(1) : end - least);
    return true;
  }
  bool isFree = stride == 0;
  for (uint32_t sum = 1; sum < table.numSums; ++sum)
    isFree &= factor(sum, variable + 1) == 0;
  if (isFree)
    return least < end && visit(variable + 1, sums);
  // More values of a variable add nothing where no place depends on it, nor on
  // what follows.
  const bool isOneEnough = stride == 0 && isLastOf(0, variable);
  bool isUsed = false;
  std::vector<Number> inner(sums.size());
  for (Number value = least; value < end && !(isUsed && isOneEnough); ++value) {
    for (uint32_t sum = 0; sum < table.numSums; ++sum)
      inner[sum] = sums[sum] + factor(sum, variable + 1) * value;
    isUsed |= visit(variable + 1, inner);
  }
  return isUsed;
}

namespace {
struct EqualEntries {
  int64_t first, second; // places
  int64_t value;
};
} // namespace

/// Two equal entries at different places.
template <typename Entry>
static std::optional<EqualEntries> findEqual(const EntryRows &entries,
                                             const unsigned char *table) {
  auto forEach = [&](auto &&call) {
    for (const EntryRow &row : entries.rows)
      for (uint64_t i = 0; i < row.count; ++i) {
        Entry entry;
        const int64_t place = row.first + row.stride * int64_t(i);
        std::memcpy(&entry, table + place, sizeof entry);
        call(entry, place);
      }
  };
  Entry least = std::numeric_limits<Entry>::max();
  Entry most = std::numeric_limits<Entry>::min();
  forEach([&](Entry entry, int64_t) {
    least = std::min(least, entry);
    most = std::max(most, entry);
  });
  const uint64_t range = uint64_t(most) - uint64_t(least);
  // No more memory than the sorted entries take.
  if (range / 128 <= entries.numEntries) {
    std::vector<uint64_t> marks(range / 64 + 1);
    bool isAgain = false;
    forEach([&](Entry entry, int64_t) {
      const uint64_t number = uint64_t(entry) - uint64_t(least);
      uint64_t &word = marks[number / 64];
      const uint64_t mark = uint64_t(1) << number % 64;
      isAgain |= (word & mark) != 0;
      word |= mark;
    });
    if (!isAgain)
      return std::nullopt;
  }
  std::vector<std::pair<int64_t, int64_t>> sorted;
  sorted.reserve(entries.numEntries);
  forEach([&](Entry entry, int64_t place) {
    sorted.push_back({entry, place});
  });
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first &&
        sorted[i].second != sorted[i - 1].second)
      return EqualEntries{sorted[i - 1].second, sorted[i].second,
                          sorted[i].first};
  return std::nullopt;
}

static std::optional<EqualEntries> findEqual(const EntryRows &entries,
                                             const unsigned char *table,
                                             uint32_t entryBytes) {
  switch (entryBytes) {
  case 1:
    return findEqual<int8_t>(entries, table);
  case 2:
    return findEqual<int16_t>(entries, table);
  case 4:
    return findEqual<int32_t>(entries, table);
  default:
    return findEqual<int64_t>(entries, table);
  }
}

/// Copies the entries, or compares them with a copy.
template <typename Take>
static bool takeEntries(const EntryRows &entries, uint32_t entryBytes,
                        Take &&take) {
  uint64_t number = 0;
  for (const EntryRow &row : entries.rows) {
    if (row.stride == entryBytes) {
      if (!take(row.first, number * entryBytes, row.count * entryBytes))
        return false;
    } else {
      for (uint64_t i = 0; i < row.count; ++i)
        if (!take(row.first + row.stride * int64_t(i),
                  (number + i) * entryBytes, entryBytes))
          return false;
    }
    number += row.count;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// "entries 1 and 2 of 'table' are both 7".
static std::string describe(const SluicePlanTable &table,
                            const EqualEntries &equal, std::string name) {
  const int64_t bytes = table.entryBytes;
  const bool areEntries = equal.first % bytes == 0 && equal.second % bytes == 0;
  const int64_t unit = areEntries ? bytes : 1;
  return concat(areEntries ? "entries " : "the entries at bytes ",
                equal.first / unit, " and ", equal.second / unit, " of ", name,
                " are both ", equal.value);
}

std::vector<uint32_t> EntryTable::arguments() const {
  if (!hasRows(table))
    return {table.argument};
  std::vector<uint32_t> all;
  for (const SluicePlanLoad &load : std::span(table.loads, table.numLoads))
    if (std::find(all.begin(), all.end(), load.argument) == all.end())
      all.push_back(load.argument);
  return all;
}

/// Where a pointer argument leads to, and how many bytes are there.
static LoadedMemory memoryOf(const SluicePlan &plan, uint32_t index,
                             const unsigned char *frame) {
  const SluicePlanArgument &argument = plan.arguments[index];
  LoadedMemory memory = {nullptr, INT64_MAX};
  std::memcpy(&memory.start, frame + argument.frameOffset, sizeof memory.start);
  if (argument.sizeArgument != SLUICE_NO_INDEX)
    std::memcpy(&memory.size,
                frame + plan.arguments[argument.sizeArgument].frameOffset,
                sizeof memory.size);
  memory.size = std::min<uint64_t>(memory.size, INT64_MAX);
  return memory;
}

/// For a loop that runs all the same.
void EntryTable::warn(const std::string &what) {
  testsLeft = 0;
  // The loop, rather than its function.
  const char *place = plan.numNodes ? plan.nodes[0].location : plan.location;
  std::fprintf(stderr,
               "sluice: warning: %s%s%s, so that iterations of this parallel "
               "loop may use the same memory at the same time\n",
               place, *place ? ": " : "", what.c_str());
}

Status EntryTable::test(const unsigned char *frame) {
  std::lock_guard lock(mutex);
  if ((table.rule & SLUICE_TABLE_WARNS) && testsLeft == 0)
    return {};
  return hasRows(table) ? testRows(frame) : testEntries(frame);
}

Status EntryTable::testEntries(const unsigned char *frame) {
  const auto [memory, size] = memoryOf(plan, table.argument, frame);
  std::vector<int64_t> values;
  // Addresses that do not fit are none.
  if (!memory || !evaluate(plan, table, frame, values))
    return {};
  const bool warns = table.rule & SLUICE_TABLE_WARNS;
  const EntryRows entries(table, values, size);
  if (entries.numEntries < 2)
    return {};
  const uint32_t entryBytes = table.entryBytes;
  if (!knownEntries.empty() && values == knownValues && size == knownSize &&
      takeEntries(
          entries, entryBytes,
          [&, start = memory](int64_t place, uint64_t at, uint64_t bytes) {
            return std::memcmp(start + place, &knownEntries[at], bytes) == 0;
          }))
    return {};
  knownEntries.clear();
  testsLeft -= warns;
  if (std::optional<EqualEntries> equal =
          findEqual(entries, memory, entryBytes)) {
    const std::string name = quoted(plan.arguments[table.argument].name);
    if (!warns)
      return Status::invalidArgument(concat(
          describe(table, *equal,
                   concat("argument ", name, " of graph ", quoted(plan.name))),
          ", but the graph is free of races only if they differ; "
          "let each instance go to a place of its own, or use "
          "atomic operations"));
    warn(describe(table, *equal, name));
    return {};
  }
  if (warns || entries.numEntries > mostKnown / entryBytes)
    return {};
  knownValues = std::move(values);
  knownSize = size;
  knownEntries.resize(entries.numEntries * entryBytes);
  takeEntries(entries, entryBytes,
              [&, start = memory](int64_t place, uint64_t at, uint64_t bytes) {
                std::memcpy(&knownEntries[at], start + place, bytes);
                return true;
              });
  return {};
}

static std::string spellIds(const std::vector<int64_t> &ids) {
  std::string text;
  for (int64_t id : ids)
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

bool EntryTable::isKnown(const std::vector<LoadedMemory> &memories) const {
  for (size_t i = 0; i != knownParts.size(); ++i) {
    const KnownPart &known = knownParts[i];
    if (memories[i].size != known.size || !memories[i].start ||
        std::memcmp(memories[i].start + known.part.first, known.bytes.data(),
                    known.bytes.size()) != 0)
      return false;
  }
  return !knownParts.empty();
}

/// Copies what a test has read, where all of it is in memory of a known size.
/// It may have read nothing, as behind a condition that no instance meets.
void EntryTable::keep(const std::vector<LoadedMemory> &memories,
                      const std::vector<LoadedPart> &parts) {
  uint64_t total = 0;
  for (size_t i = 0; i != parts.size(); ++i) {
    if (memories[i].size == INT64_MAX)
      return;
    total += uint64_t(parts[i].end - parts[i].first);
  }
  if (total > mostKnown)
    return;
  for (size_t i = 0; i != parts.size(); ++i)
    knownParts.push_back({parts[i],
                          memories[i].size,
                          {memories[i].start + parts[i].first,
                           memories[i].start + parts[i].end}});
}

Status EntryTable::testRows(const unsigned char *frame) {
  std::vector<LoadedMemory> memories;
  for (const SluicePlanLoad &load : std::span(table.loads, table.numLoads))
    memories.push_back(memoryOf(plan, load.argument, frame));
  std::vector<int64_t> values;
  if (!evaluate(plan, table, frame, values))
    return {};
  const bool warns = table.rule & SLUICE_TABLE_WARNS;
  if (values == knownValues && isKnown(memories))
    return {};
  testsLeft -= warns;
  knownParts.clear();
  InstanceRows rows(table, values, memories, warns ? numbersLeft : UINT64_MAX);
  std::optional<RowOverlap> overlap = rows.findOverlap();
  numbersLeft = rows.numLeft();
  if (numbersLeft == 0)
    testsLeft = 0;
  if (!overlap) {
    if (!warns)
      keep(memories, rows.loadedParts());
    knownValues = std::move(values);
    return {};
  }
  std::string names;
  for (uint32_t argument : arguments())
    names +=
        (names.empty() ? "" : " and ") + quoted(plan.arguments[argument].name);
  const std::string element = table.entryBytes
                                  ? concat("element ", overlap->number, " of ")
                                  : std::string("the same part of ");
  const std::string place = concat(element, warns ? "" : "argument ",
                                   quoted(plan.arguments[table.argument].name));
  if (warns) {
    warn(concat("the entries of ", names, " send iterations ",
                spellIds(overlap->firstIds), " and ",
                spellIds(overlap->secondIds), " to ", place));
    return {};
  }
  return Status::invalidArgument(concat(
      "the entries of ", names, " send instances (",
      spellIds(overlap->firstIds), ") and (", spellIds(overlap->secondIds),
      ") to ", place, " of graph ", quoted(plan.name),
      ", but the graph is free of races only if no two instances go to "
      "the same place; let each instance go to a place of its own, or "
      "use atomic operations"));
}
