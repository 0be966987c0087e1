//===- Inspect.cpp - Checking a file for an editor ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kind of a file follows from its name; each kind is checked differently.
//
//===----------------------------------------------------------------------===//

#include "Inspection.h"
#include "sluice/Diagnostics/MLIR.h"
#include "sluice/Driver/Draw.h"
#include "sluice/Driver/DrawRegions.h"
#include "sluice/Driver/Layouts.h"
#include "sluice/Driver/RegionPrograms.h"
#include "sluice/Driver/TaskGraphs.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
enum class InspectedKind { Program, Module, Layouts, Other };
} // namespace

static InspectedKind kindOf(StringRef path) {
  return StringSwitch<InspectedKind>(sys::path::extension(path))
      .Cases({".c", ".cc", ".cpp", ".cxx", ".C"}, InspectedKind::Program)
      .Case(".mlir", InspectedKind::Module)
      .Case(".ddt", InspectedKind::Layouts)
      .Default(InspectedKind::Other);
}

/// Enters the folder where relative paths of flags and includes start.
static void enter(const InspectOptions &options) {
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0)
    printWarning("cannot enter '" + options.folder + "'");
}

/// Turns errors into remarks if other files of the program may resolve them:
/// functions that are only declared and, in a file without a main program,
/// missing calls.
static void allowOtherFiles(const InspectOptions &options,
                            Inspection &inspection,
                            std::vector<Diagnostic> &diagnostics) {
  if (options.program.size() != 1)
    return;
  bool hasMain =
      inspection.texts.find(options.file).value_or("").contains("main(");
  for (Diagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error &&
        (diagnostic.rule == "H17" ||
         (diagnostic.rule == "H38" && diagnostic.notes.empty() && !hasMain))) {
      diagnostic.severity = Severity::Remark;
      diagnostic.message += "; this file was checked without the others of its "
                            "program";
    }
}

void driver::inspect(const InspectOptions &options, raw_ostream &os) {
  std::vector<Diagnostic> diagnostics;
  redirectDiagnostics(
      [&](const Diagnostic &diagnostic) { diagnostics.push_back(diagnostic); });
  enter(options);
  Inspection inspection(options.file);
  switch (kindOf(options.file)) {
  case InspectedKind::Program:
    inspectProgram(options, inspection);
    break;
  case InspectedKind::Module:
    inspectModule(options, inspection);
    break;
  case InspectedKind::Layouts:
    inspectLayouts(options, inspection);
    break;
  case InspectedKind::Other:
    break;
  }
  redirectDiagnostics(nullptr);
  allowOtherFiles(options, inspection, diagnostics);
  inspection.write(diagnostics, options.showsClang, os);
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

static bool drawModule(const InspectOptions &options, Picture &picture) {
  ProgramOptions program;
  program.files = options.program;
  program.compilerFlags = options.flags;
  if (hasRegions(program)) {
    RegionDrawOptions drawing;
    drawing.file = options.file;
    return drawRegions(drawing, picture);
  }
  if (hasTaskGraphs(program)) {
    std::unique_ptr<mlir::MLIRContext> context = createGraphContext();
    auto module = readTaskGraph(options.file, *context);
    if (module)
      picture = drawTasks(*module, "");
    return bool(module);
  }
  std::unique_ptr<Program> read = readProgram(program);
  if (!read)
    return false;
  picture = drawGraph(*read, "");
  return true;
}

std::string driver::drawInspected(const InspectOptions &options,
                                  const std::string &output) {
  std::string problem;
  redirectDiagnostics([&](const Diagnostic &diagnostic) {
    if (problem.empty() && diagnostic.severity == Severity::Error)
      problem = textOf(diagnostic);
  });
  enter(options);
  if (kindOf(options.file) == InspectedKind::Layouts) {
    LayoutOptions layouts;
    std::unique_ptr<MemoryBuffer> text = readSourceFile(options.file, problem);
    if (!text)
      return problem;
    layouts.texts.push_back({text->getBuffer().str(), ""});
    layouts.picture = output;
    return describeLayouts(layouts, nulls()) ? "" : problem;
  }
  Picture picture;
  if (!drawModule(options, picture))
    return problem.empty() ? "there is no graph to draw" : problem;
  if (picture.title.empty() && picture.nodes.empty())
    return "there is no graph in '" + options.file + "'";
  if (Error error = writePicture(picture, output))
    return toString(std::move(error));
  return "";
}
