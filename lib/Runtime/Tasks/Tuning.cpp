//===- Tuning.cpp - Trying the variants of tasks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times only the calls, not the copies between them, and uses the minimum of
// several calls.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "../Scheduling/Clock.h"
#include "PrintDatasets.h"

#include "sluice/Base/Text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

namespace {
/// Numbers of one type, at any address.
template <typename Number> class Numbers {
public:
  explicit Numbers(const void *values)
      : values(static_cast<const char *>(values)) {}
  double operator[](uint64_t i) const {
    Number value;
    std::memcpy(&value, values + i * sizeof(Number), sizeof(Number));
    return static_cast<double>(value);
  }

private:
  const char *values;
};
} // namespace

/// 0: the same number. INFINITY: rounding cannot explain the difference.
static double distance(double expected, double found) {
  if (expected == found || (std::isnan(expected) && std::isnan(found)))
    return 0;
  if (!std::isfinite(expected) || !std::isfinite(found))
    return INFINITY;
  return std::abs(expected - found);
}

template <typename Number>
static Difference compareNumbers(const void *expected, const void *found,
                                 uint64_t count, double relative,
                                 double absolute) {
  Numbers<Number> first(expected), second(found);
  Difference difference;
  for (uint64_t i = 0; i < count; ++i) {
    double error = distance(first[i], second[i]);
    if (error == 0)
      continue;
    double size = std::abs(first[i]);
    difference.relative = std::max(difference.relative, error / size);
    if (std::isfinite(error) && error <= absolute + relative * size)
      continue;
    if (difference.numWrong++ == 0) {
      difference.element = i;
      difference.expected = first[i];
      difference.found = second[i];
    }
  }
  return difference;
}

template <typename Integer>
static Difference compareIntegers(const void *expected, const void *found,
                                  uint64_t count) {
  Difference difference;
  for (uint64_t i = 0; i < count; ++i) {
    size_t offset = i * sizeof(Integer);
    const char *first = static_cast<const char *>(expected) + offset;
    const char *second = static_cast<const char *>(found) + offset;
    if (std::memcmp(first, second, sizeof(Integer)) != 0 &&
        difference.numWrong++ == 0) {
      difference.element = i;
      difference.expected = Numbers<Integer>(first)[0];
      difference.found = Numbers<Integer>(second)[0];
    }
  }
  return difference;
}

static Difference compareIntegers(const SluiceTaskData &data,
                                  const void *expected, const void *found,
                                  uint64_t count) {
  bool isSigned = data.elementKind == SLUICE_ELEMENT_INT;
  switch (data.elementBits) {
  case 8:
    return isSigned ? compareIntegers<int8_t>(expected, found, count)
                    : compareIntegers<uint8_t>(expected, found, count);
  case 16:
    return isSigned ? compareIntegers<int16_t>(expected, found, count)
                    : compareIntegers<uint16_t>(expected, found, count);
  case 32:
    return isSigned ? compareIntegers<int32_t>(expected, found, count)
                    : compareIntegers<uint32_t>(expected, found, count);
  default:
    return isSigned ? compareIntegers<int64_t>(expected, found, count)
                    : compareIntegers<uint64_t>(expected, found, count);
  }
}

Difference sluice::tasks::compareValues(const SluiceTaskData &data,
                                        const void *expected, const void *found,
                                        const Tolerance &tolerance) {
  if (std::memcmp(expected, found, data.size) == 0)
    return {};
  uint64_t count = data.size / (data.elementBits / 8);
  if (data.elementKind != SLUICE_ELEMENT_FLOAT)
    return compareIntegers(data, expected, found, count);
  if (data.elementBits == 32)
    return compareNumbers<float>(expected, found, count,
                                 tolerance.relativeFloat, tolerance.absolute);
  return compareNumbers<double>(expected, found, count,
                                tolerance.relativeDouble, tolerance.absolute);
}

/// Reads a nonnegative number from the environment, if it is set.
static Status readTolerance(const char *name, std::optional<double> &value) {
  const char *text = std::getenv(name);
  if (!text || !*text)
    return {};
  char *end = nullptr;
  double number = std::strtod(text, &end);
  if (*end || !std::isfinite(number) || number < 0)
    return Status::invalidArgument(concat(name, " is ", quoted(text),
                                          ", expected a number of at least 0"));
  value = number;
  return {};
}

Result<Tolerance> Tolerance::fromEnvironment() {
  Tolerance tolerance;
  std::optional<double> relative, absolute;
  if (Status status = readTolerance("SLUICE_TUNE_RTOL", relative); !status.ok())
    return status;
  if (Status status = readTolerance("SLUICE_TUNE_ATOL", absolute); !status.ok())
    return status;
  if (relative)
    tolerance.relativeFloat = tolerance.relativeDouble = *relative;
  tolerance.absolute = absolute.value_or(tolerance.absolute);
  return tolerance;
}

static std::string numberText(const SluiceTaskData &data, double value) {
  char text[40];
  bool isFloat = data.elementKind == SLUICE_ELEMENT_FLOAT;
  std::snprintf(text, sizeof(text),
                !isFloat                 ? "%.0f"
                : data.elementBits == 32 ? "%.9g"
                                         : "%.17g",
                value);
  return text;
}

static std::string describe(const SluiceTaskData &data,
                            const Difference &difference) {
  uint64_t count = data.size / (data.elementBits / 8);
  std::string text =
      concat("dataset ", quoted(data.name), " differs in ", difference.numWrong,
             " of ", count, count == 1 ? " element" : " elements");
  return concat(text, ", first ", elementName(data, difference.element),
                ", which is ", numberText(data, difference.found),
                " instead of ", numberText(data, difference.expected));
}

void Tuning::compare(Trial &trial) const {
  for (const Written &one : written) {
    const SluiceTaskData &data = program.data[one.data];
    Difference difference = compareValues(
        data, one.reference.data(), datasets.address(one.data), tolerance);
    trial.difference = std::max(trial.difference, difference.relative);
    if (!difference.agrees() && trial.problem.empty())
      trial.problem = describe(data, difference);
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Tuning::save(uint32_t task) {
  const SluiceTaskRecord &record = program.tasks[task];
  written.clear();
  for (uint32_t i = 0; i < record.numUses; ++i) {
    uint32_t data = record.uses[i].data;
    if (!(record.uses[i].access & SLUICE_ACCESS_OUT) ||
        program.data[data].kind == SLUICE_DATA_PYOBJ)
      continue;
    const char *memory = datasets.address(data);
    written.push_back({data, {memory, memory + program.data[data].size}, {}});
  }
}

void Tuning::restore(bool toReference) {
  for (const Written &one : written) {
    const std::vector<char> &from = toReference ? one.reference : one.before;
    std::memcpy(datasets.address(one.data), from.data(), from.size());
  }
}

static std::string variantText(const SluiceTaskRecord &record, size_t variant) {
  const char *text = record.variants ? record.variants[variant] : nullptr;
  return text && *text ? text : "no parameters";
}

void Tuning::showVariant(uint32_t task) {
  const SluiceTaskRecord &record = program.tasks[task];
  progress->begin(concat("timing ", quoted(record.name), " with ",
                         variantText(record, variant)),
                  variant + 1, trials.size());
}

int32_t Tuning::begin(uint32_t task) {
  variant = 0;
  trials.clear();
  if (program.tasks[task].numVariants == 1)
    return 0;
  trials.resize(program.tasks[task].numVariants);
  save(task);
  progress.emplace();
  showVariant(task);
  start = clockNanoseconds();
  return 0;
}

/// A variant that is much slower is not called again.
bool Tuning::wantsAnotherCall() const {
  constexpr uint64_t enough = 100000000;
  const Trial &trial = trials[variant];
  if (!trial.problem.empty())
    return false;
  for (const Trial &other : trials)
    if (other.problem.empty() && other.numCalls &&
        other.minTime < trial.minTime / 3)
      return false;
  return trial.numCalls < 2 || (trial.total < enough && trial.numCalls < 50);
}

void Tuning::noteCall(uint32_t task, uint64_t time) {
  Trial &trial = trials[variant];
  trial.total += time;
  trial.minTime = std::min(trial.minTime, time);
  // Every call is checked: some schedules are wrong only occasionally.
  if (++trial.numCalls != 1 || variant != 0)
    return compare(trial);
  for (Written &one : written) {
    const char *memory = datasets.address(one.data);
    one.reference.assign(memory, memory + program.data[one.data].size);
  }
}

int32_t Tuning::end(uint32_t task, std::string &message) {
  if (trials.empty())
    return -1;
  uint64_t time = clockNanoseconds() - start;
  // The other variants cannot be compared with it.
  if (variant == 0 && !message.empty()) {
    progress.reset();
    return -1;
  }
  if (message.empty())
    noteCall(task, time);
  else
    trials[variant].problem = concat("failed: ", std::exchange(message, {}));
  bool isNext = !wantsAnotherCall();
  variant += isNext;
  bool isOver = variant == trials.size();
  if (isOver)
    progress.reset();
  else if (isNext)
    showVariant(task);
  restore(isOver);
  if (isOver) {
    results[task] = std::move(trials);
    trials.clear();
    written.clear();
    return -1;
  }
  start = clockNanoseconds();
  return static_cast<int32_t>(variant);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// "p1=4 p2=8" as lines "p1 = 4".
static std::string parameterLines(const SluiceTaskRecord &record,
                                  size_t variant) {
  const char *text = record.variants ? record.variants[variant] : nullptr;
  std::string_view rest = text ? text : "";
  std::string lines;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    size_t equals = word.find('=');
    if (equals != std::string_view::npos)
      lines +=
          concat(word.substr(0, equals), " = ", word.substr(equals + 1), '\n');
  }
  return lines;
}

std::string Tuning::taskText(uint32_t task,
                             const std::vector<Trial> &trials) const {
  const SluiceTaskRecord &record = program.tasks[task];
  size_t best = 0;
  for (size_t i = 1; i < trials.size(); ++i)
    if (trials[i].problem.empty() && trials[i].minTime < trials[best].minTime)
      best = i;
  std::string text = concat("\n[", record.name, "]\n");
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial &trial = trials[i];
    text += concat("# ", variantText(record, i), ": ");
    if (trial.numCalls) {
      char time[96];
      std::snprintf(time, sizeof(time), "%.4g ms, difference %.2g",
                    static_cast<double>(trial.minTime) * 1e-6,
                    trial.difference);
      text += time;
    }
    if (!trial.problem.empty()) {
      std::string problem = trial.problem.substr(0, trial.problem.find('\n'));
      // The first variant is the reference for the others.
      text += concat(trial.numCalls ? ", " : "",
                     i ? "refused: " : "two calls disagree: ", problem);
    }
    text += i == best ? ", chosen\n" : "\n";
  }
  return text + parameterLines(record, best);
}

std::string Tuning::text() const {
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers),
                "# RTOL is %g for float and %g for double, ATOL is %g; NaN "
                "equals NaN.\n",
                tolerance.relativeFloat, tolerance.relativeDouble,
                tolerance.absolute);
  std::string text =
      concat("# Tuned parameters of the tasks of graph ", quoted(program.name),
             ".\n"
             "# Each variant was timed on the data of a run, and every element "
             "that it wrote was\n"
             "# compared with what the first one wrote. Integers must be "
             "equal; numbers may\n"
             "# differ by ATOL + RTOL * |what the first one wrote|.\n",
             numbers);
  for (const auto &[task, trials] : results)
    text += taskText(task, trials);
  return text;
}
