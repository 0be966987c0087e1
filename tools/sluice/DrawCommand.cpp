//===- DrawCommand.cpp - sluice graph -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DrawCommand.h"
#include "CommandLine.h"
#include "TaskCommands.h"
#include "sluice/Base/Output.h"
#include "sluice/Driver/Draw.h"
#include "sluice/Driver/DrawRegions.h"
#include "sluice/Driver/Regions.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice::driver;

/// Writes what was drawn; without an output, Graphviz's text to stdout.
static int writeDrawing(const CommandLine &line, const Picture &picture,
                        ArrayRef<std::string> inputs = {}) {
  if (sluice::Status status = sluice::checkOutput(line.output, inputs);
      !status.ok())
    return problem(status.message());
  if (line.output.empty()) {
    outs() << picture.dot;
    return exitFine;
  }
  if (Error error = writePicture(picture, line.output)) {
    errs() << "sluice: error: " << toString(std::move(error)) << '\n';
    return exitProblems;
  }
  return exitFine;
}

static int drawRegionModule(const CommandLine &line) {
  std::optional<std::string> file = moduleOfRegions(line);
  if (!file)
    return exitUsage;
  RegionDrawOptions options;
  options.file = *file;
  options.graph = line.root;
  options.around = line.around;
  options.within = line.within;
  options.isUnbounded =
      line.output.empty() || sys::path::extension(line.output) == ".dot";
  Picture picture;
  if (!drawRegions(options, picture))
    return exitProblems;
  return writeDrawing(line, picture);
}

/// Graphviz takes minutes to lay out more.
static constexpr size_t maxDrawnTasks = 2000;

static int drawTaskFile(const CommandLine &line,
                        const ProgramOptions &options) {
  BuildOptions build;
  build.program = options;
  std::optional<TaskFiles> files = taskFiles(build, line.root);
  if (!files)
    return exitUsage;
  Picture picture;
  if (!drawTasks(*files, picture))
    return exitProblems;
  bool isText =
      line.output.empty() || sys::path::extension(line.output) == ".dot";
  if (picture.nodes.size() <= maxDrawnTasks || isText)
    return writeDrawing(line, picture);
  errs() << "sluice: error: a graph of " << picture.nodes.size()
         << " tasks is too large to lay out; write it to a .dot file\n";
  return exitProblems;
}

int drawProgram(const CommandLine &line) {
  if (!line.output.empty() && !isPictureFile(line.output))
    return usage("'" + line.output +
                 "' needs an ending: .svg, .png, .pdf, .dot or .html");
  ProgramOptions options = programOptions(line);
  if (hasRegions(options))
    return drawRegionModule(line);
  if (line.around.empty() && hasTaskGraphs(options))
    return drawTaskFile(line, options);
  if (!line.around.empty())
    return usage("--around needs a module of regions (the rdir dialect)");
  std::unique_ptr<Program> program = readProgram(options);
  if (!program ||
      (line.isTransformed && !transformProgram(*program, options.transforms)))
    return exitProblems;
  if (!line.root.empty() &&
      none_of(program->getRoots(), [&](sluice::dfg::GraphOp graph) {
        return graph.getSymName() == line.root ||
               sluice::dfg::displayName(graph.getSymName()) == line.root;
      })) {
    errs() << "sluice: error: the program has no root '" << line.root << "'\n";
    return exitProblems;
  }
  return writeDrawing(line, drawGraph(*program, line.root),
                      program->dependencies);
}
