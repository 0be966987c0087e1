//===- HalideViolations.cpp - Halide's checks in terms of a task ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a buffer does not match, Halide's own message refers to its buffers and
// dimensions. Users see the task's argument and the dataset's dimension
// instead.
//
//===----------------------------------------------------------------------===//

#include "HalideArguments.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using halide::ArgumentInfo;
using mlir::InFlightDiagnostic;

namespace {
/// A buffer that Halide names, and the corresponding argument of the task.
struct NamedBuffer {
  const ArgumentInfo *info = nullptr;
  dfg::TaskArgAttr argument;
  mlir::Operation *data = nullptr;
};
} // namespace

static NamedBuffer findBuffer(HalideTask &task, const HalideCode &code,
                              StringRef name) {
  name = name.split('$').first;
  for (auto [index, info] : enumerate(code.arguments)) {
    if (info.name != name)
      continue;
    auto argument = cast<dfg::TaskArgAttr>(task.op.getArgs()[index]);
    return {&info, argument, task.op.resolve(argument)};
  }
  return {};
}

static int64_t numberOf(StringRef text) {
  int64_t number = 0;
  text.getAsInteger(10, number);
  return number;
}

/// Halide's dimension as a dimension of the dataset.
static int64_t dimensionOf(const NamedBuffer &buffer, StringRef text) {
  return int64_t(buffer.info->dimensions) - 1 - numberOf(text);
}

static void nameBuffer(InFlightDiagnostic &diagnostic,
                       const NamedBuffer &buffer) {
  StringRef name = buffer.argument.getData().getValue();
  diagnostic << "'" << name << "'";
  diagnostic.attachNote(buffer.data->getLoc())
      << "'" << name << "' is made here";
}

/// A user who counts dimensions the other way round, as the published compiler
/// did, gets sizes that do not match.
static void noteOrder(InFlightDiagnostic &diagnostic, HalideTask &task,
                      const NamedBuffer &buffer) {
  auto dataset = dyn_cast<dfg::DatasetOp>(buffer.data);
  if (!dataset || dataset.getShape().size() < 2)
    return;
  SmallVector<std::string> reversed;
  for (int64_t extent : llvm::reverse(dataset.getShape()))
    reversed.push_back(std::to_string(extent));
  bool isPalindrome =
      std::equal(dataset.getShape().begin(), dataset.getShape().end(),
                 dataset.getShape().rbegin());
  if (!isPalindrome)
    diagnostic.attachNote(task.op.getLoc())
        << "dimension 0 of Halide is the last one of a dataset, whose elements "
           "stand side by side; published programs count the other way round: "
           "if '"
        << dataset.getSymName()
        << "' was written for that order, give its extents reversed, {"
        << join(reversed, ", ") << "}";
}

/// Details: "Input buffer NAME", dimension, first and last touched element,
/// first and last existing element.
static bool explainBounds(InFlightDiagnostic &diagnostic, HalideTask &task,
                          const HalideCode &code,
                          ArrayRef<std::string> details) {
  if (details.size() < 6)
    return false;
  StringRef name = StringRef(details[0]).rsplit(' ').second;
  NamedBuffer buffer = findBuffer(task, code, name);
  if (!buffer.info)
    return false;
  nameBuffer(diagnostic, buffer);
  int64_t there = numberOf(details[5]) - numberOf(details[4]) + 1;
  diagnostic << " has " << there << (there == 1 ? " element" : " elements")
             << " in dimension " << dimensionOf(buffer, details[1])
             << ", but generator '" << code.generator << "' touches elements "
             << details[2] << " to " << details[3] << " of '"
             << buffer.info->name << "' for outputs of these sizes";
  noteOrder(diagnostic, task, buffer);
  return true;
}

/// Details: "NAME.extent.1", its value, the required value as text and as
/// number.
static bool explainConstraint(InFlightDiagnostic &diagnostic, HalideTask &task,
                              const HalideCode &code,
                              ArrayRef<std::string> details) {
  SmallVector<StringRef> words;
  if (details.size() >= 4)
    StringRef(details[0]).split(words, '.');
  if (words.size() < 3)
    return false;
  StringRef field = words[words.size() - 2], dimension = words.back();
  StringRef name =
      StringRef(details[0]).drop_back(field.size() + dimension.size() + 2);
  NamedBuffer buffer = findBuffer(task, code, name);
  if (!buffer.info)
    return false;
  nameBuffer(diagnostic, buffer);
  diagnostic << " has " << (field == "min" ? "the first element" : field) << " "
             << details[1] << " in dimension " << dimensionOf(buffer, dimension)
             << ", but '" << buffer.info->name << "' of generator '"
             << code.generator << "' must have " << details[3];
  noteOrder(diagnostic, task, buffer);
  return true;
}

/// Details: name, value, limit.
static bool explainRange(InFlightDiagnostic &diagnostic, const HalideCode &code,
                         StringRef error, ArrayRef<std::string> details) {
  if (details.size() < 3)
    return false;
  diagnostic << "the scalar '" << details[0] << "' of generator '"
             << code.generator << "' is " << details[1] << ", but must be at "
             << (error.contains("small") ? "least " : "most ") << details[2];
  return true;
}

void driver::explainViolation(InFlightDiagnostic &diagnostic, HalideTask &task,
                              const HalideCode &code,
                              const halide::Violation &violation) {
  StringRef error = violation.error;
  ArrayRef<std::string> details = violation.details;
  if (error == "access_out_of_bounds" &&
      explainBounds(diagnostic, task, code, details))
    return;
  if (error == "constraint_violated" &&
      explainConstraint(diagnostic, task, code, details))
    return;
  if (error.starts_with("param_too_") &&
      explainRange(diagnostic, code, error, details))
    return;
  diagnostic << "generator '" << code.generator
             << "' refuses these arguments: " << error << "("
             << join(details, ", ") << ")";
}
