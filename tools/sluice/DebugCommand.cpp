//===- DebugCommand.cpp - sluice debug ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads records that SLUICE_RECORD wrote: steps through a record, shows it as a
// page, or compares two records.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "sluice/Base/Output.h"
#include "sluice/Driver/DebugRecord.h"
#include "sluice/Driver/RecordPage.h"
#include "sluice/Runtime/Record/CompareRecords.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;
using namespace sluice::driver;

static int compare(const sluice::Record &first, const sluice::Record &second) {
  std::optional<sluice::RecordDifference> difference =
      sluice::compareRecords(first, second);
  for (const sluice::Record *record : {&first, &second})
    if (!record->endsEarly.empty())
      outs() << "note: " << record->path << " ends early: " << record->endsEarly
             << '\n';
  if (!difference) {
    const size_t count = std::min(first.steps.size(), second.steps.size());
    outs() << "no difference in " << count
           << (count == 1 ? " step\n" : " steps\n");
    return exitFine;
  }
  outs() << "the first difference is in step " << difference->step + 1 << ", "
         << difference->name << '\n'
         << "  " << difference->what << '\n';
  if (!difference->conclusion.empty())
    outs() << "  " << difference->conclusion << '\n';
  return exitProblems;
}

int debugCommand(const CommandLine &line) {
  const bool compares = line.files.size() == 2;
  if (line.files.empty() || line.files.size() > 2)
    return usage("'sluice debug' takes the folder that SLUICE_RECORD=DIR has "
                 "named, or two to compare");
  if (!line.output.empty() && sys::path::extension(line.output) != ".html")
    return usage("'" + line.output + "' needs the ending .html");
  if (compares &&
      (!line.output.empty() || line.has(OPT_who) || line.has(OPT_step)))
    return usage("-o, --who and --step are for one record");
  std::vector<std::unique_ptr<sluice::Record>> records;
  for (const std::string &path : line.files) {
    sluice::Result<std::unique_ptr<sluice::Record>> record =
        sluice::readRecord(path);
    if (!record.ok())
      return problem(record.status().message());
    records.push_back(std::move(*record));
  }
  const sluice::Record &record = *records.front();
  if (compares)
    return compare(record, *records.back());
  if (!line.output.empty()) {
    if (sluice::Status status =
            sluice::checkOutput(line.output, {{record.path}});
        !status.ok())
      return problem(status.message());
    if (Error error = writeRecordPage(record, line.output))
      return problem(toString(std::move(error)));
    return exitFine;
  }
  RecordDebugger debugger(record, outs());
  if ((line.has(OPT_step) || line.has(OPT_who)) && record.steps.empty())
    return problem("'" + record.path + "' has no steps: no graph was launched");
  if (line.has(OPT_step) || line.has(OPT_who))
    if (Error error =
            debugger.go(line.has(OPT_step) ? line.value(OPT_step) : "last"))
      return problem(toString(std::move(error)));
  if (line.has(OPT_who)) {
    if (Error error = debugger.who(line.value(OPT_who)))
      return problem(toString(std::move(error)));
    return exitFine;
  }
  const bool isTerminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (isTerminal) {
    debugger.printHead();
    outs() << "'help' lists the commands\n";
  }
  return debugRecord(debugger, isTerminal, outs()) ? exitFine : exitProblems;
}
