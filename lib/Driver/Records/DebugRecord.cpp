//===- DebugRecord.cpp - Stepping through a recorded run ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Driver/DebugRecord.h"
#include "RecordTexts.h"
#include "sluice/Base/Text.h"
#include "sluice/Runtime/Record/CompareRecords.h"
#include "sluice/Runtime/Record/RecordHistory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

#include <iostream>
#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

std::string driver::extentsText(const RecordedStep &step) {
  if (step.isPoint)
    return {};
  std::vector<std::string> levels;
  for (size_t level = 0; level + 2 < step.extents.size(); level += 3) {
    // Unused dimensions are 1.
    size_t rank = 3;
    while (rank > 1 && step.extents[level + rank - 1] == 1)
      --rank;
    std::string &text = levels.emplace_back();
    for (size_t i = 0; i < rank; ++i)
      text += concat(i ? " x " : "", step.extents[level + i]);
  }
  if (levels.empty())
    return {};
  // The instances of a replicated node are groups.
  std::string inner = std::move(levels.back());
  levels.pop_back();
  return levels.empty() ? concat("[", inner, "]")
                        : concat("[", join(levels, " x "), " groups of ", inner,
                                 " instances]");
}

std::string driver::locationOf(const Record &record, const RecordedStep &step) {
  const RecordedGraph &graph = record.graphOf(step);
  return step.kind == RecordedStep::Node ? graph.nodes[step.node].location
                                         : graph.location;
}

std::vector<std::string> driver::remarksOn(const Record &record) {
  std::vector<std::string> remarks = record.notes;
  if (uint64_t count = record.numCut())
    remarks.push_back(
        concat("contents of ", countOf(count, "change", "changes"),
               " were not kept, beyond ", record.limit,
               " bytes (SLUICE_RECORD_BYTES): their places and hashes were"));
  if (!record.endsEarly.empty())
    remarks.push_back(concat("the record ends early: ", record.endsEarly));
  return remarks;
}

static std::string changeText(const RecordedLaunch &launch,
                              const RecordedChange &change) {
  const RecordedBlock &block = launch.blocks[change.block];
  const uint64_t count = change.numBytes();
  const RecordedRun &first = change.runs.front(), &last = change.runs.back();
  std::string text = concat("changed ", quoted(block.name), ": ");
  text +=
      count == block.size
          ? concat("all of its ", countOf(count, "byte", "bytes"))
          : concat(countOf(count, "byte", "bytes"), " between ", first.offset,
                   " and ", last.offset + last.size, " of ", block.size);
  if (change.content == RecordedChange::Fill)
    text += concat(", each of them ",
                   int(static_cast<unsigned char>(change.bytes[0])));
  else if (change.content == RecordedChange::Cut)
    text += ", contents not kept";
  return text;
}

std::string RecordDebugger::writerText(uint32_t step) const {
  const RecordedStep &one = record.steps[step];
  const std::string location = locationOf(record, one);
  const std::string place = location.empty() ? "" : concat(" (", location, ")");
  switch (one.kind) {
  case RecordedStep::Launch:
    return concat("step ", step + 1, " by the host program, before ",
                  record.nameOf(one));
  case RecordedStep::FirstUse:
    return concat("step ", step + 1, ", ", record.nameOf(one));
  case RecordedStep::Rest:
    return concat("step ", step + 1, " by some node of launch ",
                  record.launchOf(one).numBefore + 1, " of ",
                  quoted(record.graphOf(one).name),
                  " that was not given it to write");
  case RecordedStep::Node:
    break;
  }
  return concat("step ", step + 1, " by ", quoted(record.nameOf(one)), place,
                " in launch ", record.launchOf(one).numBefore + 1);
}

//===----------------------------------------------------------------------===//
// Showing
//===----------------------------------------------------------------------===//

void RecordDebugger::printHead() const {
  os << record.program << ": " << countOf(record.steps.size(), "step", "steps")
     << ", " << countOf(record.launches.size(), "launch", "launches") << '\n';
  for (const std::string &remark : remarksOn(record))
    os << "note: " << remark << '\n';
}

void RecordDebugger::printLine(uint32_t step) const {
  const RecordedStep &one = record.steps[step];
  const RecordedLaunch &launch = record.launchOf(one);
  os << (step == current ? '>' : ' ') << format("%6u  ", step + 1)
     << (one.kind == RecordedStep::Node ? "  " : "") << record.nameOf(one);
  const std::string extents = extentsText(one);
  if (!extents.empty())
    os << ' ' << extents;
  for (const auto &[number, change] : enumerate(one.changes))
    os << (number ? ", " : "  -> ") << launch.blocks[change.block].name << " ("
       << countOf(change.numBytes(), "byte", "bytes") << ')';
  if (!one.hasEnded)
    os << "  did not end";
  else if (!one.error.empty())
    os << "  failed";
  if (one.verification == RecordedStep::Differs)
    os << "  not deterministic";
  os << '\n';
}

void RecordDebugger::list(StringRef part) const {
  for (uint32_t i = 0; i < record.steps.size(); ++i)
    if (StringRef(record.nameOf(record.steps[i])).contains(part))
      printLine(i);
}

static void printAll(raw_ostream &os, StringRef head,
                     const std::vector<RecordedValue> &values,
                     const RecordedLaunch &launch) {
  for (const RecordedValue &value : values)
    os << "  " << head << value.name << " = " << textOf(value, launch) << '\n';
}

void RecordDebugger::printValues() const {
  const RecordedStep &one = record.steps[current];
  const RecordedLaunch &launch = record.launchOf(one);
  if (one.kind == RecordedStep::Launch) {
    printAll(os, "given  ", launch.arguments, launch);
    printAll(os, "result ", launch.results, launch);
    return;
  }
  printAll(os, "in   ", one.inputs, launch);
  printAll(os, "out  ", one.outputs, launch);
}

void RecordDebugger::printStep() const {
  const RecordedStep &one = record.steps[current];
  const RecordedLaunch &launch = record.launchOf(one);
  const std::string location = locationOf(record, one);
  os << "step " << current + 1 << " of " << record.steps.size() << ": "
     << record.nameOf(one);
  const std::string extents = extentsText(one);
  if (!extents.empty())
    os << ' ' << extents;
  if (!location.empty())
    os << " at " << location;
  if (one.kind == RecordedStep::Node)
    os << ", launch " << launch.numBefore + 1 << " of "
       << quoted(record.graphOf(one).name);
  os << '\n';
  printValues();
  for (const RecordedChange &change : one.changes)
    os << "  " << changeText(launch, change) << '\n';
  if (one.changes.empty() && one.hasEnded && one.kind == RecordedStep::Node)
    os << "  changed nothing\n";
  if (one.verification == RecordedStep::Same)
    os << "  run twice, with the same result\n";
  else if (one.verification == RecordedStep::Differs)
    os << "  not deterministic: " << one.finding << '\n';
  else if (one.verification == RecordedStep::Refused)
    os << "  was not run twice: " << one.finding << '\n';
  if (!one.hasEnded)
    os << "  did not end\n";
  if (!one.error.empty())
    os << "  failed: " << one.error << '\n';
  if (one.kind == RecordedStep::Launch && !launch.error.empty())
    os << "  failed: " << launch.error << '\n';
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

Error RecordDebugger::move(StringRef words, int direction) {
  uint32_t count = 1;
  if (!words.empty() && (!to_integer(words, count, /*Base=*/10) || !count))
    return createStringError("'" + words + "' is no number of steps");
  const uint32_t last = static_cast<uint32_t>(record.steps.size() - 1);
  if (direction > 0 && current == last)
    return createStringError("this is the last step");
  if (direction < 0 && current == 0)
    return createStringError("this is the first step");
  if (direction > 0)
    current += std::min(count, last - current);
  else
    current -= std::min(count, current);
  printStep();
  return Error::success();
}

Error RecordDebugger::go(StringRef where) {
  uint32_t number;
  if (where == "first" || where == "last") {
    current = where == "first" ? 0 : uint32_t(record.steps.size() - 1);
    return Error::success();
  }
  if (to_integer(where, number, /*Base=*/10)) {
    if (number == 0 || number > record.steps.size())
      return createStringError("there is no step " + Twine(number) +
                               ": they go from 1 to " +
                               Twine(record.steps.size()));
    current = number - 1;
    return Error::success();
  }
  // The next step with that name, continuing at the start of the record.
  const size_t count = record.steps.size();
  for (bool isExact : {true, false})
    for (size_t i = 1; i <= count; ++i) {
      const auto step = static_cast<uint32_t>((current + i) % count);
      const std::string name = record.nameOf(record.steps[step]);
      if (isExact ? name == where : StringRef(name).contains(where)) {
        current = step;
        return Error::success();
      }
    }
  return createStringError("no step is called '" + where + "'");
}

Error RecordDebugger::differs() {
  bool wasTried = false;
  for (uint32_t i = 0; i < record.steps.size(); ++i) {
    const RecordedStep &one = record.steps[i];
    wasTried |= one.verification != RecordedStep::NotTried;
    if (one.verification != RecordedStep::Differs)
      continue;
    printLine(i);
    os << "          " << one.finding << '\n';
  }
  if (!wasTried)
    return createStringError("nodes were not run twice: SLUICE_RECORD_VERIFY=1 "
                             "does that, and two records can be compared");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void addPlaces(const std::vector<RecordedValue> &values,
                      const RecordedLaunch &launch, StringRef name,
                      std::optional<std::pair<uint32_t, uint64_t>> &found) {
  for (const RecordedValue &value : values)
    if (!found && value.kind == RecordedValue::Inside && value.name == name)
      found = {value.block, value.offset};
}

/// Names are those of the node's inputs, of the graph's arguments and of
/// blocks, in this launch or in the last launch before it that has the name.
Expected<RecordDebugger::Place> RecordDebugger::find(StringRef name) const {
  std::set<std::string> known;
  for (uint32_t i = current + 1; i-- > 0;) {
    const RecordedStep &one = record.steps[i];
    const RecordedLaunch &launch = record.launchOf(one);
    std::optional<std::pair<uint32_t, uint64_t>> found;
    if (i == current)
      addPlaces(one.inputs, launch, name, found);
    addPlaces(launch.arguments, launch, name, found);
    for (uint32_t block = 0; block < launch.blocks.size(); ++block) {
      if (!found && launch.blocks[block].name == name)
        found = {block, 0};
      known.insert(launch.blocks[block].name);
    }
    if (!found)
      continue;
    const RecordedBlock &block = launch.blocks[found->first];
    return Place{name.str(), block.address + found->second,
                 block.size - std::min(found->second, block.size), block.type};
  }
  return createStringError(
      "no memory is called '" + name + "' up to here" +
      (known.empty() ? "" : "; there is " + join(known, ", ")));
}

/// "X", "X+12", "X[3]", "X[3:7]", each optionally followed by " as f32".
Expected<RecordDebugger::Place>
RecordDebugger::parse(StringRef text, uint64_t defaultCount) const {
  auto [what, type] = text.split(" as ");
  what = what.trim();
  type = type.trim();
  type = StringSwitch<StringRef>(type)
             .Cases({"float", "float32"}, "f32")
             .Cases({"double", "float64"}, "f64")
             .Case("int", "i32")
             .Case("long", "i64")
             .Cases({"hex", "bytes"}, "x8")
             .Default(type);
  if (!type.empty() && !sizeOfType(type.str()))
    return createStringError("'" + type +
                             "' is no type, expected i8, i16, i32, i64, u8 to "
                             "u64, f32, f64 or hex");
  StringRef name = what, range, offset;
  if (what.ends_with("]"))
    std::tie(name, range) = what.drop_back().rsplit('[');
  else if (what.contains('+'))
    std::tie(name, offset) = what.rsplit('+');
  Expected<Place> place = find(name.trim());
  if (!place)
    return place;
  if (!type.empty())
    place->type = type.str();
  else if (!offset.empty())
    place->type.clear();
  const uint64_t size =
      place->type.empty() ? 1 : std::max<uint64_t>(1, sizeOfType(place->type));
  uint64_t first = 0, end = 0;
  if (!offset.empty()) {
    if (!to_integer(offset.trim(), place->offset, /*Base=*/0))
      return createStringError("'" + offset + "' is no offset in bytes");
    end = defaultCount;
  } else if (!range.empty()) {
    auto [from, to] = range.split(':');
    if (!to_integer(from.trim(), first, /*Base=*/10) ||
        (range.contains(':') && !to_integer(to.trim(), end, /*Base=*/10)))
      return createStringError("'[" + range +
                               "]' is no range, expected [I] or [I:J]");
    end = range.contains(':') ? end : first + 1;
    if (end < first || first > UINT64_MAX / size || end > UINT64_MAX / size)
      return createStringError("'[" + range + "]' is no range of elements");
    place->offset = first * size;
    end -= first;
  } else {
    end = defaultCount;
  }
  if (place->offset >= place->room)
    return createStringError("byte " + Twine(place->offset) + " is beyond '" +
                             name.trim() + "', which has " +
                             Twine(place->room) + " bytes");
  place->size = std::min(end * size, place->room - place->offset);
  return place;
}

static std::string textOfBytes(ArrayRef<RecordedByte> bytes, StringRef type) {
  std::string known;
  for (const RecordedByte &byte : bytes)
    if (byte.value >= 0)
      known += static_cast<char>(byte.value);
  return known.size() == bytes.size() ? numberText(known, type.str()) : "?";
}

Error RecordDebugger::memory(StringRef text) {
  Expected<Place> place = parse(text, 16);
  if (!place)
    return place.takeError();
  const std::string type = place->type.empty() ? "x8" : place->type;
  const uint64_t size = sizeOfType(type), perLine = type == "x8" ? 16 : 4;
  constexpr uint64_t most = 1 << 20;
  const bool isCut = place->size > most;
  const std::vector<RecordedByte> bytes =
      memoryAfter(record, current, place->address + place->offset,
                  std::min(place->size, most) / size * size);
  os << quoted(place->name) << " as " << (type == "x8" ? "hex" : type)
     << " after step " << current + 1 << " (* changed in it, ? not known)\n";
  for (size_t i = 0; i < bytes.size(); i += size) {
    const uint64_t index = (place->offset + i) / size;
    if (i / size % perLine == 0)
      os << (i ? "\n" : "") << format("%8llu:", (unsigned long long)index);
    ArrayRef<RecordedByte> element = ArrayRef(bytes).slice(i, size);
    const bool isNew = any_of(element, [&](const RecordedByte &byte) {
      return byte.step == current;
    });
    os << ' ' << textOfBytes(element, type) << (isNew ? "*" : "");
  }
  os << '\n';
  if (isCut)
    os << "(the first " << most << " bytes)\n";
  return Error::success();
}

Error RecordDebugger::who(StringRef text) {
  Expected<Place> place = parse(text, 1);
  if (!place)
    return place.takeError();
  const uint64_t address = place->address + place->offset;
  const std::vector<RecordedByte> bytes =
      memoryAfter(record, current, address, place->size);
  std::set<uint32_t> steps;
  for (const RecordedByte &byte : bytes)
    steps.insert(byte.step);
  const std::string what = place->size == 1
                               ? concat("byte ", place->offset)
                               : concat("bytes ", place->offset, " to ",
                                        place->offset + place->size - 1);
  const std::string type =
      place->size == 1 && place->type.empty() ? "u8" : place->type;
  os << what << " of " << quoted(place->name) << " after step " << current + 1
     << ": " << textOfBytes(bytes, type) << '\n';
  steps.erase(Record::none);
  if (steps.empty())
    os << "  no launch was given it up to here\n";
  // For an element, the last step that changed any of its bytes counts.
  if (!steps.empty()) {
    const uint32_t step = *steps.rbegin();
    os << "  changed in " << writerText(step);
    if (step) {
      const std::vector<RecordedByte> before =
          memoryAfter(record, step - 1, address, place->size);
      const std::vector<RecordedByte> after =
          memoryAfter(record, step, address, place->size);
      os << ": " << textOfBytes(before, type) << " -> "
         << textOfBytes(after, type);
    }
    os << '\n';
  }
  const std::vector<uint32_t> silent = silentWriters(
      record, steps.empty() ? Record::none : *steps.rbegin(), current, address);
  for (uint32_t step : ArrayRef(silent).take_front(5))
    os << "  left as it was in " << writerText(step)
       << ", which may write it\n";
  if (silent.size() > 5)
    os << "  and in " << silent.size() - 5 << " steps more\n";
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static constexpr StringLiteral helpText =
    R"(next [N], back [N]    go N steps on, or back (n, b)
go N|NAME|first|last  go to a step, or to the next one of that name (node)
list [TEXT]           list the steps, or those with TEXT in their names
where                 show the step again: values, and what it changed
values                show what it was given, and delivered
memory X[I:J] as T    show memory after the step; X and X+OFFSET, too
who X+OFFSET          say who changed a byte last; X[I] as T for an element
differs               list the nodes that are not deterministic
notes                 say what is recorded, and what is not
quit                  end (q)
An empty line repeats the command before. T is i8 to i64, u8 to u64, f32, f64
or hex.
)";

Error RecordDebugger::run(StringRef line) {
  auto [command, words] = line.trim().split(' ');
  words = words.trim();
  if (record.steps.empty() && command != "notes" && command != "quit" &&
      command != "q" && command != "help")
    return createStringError("no graph was launched: there are no steps");
  if (command == "next" || command == "n")
    return move(words, 1);
  if (command == "back" || command == "b")
    return move(words, -1);
  if (command == "go" || command == "node") {
    if (Error error = go(words))
      return error;
    printStep();
  } else if (command == "list") {
    list(words);
  } else if (command == "where") {
    printStep();
  } else if (command == "values") {
    printValues();
  } else if (command == "memory" || command == "who") {
    if (words.empty())
      return createStringError("'" + command + "' needs the name of memory");
    return command == "who" ? who(words) : memory(words);
  } else if (command == "differs") {
    return differs();
  } else if (command == "notes") {
    printHead();
  } else if (command == "help") {
    os << helpText;
  } else if (command == "quit" || command == "q") {
    isQuitting = true;
  } else {
    return createStringError("unknown command '" + command +
                             "'; 'help' lists them");
  }
  return Error::success();
}

bool driver::debugRecord(RecordDebugger &debugger, bool isTerminal,
                         raw_ostream &os) {
  bool isGood = true;
  std::string line, last;
  while (!debugger.hasQuit()) {
    if (isTerminal)
      os << "(step " << debugger.step() + 1 << ") ";
    os.flush();
    if (!std::getline(std::cin, line))
      break;
    // At a terminal, an empty line repeats the last command.
    if (StringRef(line).trim().empty()) {
      if (!isTerminal || last.empty())
        continue;
      line = last;
    }
    if (Error error = debugger.run(line)) {
      os << "error: " << toString(std::move(error)) << '\n';
      isGood = false;
    }
    last = line;
  }
  return isGood;
}
