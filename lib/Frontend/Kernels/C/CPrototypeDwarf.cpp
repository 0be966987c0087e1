//===- CPrototypeDwarf.cpp - Prototypes of functions in objects -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prototype of a function that only exists as machine code is read from its
// DWARF debug information, if it has any.
//
//===----------------------------------------------------------------------===//

#include "CObjects.h"
#include "CTypeReader.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Object/ObjectFile.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

namespace {
class DieNode {
public:
  explicit DieNode(DWARFDie die) : die(die) {}

  bool isNull() const { return !die.isValid(); }
  unsigned tag() const { return die.getTag(); }
  StringRef name() const {
    const char *text = dwarf::toString(die.find(dwarf::DW_AT_name), nullptr);
    return text ? text : StringRef();
  }
  uint64_t bytes() const {
    return dwarf::toUnsigned(die.find(dwarf::DW_AT_byte_size), 0);
  }
  unsigned encoding() const {
    return unsigned(dwarf::toUnsigned(die.find(dwarf::DW_AT_encoding), 0));
  }
  DieNode base() const {
    return DieNode(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)
                       .resolveTypeUnitReference());
  }
  std::vector<int64_t> extents() const {
    std::vector<int64_t> counts;
    for (DWARFDie child : die.children()) {
      if (child.getTag() != dwarf::DW_TAG_subrange_type)
        continue;
      auto count = dwarf::toUnsigned(child.find(dwarf::DW_AT_count));
      auto last = dwarf::toUnsigned(child.find(dwarf::DW_AT_upper_bound));
      counts.push_back(count  ? int64_t(*count)
                       : last ? int64_t(*last + 1)
                              : -1);
    }
    return counts;
  }

private:
  mutable DWARFDie die;
};
} // namespace

/// The die to which an out-of-line copy, or a definition outside of its class,
/// refers for the remaining attributes.
static DWARFDie originOf(const DWARFDie &die) {
  for (dwarf::Attribute way :
       {dwarf::DW_AT_abstract_origin, dwarf::DW_AT_specification})
    if (DWARFDie origin = die.getAttributeValueAsReferencedDie(way))
      return origin;
  return {};
}

/// The first of the die and its origins with `attribute`.
static DWARFDie holderOf(DWARFDie die, dwarf::Attribute attribute) {
  for (unsigned depth = 0; die && depth != 8; ++depth) {
    if (die.find(attribute))
      return die;
    die = originOf(die);
  }
  return {};
}

static StringRef textOf(DWARFDie die, dwarf::Attribute attribute) {
  DWARFDie holder = holderOf(die, attribute);
  const char *text =
      holder ? dwarf::toString(holder.find(attribute), nullptr) : nullptr;
  return text ? text : StringRef();
}

static CType typeOf(DWARFDie die) {
  DWARFDie holder = holderOf(die, dwarf::DW_AT_type);
  return holder ? CTypeReader<DieNode>::read(DieNode(holder).base()) : CType();
}

/// True if `die` is the definition of the symbol `name`.
static bool defines(DWARFDie die, StringRef name) {
  if (!die || die.getTag() != dwarf::DW_TAG_subprogram ||
      (!die.find(dwarf::DW_AT_low_pc) && !die.find(dwarf::DW_AT_ranges)))
    return false;
  StringRef linked = textOf(die, dwarf::DW_AT_linkage_name);
  return (linked.empty() ? textOf(die, dwarf::DW_AT_name) : linked) == name;
}

static SourcePlace placeOfDie(DWARFDie die) {
  DWARFDie holder = holderOf(die, dwarf::DW_AT_decl_file);
  auto file = holder ? holder.find(dwarf::DW_AT_decl_file) : std::nullopt;
  auto line = holder ? holder.find(dwarf::DW_AT_decl_line) : std::nullopt;
  if (!file || !line)
    return {};
  // Also finds values that are stored in the abbreviation.
  DWARFUnit *unit = holder.getDwarfUnit();
  const auto *lines = unit->getContext().getLineTableForUnit(unit);
  SourcePlace place;
  const char *folder = unit->getCompilationDir();
  bool isNamed =
      lines &&
      lines->getFileNameByIndex(
          file->getRawUValue(), folder ? folder : "",
          DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, place.file);
  if (!isNamed)
    return {};
  place.line = unsigned(line->getRawUValue());
  return place;
}

static CPrototype prototypeOf(DWARFDie die, StringRef name) {
  CPrototype prototype;
  prototype.function = name.str();
  prototype.result = typeOf(die);
  prototype.place = placeOfDie(die);
  bool hasRest = false;
  for (DWARFDie child : die.children()) {
    hasRest |= child.getTag() == dwarf::DW_TAG_unspecified_parameters;
    if (child.getTag() == dwarf::DW_TAG_formal_parameter)
      prototype.parameters.push_back(
          {textOf(child, dwarf::DW_AT_name).str(), typeOf(child)});
  }
  // `f()` of old C has only the unspecified rest.
  prototype.isVariadic = hasRest && !prototype.parameters.empty();
  return prototype;
}

std::optional<CPrototype>
driver::prototypeFromDwarf(const object::ObjectFile &file, StringRef name,
                           std::optional<uint64_t> address) {
  auto ignore = [](Error error) { consumeError(std::move(error)); };
  std::unique_ptr<DWARFContext> context =
      DWARFContext::create(file, DWARFContext::ProcessDebugRelocations::Process,
                           nullptr, "", ignore, ignore);
  if (address) {
    DWARFDie die = context->getDIEsForAddress(*address).FunctionDIE;
    if (die && defines(die, name))
      return ::prototypeOf(die, name);
    return std::nullopt;
  }
  for (const std::unique_ptr<DWARFUnit> &unit : context->compile_units())
    for (const DWARFDebugInfoEntry &entry : unit->dies())
      if (DWARFDie die(unit.get(), &entry); defines(die, name))
        return ::prototypeOf(die, name);
  return std::nullopt;
}
