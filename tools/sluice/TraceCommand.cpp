//===- TraceCommand.cpp - sluice trace ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads traces that SLUICE_TRACE wrote, and reports where the time went.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Base/Output.h"
#include "sluice/Driver/TracedNodes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice::driver;

int traceCommand(const CommandLine &line) {
  if (line.files.size() != 1)
    return usage("'sluice trace' takes one file, which SLUICE_TRACE=FILE has "
                 "made");
  const std::string &path = line.files.front();
  if (!line.output.empty() && sys::path::extension(line.output) != ".svg")
    return usage("'" + line.output + "' needs the ending .svg");
  TracePrintOptions options;
  options.hasSteps = line.has(OPT_steps);
  if (line.has(OPT_top) &&
      (!to_integer(line.value(OPT_top), options.most, /*Base=*/10) ||
       !options.most))
    return usage("--top is '" + line.value(OPT_top) +
                 "', expected a number above 0");
  if (sluice::Status status = sluice::checkOutput(line.output, line.files);
      !status.ok())
    return problem(status.message());
  Expected<std::unique_ptr<TraceFile>> read = readTraceFile(path);
  if (!read)
    return problem(toString(read.takeError()));
  const auto &[timeline, report] = **read;
  if (!line.output.empty())
    if (sluice::Status status =
            sluice::writeOutput(line.output, drawTimeline(timeline, report));
        !status.ok())
      return problem(status.message());
  printTraceReport(timeline, report, options, outs());
  return exitFine;
}
