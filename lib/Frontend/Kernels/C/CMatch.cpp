//===- CMatch.cpp - Matching a task's arguments with a C function ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of a C function with wrong parameters silently corrupts memory. This
// file compares each argument of a task with the function's prototype and
// explains differences.
//
//===----------------------------------------------------------------------===//

#include "CMatch.h"
#include "sluice/DFG/Given.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::CSignature;
using Kind = CSignature::Parameter::Kind;

/// The largest size for functions with unknown prototypes, which probably use
/// `int`.
static constexpr int64_t maxAssumed = INT32_MAX;

std::string driver::spellAssumed(dfg::TaskOp task) {
  std::vector<CArgument> arguments = cArguments(task);
  std::vector<std::string> declarations;
  for (const CSlot &slot : cSlots(arguments))
    declarations.push_back(slot.declaration);
  return (task.getReturnsStatus() ? "int " : "void ") + task.getCallee().str() +
         "(" + join(declarations, ", ") + ")";
}

namespace {
/// Compares one task with one prototype.
class Match {
public:
  Match(dfg::TaskOp task, const CPrototype &prototype, LLVMContext &context)
      : task(task), prototype(prototype), context(context),
        arguments(cArguments(task)), slots(cSlots(arguments)) {}

  std::optional<CSignature> run();

private:
  bool checkCount();
  bool checkResult(CSignature &signature);
  bool checkSlot(unsigned index);
  bool checkNumber(unsigned index);
  bool checkValue(unsigned index);
  bool checkInteger(unsigned index);
  bool checkPointer(unsigned index);
  bool checkElement(unsigned index, const CType &target);
  bool checkRows(unsigned index);
  bool hasSignOf(const CType &target, const CArgument &argument);
  bool checkConst(unsigned argument);

  std::string describe(unsigned index) const;
  bool isOf(const CType &type, const CArgument &argument) const;
  /// Emits an error at the task with a note at the function; returns false.
  bool refuse(const Twine &message);
  bool refuse(unsigned index, const Twine &message);

  dfg::TaskOp task;
  const CPrototype &prototype;
  LLVMContext &context;
  std::vector<CArgument> arguments;
  std::vector<CSlot> slots;
};
} // namespace

bool Match::refuse(const Twine &message) {
  mlir::InFlightDiagnostic error = task.emitError() << message;
  error.attachNote(locationOf(prototype.place, task.getContext()))
      << "the function is '" << spell(prototype) << "'";
  error.attachNote(task.getLoc())
      << "the task calls '" << spellAssumed(task) << "'";
  return false;
}

/// "parameter 3 'offset' of 'scale'".
std::string Match::describe(unsigned index) const {
  const CParameter &parameter = prototype.parameters[index];
  return "parameter " + std::to_string(index + 1) +
         (parameter.name.empty() ? "" : " '" + parameter.name + "'") + " of '" +
         prototype.function + "'";
}

bool Match::refuse(unsigned index, const Twine &message) {
  return refuse(Twine(describe(index)) + " is '" +
                prototype.parameters[index].type.spelling + "', but " +
                message);
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

bool Match::checkCount() {
  if (prototype.isVariadic)
    return refuse("'" + prototype.function +
                  "' takes variable arguments, which tasks do not pass; "
                  "declare one parameter for each");
  if (prototype.parameters.size() == slots.size())
    return true;
  std::string parts;
  for (const CArgument &argument : arguments) {
    size_t rank = argument.extents.size();
    parts += (parts.empty() ? "" : ", ") + ("'" + argument.name + "' ") +
             std::to_string(
                 argument.kind == CArgument::Kind::Array ? 3 + 2 * rank : 1);
  }
  return refuse(
      "'" + prototype.function + "' takes " +
      Twine(prototype.parameters.size()) +
      (prototype.parameters.size() == 1 ? " parameter" : " parameters") +
      ", but the arguments of the task become " + Twine(slots.size()) +
      (parts.empty() ? "" : " (" + parts + ")"));
}

bool Match::checkResult(CSignature &signature) {
  const CType &result = prototype.result;
  if (result.kind == CType::Kind::Void) {
    if (task.getReturnsStatus())
      return refuse("the task takes the result of '" + prototype.function +
                    "' as its status, but the function returns nothing");
    return true;
  }
  bool isInt = result.kind == CType::Kind::Integer && result.bits == 32 &&
               !result.isBool && result.isSigned;
  if (!isInt)
    return refuse("'" + prototype.function + "' returns '" + result.spelling +
                  "', but a kernel returns nothing, or 'int' as its status; "
                  "give results to a dataset or a PtrScalar");
  signature.result = Type::getInt32Ty(context);
  signature.isStatus = true;
  return true;
}

std::optional<CSignature> Match::run() {
  CSignature signature;
  if (!checkCount() || !checkResult(signature))
    return std::nullopt;
  // One mistake often shifts all later parameters.
  for (unsigned i = 0; i != slots.size(); ++i)
    if (!checkSlot(i))
      return std::nullopt;
  for (unsigned i = 0; i != arguments.size(); ++i)
    if (!checkConst(i))
      return std::nullopt;
  for (unsigned i = 0; i != slots.size(); ++i) {
    const CType &type = prototype.parameters[i].type;
    CSignature::Parameter parameter = slots[i].parameter;
    parameter.type = irType(type, context);
    parameter.isSigned = type.isSigned;
    signature.parameters.push_back(parameter);
  }
  return signature;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool Match::isOf(const CType &type, const CArgument &argument) const {
  bool isNumber =
      type.kind == CType::Kind::Integer || type.kind == CType::Kind::Float;
  return isNumber && (type.kind == CType::Kind::Float) == argument.isFloat &&
         type.bits == argument.bits;
}

/// True if the kernel's elements have the same sign, or the sign does not
/// matter. Scalars are made from bits: there is one kind of them.
bool Match::hasSignOf(const CType &target, const CArgument &argument) {
  return argument.kind != CArgument::Kind::Array || argument.isFloat ||
         target.isBool || target.hasAnySign || task.getTakesAnySign() ||
         target.isSigned == argument.isSigned;
}

bool Match::checkSlot(unsigned index) {
  switch (slots[index].parameter.kind) {
  case Kind::Base:
  case Kind::First:
  case Kind::Pointer:
    return checkPointer(index);
  case Kind::Value:
    return checkValue(index);
  default:
    return checkNumber(index);
  }
}

/// "the extent of dimension 1 of 'A'".
static std::string describeNumber(const CSlot &slot,
                                  const CArgument &argument) {
  std::string of = " of '" + argument.name + "'";
  if (slot.parameter.kind == Kind::Offset)
    return "the offset" + of;
  return (slot.parameter.kind == Kind::Extent ? "the extent" : "the stride") +
         (" of dimension " + std::to_string(slot.parameter.dimension)) + of;
}

bool Match::checkNumber(unsigned index) {
  const CSlot &slot = slots[index];
  const CType &type = prototype.parameters[index].type;
  std::string what = describeNumber(slot, arguments[slot.parameter.argument]);
  if (type.kind != CType::Kind::Integer || type.isBool)
    return refuse(index,
                  Twine(what) + " is expected there, an 'int' or 'int64_t'");
  unsigned bits = type.bits - (type.isSigned ? 1 : 0);
  if (bits < 63 && slot.value > (int64_t(1) << bits) - 1)
    return refuse(index, Twine(what) + " is " + Twine(slot.value) +
                             ", which does not fit; declare it 'int64_t'");
  return true;
}

std::optional<APInt> driver::constantOf(dfg::TaskOp task, unsigned argument) {
  auto name = cast<dfg::TaskArgAttr>(task.getArgs()[argument]).getData();
  auto scalar = dyn_cast_or_null<dfg::ScalarOp>(
      task.resolve(cast<dfg::TaskArgAttr>(task.getArgs()[argument])));
  auto value = scalar && scalar.getValue()
                   ? dyn_cast<mlir::IntegerAttr>(*scalar.getValue())
                   : nullptr;
  if (!value)
    return std::nullopt;
  for (dfg::TaskOp other : task->getBlock()->getOps<dfg::TaskOp>())
    for (dfg::TaskArgAttr use : other.getTaskArgs())
      if (use.getData() == name && dfg::writes(use.getAccess()))
        return std::nullopt;
  if (auto given = scalar->getAttrOfType<mlir::IntegerAttr>(dfg::givenName))
    return given.getValue();
  return value.getValue();
}

/// The width of integers may change if no value is lost.
bool Match::checkInteger(unsigned index) {
  unsigned number = slots[index].parameter.argument;
  const CArgument &argument = arguments[number];
  const CType &type = prototype.parameters[index].type;
  if (argument.bits < type.bits && (type.isSigned || !argument.isSigned))
    return true;
  std::optional<APInt> value = constantOf(task, number);
  if (!value)
    return refuse(index, "the value of '" + argument.name + "' is '" +
                             spellElement(argument) + "'");
  bool isNegative = argument.isSigned && value->isNegative();
  bool fits = isNegative ? type.isSigned && value->isSignedIntN(type.bits)
                         : value->getActiveBits() <=
                               type.bits - (type.isSigned ? 1 : 0);
  SmallString<24> text;
  value->toString(text, 10, argument.isSigned);
  return fits || refuse(index, "the value of '" + argument.name + "' is " +
                                   text + ", which does not fit");
}

bool Match::checkValue(unsigned index) {
  const CArgument &argument = arguments[slots[index].parameter.argument];
  const CType &type = prototype.parameters[index].type;
  if (isOf(type, argument))
    return true;
  if (type.kind == CType::Kind::Integer && !type.isBool && !argument.isFloat)
    return checkInteger(index);
  return refuse(index, "the value of '" + argument.name + "' is '" +
                           spellElement(argument) + "'");
}

bool Match::checkPointer(unsigned index) {
  const CSlot &slot = slots[index];
  const CArgument &argument = arguments[slot.parameter.argument];
  const CType &type = prototype.parameters[index].type;
  bool isScalar = slot.parameter.kind == Kind::Pointer;
  bool isPointer = type.kind == CType::Kind::Pointer ||
                   (isScalar && type.kind == CType::Kind::Reference);
  if (isPointer && !type.target.empty())
    return checkElement(index, type.target.front());
  std::string what = isScalar                            ? "the address"
                     : slot.parameter.kind == Kind::Base ? "the memory"
                                                         : "the first element";
  return refuse(index, Twine(what) + " of '" + argument.name +
                           "' is expected there, a '" + spellElement(argument) +
                           " *'");
}

bool Match::checkElement(unsigned index, const CType &target) {
  const CArgument &argument = arguments[slots[index].parameter.argument];
  bool takesAny = target.kind == CType::Kind::Void ||
                  target.kind == CType::Kind::Unknown || target.isChar;
  if (takesAny)
    return true;
  if (!isOf(target, argument))
    return refuse(index, "'" + argument.name + "' holds '" +
                             spellElement(argument) + "'");
  if (!hasSignOf(target, argument))
    return refuse(index,
                  "'" + argument.name + "' holds '" + spellElement(argument) +
                      "', the same bits as other values; " +
                      (target.isSigned ? "createIntDat" : "createUIntDat") +
                      " makes such datasets, or say takesAnySign() of "
                      "the task");
  return prototype.parameters[index].type.extents.empty() || checkRows(index);
}

/// A pointer to rows, `double (*M)[3]`: the rows must be as long as the
/// array's, and contiguous.
bool Match::checkRows(unsigned index) {
  const CArgument &argument = arguments[slots[index].parameter.argument];
  ArrayRef<int64_t> rows = prototype.parameters[index].type.extents;
  ArrayRef<int64_t> extents = argument.extents;
  bool isDense = true;
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i])
    isDense &= argument.strides[i] == stride;
  if (isDense && rows.size() < extents.size() &&
      extents.take_back(rows.size()) == rows)
    return true;
  std::string shape;
  for (int64_t extent : extents)
    shape += "[" + std::to_string(extent) + "]";
  return refuse(index, "'" + argument.name + "' is " + shape +
                           (isDense ? "" : ", with gaps"));
}

/// A task that writes an array must get a pointer to non-const.
bool Match::checkConst(unsigned number) {
  const CArgument &argument = arguments[number];
  if (argument.access != dfg::Access::Out)
    return true;
  std::optional<unsigned> first;
  for (unsigned i = 0; i != slots.size(); ++i) {
    const CType &type = prototype.parameters[i].type;
    if (slots[i].parameter.argument != number || type.target.empty())
      continue;
    if (!type.target.front().isConst)
      return true;
    first = first.value_or(i);
  }
  return !first ||
         refuse(*first, "the task says that it writes '" + argument.name +
                            "' ('out'); remove 'const', or say 'in'");
}

std::optional<CSignature> driver::matchPrototype(dfg::TaskOp task,
                                                 const CPrototype &prototype,
                                                 LLVMContext &context) {
  return Match(task, prototype, context).run();
}

//===----------------------------------------------------------------------===//
// Unknown functions
//===----------------------------------------------------------------------===//

static Type *assumedType(const CSlot &slot, const CArgument &argument,
                         LLVMContext &context) {
  switch (slot.parameter.kind) {
  case Kind::Base:
  case Kind::First:
  case Kind::Pointer:
    return PointerType::get(context, 0);
  case Kind::Value:
    if (argument.isFloat)
      return argument.bits == 32 ? Type::getFloatTy(context)
                                 : Type::getDoubleTy(context);
    return Type::getIntNTy(context, argument.bits);
  default:
    return Type::getInt64Ty(context);
  }
}

std::optional<CSignature> driver::assumeSignature(dfg::TaskOp task,
                                                  LLVMContext &context) {
  CSignature signature;
  std::vector<CArgument> arguments = cArguments(task);
  for (const CSlot &slot : cSlots(arguments)) {
    const CArgument &argument = arguments[slot.parameter.argument];
    if (slot.value > maxAssumed && !task.getTakesLargeSizes()) {
      task.emitError() << describeNumber(slot, argument) << " is " << slot.value
                       << ", which parameters of type 'int' do not hold, and "
                          "what '"
                       << task.getCallee()
                       << "' takes is not known; compile it with -g, or say "
                          "that the task takes large sizes";
      return std::nullopt;
    }
    CSignature::Parameter parameter = slot.parameter;
    parameter.type = assumedType(slot, argument, context);
    signature.parameters.push_back(parameter);
  }
  if (task.getReturnsStatus()) {
    signature.result = Type::getInt32Ty(context);
    signature.isStatus = true;
  }
  return signature;
}
