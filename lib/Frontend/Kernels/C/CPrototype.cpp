//===- CPrototype.cpp - C prototypes from debug information ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prototypes come from the debug information of a source that was just
// compiled, or of an object. This file contains the common code: spelling of
// types for messages, LLVM's types, and a form for the cache.
//
//===----------------------------------------------------------------------===//

#include "CPrototype.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

void driver::setBasicType(CType &type, unsigned encoding, uint64_t bytes,
                          StringRef name) {
  type.spelling = name.str();
  type.bits = bytes <= 64 ? unsigned(bytes * 8) : 0;
  type.isChar = name == "char";
  switch (encoding) {
  case dwarf::DW_ATE_boolean:
    type.isBool = true;
    type.kind = CType::Kind::Integer;
    break;
  case dwarf::DW_ATE_signed:
  case dwarf::DW_ATE_signed_char:
    type.isSigned = true;
    type.kind = CType::Kind::Integer;
    break;
  case dwarf::DW_ATE_unsigned:
  case dwarf::DW_ATE_unsigned_char:
  case dwarf::DW_ATE_UTF:
    type.kind = CType::Kind::Integer;
    break;
  case dwarf::DW_ATE_float:
    type.kind = CType::Kind::Float;
    break;
  default:
    type.kind = CType::Kind::Other;
  }
  // `long double`, `__int128`, `_Float16`, vectors.
  bool isNumber = type.kind == CType::Kind::Integer
                      ? is_contained({8u, 16u, 32u, 64u}, type.bits)
                      : is_contained({32u, 64u}, type.bits);
  if (!isNumber)
    type.kind = CType::Kind::Other;
}

std::string driver::spellPointer(const std::string &target, char mark) {
  bool isTight = !target.empty() && target.back() == '*';
  return target + (isTight ? "" : " ") + mark;
}

std::string driver::spell(const CPrototype &prototype) {
  std::string text = prototype.result.spelling;
  if (text.empty() || text.back() != '*')
    text += ' ';
  text += prototype.function + "(";
  for (const CParameter &parameter : prototype.parameters) {
    if (text.back() != '(')
      text += ", ";
    text += parameter.type.spelling;
    if (!parameter.name.empty())
      text += (text.back() == '*' || text.back() == '&' ? "" : " ") +
              parameter.name;
  }
  if (prototype.isVariadic)
    text += prototype.parameters.empty() ? "..." : ", ...";
  return text + ")";
}

Type *driver::irType(const CType &type, LLVMContext &context) {
  switch (type.kind) {
  case CType::Kind::Integer:
    return Type::getIntNTy(context, type.isBool ? 1 : type.bits);
  case CType::Kind::Float:
    return type.bits == 32 ? Type::getFloatTy(context)
                           : Type::getDoubleTy(context);
  case CType::Kind::Pointer:
  case CType::Kind::Reference:
    return PointerType::get(context, 0);
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Value typeToJSON(const CType &type) {
  json::Array target, extents;
  for (const CType &inner : type.target)
    target.push_back(typeToJSON(inner));
  for (int64_t extent : type.extents)
    extents.push_back(extent);
  return json::Object{{"kind", int64_t(type.kind)},
                      {"bits", int64_t(type.bits)},
                      {"signed", type.isSigned},
                      {"bool", type.isBool},
                      {"char", type.isChar},
                      {"const", type.isConst},
                      {"spelling", json::fixUTF8(type.spelling)},
                      {"target", std::move(target)},
                      {"extents", std::move(extents)}};
}

static bool typeFromJSON(const json::Value *value, CType &type) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return false;
  auto kind = object->getInteger("kind");
  auto bits = object->getInteger("bits");
  auto spelling = object->getString("spelling");
  const json::Array *target = object->getArray("target");
  const json::Array *extents = object->getArray("extents");
  if (!kind || *kind < 0 || *kind > int64_t(CType::Kind::Unknown) || !bits ||
      !spelling || !target || !extents)
    return false;
  type.kind = CType::Kind(*kind);
  type.bits = unsigned(*bits);
  type.isSigned = object->getBoolean("signed").value_or(false);
  type.isBool = object->getBoolean("bool").value_or(false);
  type.isChar = object->getBoolean("char").value_or(false);
  type.isConst = object->getBoolean("const").value_or(false);
  type.spelling = spelling->str();
  for (const json::Value &extent : *extents)
    type.extents.push_back(extent.getAsInteger().value_or(-1));
  for (const json::Value &inner : *target)
    if (!typeFromJSON(&inner, type.target.emplace_back()))
      return false;
  return true;
}

json::Value driver::toJSON(const CPrototype &prototype) {
  json::Array parameters;
  for (const CParameter &parameter : prototype.parameters)
    parameters.push_back(json::Object{{"name", json::fixUTF8(parameter.name)},
                                      {"type", typeToJSON(parameter.type)}});
  return json::Object{{"function", json::fixUTF8(prototype.function)},
                      {"file", json::fixUTF8(prototype.place.file)},
                      {"line", int64_t(prototype.place.line)},
                      {"variadic", prototype.isVariadic},
                      {"result", typeToJSON(prototype.result)},
                      {"parameters", std::move(parameters)}};
}

std::optional<CPrototype> driver::prototypeFromJSON(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  const json::Array *parameters =
      object ? object->getArray("parameters") : nullptr;
  CPrototype prototype;
  if (!parameters || !typeFromJSON(object->get("result"), prototype.result))
    return std::nullopt;
  prototype.function = object->getString("function").value_or("").str();
  prototype.place.file = object->getString("file").value_or("").str();
  prototype.place.line = unsigned(object->getInteger("line").value_or(0));
  prototype.isVariadic = object->getBoolean("variadic").value_or(false);
  for (const json::Value &entry : *parameters) {
    const json::Object *parameter = entry.getAsObject();
    CParameter &added = prototype.parameters.emplace_back();
    if (!parameter || !typeFromJSON(parameter->get("type"), added.type))
      return std::nullopt;
    added.name = parameter->getString("name").value_or("").str();
  }
  return prototype;
}
