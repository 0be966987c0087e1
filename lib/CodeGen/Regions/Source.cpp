//===- Source.cpp - Pieces of C that every generator writes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Source.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

StringRef codegen::cTypeName(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::I64:
    return "int64_t";
  case ElementType::F32:
    return "float";
  case ElementType::F64:
    return "double";
  }
  llvm_unreachable("all types are handled");
}

bool codegen::isInteger(ElementType type) {
  return type != ElementType::F32 && type != ElementType::F64;
}

ValueBits codegen::bitsOf(int64_t value) { return ValueBits(value); }
ValueBits codegen::bitsOf(float value) { return bit_cast<uint32_t>(value); }
ValueBits codegen::bitsOf(double value) { return bit_cast<uint64_t>(value); }

static std::string integerLiteral(const APInt &value) {
  // The least number has no literal: its digits without the sign do not fit.
  if (value.isMinSignedValue() && value.getBitWidth() >= 32)
    return "INT" + std::to_string(value.getBitWidth()) + "_MIN";
  return std::to_string(value.getSExtValue());
}

static std::string floatLiteral(const APFloat &value, bool isSingle) {
  StringRef suffix = isSingle ? "f" : "";
  std::string sign = value.isNegative() ? "-" : "";
  if (value.isInfinity())
    return sign + "__builtin_inf" + suffix.str() + "()";
  if (value.isNaN())
    return sign + "__builtin_nan" + suffix.str() + "(\"\")";
  // The fewest digits that give the same number.
  SmallString<32> text;
  for (unsigned digits = 6;; ++digits) {
    text.clear();
    value.toString(text, digits);
    if (digits == 17 ||
        APFloat(value.getSemantics(), text).bitwiseIsEqual(value))
      break;
  }
  if (StringRef(text).find_first_of(".Ee") == StringRef::npos)
    text += ".0";
  return (text + suffix).str();
}

std::string codegen::literalOf(ValueBits value, ElementType type) {
  if (type == ElementType::F64)
    return floatLiteral(APFloat(bit_cast<double>(value)), /*isSingle=*/false);
  if (type == ElementType::F32)
    return floatLiteral(APFloat(bit_cast<float>(uint32_t(value))),
                        /*isSingle=*/true);
  return integerLiteral(APInt(8 * sizeOf(type), value, /*isSigned=*/false,
                              /*implicitTrunc=*/true));
}

int64_t codegen::defaultOf(const RegionParameter &parameter) {
  return SignExtend64(parameter.value, 8 * sizeOf(parameter.type));
}

unsigned codegen::sizeOf(ElementType type) {
  static constexpr unsigned sizes[] = {1, 2, 4, 8, 4, 8};
  return sizes[unsigned(type)];
}

std::string codegen::identifier(StringRef name) {
  std::string text;
  for (char c : name)
    text += isAlnum(c) || c == '_' ? c : '_';
  if (text.empty() || isDigit(text.front()))
    text.insert(text.begin(), '_');
  return text;
}

std::string codegen::macroName(StringRef name) {
  return StringRef(identifier(name)).upper();
}

std::string codegen::parameterVariable(const RegionParameter &parameter) {
  return "parameter_" + identifier(parameter.name);
}

std::string codegen::extentText(const RegionModel &program,
                                const Extent &extent) {
  if (extent.parameter != noIndex)
    return parameterVariable(program.parameters[extent.parameter]);
  if (extent.constant == INT64_MAX)
    return "INT64_MAX";
  return std::to_string(extent.constant);
}

std::string codegen::extentsText(const RegionModel &program,
                                 ArrayRef<Extent> extents) {
  std::string text = "{";
  for (const Extent &extent : extents)
    text += (text.size() > 1 ? ", " : "") + extentText(program, extent);
  return text + "}";
}

std::string codegen::projectionRowText(const RegionProjection &projection,
                                       unsigned rank, size_t row) {
  std::string text;
  for (unsigned d = 0; d != rank; ++d) {
    int64_t factor = projection.matrix[row * rank + d];
    if (factor == 0)
      continue;
    std::string sign =
        text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    std::string size = std::to_string(factor < 0 ? -factor : factor);
    text += sign + (size == "1" ? "" : size + " * ") + "task->point[" +
            std::to_string(d) + "]";
  }
  int64_t offset = projection.offset[row];
  if (text.empty())
    return std::to_string(offset);
  if (offset)
    text += (offset < 0 ? " - " : " + ") +
            std::to_string(offset < 0 ? -offset : offset);
  return text;
}

bool codegen::isConstant(ArrayRef<Extent> extents) {
  return all_of(extents, [](const Extent &extent) {
    return extent.parameter == noIndex && extent.terms.empty();
  });
}

const RegionStatement *codegen::findSums(const RegionModel &program) {
  const RegionStatement *found = nullptr;
  auto hasTerms = [](const Extent &extent) { return !extent.terms.empty(); };
  forEachStatement(program, [&](const RegionStatement &statement) {
    if (!found &&
        (statement.iteration != noIndex || hasTerms(statement.count) ||
         any_of(statement.domain, hasTerms) ||
         any_of(statement.arguments, [](const RegionArgument &argument) {
           return argument.kind == RegionArgument::Iteration ||
                  !argument.projection.shifts.empty();
         })))
      found = &statement;
  });
  return found;
}

const RegionGraph *codegen::findRepeated(const RegionModel &program) {
  for (const RegionGraph &graph : program.graphs)
    if (graph.repeats)
      return &graph;
  return nullptr;
}

const RegionPartition *codegen::findBeyondLegion(const RegionModel &program) {
  for (const RegionPartition &partition : program.partitions)
    if (partition.periodic || partition.rightSide != RightSide::ByColor ||
        partition.kind >= PartitionKind::BlocksOfEach)
      return &partition;
  return nullptr;
}

std::string codegen::placeText(mlir::Location location) {
  std::string text;
  location->walk([&](mlir::Location inner) {
    auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!place)
      return mlir::WalkResult::advance();
    text = (sys::path::filename(place.getFilename().getValue()) + ":" +
            Twine(place.getLine()))
               .str();
    return mlir::WalkResult::interrupt();
  });
  return text;
}

void codegen::writeList(raw_ostream &os, StringRef head,
                        ArrayRef<std::string> words, StringRef tail) {
  constexpr size_t width = 80;
  StringRef lastLine = head.substr(head.rfind('\n') + 1);
  size_t indent = lastLine.size(), column = indent;
  os << head;
  for (auto [i, word] : enumerate(words)) {
    bool isLast = i + 1 == words.size();
    size_t after = isLast ? tail.substr(0, tail.find('\n')).size() : 1;
    if (i != 0 && column + 1 + word.size() + after > width) {
      os << '\n';
      os.indent(indent);
      column = indent;
    } else if (i != 0) {
      os << ' ';
      ++column;
    }
    os << word << (isLast ? "" : ",");
    column += word.size() + 1;
  }
  os << tail;
}

bool codegen::isWritten(const RegionArgument &argument) {
  return argument.privilege == RegionPrivilege::ReadWrite ||
         argument.privilege == RegionPrivilege::WriteDiscard;
}

std::string codegen::accessNumber(const RegionArgument &argument) {
  if (argument.privilege == RegionPrivilege::Reduce)
    return std::to_string(argument.reduction + 2);
  return isWritten(argument) ? "1" : "0";
}

std::vector<std::vector<const RegionArgument *>>
codegen::argumentsToCheck(const RegionStatement &statement) {
  std::vector<std::vector<const RegionArgument *>> groups;
  for (const RegionArgument &checked : statement.arguments) {
    if (!checked.projection.needsCheck)
      continue;
    for (unsigned field : checked.fields) {
      std::vector<const RegionArgument *> group;
      for (const RegionArgument &argument : statement.arguments)
        if (argument.partition == checked.partition && argument.color < 0 &&
            argument.projection.kind != RegionProjection::Whole &&
            is_contained(argument.fields, field))
          group.push_back(&argument);
      if (!is_contained(groups, group))
        groups.push_back(std::move(group));
    }
  }
  return groups;
}

void codegen::forEachStatement(
    ArrayRef<RegionStatement> statements,
    function_ref<void(const RegionStatement &)> visit) {
  for (const RegionStatement &statement : statements) {
    visit(statement);
    forEachStatement(statement.body, visit);
  }
}

void codegen::forEachStatement(
    const RegionModel &program,
    function_ref<void(const RegionStatement &)> visit) {
  for (const RegionGraph &graph : program.graphs)
    forEachStatement(graph.statements, visit);
}
