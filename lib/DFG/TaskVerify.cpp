//===- TaskVerify.cpp - Verification of tasks and task graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks everything that can be checked without the kernels. Later phases rely
// on it: parts lie in their datasets, names are usable, clauses fit their kind.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace sluice::dfg;

/// Names are used in C code, command lines and messages.
static bool isUsableName(StringRef name) {
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isPrint(c) || (c & 0x80);
  });
}

/// Scalars of tasks have types with a sign.
static bool isTaskNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return !integer.isSignless() &&
           llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF32() || type.isF64();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult TaskArgAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, FlatSymbolRefAttr data,
    Access access, PassBy passBy, llvm::ArrayRef<int64_t> offsets,
    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> steps) {
  if (offsets.size() != sizes.size() || steps.size() != sizes.size())
    return emitError() << "a part needs an offset, a size and a step for each "
                          "dimension";
  if (access == Access::None)
    return emitError() << data << " is neither read nor written";
  if (passBy == PassBy::Value && (access != Access::In || !sizes.empty()))
    return emitError() << data << " is passed by value, so it is only read, "
                       << "and has no parts";
  for (auto [offset, size, step] : llvm::zip_equal(offsets, sizes, steps)) {
    int64_t end;
    if (offset < 0 || size < 0 || step < 1 ||
        llvm::MulOverflow(size, step, end) ||
        llvm::AddOverflow(end, offset, end) || end > INT64_MAX - step)
      return emitError() << "takes a part of " << data << " with " << size
                         << " elements from " << offset << " in steps of "
                         << step << ", which is no range of indices";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Data and kernels
//===----------------------------------------------------------------------===//

/// The minimum and the maximum of an integer type, as I64Attr holds them; for
/// 64 bits, all values.
static std::pair<int64_t, int64_t> limitsOf(IntegerType type) {
  unsigned width = type.getWidth();
  if (width == 64)
    return {INT64_MIN, INT64_MAX};
  return {type.isUnsigned() ? 0 : llvm::minIntN(width),
          type.isSigned() ? llvm::maxIntN(width)
                          : int64_t(llvm::maxUIntN(width))};
}

LogicalResult ScalarOp::verify() {
  Type type = getType();
  if (!isTaskNumber(type))
    return emitOpError("has type ")
           << type << ", expected si8 to si64, ui8 to ui64, f32 or f64";
  if (!getValue())
    return success();
  if (isa<FloatType>(type) != isa<FloatAttr>(*getValue()))
    return emitOpError("of type ")
           << type << " has the value " << *getValue() << " of another type";
  if (auto integer = dyn_cast<IntegerType>(type)) {
    int64_t value = cast<IntegerAttr>(*getValue()).getInt();
    auto [min, max] = limitsOf(integer);
    if (value < min || value > max)
      return emitOpError("of type ") << type << " has the value " << value
                                     << ", expected " << min << " to " << max;
  } else if (double value = cast<FloatAttr>(*getValue()).getValueAsDouble();
             type.isF32() && std::isfinite(value) &&
             !std::isfinite(float(value))) {
    return emitOpError("of type ") << type << " has the value " << *getValue()
                                   << ", which is too large";
  }
  return success();
}

LogicalResult KernelSourceOp::verify() {
  if (!isUsableName(getPath()))
    return emitOpError("needs the path of a file");
  return success();
}

/// {name = "input", kind = "input", type = f64, dimensions = 2, stride = 1}
static bool isHalideArgument(Attribute argument) {
  auto entry = dyn_cast<DictionaryAttr>(argument);
  if (!entry || !entry.getAs<StringAttr>("name"))
    return false;
  auto kind = entry.getAs<StringAttr>("kind");
  auto isCount = [&](StringRef name) {
    Attribute value = entry.get(name);
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    return !value || (number && number.getType().isSignlessInteger(64) &&
                      number.getInt() >= 0);
  };
  return kind && entry.getAs<TypeAttr>("type") && isCount("dimensions") &&
         isCount("stride") &&
         llvm::is_contained({"input", "output", "scalar"}, kind.getValue());
}

LogicalResult HalideKernelOp::verify() {
  for (Attribute argument : getArguments())
    if (!isHalideArgument(argument))
      return emitOpError("has the argument ")
             << argument
             << ", expected name, kind (\"input\", \"output\" or \"scalar\"), "
                "type, and for buffers dimensions and stride";
  for (NamedAttribute parameter : getParameters())
    if (!isa<StringAttr>(parameter.getValue()))
      return emitOpError("has the parameter ")
             << parameter.getName() << " = " << parameter.getValue()
             << ", expected a string";
  for (StringRef name : {getGenerator(), getSymbol(), getFile()})
    if (!isUsableName(name))
      return emitOpError("needs a generator, a symbol and a file");
  if (getHash().size() != 64 || !llvm::all_of(getHash(), llvm::isHexDigit))
    return emitOpError("has the hash '")
           << getHash() << "', expected a SHA-256: 64 hexadecimal digits";
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

LogicalResult TaskGraphOp::verify() {
  if (!isa<ModuleOp>((*this)->getParentOp()))
    return emitOpError("stands in '")
           << (*this)->getParentOp()->getName() << "', expected a module";
  if (!isUsableName(getSymName()) || getSymName().contains('/') ||
      getSymName().starts_with("."))
    return emitOpError("has the name '")
           << getSymName() << "', which no file can have";
  llvm::StringMap<Location> names;
  for (Operation &op : getBody().front()) {
    auto task = dyn_cast<TaskOp>(op);
    if (!task)
      return op.emitOpError("stands in a task graph, which holds tasks only");
    if (!task.getTaskName())
      continue;
    auto [it, isNew] = names.try_emplace(*task.getTaskName(), op.getLoc());
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = task.emitOpError("has the name '")
                                    << *task.getTaskName()
                                    << "', as another task has";
    diagnostic.attachNote(it->second) << "the other one is here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// Clauses that only some kinds of tasks have, as their attributes.
static LogicalResult verifyClauses(TaskOp task) {
  using enum TaskKind;
  struct Clause {
    StringLiteral word, attribute;
    SmallVector<TaskKind, 2> kinds;
  };
  static const Clause clauses[] = {
      {"of", "of", {Python, Fem}},
      {"over", "extents", {C}},
      {"variants", "variants", {Halide}},
      {"source", "source", {TaskKind::C, HPVM}},
      {"flags", "flags", {TaskKind::C, HPVM}},
      {"generator", "generator", {Fem}},
      {"contiguous", "contiguous", {TaskKind::C}},
      {"returns_status", "returns_status", {TaskKind::C}},
      {"takes_large_sizes", "takes_large_sizes", {TaskKind::C}},
      {"takes_any_sign", "takes_any_sign", {TaskKind::C}}};
  for (const Clause &clause : clauses)
    if (task->hasAttr(clause.attribute) &&
        !llvm::is_contained(clause.kinds, task.getKind())) {
      InFlightDiagnostic diagnostic = task.emitOpError("has '")
                                      << clause.word << "', which only ";
      llvm::interleave(
          clause.kinds,
          [&](TaskKind kind) { diagnostic << stringifyTaskKind(kind); },
          [&] { diagnostic << " and "; });
      return diagnostic << " tasks have";
    }
  return success();
}

static LogicalResult verifyNames(TaskOp task) {
  bool isPython =
      task.getKind() == TaskKind::Python || task.getKind() == TaskKind::Fem;
  if (isPython && !task.getOf())
    return task.emitOpError("of kind ")
           << stringifyTaskKind(task.getKind())
           << " needs the module of its kernel: of \"NAME\"";
  for (auto [what, name] :
       {std::pair("kernel", std::optional<StringRef>(task.getCallee())),
        {"module", task.getOf()},
        {"name", task.getTaskName()},
        {"source", task.getSource()},
        {"generator", task.getGenerator()}})
    if (name && !isUsableName(*name))
      return task.emitOpError("has an empty or unprintable ") << what;
  for (ArrayAttr files : {task.getReadFilesAttr(), task.getWrittenFilesAttr()})
    for (Attribute file : files ? files.getValue() : ArrayRef<Attribute>())
      if (!isUsableName(cast<StringAttr>(file).getValue()))
        return task.emitOpError("has an empty or unprintable name of a file");
  return success();
}

static LogicalResult verifyGrid(TaskOp task) {
  if (!task.getExtents())
    return success();
  ArrayRef<int64_t> extents = *task.getExtents();
  if (extents.empty() || extents.size() > 3)
    return task.emitOpError("has a grid of ")
           << extents.size() << " dimensions, expected one to three";
  int64_t count = 1;
  for (int64_t extent : extents) {
    if (extent < 1)
      return task.emitOpError("has a grid with the extent ")
             << extent << ", expected at least 1";
    if (llvm::MulOverflow(count, extent, count))
      return task.emitOpError("has a grid of more points than 64 bits count");
  }
  return success();
}

static LogicalResult verifyVariants(TaskOp task) {
  ArrayAttr variants = task.getVariantsAttr();
  if (!variants)
    return success();
  if (variants.empty())
    return task.emitOpError("has no variants; the one without parameters is "
                            "variants([{}])");
  for (Attribute variant : variants) {
    auto parameters = dyn_cast<DictionaryAttr>(variant);
    if (!parameters || llvm::any_of(parameters, [](NamedAttribute parameter) {
          return !isa<StringAttr>(parameter.getValue());
        }))
      return task.emitOpError("has the variant ")
             << variant << ", expected {name = \"value\", ...}";
  }
  return success();
}

LogicalResult TaskOp::verify() {
  for (Attribute argument : getArgs())
    if (!isa<TaskArgAttr>(argument))
      return emitOpError("has the argument ")
             << argument << ", expected #dfg.arg<...>";
  for (Value before : getDependencies())
    if (auto task = before.getDefiningOp<TaskOp>();
        !task || task->getParentOp() != (*this)->getParentOp())
      return emitOpError("waits for something that is no task of its graph");
  if (failed(verifyClauses(*this)) || failed(verifyNames(*this)) ||
      failed(verifyGrid(*this)))
    return failure();
  return verifyVariants(*this);
}

//===----------------------------------------------------------------------===//
// Tasks and their data
//===----------------------------------------------------------------------===//

static LogicalResult verifyPart(TaskOp task, TaskArgAttr argument,
                                Operation *data) {
  auto dataset = dyn_cast<DatasetOp>(data);
  if (!dataset)
    return task.emitOpError("takes a part of ")
           << argument.getData() << ", which only datasets have";
  ArrayRef<int64_t> shape = dataset.getShape();
  if (shape.size() != argument.getSizes().size())
    return task.emitOpError("takes a part of ")
           << argument.getData() << " with " << argument.getSizes().size()
           << " ranges, but it has " << shape.size() << " dimensions";
  for (auto [dimension, extent] : llvm::enumerate(shape)) {
    int64_t offset = argument.getOffsets()[dimension];
    int64_t size = argument.getSizes()[dimension];
    int64_t last = offset + (size - 1) * argument.getSteps()[dimension];
    if (size > 0 ? last >= extent : offset > extent)
      return task.emitOpError("takes a part of ")
             << argument.getData() << " up to element "
             << std::max(last, offset) << " of dimension " << dimension
             << ", which has " << extent;
  }
  return success();
}

static LogicalResult verifyData(TaskOp task, TaskArgAttr argument,
                                Operation *data) {
  if (!isa_and_nonnull<DatasetOp, ScalarOp, ObjectOp>(data))
    return task.emitOpError("names ")
           << argument.getData()
           << ", which is no dataset, scalar or object of the module";
  if (argument.getPassBy() == PassBy::Value && !isa<ScalarOp>(data))
    return task.emitOpError("passes ")
           << argument.getData() << " by value, which only scalars are";
  TaskKind kind = task.getKind();
  if (isa<ObjectOp>(data) && kind != TaskKind::Python && kind != TaskKind::Fem)
    return task.emitOpError("of kind ")
           << stringifyTaskKind(kind) << " uses the object "
           << argument.getData() << ", which only python and fem tasks can";
  if (auto dataset = dyn_cast<DatasetOp>(data);
      dataset && !isTaskNumber(dataset.getElementType()))
    return task.emitOpError("uses ")
           << argument.getData() << " with elements of type "
           << dataset.getElementType()
           << ", expected si8 to si64, ui8 to ui64, f32 or f64";
  return argument.isPart() ? verifyPart(task, argument, data) : success();
}

LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *module = getOperation()->getParentOp()->getParentOp();
  for (TaskArgAttr argument : getTaskArgs())
    if (failed(verifyData(
            *this, argument,
            tables.lookupNearestSymbolFrom(module, argument.getData()))))
      return failure();
  return success();
}
