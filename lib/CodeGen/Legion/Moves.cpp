//===- Moves.cpp - Copies and fills ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills of regions are Legion operations; those of scalars are lines
// of C++.
//
//===----------------------------------------------------------------------===//

#include "LegionEmitter.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using namespace sluice::codegen::legion;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void LegionEmitter::writeScalarCopy(const RegionStatement &statement,
                                    unsigned indent, raw_ostream &out) {
  const RegionArgument &from = statement.arguments[0];
  const RegionArgument &to = statement.arguments[1];
  out.indent(indent) << regionNames[to.root] << " = " << regionNames[from.root]
                     << ";\n";
}

void LegionEmitter::writeCopy(const RegionStatement &statement, unsigned indent,
                              raw_ostream &out, const TracedOperation *traced) {
  if (statement.arguments[0].kind == RegionArgument::Scalar)
    return writeScalarCopy(statement, indent, out);
  std::string margin(indent, ' ');
  unsigned rank = statement.domain.size();
  out << margin << "{\n";
  writeDependences(traced, indent + 2, out);
  if (rank == 0)
    out << margin << "  CopyLauncher launcher;\n";
  else
    out << margin << "  IndexCopyLauncher launcher(" << launchText(statement)
        << ");\n";
  out << margin << "  launcher.add_copy_requirements(\n";
  const RegionArgument *ends[] = {&statement.arguments[0],
                                  &statement.arguments[1]};
  for (auto [i, argument] : enumerate(ends))
    writeRequirement({argument, argument->fields}, rank, /*isPoint=*/false,
                     /*isHost=*/false, "", i == 0 ? "," : ");", indent + 6,
                     out);
  if (traced && !traced->dependences.empty())
    out << margin << "  launcher.static_dependences = &dependences;\n";
  out << margin << "  runtime->issue_copy_operation(ctx, launcher);\n"
      << margin << "}\n";
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

/// "const double value = 0.0;", or an array of equal values.
static void writeValue(const RegionField &field, StringRef value,
                       unsigned indent, raw_ostream &out) {
  std::string margin(indent, ' ');
  if (field.count == 1) {
    out << margin << "const " << valueType(field) << " value = " << value
        << ";\n";
    return;
  }
  out << margin << valueType(field) << " value;\n"
      << margin << "value.fill(" << value << ");\n";
}

void LegionEmitter::writeFieldFill(const RegionStatement &statement,
                                   const Requirement &requirement,
                                   unsigned indent, raw_ostream &out,
                                   const TracedOperation *traced) {
  const RegionArgument &argument = *requirement.argument;
  std::string margin(indent, ' ');
  bool isLaunch = !statement.domain.empty();
  std::vector<std::string> handle =
      handleWords(argument, statement.domain.size(), /*isPoint=*/false);
  std::vector<std::string> words{handle[0], regionNames[argument.root],
                                 "UntypedBuffer(&value, sizeof(value))"};
  if (isLaunch) {
    words.insert(words.begin(), launchText(statement));
    words.push_back(handle[1]);
  }
  out << margin << "{\n";
  writeValue(rootOf(argument).fields[requirement.fields[0]],
             literalOf(statement.fillValue, statement.fillType), indent + 2,
             out);
  writeDependences(traced, indent + 2, out);
  writeList(out,
            margin + (isLaunch ? "  IndexFillLauncher launcher("
                               : "  FillLauncher launcher("),
            words, ");\n");
  for (unsigned field : requirement.fields)
    out << margin << "  launcher.add_field(" << fieldNames[argument.root][field]
        << ");\n";
  if (traced && !traced->dependences.empty())
    out << margin << "  launcher.static_dependences = &dependences;\n";
  out << margin << "  runtime->fill_fields(ctx, launcher);\n"
      << margin << "}\n";
}

/// One operation for the fields of each type.
void LegionEmitter::writeFill(const RegionStatement &statement, unsigned indent,
                              raw_ostream &out,
                              ArrayRef<TracedOperation> traced) {
  const RegionArgument &argument = statement.arguments[0];
  if (argument.kind == RegionArgument::Scalar) {
    StringRef type = cTypeName(rootOf(argument).fields[0].type);
    out.indent(indent) << regionNames[argument.root] << " = Future::from_value<"
                       << type << ">("
                       << literalOf(statement.fillValue, statement.fillType)
                       << ");\n";
    return;
  }
  std::vector<Requirement> fills = fillsOf(program, argument);
  for (auto [i, requirement] : enumerate(fills))
    writeFieldFill(statement, requirement, indent, out,
                   traced.empty() ? nullptr : &traced[i]);
}
