//===- CppStatements.cpp - Graphs of a generated program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that add the statements of each graph, with their arguments as
// initialisers.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static StringRef privilegeName(RegionPrivilege privilege) {
  switch (privilege) {
  case RegionPrivilege::Read:
    return "SLUICE_PRIVILEGE_READ";
  case RegionPrivilege::ReadWrite:
    return "SLUICE_PRIVILEGE_READ_WRITE";
  case RegionPrivilege::WriteDiscard:
    return "SLUICE_PRIVILEGE_WRITE_DISCARD";
  case RegionPrivilege::Reduce:
    return "SLUICE_PRIVILEGE_REDUCE";
  }
  llvm_unreachable("all privileges are handled");
}

static bool isWholePartition(const RegionArgument &argument) {
  return argument.partition != noIndex && argument.color < 0 &&
         argument.projection.kind == RegionProjection::Whole;
}

/// "{.root = ..., .fields = 0x3}", of several words.
std::string CppEmitter::argumentText(const RegionStatement &statement,
                                     const RegionArgument &argument) {
  std::vector<std::string> words;
  words.push_back(".root = " + rootName(argument.root));
  words.push_back(".partition = " + partitionName(argument.partition));
  const RegionProjection &projection = argument.projection;
  if (argument.partition != noIndex && argument.color >= 0) {
    words.push_back(".color = " + std::to_string(argument.color));
    if (!statement.domain.empty())
      words.push_back(".isFixed = 1");
  } else if (projection.kind == RegionProjection::Function) {
    words.push_back(".projection = " + projection.function);
  } else if (projection.kind == RegionProjection::Affine) {
    words.push_back(".matrix = " + matrixOf(argument, statement.domain.size()));
  } else if (isWholePartition(argument)) {
    words.push_back(".wholePartition = 1");
  }
  words.push_back((".privilege = " + privilegeName(argument.privilege)).str());
  if (projection.needsCheck)
    words.push_back(".mustBeApart = 1");
  if (argument.privilege == RegionPrivilege::Reduce)
    words.push_back(".reduction = " + reductionText(argument.reduction));
  uint64_t mask = 0;
  std::vector<std::string> names;
  const RegionRoot &root = program.roots[argument.root];
  for (unsigned field : argument.fields) {
    mask |= uint64_t(1) << field;
    names.push_back(commentText(root.fields[field].name));
  }
  std::string fields = ".fields = 0x" + utohexstr(mask, /*LowerCase=*/true);
  if (!root.isScalar)
    fields += " /* " + join(names, ", ") + " */";
  words.push_back(fields);
  return "{" + join(words, ",\n") + "}";
}

/// Joins arguments line by line, indenting each line to start after `column`.
static std::string indented(StringRef text, unsigned column) {
  std::string result;
  for (char c : text) {
    result += c;
    if (c == '\n')
      result.append(column, ' ');
  }
  return result;
}

static void writePlace(const RegionStatement &statement, unsigned indent,
                       raw_ostream &out) {
  std::string place = placeText(statement.location);
  out.indent(indent) << "// " << statement.label << (place.empty() ? "" : ", ")
                     << place << '\n';
}

void CppEmitter::writeTask(const RegionStatement &statement, unsigned indent,
                           raw_ostream &out) {
  hasTasks = true;
  std::vector<std::string> words{".name = \"" + statement.label + "\"",
                                 ".body = " + callerOf(statement)};
  if (!statement.domain.empty())
    words.push_back(".rank = " + std::to_string(statement.domain.size()));
  if (statement.kind == RegionStatement::Host)
    words.push_back(".isHost = 1");
  if (!statement.domain.empty())
    words.push_back(".extents = " + extentsText(program, statement.domain));
  std::string margin(indent, ' ');
  out << margin << "addTask(program,\n";
  writeList(out, margin + "        {", words, "},\n");
  out << margin << "        {";
  bool isFirst = true;
  for (const RegionArgument &argument : statement.arguments) {
    if (!isView(argument))
      continue;
    if (!isFirst)
      out << ",\n" << margin << "         ";
    isFirst = false;
    out << indented(argumentText(statement, argument), indent + 10);
  }
  out << "});\n";
}

/// "rank, extents" for a copy or fill, of which the second may be null.
static std::string launchText(const RegionStatement &statement) {
  return statement.domain.empty()
             ? "0, nullptr"
             : std::to_string(statement.domain.size()) + ", extents";
}

void CppEmitter::writeCopy(const RegionStatement &statement, unsigned indent,
                           raw_ostream &out) {
  std::string margin(indent, ' ');
  out << margin << "{\n";
  if (!statement.domain.empty())
    out << margin << "  const int64_t extents[] = "
        << extentsText(program, statement.domain) << ";\n";
  auto writeSide = [&](StringRef name, const RegionArgument &argument) {
    out << margin << "  const SluiceArgument " << name << " = "
        << indented(argumentText(statement, argument),
                    indent + 27 + name.size())
        << ";\n";
  };
  writeSide("from", statement.arguments[0]);
  writeSide("to", statement.arguments[1]);
  out << margin << "  sluiceAddCopy(program, &from, &to, "
      << launchText(statement) << ");\n"
      << margin << "}\n";
}

void CppEmitter::writeFill(const RegionStatement &statement, unsigned indent,
                           raw_ostream &out) {
  std::string margin(indent, ' ');
  const RegionArgument &whole = statement.arguments[0];
  // The runtime fills one field at a time.
  for (unsigned index : whole.fields) {
    RegionArgument argument = whole;
    argument.fields = {index};
    const RegionField &field = program.roots[argument.root].fields[index];
    out << margin << "{\n";
    if (!statement.domain.empty())
      out << margin << "  const int64_t extents[] = "
          << extentsText(program, statement.domain) << ";\n";
    out << margin << "  static const " << cTypeName(field.type) << " value";
    if (field.count == 1)
      out << " = " << literalOf(statement.fillValue, statement.fillType)
          << ";\n";
    else
      writeList(
          out, "[] = {",
          std::vector<std::string>(
              field.count, literalOf(statement.fillValue, statement.fillType)),
          "};\n");
    out << margin << "  const SluiceArgument to = "
        << indented(argumentText(statement, argument), indent + 29) << ";\n"
        << margin << "  sluiceAddFill(program, &to, &value, "
        << launchText(statement) << ");\n"
        << margin << "}\n";
  }
}

void CppEmitter::writeLoop(const RegionStatement &statement, unsigned indent,
                           raw_ostream &out) {
  std::string margin(indent, ' ');
  out << margin
      << (statement.isUnless ? "sluiceBeginUnless(program, "
                             : "sluiceBeginLoop(program, ");
  if (!statement.isUnless)
    out << extentText(program, statement.count) << ", ";
  out << (statement.whileScalar == noIndex ? "SLUICE_NO_PARTITION"
                                           : rootName(statement.whileScalar))
      << ");\n"
      << margin << "{\n";
  writeStatements(statement.body, indent + 2, out);
  out << margin << "}\n" << margin << "sluiceEndLoop(program);\n";
}

/// The compile time of a function grows faster than its length.
static constexpr size_t statementsPerFunction = 50;

/// Writes a long list as functions of some statements each.
void CppEmitter::writeParts(ArrayRef<RegionStatement> statements,
                            unsigned indent, raw_ostream &out) {
  for (size_t i = 0; i < statements.size(); i += statementsPerFunction) {
    std::string body;
    raw_string_ostream bodyOut(body);
    writeStatements(statements.slice(i).take_front(statementsPerFunction), 2,
                    bodyOut);
    std::string name = uniqueName("part");
    functions += "\n__attribute__((noinline)) static void " + name +
                 "(SluiceProgram *program) {\n" + body + "}\n";
    out.indent(indent) << name << "(program);\n";
  }
}

void CppEmitter::writeStatements(ArrayRef<RegionStatement> statements,
                                 unsigned indent, raw_ostream &out) {
  if (statements.size() > statementsPerFunction)
    return writeParts(statements, indent, out);
  for (const RegionStatement &statement : statements) {
    writePlace(statement, indent, out);
    switch (statement.kind) {
    case RegionStatement::Task:
    case RegionStatement::Host:
      writeTask(statement, indent, out);
      break;
    case RegionStatement::Copy:
      writeCopy(statement, indent, out);
      break;
    case RegionStatement::Fill:
      writeFill(statement, indent, out);
      break;
    case RegionStatement::Loop:
      writeLoop(statement, indent, out);
      break;
    case RegionStatement::MustEpoch:
      // The members do not depend on each other: they may run at the same time.
      writeStatements(statement.body, indent, out);
      break;
    }
  }
}

void CppEmitter::writeGraph(const RegionGraph &graph, raw_ostream &out) {
  out << "\nstatic void " << graphNames[&graph - program.graphs.data()]
      << "(SluiceProgram *program) {\n"
      << "  sluiceBeginGraph(program, " << stringLiteral(graph.name) << ");\n";
  writeStatements(graph.statements, 2, out);
  out << "  sluiceEndGraph(program);\n}\n";
}
