//===- DrawCommand.cpp - sluice graph -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws programs, task graphs or modules of regions, depending on the files.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Commands.h"
#include "TaskCommands.h"
#include "sluice/Base/Output.h"
#include "sluice/Driver/Draw.h"
#include "sluice/Driver/DrawRegions.h"
#include "sluice/Driver/RegionPrograms.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice::driver;

/// "'a', 'b' and 3 more"
static std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t most = 3;
  std::string text;
  for (const std::string &name : names.take_front(most))
    text += (text.empty() ? "'" : ", '") + shortName(name) + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// Reports which nodes of the trace were not drawn; false if none was drawn.
static bool checkNames(const CommandLine &line, const TracedNodes &traced,
                       bool isAsWritten) {
  const std::string file = line.value(OPT_trace_of);
  if (!traced.numNodes()) {
    problem("no node has run in '" + file + "'");
    return false;
  }
  const std::vector<std::string> unknown = traced.unknown();
  if (unknown.size() == traced.numNodes()) {
    problem("the trace '" + file +
            "' is of another program: none of its nodes is in the drawing, "
            "which are " +
            listNames(unknown));
    return false;
  }
  if (!unknown.empty() && !line.has(OPT_quiet))
    errs() << "sluice: note: " << unknown.size() << " of " << traced.numNodes()
           << " nodes of the trace are not in the drawing: "
           << listNames(unknown)
           << (isAsWritten
                   ? "; --transformed draws the graphs that are compiled"
                   : "")
           << '\n';
  return true;
}

/// Writes the drawing; without an output, Graphviz's text to stdout.
/// `isAsWritten`: the graphs after compilation may differ.
static int writeDrawing(const CommandLine &line, const Picture &picture,
                        std::vector<std::string> inputs = {},
                        bool isAsWritten = false) {
  if (picture.traced && !checkNames(line, *picture.traced, isAsWritten))
    return exitProblems;
  if (line.has(OPT_trace_of))
    inputs.push_back(line.value(OPT_trace_of));
  if (sluice::Status status = sluice::checkOutput(line.output, inputs);
      !status.ok())
    return problem(status.message());
  if (line.output.empty()) {
    outs() << picture.dot;
    return exitFine;
  }
  if (Error error = writePicture(picture, line.output))
    return problem(toString(std::move(error)));
  return exitFine;
}

static int drawRegionModule(const CommandLine &line, unsigned within,
                            TracedNodes *traced) {
  std::optional<std::string> file = moduleOfRegions(line);
  if (!file)
    return exitUsage;
  RegionDrawOptions options;
  options.file = *file;
  options.graph = line.value(OPT_root);
  options.around = line.value(OPT_around);
  options.within = within;
  options.hasVersions = line.has(OPT_versions);
  options.traced = traced;
  options.isUnbounded =
      line.output.empty() || sys::path::extension(line.output) == ".dot";
  Picture picture;
  if (!drawRegions(options, picture))
    return exitProblems;
  return writeDrawing(line, picture);
}

/// Graphviz would take minutes for more tasks.
static constexpr size_t maxDrawnTasks = 2000;

static int drawTaskFile(const CommandLine &line, const ProgramOptions &options,
                        TracedNodes *traced) {
  BuildOptions build;
  build.program = options;
  std::optional<TaskFiles> files = taskFiles(build, line.value(OPT_root));
  if (!files)
    return exitUsage;
  Picture picture;
  if (!drawTasks(*files, traced, picture))
    return exitProblems;
  bool isText =
      line.output.empty() || sys::path::extension(line.output) == ".dot";
  if (picture.nodes.size() <= maxDrawnTasks || isText)
    return writeDrawing(line, picture);
  return problem("a graph of " + Twine(picture.nodes.size()) +
                 " tasks is too large to lay out; write it to a .dot file");
}

/// The remarks that the flags request, for a page. The program was read without
/// errors before, and its messages were printed.
static std::vector<LeafRemark> remarksOf(const CommandLine &line) {
  const bool isWanted = line.has(OPT_Rpass) || line.has(OPT_Rpass_missed) ||
                        line.has(OPT_Rpass_analysis);
  if (!isWanted || sys::path::extension(line.output) != ".html")
    return {};
  const BuildOptions options = buildOptions(line, "native");
  sluice::redirectDiagnostics([](const sluice::Diagnostic &) {});
  std::vector<LeafRemark> remarks;
  if (std::unique_ptr<Program> program = readProgram(options.program))
    remarks = reportLeaves(*program, options, RemarkChoice::CommandLine);
  sluice::redirectDiagnostics(nullptr);
  return remarks;
}

int graphCommand(const CommandLine &line) {
  if (!line.output.empty() && !isPictureFile(line.output))
    return usage("'" + line.output +
                 "' needs an ending: .svg, .png, .pdf, .dot or .html");
  ProgramOptions options = programOptions(line);
  unsigned within = 3;
  if (line.has(OPT_within) &&
      !to_integer(line.value(OPT_within), within, /*Base=*/10))
    return usage("--within is '" + line.value(OPT_within) +
                 "', expected a number");
  std::unique_ptr<TraceFile> file;
  std::optional<TracedNodes> times;
  if (line.has(OPT_trace_of)) {
    auto read = readTraceFile(line.value(OPT_trace_of));
    if (!read)
      return problem(toString(read.takeError()));
    file = std::move(*read);
    times.emplace(file->timeline, file->report);
  }
  TracedNodes *traced = times ? &*times : nullptr;
  if (hasRegions(options))
    return drawRegionModule(line, within, traced);
  if (!line.has(OPT_around) && hasTaskGraphs(options))
    return drawTaskFile(line, options, traced);
  if (line.has(OPT_around))
    return usage("--around needs a module of regions (the rdir dialect)");
  // Draws the races of a program, if it can be compiled otherwise.
  options.keepsRaces = !line.has(OPT_transformed);
  std::unique_ptr<Program> program = readProgram(options);
  if (!program || (line.has(OPT_transformed) &&
                   !transformProgram(*program, options.transforms)))
    return exitProblems;
  if (!program->refused.empty()) {
    Picture picture;
    picture.title = "faults";
    picture.dot = program->refused;
    writeDrawing(line, picture);
    return exitProblems;
  }
  std::string root = line.value(OPT_root);
  if (!root.empty() &&
      none_of(program->getRoots(), [&](sluice::dfg::GraphOp graph) {
        return graph.getSymName() == root ||
               sluice::dfg::displayName(graph.getSymName()) == root;
      }))
    return problem("the program has no root '" + root + "'");
  const std::vector<LeafRemark> remarks =
      program->races.isRacy() ? std::vector<LeafRemark>() : remarksOf(line);
  int status = writeDrawing(
      line, drawGraph(*program, root, line.has(OPT_sizes), traced, remarks),
      program->dependencies, !line.has(OPT_transformed));
  return program->races.isRacy() ? exitProblems : status;
}
