//===- Import.cpp - Task graphs of meta-programs to the dfg dialect -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values become module-level ops, in creation order; parts and pointers become
// the arguments that name them.
//
//===----------------------------------------------------------------------===//

#include "sluice/TaskGraph/Import.h"
#include "mlir/IR/Builders.h"
#include "sluice/Base/Text.h"
#include "sluice/DFG/DFG.h"
#include "sluice/DFG/Given.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace sluice;
using namespace mlir;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// `wanted`, followed by a number if the name is already in use.
static std::string uniqueName(const std::string &wanted,
                              llvm::StringSet<> &taken) {
  std::string name = wanted;
  for (unsigned number = 2; !taken.insert(name).second; ++number)
    name = concat(wanted, '_', number);
  return name;
}

/// d0, s0 and o0 number the values of their kind.
static std::string defaultName(const ValueImpl &value, unsigned (&numbers)[3]) {
  switch (value.kind) {
  case ValueImpl::Kind::Dat:
    return concat('d', numbers[0]++);
  case ValueImpl::Kind::Scalar:
    return concat('s', numbers[1]++);
  case ValueImpl::Kind::Object:
    return concat('o', numbers[2]++);
  case ValueImpl::Kind::Part:
  case ValueImpl::Kind::Pointer:
    break;
  }
  return "";
}

std::vector<std::string> sluice::symbolNames(const TaskGraphModel &model) {
  llvm::StringSet<> taken;
  taken.insert(model.name);
  std::vector<std::string> names(model.values.size());
  unsigned numbers[3] = {0, 0, 0};
  std::vector<std::string> defaults;
  for (const std::unique_ptr<ValueImpl> &value : model.values)
    defaults.push_back(defaultName(*value, numbers));
  // Names set by the program come first, so that no default name takes one of
  // them.
  for (bool isChosen : {true, false})
    for (auto [index, value] : llvm::enumerate(model.values))
      if (!defaults[index].empty() && value->name.empty() != isChosen)
        names[index] =
            uniqueName(isChosen ? value->name : defaults[index], taken);
  return names;
}

namespace {

/// Builds the module of one graph.
class Importer {
public:
  Importer(const TaskGraphModel &model, const TaskImportOptions &options,
           MLIRContext &context)
      : model(model), options(options), builder(&context) {
    std::vector<std::string> symbols = symbolNames(model);
    for (auto [index, value] : llvm::enumerate(model.values))
      names[value.get()] = symbols[index];
  }

  OwningOpRef<ModuleOp> run();

private:
  Location locationOf(const MetaPlace &place);
  Type typeOf(ScalarType type);
  ArrayAttr textsOf(ArrayRef<std::string> texts);
  ArrayAttr variantsOf(const TaskImpl &task);
  StringAttr textOrNull(StringRef text);

  void addValue(const ValueImpl &value);
  void addDataset(const ValueImpl &value);
  void addScalar(const ValueImpl &value);
  ElementsAttr initialOf(const ValueImpl &value);
  void addSource(const KernelSource &source);
  void addTask(const TaskImpl &task, bool isOnlyRank0);
  dfg::TaskArgAttr argumentOf(const TaskArgument &argument);
  StringAttr generatorOf(const TaskImpl &task);
  StringAttr sourceOf(const TaskImpl &task);

  const TaskGraphModel &model;
  const TaskImportOptions &options;
  OpBuilder builder;
  llvm::DenseMap<const ValueImpl *, std::string> names;
  llvm::DenseMap<const TaskImpl *, mlir::Value> ends;
};

} // namespace

Location Importer::locationOf(const MetaPlace &place) {
  return FileLineColLoc::get(builder.getContext(), place.file, place.line,
                             place.column);
}

Type Importer::typeOf(ScalarType type) {
  switch (type.kind) {
  case ElementKind::Signed:
    return builder.getIntegerType(type.bits, /*isSigned=*/true);
  case ElementKind::Unsigned:
    return builder.getIntegerType(type.bits, /*isSigned=*/false);
  case ElementKind::Float:
    break;
  }
  return type.bits == 32 ? Type(builder.getF32Type()) : builder.getF64Type();
}

ArrayAttr Importer::textsOf(ArrayRef<std::string> texts) {
  SmallVector<StringRef> views(texts.begin(), texts.end());
  return texts.empty() ? ArrayAttr() : builder.getStrArrayAttr(views);
}

StringAttr Importer::textOrNull(StringRef text) {
  return text.empty() ? StringAttr() : builder.getStringAttr(text);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// True if all elements have the same bytes.
static bool isSplat(ArrayRef<char> bytes, size_t elementSize) {
  return std::equal(bytes.begin() + elementSize, bytes.end(), bytes.begin());
}

ElementsAttr Importer::initialOf(const ValueImpl &value) {
  if (!value.isGiven())
    return ElementsAttr();
  auto type = RankedTensorType::get(value.shape, typeOf(value.type));
  ArrayRef<char> bytes(value.initial);
  if (value.bound)
    bytes = {static_cast<const char *>(value.bound), value.numBytes()};
  size_t elementSize = value.type.bytes();
  SmallVector<char> zeros(elementSize, 0);
  if (!options.keepsValues)
    bytes = zeros;
  else if (isSplat(bytes, elementSize))
    bytes = bytes.take_front(elementSize);
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

void Importer::addDataset(const ValueImpl &value) {
  dfg::DatasetOp::create(
      builder, locationOf(value.place), builder.getStringAttr(names[&value]),
      StringAttr(), TypeAttr::get(typeOf(value.type)),
      builder.getDenseI64ArrayAttr(value.shape), initialOf(value),
      model.printsData ? builder.getUnitAttr() : UnitAttr());
}

/// The number in the memory of a scalar.
static Attribute numberOf(const ValueImpl &value, OpBuilder &builder) {
  if (value.type == ScalarType{ElementKind::Float, 64}) {
    double number;
    std::memcpy(&number, value.initial.data(), sizeof number);
    return builder.getF64FloatAttr(number);
  }
  if (value.type.kind == ElementKind::Float) {
    float number;
    std::memcpy(&number, value.initial.data(), sizeof number);
    return builder.getF64FloatAttr(number);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, value.initial.data(), value.initial.size());
  unsigned unused = 64 - value.type.bits;
  bool isSigned = value.type.kind == ElementKind::Signed;
  int64_t number = static_cast<int64_t>(bits << unused) >> unused;
  return builder.getI64IntegerAttr(isSigned ? number
                                            : static_cast<int64_t>(bits));
}

bool sluice::mayGiveScalars(const TaskGraphModel &model) {
  return llvm::all_of(model.tasks, [](const std::unique_ptr<TaskImpl> &task) {
    return task->kind != TaskImpl::Kind::Hpvm && task->extents.empty();
  });
}

int64_t sluice::widthOf(const ValueImpl &scalar) {
  if (scalar.type.kind == ElementKind::Float || !scalar.hasInitial)
    return 0;
  uint64_t bits = 0;
  std::memcpy(&bits, scalar.initial.data(), scalar.initial.size());
  const unsigned unused = 64 - scalar.type.bits;
  const int64_t number = static_cast<int64_t>(bits << unused) >> unused;
  const bool isNegative = scalar.type.kind == ElementKind::Signed && number < 0;
  const uint64_t size = isNegative ? ~static_cast<uint64_t>(number) : bits;
  uint64_t largest = UINT64_MAX;
  for (unsigned width : {63u, 32u, 31u, 16u, 15u, 8u, 7u})
    if (size >> width == 0)
      largest = (UINT64_C(1) << width) - 1;
  return static_cast<int64_t>(isNegative ? ~largest : largest);
}

void Importer::addScalar(const ValueImpl &value) {
  Attribute number;
  if (value.hasInitial && options.givesScalars)
    number = value.type.kind == ElementKind::Float
                 ? Attribute(builder.getF64FloatAttr(0))
                 : builder.getI64IntegerAttr(widthOf(value));
  else if (value.hasInitial)
    number = numberOf(value, builder);
  auto scalar = dfg::ScalarOp::create(
      builder, locationOf(value.place), builder.getStringAttr(names[&value]),
      StringAttr(), TypeAttr::get(typeOf(value.type)), number);
  if (options.givesScalars)
    scalar->setAttr(dfg::givenName, value.hasInitial ? numberOf(value, builder)
                                                     : builder.getUnitAttr());
}

void Importer::addValue(const ValueImpl &value) {
  switch (value.kind) {
  case ValueImpl::Kind::Dat:
    return addDataset(value);
  case ValueImpl::Kind::Scalar:
    return addScalar(value);
  case ValueImpl::Kind::Object:
    dfg::ObjectOp::create(builder, locationOf(value.place),
                          builder.getStringAttr(names[&value]), StringAttr());
    return;
  case ValueImpl::Kind::Part:
  case ValueImpl::Kind::Pointer:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static dfg::Access accessOf(AccessMode mode) {
  switch (mode) {
  case AccessMode::Read:
    return dfg::Access::In;
  case AccessMode::Write:
    return dfg::Access::Out;
  case AccessMode::ReadWrite:
    break;
  }
  return dfg::Access::InOut;
}

dfg::TaskArgAttr Importer::argumentOf(const TaskArgument &argument) {
  const ValueImpl &value = *argument.value;
  bool isValue = value.kind == ValueImpl::Kind::Scalar;
  bool isPart = value.kind == ValueImpl::Kind::Part;
  ArrayRef<int64_t> sizes =
      isPart ? ArrayRef<int64_t>(value.shape) : ArrayRef<int64_t>();
  return dfg::TaskArgAttr::get(
      builder.getContext(),
      FlatSymbolRefAttr::get(builder.getContext(), names[&value.owner()]),
      accessOf(argument.mode),
      isValue ? dfg::PassBy::Value : dfg::PassBy::Reference, value.offsets,
      sizes, value.steps);
}

ArrayAttr Importer::variantsOf(const TaskImpl &task) {
  SmallVector<Attribute> variants;
  for (const Parameters &parameters : task.variants) {
    SmallVector<NamedAttribute> entries;
    for (const auto &[name, value] : parameters)
      entries.push_back(
          builder.getNamedAttr(name, builder.getStringAttr(value)));
    variants.push_back(builder.getDictionaryAttr(entries));
  }
  bool isPlain = variants.size() == 1 && task.variants[0].empty();
  return variants.empty() || isPlain ? ArrayAttr()
                                     : builder.getArrayAttr(variants);
}

StringAttr Importer::generatorOf(const TaskImpl &task) {
  if (task.kind != TaskImpl::Kind::Fem)
    return StringAttr();
  for (const PythonGenerator &generator : model.generators)
    if (generator.module == task.module)
      return builder.getStringAttr(generator.function);
  return StringAttr();
}

/// The path of a source, which existed when the task was created.
StringAttr Importer::sourceOf(const TaskImpl &task) {
  return textOrNull(
      task.source.empty()
          ? ""
          : findFile(task.source, task.place).value_or(task.source));
}

static dfg::TaskKind kindOf(TaskImpl::Kind kind) {
  switch (kind) {
  case TaskImpl::Kind::C:
    return dfg::TaskKind::C;
  case TaskImpl::Kind::Halide:
    return dfg::TaskKind::Halide;
  case TaskImpl::Kind::Python:
    return dfg::TaskKind::Python;
  case TaskImpl::Kind::Fem:
    return dfg::TaskKind::Fem;
  case TaskImpl::Kind::Hpvm:
    break;
  }
  return dfg::TaskKind::HPVM;
}

void Importer::addTask(const TaskImpl &task, bool isOnlyRank0) {
  SmallVector<Attribute> arguments;
  for (const TaskArgument &argument : task.arguments)
    arguments.push_back(argumentOf(argument));
  SmallVector<mlir::Value> after;
  for (const TaskImpl *before : task.dependencies)
    if (!llvm::is_contained(after, ends[before]))
      after.push_back(ends[before]);
  auto flag = [&](bool isSet) {
    return isSet ? builder.getUnitAttr() : UnitAttr();
  };
  auto op = dfg::TaskOp::create(
      builder, locationOf(task.place),
      dfg::TokenType::get(builder.getContext()),
      dfg::TaskKindAttr::get(builder.getContext(), kindOf(task.kind)),
      builder.getStringAttr(task.callee), textOrNull(task.module),
      builder.getArrayAttr(arguments), after, textOrNull(task.name),
      variantsOf(task),
      task.extents.empty() ? DenseI64ArrayAttr()
                           : builder.getDenseI64ArrayAttr(task.extents),
      sourceOf(task), textsOf(task.flags), textsOf(task.writtenFiles),
      textsOf(task.readFiles), generatorOf(task), flag(task.isContiguous),
      flag(task.returnsStatus), flag(task.takesLargeSizes),
      flag(task.takesAnySign));
  if (isOnlyRank0)
    op->setAttr("only_rank0", builder.getUnitAttr());
  if (task.isIndependent)
    op->setAttr("independent", builder.getUnitAttr());
  ends[&task] = op.getEnd();
}

void Importer::addSource(const KernelSource &source) {
  std::string path = findFile(source.path, source.place).value_or(source.path);
  dfg::KernelSourceOp::create(builder, locationOf(source.place), path,
                              textsOf(source.flags));
}

OwningOpRef<ModuleOp> Importer::run() {
  Location location = locationOf(model.place);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  for (const std::unique_ptr<ValueImpl> &value : model.values)
    addValue(*value);
  for (const KernelSource &source : model.sources)
    addSource(source);
  auto graph = dfg::TaskGraphOp::create(
      builder, location, builder.getStringAttr(model.name), StringAttr(),
      options.isSerial ? builder.getUnitAttr() : UnitAttr(),
      textOrNull(options.pythonPath));
  builder.setInsertionPointToEnd(&graph.getBody().emplaceBlock());
  // C++ code may have declared that the task runs on rank 0.
  llvm::SmallPtrSet<const TaskImpl *, 8> ofRank0;
  for (const std::unique_ptr<Task> &task : model.taskObjects)
    if (task->onlyRank0)
      ofRank0.insert(task->getImpl());
  for (const std::unique_ptr<TaskImpl> &task : model.tasks)
    addTask(*task, ofRank0.contains(task.get()));
  return module;
}

OwningOpRef<ModuleOp> sluice::importTaskGraph(const TaskGraphModel &model,
                                              const TaskImportOptions &options,
                                              MLIRContext &context) {
  return Importer(model, options, context).run();
}
