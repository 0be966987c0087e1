//===- Tuning.cpp - Trying the variants of tasks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only the calls are timed, not the copies between them. The least time of
// several calls counts.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"

#include "../Clock.h"
#include "Run.h"

#include "sluice/Base/Text.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// Two orders of the same sums differ by less; what was computed wrongly, by
/// more.
static constexpr double floatTolerance = 1e-5, doubleTolerance = 1e-10;

template <typename Number>
static Difference compareNumbers(const void *expected, const void *found,
                                 uint64_t count, double tolerance) {
  auto load = [](const void *values, uint64_t i) {
    Number value;
    std::memcpy(&value, static_cast<const char *>(values) + i * sizeof(Number),
                sizeof(Number));
    return static_cast<double>(value);
  };
  double largest = 0, most = 0;
  Difference difference;
  for (uint64_t i = 0; i < count; ++i) {
    double first = load(expected, i), second = load(found, i);
    if (std::isfinite(first))
      largest = std::max(largest, std::abs(first));
    if (first == second || (std::isnan(first) && std::isnan(second)))
      continue;
    if (!std::isfinite(first) || !std::isfinite(second))
      return {false, INFINITY};
    most = std::max(most, std::abs(first - second));
  }
  if (most != 0)
    difference.relative = largest == 0 ? INFINITY : most / largest;
  difference.agrees = difference.relative <= tolerance;
  return difference;
}

Difference sluice::tasks::compareValues(const SluiceTaskData &data,
                                        const void *expected,
                                        const void *found) {
  if (std::memcmp(expected, found, data.size) == 0)
    return {};
  if (data.elementKind != SLUICE_ELEMENT_FLOAT)
    return {false, 0};
  uint64_t count = data.size / (data.elementBits / 8);
  if (data.elementBits == 32)
    return compareNumbers<float>(expected, found, count, floatTolerance);
  return compareNumbers<double>(expected, found, count, doubleTolerance);
}

void Tuning::compare(Trial &trial) const {
  for (const Written &one : written) {
    const SluiceTaskData &data = run.program.data[one.data];
    Difference difference = compareValues(data, one.reference.data(),
                                          run.datasets.address(one.data));
    trial.difference = std::max(trial.difference, difference.relative);
    if (difference.agrees || !trial.problem.empty())
      continue;
    trial.problem = concat("dataset ", quoted(data.name), " differs");
    if (data.elementKind == SLUICE_ELEMENT_FLOAT) {
      char text[32];
      std::snprintf(text, sizeof(text), "%.2g", difference.relative);
      trial.problem += concat(" by ", text, " of the largest magnitude in it");
    }
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void Tuning::save(uint32_t task) {
  const SluiceTaskRecord &record = run.program.tasks[task];
  written.clear();
  for (uint32_t i = 0; i < record.numUses; ++i) {
    uint32_t data = record.uses[i].data;
    if (!(record.uses[i].access & SLUICE_ACCESS_OUT) ||
        run.program.data[data].kind == SLUICE_DATA_PYOBJ)
      continue;
    const char *memory = run.datasets.address(data);
    written.push_back(
        {data, {memory, memory + run.program.data[data].size}, {}});
  }
}

void Tuning::restore(bool toReference) {
  for (const Written &one : written) {
    const std::vector<char> &from = toReference ? one.reference : one.before;
    std::memcpy(run.datasets.address(one.data), from.data(), from.size());
  }
}

int32_t Tuning::begin(uint32_t task) {
  variant = 0;
  trials.clear();
  if (run.program.tasks[task].numVariants == 1)
    return 0;
  trials.resize(run.program.tasks[task].numVariants);
  save(task);
  start = clockNanoseconds();
  return 0;
}

/// A variant that is far behind is not worth more calls.
bool Tuning::wantsAnotherCall() const {
  constexpr uint64_t enough = 100000000;
  const Trial &trial = trials[variant];
  if (!trial.problem.empty())
    return false;
  for (const Trial &other : trials)
    if (other.problem.empty() && other.numCalls &&
        other.least < trial.least / 3)
      return false;
  return trial.numCalls < 2 || (trial.total < enough && trial.numCalls < 50);
}

void Tuning::noteCall(uint32_t task, uint64_t time) {
  Trial &trial = trials[variant];
  trial.total += time;
  trial.least = std::min(trial.least, time);
  if (++trial.numCalls != 1)
    return;
  if (variant != 0)
    return compare(trial);
  for (Written &one : written) {
    const char *memory = run.datasets.address(one.data);
    one.reference.assign(memory, memory + run.program.data[one.data].size);
  }
}

int32_t Tuning::end(uint32_t task, std::string &message) {
  if (trials.empty())
    return -1;
  uint64_t time = clockNanoseconds() - start;
  // Nothing can be said about the others.
  if (variant == 0 && !message.empty())
    return -1;
  if (message.empty())
    noteCall(task, time);
  else
    trials[variant].problem = concat("failed: ", std::exchange(message, {}));
  if (!wantsAnotherCall())
    ++variant;
  bool isOver = variant == trials.size();
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

static std::string variantText(const SluiceTaskRecord &record, size_t variant) {
  const char *text = record.variants ? record.variants[variant] : nullptr;
  return text && *text ? text : "no parameters";
}

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
  const SluiceTaskRecord &record = run.program.tasks[task];
  size_t best = 0;
  for (size_t i = 1; i < trials.size(); ++i)
    if (trials[i].problem.empty() && trials[i].least < trials[best].least)
      best = i;
  std::string text = concat("\n[", record.name, "]\n");
  for (size_t i = 0; i < trials.size(); ++i) {
    const Trial &trial = trials[i];
    text += concat("# ", variantText(record, i), ": ");
    if (trial.numCalls) {
      char time[96];
      std::snprintf(time, sizeof(time), "%.4g ms, difference %.2g",
                    static_cast<double>(trial.least) * 1e-6, trial.difference);
      text += time;
    }
    if (!trial.problem.empty()) {
      std::string problem = trial.problem.substr(0, trial.problem.find('\n'));
      text += concat(trial.numCalls ? ", " : "", "refused: ", problem);
    }
    text += i == best ? ", chosen\n" : "\n";
  }
  return text + parameterLines(record, best);
}

std::string Tuning::text() const {
  std::string text = concat(
      "# Tuned parameters of the tasks of graph ", quoted(run.program.name),
      ".\n"
      "# Each variant was timed on the data of a run, and what it wrote "
      "was compared\n"
      "# with what the first one wrote. Integers must be equal, numbers "
      "differ by at most\n"
      "# 1e-5 (float) or 1e-10 (double) of the largest magnitude in "
      "their dataset.\n");
  for (const auto &[task, trials] : results)
    text += taskText(task, trials);
  return text;
}
