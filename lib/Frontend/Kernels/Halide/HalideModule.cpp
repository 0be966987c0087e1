//===- HalideModule.cpp - Compiled generators in a module -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation finds the compiled generators in the module, as operations
// that contain objects and describe arguments. This file adds them.
//
//===----------------------------------------------------------------------===//

#include "HalideModule.h"
#include "mlir/IR/Builders.h"
#include "sluice/Toolchain/FileHash.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using halide::ArgumentInfo;
using mlir::OpBuilder;

/// No generator has a dot in its name.
static const char runtimeName[] = "halide.runtime";

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static StringRef kindText(ArgumentInfo::Kind kind) {
  switch (kind) {
  case ArgumentInfo::Kind::InputBuffer:
    return "input";
  case ArgumentInfo::Kind::OutputBuffer:
    return "output";
  case ArgumentInfo::Kind::Scalar:
    break;
  }
  return "scalar";
}

static mlir::Type typeOf(const ArgumentInfo &info, OpBuilder &builder) {
  if (info.code == ArgumentInfo::Code::Float)
    return info.bits == 32 ? mlir::Type(builder.getF32Type())
                           : builder.getF64Type();
  return builder.getIntegerType(info.bits,
                                info.code == ArgumentInfo::Code::Int);
}

static mlir::ArrayAttr argumentsOf(const HalideCode &code, OpBuilder &builder) {
  SmallVector<mlir::Attribute> arguments;
  for (const ArgumentInfo &info : code.arguments)
    arguments.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(info.name)),
         builder.getNamedAttr("kind",
                              builder.getStringAttr(kindText(info.kind))),
         builder.getNamedAttr("type",
                              mlir::TypeAttr::get(typeOf(info, builder))),
         builder.getNamedAttr("dimensions",
                              builder.getI64IntegerAttr(info.dimensions)),
         builder.getNamedAttr(
             "stride", builder.getI64IntegerAttr(info.innermostStride))}));
  return builder.getArrayAttr(arguments);
}

static mlir::DictionaryAttr dictionaryOf(const halide::Parameters &parameters,
                                         OpBuilder &builder) {
  SmallVector<mlir::NamedAttribute> entries;
  for (const auto &[name, value] : parameters)
    entries.push_back(builder.getNamedAttr(name, builder.getStringAttr(value)));
  return builder.getDictionaryAttr(entries);
}

void driver::addHalideKernel(mlir::ModuleOp module, const HalideCode &code) {
  OpBuilder builder(module.getBodyRegion());
  dfg::HalideKernelOp::create(
      builder, module.getLoc(), builder.getStringAttr("halide." + code.symbol),
      mlir::StringAttr(), builder.getStringAttr(code.generator),
      dictionaryOf(code.parameters, builder),
      builder.getStringAttr(code.symbol), builder.getStringAttr(code.object),
      builder.getStringAttr(code.objectHash), argumentsOf(code, builder));
}

void driver::addHalideRuntime(mlir::ModuleOp module,
                              const std::string &object) {
  HalideCode code;
  code.generator = runtimeName;
  code.symbol = "runtime";
  code.object = object;
  code.objectHash = fileDigest(object);
  addHalideKernel(module, code);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

dfg::HalideKernelOp
driver::findHalideKernel(mlir::ModuleOp module, StringRef generator,
                         const halide::Parameters &parameters) {
  OpBuilder builder(module.getContext());
  mlir::DictionaryAttr wanted = dictionaryOf(parameters, builder);
  for (dfg::HalideKernelOp kernel : module.getOps<dfg::HalideKernelOp>())
    if (kernel.getGenerator() == generator && kernel.getParameters() == wanted)
      return kernel;
  return nullptr;
}

dfg::HalideKernelOp driver::findHalideRuntime(mlir::ModuleOp module) {
  return findHalideKernel(module, runtimeName, {});
}

static bool readType(mlir::Type type, ArgumentInfo &info) {
  if (!type.isIntOrFloat())
    return false;
  info.code = isa<mlir::FloatType>(type) ? ArgumentInfo::Code::Float
              : type.isUnsignedInteger() ? ArgumentInfo::Code::UInt
                                         : ArgumentInfo::Code::Int;
  info.bits = type.getIntOrFloatBitWidth();
  return is_contained({1u, 8u, 16u, 32u, 64u}, info.bits);
}

static bool readArgument(mlir::Attribute attribute, ArgumentInfo &info) {
  auto entry = dyn_cast<mlir::DictionaryAttr>(attribute);
  auto name = entry ? entry.getAs<mlir::StringAttr>("name") : nullptr;
  auto kind = entry ? entry.getAs<mlir::StringAttr>("kind") : nullptr;
  auto type = entry ? entry.getAs<mlir::TypeAttr>("type") : nullptr;
  if (!name || !kind || !type || !readType(type.getValue(), info))
    return false;
  info.name = name.str();
  auto found = StringSwitch<std::optional<ArgumentInfo::Kind>>(kind.getValue())
                   .Case("input", ArgumentInfo::Kind::InputBuffer)
                   .Case("output", ArgumentInfo::Kind::OutputBuffer)
                   .Case("scalar", ArgumentInfo::Kind::Scalar)
                   .Default(std::nullopt);
  if (!found)
    return false;
  info.kind = *found;
  auto number = [&](StringRef field) {
    auto value = entry.getAs<mlir::IntegerAttr>(field);
    return value ? value.getInt() : 0;
  };
  info.dimensions = number("dimensions");
  info.innermostStride = number("stride");
  return true;
}

bool driver::readHalideKernel(dfg::HalideKernelOp kernel, StringRef folder,
                              HalideCode &code) {
  code.generator = kernel.getGenerator().str();
  code.symbol = kernel.getSymbol().str();
  for (mlir::NamedAttribute entry : kernel.getParameters())
    if (auto value = dyn_cast<mlir::StringAttr>(entry.getValue()))
      code.parameters[entry.getName().str()] = value.str();
  for (mlir::Attribute attribute : kernel.getArguments())
    if (!readArgument(attribute, code.arguments.emplace_back())) {
      kernel.emitError("does not say what argument ")
          << code.arguments.size() << " of '" << code.generator << "' is";
      return false;
    }
  code.isDescribed = true;
  SmallString<128> path(kernel.getFile());
  if (sys::path::is_relative(path) && !folder.empty())
    path = (folder + "/" + kernel.getFile()).str();
  code.object = path.str().str();
  code.objectHash = fileDigest(path);
  if (code.objectHash.empty()) {
    kernel.emitError("cannot read the object '") << path << "'";
    return false;
  }
  if (code.objectHash != kernel.getHash()) {
    kernel.emitError("the object '")
        << path << "' is not the one that was written with this module";
    return false;
  }
  return true;
}
