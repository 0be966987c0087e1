//===- HalideArguments.cpp - Matching arguments with generators -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generator has inputs, outputs and parameters with types; a task has
// datasets and values. This file matches them and explains mismatches.
//
//===----------------------------------------------------------------------===//

#include "HalideArguments.h"
#include "mlir/IR/Diagnostics.h"
#include "sluice/DFG/Given.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::TaskArgAttr;
using halide::ArgumentInfo;
using halide::KnownArgument;
using mlir::InFlightDiagnostic;

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

static bool isWritten(dfg::ScalarOp scalar, dfg::TaskOp task) {
  for (dfg::TaskOp other : task->getBlock()->getOps<dfg::TaskOp>())
    for (TaskArgAttr argument : other.getTaskArgs())
      if (argument.getData().getValue() == scalar.getSymName() &&
          argument.getAccess() != dfg::Access::In)
        return true;
  return false;
}

/// The initial value of a scalar as text; empty if it has none, or if a task
/// writes it.
static std::string valueOf(dfg::ScalarOp scalar, dfg::TaskOp task) {
  mlir::Attribute value = scalar->getAttr(dfg::givenName);
  if (!isa_and_nonnull<mlir::IntegerAttr, mlir::FloatAttr>(value))
    value = scalar.getValueAttr();
  if (!value || isWritten(scalar, task))
    return "";
  if (auto number = dyn_cast<mlir::FloatAttr>(value)) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", number.getValueAsDouble());
    return text;
  }
  int64_t number = cast<mlir::IntegerAttr>(value).getInt();
  return scalar.getType().isUnsignedInteger() ? utostr(uint64_t(number))
                                              : itostr(number);
}

/// The same for code, which must work for every value of a scalar that is given
/// at run time.
static std::string knownValue(dfg::ScalarOp scalar, dfg::TaskOp task) {
  return scalar->hasAttr(dfg::givenName) ? "" : valueOf(scalar, task);
}

/// Extents and strides of a dataset or a part of it, in Halide's order.
static KnownArgument knownBuffer(dfg::DatasetOp dataset, TaskArgAttr argument) {
  KnownArgument known;
  ArrayRef<int64_t> shape = dataset.getShape();
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    bool isPart = argument.isPart();
    known.extents.push_back(isPart ? argument.getSizes()[i] : shape[i]);
    known.strides.push_back(stride * (isPart ? argument.getSteps()[i] : 1));
    stride *= shape[i];
  }
  return known;
}

halide::KnownCall driver::knownCall(HalideTask &task) {
  halide::KnownCall call;
  for (TaskArgAttr argument : task.op.getTaskArgs()) {
    mlir::Operation *data = task.op.resolve(argument);
    KnownArgument known;
    if (auto dataset = dyn_cast<dfg::DatasetOp>(data))
      known = knownBuffer(dataset, argument);
    else if (auto scalar = dyn_cast<dfg::ScalarOp>(data))
      if (argument.getPassBy() == dfg::PassBy::Value)
        known.value = knownValue(scalar, task.op);
    call.push_back(std::move(known));
  }
  return call;
}

bool driver::needsLargeBuffers(const halide::KnownCall &call) {
  const int64_t limit = std::numeric_limits<int32_t>::max();
  for (const KnownArgument &argument : call) {
    int64_t last = 0;
    for (size_t i = 0; i != argument.extents.size(); ++i)
      last += argument.extents[i] * argument.strides[i];
    if (last > limit)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string driver::listed(ArrayRef<std::string> words) {
  std::string text;
  for (size_t i = 0; i != words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

static std::string typeText(ArgumentInfo::Code code, unsigned bits) {
  if (code == ArgumentInfo::Code::UInt && bits == 1)
    return "bool";
  StringRef name = code == ArgumentInfo::Code::Int     ? "int"
                   : code == ArgumentInfo::Code::UInt  ? "uint"
                   : code == ArgumentInfo::Code::Float ? "float"
                                                       : "pointer or bfloat";
  return name.str() + std::to_string(bits);
}

static std::string typeText(mlir::Type type) {
  auto code = isa<mlir::FloatType>(type) ? ArgumentInfo::Code::Float
              : type.isUnsignedInteger() ? ArgumentInfo::Code::UInt
                                         : ArgumentInfo::Code::Int;
  return typeText(code, type.getIntOrFloatBitWidth());
}

static std::string dimensionsText(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " dimension" : " dimensions");
}

/// "'in' (a buffer of float64 of 2 dimensions)".
static std::string describe(const ArgumentInfo &info) {
  std::string type = typeText(info.code, info.bits);
  if (info.kind == ArgumentInfo::Kind::Scalar)
    return "'" + info.name + "' (" + type + ")";
  StringRef direction =
      info.kind == ArgumentInfo::Kind::InputBuffer ? "input" : "output";
  return ("'" + Twine(info.name) + "' (" + direction + " of " + type + ", " +
          dimensionsText(info.dimensions) + ")")
      .str();
}

namespace {
/// Checks one argument; each function reports its error and returns false.
class HalideArgumentCheck {
public:
  HalideArgumentCheck(HalideTask &task, const HalideCode &code, unsigned index,
                      const KnownArgument &known)
      : task(task), code(code), info(code.arguments[index]), index(index),
        argument(cast<TaskArgAttr>(task.op.getArgs()[index])),
        data(task.op.resolve(argument)), known(known) {}

  bool check();

private:
  bool checkBuffer();
  bool checkScalar();
  bool checkValue(dfg::ScalarOp scalar);
  bool checkType(mlir::Type type);
  bool checkAccess();
  bool checkLayout();
  /// Starts a message with "argument 2, 'd1', " and a note at the dataset.
  InFlightDiagnostic complain() {
    InFlightDiagnostic diagnostic = task.error();
    diagnostic << "argument " << index + 1 << ", '"
               << argument.getData().getValue() << "', ";
    diagnostic.attachNote(data->getLoc())
        << "'" << argument.getData().getValue() << "' is made here";
    return diagnostic;
  }

  HalideTask &task;
  const HalideCode &code;
  const ArgumentInfo &info;
  unsigned index;
  TaskArgAttr argument;
  mlir::Operation *data;
  const KnownArgument &known;
};
} // namespace

bool HalideArgumentCheck::check() {
  if (isa<dfg::ObjectOp>(data)) {
    complain() << "is a Python dictionary, but generator '" << code.generator
               << "' takes " << describe(info) << " there";
    return false;
  }
  if (info.code == ArgumentInfo::Code::Other ||
      (info.code == ArgumentInfo::Code::Float && info.bits == 16)) {
    complain() << "is for " << describe(info) << " of generator '"
               << code.generator << "', a type that no dataset has";
    return false;
  }
  return info.kind == ArgumentInfo::Kind::Scalar ? checkScalar()
                                                 : checkBuffer();
}

bool HalideArgumentCheck::checkBuffer() {
  auto scalar = dyn_cast<dfg::ScalarOp>(data);
  if (scalar && argument.getPassBy() == dfg::PassBy::Value) {
    complain() << "is a scalar, but generator '" << code.generator << "' takes "
               << describe(info) << " there"
               << (info.dimensions
                       ? ""
                       : "; a PtrScalar of the scalar is such a buffer");
    return false;
  }
  size_t rank = scalar ? 0 : cast<dfg::DatasetOp>(data).getShape().size();
  if (rank != info.dimensions) {
    complain() << "has " << dimensionsText(rank) << ", but " << describe(info)
               << " of generator '" << code.generator << "' wants "
               << info.dimensions;
    return false;
  }
  mlir::Type type =
      scalar ? scalar.getType() : cast<dfg::DatasetOp>(data).getElementType();
  return checkType(type) && checkAccess() && checkLayout();
}

bool HalideArgumentCheck::checkType(mlir::Type type) {
  bool isFloat = info.code == ArgumentInfo::Code::Float;
  unsigned bits = info.bits == 1 ? 8 : info.bits;
  if (isa<mlir::FloatType>(type) != isFloat ||
      type.getIntOrFloatBitWidth() != bits) {
    complain() << "holds " << typeText(type) << ", but " << describe(info)
               << " of generator '" << code.generator << "' wants "
               << typeText(info.code, info.bits);
    return false;
  }
  // Published programs have only one kind of integers. The bits are the same.
  bool isUnsigned = info.code == ArgumentInfo::Code::UInt;
  if (!isFloat && info.bits > 1 && isa<dfg::DatasetOp>(data) &&
      type.isUnsignedInteger() != isUnsigned)
    task.warning() << "argument " << index + 1 << ", '"
                   << argument.getData().getValue() << "', holds "
                   << typeText(type) << ", but " << describe(info)
                   << " of generator '" << code.generator
                   << "' takes the same bits as "
                   << typeText(info.code, info.bits) << "; "
                   << (isUnsigned ? "createUIntDat" : "createIntDat")
                   << " makes such datasets";
  return true;
}

bool HalideArgumentCheck::checkAccess() {
  bool isInput = info.kind == ArgumentInfo::Kind::InputBuffer;
  if (isInput && argument.getAccess() == dfg::Access::Out) {
    complain() << "is said to be written only, but " << describe(info)
               << " of generator '" << code.generator << "' is read";
    return false;
  }
  if (!isInput && argument.getAccess() == dfg::Access::In) {
    complain() << "is said to be read only, but " << describe(info)
               << " of generator '" << code.generator << "' is written";
    return false;
  }
  return true;
}

bool HalideArgumentCheck::checkLayout() {
  for (auto [dimension, extent] : enumerate(known.extents))
    if (extent > std::numeric_limits<int32_t>::max()) {
      complain() << "has " << extent << " elements in dimension "
                 << known.extents.size() - 1 - dimension
                 << ", but Halide counts up to 2147483647";
      return false;
    }
  // Other arguments are packed if the stride must be 1.
  if (info.innermostStride > 1 && known.strides[0] != info.innermostStride) {
    complain() << "has the stride " << known.strides[0]
               << " in its last dimension, but " << describe(info)
               << " of generator '" << code.generator << "' wants "
               << info.innermostStride;
    return false;
  }
  return true;
}

bool HalideArgumentCheck::checkScalar() {
  auto scalar = dyn_cast<dfg::ScalarOp>(data);
  if (!scalar) {
    complain() << "is an array, but generator '" << code.generator << "' takes "
               << describe(info) << " there";
    return false;
  }
  if (argument.getPassBy() != dfg::PassBy::Value) {
    complain() << "is a PtrScalar, but generator '" << code.generator
               << "' takes the value of " << describe(info)
               << "; pass the scalar itself";
    return false;
  }
  return checkValue(scalar);
}

/// Integers are converted to Halide's type if they fit; floating-point numbers
/// would change.
bool HalideArgumentCheck::checkValue(dfg::ScalarOp scalar) {
  bool isFloat = info.code == ArgumentInfo::Code::Float;
  mlir::Type type = scalar.getType();
  if (isa<mlir::FloatType>(type) != isFloat ||
      (isFloat && type.getIntOrFloatBitWidth() != info.bits)) {
    complain() << "is " << typeText(type) << ", but generator '"
               << code.generator << "' takes " << describe(info) << " there";
    return false;
  }
  const std::string text = valueOf(scalar, task.op);
  if (isFloat || text.empty())
    return true;
  bool isSigned = info.code == ArgumentInfo::Code::Int;
  APInt value(80, text, 10);
  APInt wide = isSigned ? APInt::getSignedMaxValue(info.bits).sext(80)
                        : APInt::getMaxValue(info.bits).zext(80);
  APInt low =
      isSigned ? APInt::getSignedMinValue(info.bits).sext(80) : APInt(80, 0);
  if (value.sgt(wide) || value.slt(low)) {
    complain() << "is " << text << ", which does not fit " << describe(info)
               << " of generator '" << code.generator << "'";
    return false;
  }
  return true;
}

static bool checkCount(HalideTask &task, const HalideCode &code) {
  size_t given = task.op.getArgs().size(), wanted = code.arguments.size();
  if (given == wanted)
    return true;
  std::vector<std::string> words;
  for (const ArgumentInfo &info : code.arguments)
    words.push_back(describe(info));
  task.error() << "it has " << given
               << (given == 1 ? " argument" : " arguments")
               << ", but generator '" << code.generator << "' takes " << wanted
               << ": " << listed(words);
  return false;
}

bool driver::checkArguments(HalideTask &task, const HalideCode &code,
                            const halide::KnownCall &call) {
  if (!checkCount(task, code))
    return false;
  bool isGood = true;
  for (unsigned i = 0; i != code.arguments.size(); ++i)
    isGood &= HalideArgumentCheck(task, code, i, call[i]).check();
  return isGood;
}

codegen::HalideFunction driver::functionOf(const HalideCode &code) {
  codegen::HalideFunction function;
  function.symbol = code.symbol;
  function.text = code.text();
  for (const ArgumentInfo &info : code.arguments) {
    codegen::HalideFunction::Parameter parameter;
    parameter.isBuffer = info.kind != ArgumentInfo::Kind::Scalar;
    parameter.innermostStride = info.innermostStride;
    parameter.isFloat = info.code == ArgumentInfo::Code::Float;
    parameter.isSigned = info.code == ArgumentInfo::Code::Int;
    parameter.bits = info.bits;
    function.parameters.push_back(parameter);
  }
  return function;
}
