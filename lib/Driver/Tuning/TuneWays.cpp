//===- TuneWays.cpp - The fastest ways of a program's graphs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same runs measure all graphs of a program. A way never changes a result.
// If a program prints something else with a way, the way is rejected and
// reported.
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/TuneWays.h"

#include "WaySearch.h"

#include "sluice/Base/Output.h"
#include "sluice/Base/Progress.h"
#include "sluice/Base/Temporary.h"
#include "sluice/Base/Text.h"
#include "sluice/Diagnostics/Diagnostics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {

/// One run of the program.
struct TunedRun {
  ProcessEnd end;
  std::string printed;
  std::vector<TiledTimes> times;
};

class WayTuner {
public:
  WayTuner(const WayTuning &tuning, ArrayRef<TiledTimes> seen)
      : tuning(tuning) {
    // Graphs with the same name, such as those of static functions, are not
    // distinguished.
    for (const TiledTimes &times : seen)
      if (none_of(searches, [&](const WaySearch &search) {
            return search.isOf({times.graph, times.sizeClass, {}});
          }))
        searches.emplace_back(times);
  }

  /// Returns an error if it cannot continue.
  Status run();
  Status writeWays() const;
  void print(raw_ostream &os) const;

private:
  Result<TunedRun> runWith(ArrayRef<TunedGraph> ways) const;
  Status lookAtOwnChoice();
  void note(ArrayRef<TunedGraph> ways, const TunedRun &found);
  void refuse(ArrayRef<TunedGraph> ways, const std::string &problem);

  const WayTuning &tuning;
  std::vector<WaySearch> searches;
  std::string expected;
  bool isComparable = true;
  unsigned numRuns = 0;
};

} // namespace

static Result<std::string> readAll(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, false, false);
  if (!file)
    return Status::error(
        StatusCode::System,
        concat("cannot read ", quoted(path), ": ", file.getError().message()));
  return (*file)->getBuffer().str();
}

/// The variables of this process, with two of them replaced.
static std::vector<std::string> environmentWith(const std::string &ways,
                                                const std::string &times) {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable; ++variable) {
    StringRef text = *variable;
    StringRef name = text.split('=').first;
    if (name != waysVariable && name != timesVariable)
      variables.push_back(text.str());
  }
  variables.push_back(concat(waysVariable, "=", ways));
  variables.push_back(concat(timesVariable, "=", times));
  return variables;
}

Result<TunedRun> WayTuner::runWith(ArrayRef<TunedGraph> ways) const {
  Result<std::string> waysPath = workPath(".ini");
  if (!waysPath.ok())
    return waysPath.takeStatus();
  const std::string timesPath = *waysPath + ".times";
  const std::string printedPath = *waysPath + ".out";
  std::string text;
  for (const TunedGraph &way : ways)
    text += formatTunedGraph(way);
  if (Status status = writeOutput(*waysPath, text); !status.ok())
    return status;
  Result<ProcessEnd> end =
      runProgram({.program = tuning.program,
                  .arguments = tuning.arguments,
                  .environment = environmentWith(*waysPath, timesPath),
                  .input = Redirect::nowhere(),
                  .output = Redirect::file(printedPath),
                  .errors = Redirect::nowhere()});
  if (!end.ok())
    return end.takeStatus();
  TunedRun run;
  run.end = *end;
  Result<std::string> printed = readAll(printedPath);
  if (!printed.ok())
    return printed.takeStatus();
  run.printed = std::move(*printed);
  if (Result<std::string> times = readAll(timesPath); times.ok())
    run.times = parseTiledTimes(*times);
  for (const std::string &path : {*waysPath, timesPath, printedPath})
    ::unlink(path.c_str());
  return run;
}

void WayTuner::refuse(ArrayRef<TunedGraph> ways, const std::string &problem) {
  for (const TunedGraph &way : ways)
    for (WaySearch &search : searches)
      if (search.isOf(way))
        search.refuse(way.way, problem);
}

/// Adds the times of a run in which the graphs ran in these ways.
void WayTuner::note(ArrayRef<TunedGraph> ways, const TunedRun &found) {
  if (!found.end.succeeded())
    return refuse(ways, concat("ended with ", found.end.text()));
  if (isComparable && found.printed != expected)
    return refuse(ways, "made the program print something else");
  for (const TunedGraph &way : ways)
    for (WaySearch &search : searches) {
      if (!search.isOf(way))
        continue;
      std::optional<uint64_t> fastest;
      for (const TiledTimes &times : found.times)
        if (times.graph == way.graph && times.sizeClass == way.sizeClass)
          fastest = std::min(fastest.value_or(UINT64_MAX), times.fastest);
      search.add(way.way, fastest);
    }
}

static std::vector<TunedGraph> ownChoices(ArrayRef<WaySearch> searches) {
  std::vector<TunedGraph> ways;
  for (const WaySearch &search : searches)
    ways.push_back(
        {search.getSeen().graph, search.getSeen().sizeClass, TileWay()});
  return ways;
}

/// Measures the program without ways, and keeps its output if two runs print
/// the same.
Status WayTuner::lookAtOwnChoice() {
  for (unsigned run = 0; run != 2; ++run) {
    Result<TunedRun> found = runWith({});
    if (!found.ok())
      return found.takeStatus();
    if (!found->end.succeeded())
      return Status::error(StatusCode::System,
                           concat(quoted(tuning.program), " ended with ",
                                  found->end.text(),
                                  " when it ran again without input"));
    if (run == 0)
      expected = found->printed;
    isComparable = found->printed == expected;
    note(ownChoices(searches), *found);
    ++numRuns;
  }
  return {};
}

Status WayTuner::run() {
  Progress progress;
  progress.begin("running the program as it is");
  if (Status status = lookAtOwnChoice(); !status.ok())
    return status;
  while (true) {
    std::vector<TunedGraph> ways;
    for (WaySearch &search : searches)
      if (std::optional<TileWay> way = search.next())
        ways.push_back({search.getSeen().graph, search.getSeen().sizeClass,
                        std::move(*way)});
    if (ways.empty())
      return {};
    progress.begin(concat("run ", ++numRuns, ": ", ways.front().graph, " with ",
                          describeWay(ways.front().way)));
    Result<TunedRun> found = runWith(ways);
    if (!found.ok())
      return found.takeStatus();
    note(ways, *found);
  }
}

//===----------------------------------------------------------------------===//
// What was found
//===----------------------------------------------------------------------===//

static std::string timeText(uint64_t nanoseconds) {
  std::string text;
  raw_string_ostream os(text);
  if (nanoseconds < 1'000'000)
    os << format("%.1f us", double(nanoseconds) / 1e3);
  else
    os << format("%.2f ms", double(nanoseconds) / 1e6);
  return text;
}

static const WayTrial &trialOf(const WaySearch &search, const TileWay &way) {
  return *find_if(search.getTrials(),
                  [&](const WayTrial &trial) { return trial.way == way; });
}

Status WayTuner::writeWays() const {
  std::string text = "; written by sluice tune; programs read it where "
                     "SLUICE_TUNED names it\n";
  for (const WaySearch &search : searches) {
    const TunedGraph best = search.best();
    const WayTrial &own = trialOf(search, {});
    const WayTrial &chosen = trialOf(search, best.way);
    text +=
        concat("\n; ", timeText(chosen.fastest), ", ", timeText(own.fastest),
               " by the runtime's own choice\n", formatTunedGraph(best));
  }
  return writeOutput(tuning.output, text);
}

void WayTuner::print(raw_ostream &os) const {
  for (const WaySearch &search : searches) {
    const TunedGraph best = search.best();
    os << '[' << best.graph << ' ' << tileClassText(*best.sizeClass) << "], "
       << countOf(search.getTrials().size(), "way", "ways") << ":\n";
    for (const WayTrial &trial : search.getTrials())
      if (trial.isGood())
        os << (trial.way == best.way ? "* " : "  ")
           << left_justify(timeText(trial.fastest), 10) << "  "
           << describeWay(trial.way) << '\n';
      else
        os << "  " << left_justify("-", 10) << "  " << describeWay(trial.way)
           << ": "
           << (trial.problem.empty() ? "had no launch of this size"
                                     : trial.problem)
           << '\n';
  }
  if (!isComparable)
    os << "the program does not print the same twice, so what it prints was "
          "not compared\n";
}

bool driver::tuneWays(const WayTuning &tuning, const std::string &measured,
                      raw_ostream &os) {
  WayTuner tuner(tuning, parseTiledTimes(measured));
  Status status = tuner.run();
  if (status.ok())
    status = tuner.writeWays();
  if (!status.ok()) {
    printError(status.message());
    return false;
  }
  if (verbosity() != Verbosity::Quiet)
    tuner.print(os);
  return true;
}
