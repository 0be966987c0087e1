//===- ReadRecord.cpp - Reading the record of a run -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trusts nothing in the file: checks every number against what it counts or
// refers to, so that a damaged record is refused and never misread.
//
//===----------------------------------------------------------------------===//

#include "sluice/Runtime/Record/ReadRecord.h"

#include "RecordFormat.h"

#include "sluice/Base/Text.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;

std::string Record::nameOf(const RecordedStep &step) const {
  const RecordedGraph &graph = graphOf(step);
  const std::string launch = concat("launch ", launchOf(step).numBefore + 1,
                                    " of ", quoted(graph.name));
  switch (step.kind) {
  case RecordedStep::Launch:
    return launch;
  case RecordedStep::FirstUse:
    return concat("first values in ", launch);
  case RecordedStep::Rest:
    return concat("rest of ", launch);
  case RecordedStep::Node:
    break;
  }
  std::string name = graph.nodes[step.node].name;
  if (!step.isPoint || step.extents.empty())
    return name;
  name += " (";
  for (size_t i = 0; i < step.extents.size(); ++i)
    name += concat(i ? ", " : "", step.extents[i]);
  return name + ")";
}

uint64_t Record::numCut() const {
  uint64_t count = 0;
  for (const RecordedStep &step : steps)
    for (const RecordedChange &change : step.changes)
      count += change.content == RecordedChange::Cut;
  return count;
}

namespace {
class RecordReader {
public:
  explicit RecordReader(Record &record) : record(record) {}

  /// Returns false if the event is invalid.
  bool read(RecordEvent event, std::string_view content) {
    RecordDecoder in(content);
    switch (event) {
    case RecordEvent::Program:
      readProgram(in);
      break;
    case RecordEvent::Graph:
      readGraph(in);
      break;
    case RecordEvent::Launch:
      readLaunch(in);
      break;
    case RecordEvent::NodeBegin:
      readNodeBegin(in);
      break;
    case RecordEvent::NodeEnd:
      readNodeEnd(in);
      break;
    case RecordEvent::Changes:
      readChanges(in);
      break;
    case RecordEvent::LaunchEnd:
      readLaunchEnd(in);
      break;
    case RecordEvent::Note:
      record.notes.emplace_back(in.text());
      break;
    case RecordEvent::End:
      record.endsEarly = in.text();
      hasEnd = true;
      break;
    default:
      return false;
    }
    return in.isGood();
  }
  bool hasEnd = false;

private:
  RecordedLaunch *launch(RecordDecoder &in) {
    if (!isOpen) {
      in.fail();
      return nullptr;
    }
    return &record.launches.back();
  }

  void readProgram(RecordDecoder &in) {
    record.program = in.text();
    record.programHash = in.text();
    record.command = in.text();
    record.limit = in.number();
  }

  void readGraph(RecordDecoder &in) {
    RecordedGraph graph;
    graph.isTable = in.number() != 0;
    graph.name = in.text();
    graph.location = in.text();
    graph.codeHash = in.text();
    for (uint64_t left = in.count(); left; --left) {
      RecordedNode &node = graph.nodes.emplace_back();
      node.name = in.text();
      node.location = in.text();
    }
    for (uint64_t left = in.count(); left; --left) {
      uint32_t from = in.index(graph.nodes.size());
      graph.edges.push_back({from, in.index(graph.nodes.size())});
    }
    record.graphs.push_back(std::move(graph));
  }

  RecordedValue readValue(RecordDecoder &in, const RecordedLaunch &launch) {
    RecordedValue value;
    value.name = in.text();
    value.kind = static_cast<RecordedValue::Kind>(in.index(5));
    value.size = in.number();
    if (value.kind == RecordedValue::Bytes) {
      value.bytes = in.text();
      if (value.size > RecordedValue::maxBytes)
        value.hash = in.text();
      if (value.bytes.size() !=
          std::min<uint64_t>(value.size, RecordedValue::maxBytes))
        in.fail();
    } else if (value.kind == RecordedValue::Inside) {
      value.block = in.index(launch.blocks.size());
      value.offset = in.number();
    }
    return value;
  }
  void readValues(RecordDecoder &in, const RecordedLaunch &launch,
                  std::vector<RecordedValue> &values) {
    for (uint64_t left = in.count(); left; --left)
      values.push_back(readValue(in, launch));
  }

  void readChange(RecordDecoder &in, const RecordedLaunch &launch,
                  RecordedChange &change) {
    change.block = in.index(launch.blocks.size());
    uint64_t end = 0, total = 0;
    const uint64_t size =
        launch.blocks.empty() ? 0 : launch.blocks[change.block].size;
    for (uint64_t left = in.count(); left; --left) {
      RecordedRun run;
      const uint64_t gap = in.number();
      run.size = in.number();
      if (gap > size - end || run.size > size - end - gap || run.size == 0)
        return in.fail();
      run.offset = end + gap;
      end = run.offset + run.size;
      total += run.size;
      change.runs.push_back(run);
    }
    change.hash = in.text();
    change.content = static_cast<RecordedChange::Content>(in.index(3));
    change.bytes = in.text();
    const uint64_t expected = change.content == RecordedChange::Kept   ? total
                              : change.content == RecordedChange::Fill ? 1
                                                                       : 0;
    if (change.bytes.size() != expected)
      in.fail();
  }
  void readChanges(RecordDecoder &in, const RecordedLaunch &launch,
                   std::vector<RecordedChange> &changes) {
    for (uint64_t left = in.count(); left; --left)
      readChange(in, launch, changes.emplace_back());
  }

  uint32_t launchIndex() const {
    return static_cast<uint32_t>(record.launches.size() - 1);
  }

  void readLaunch(RecordDecoder &in) {
    if (isOpen)
      return in.fail();
    RecordedLaunch launch;
    launch.graph = in.index(record.graphs.size());
    launch.numBefore = in.number();
    for (uint64_t left = in.count(); left; --left) {
      RecordedBlock &block = launch.blocks.emplace_back();
      block.name = in.text();
      block.type = in.text();
      block.address = in.number();
      block.size = in.number();
      block.access = static_cast<uint32_t>(in.number());
      if (block.size > UINT64_MAX - block.address)
        return in.fail();
    }
    readValues(in, launch, launch.arguments);
    RecordedStep step;
    step.kind = RecordedStep::Launch;
    readChanges(in, launch, step.changes);
    if (!in.isGood())
      return in.fail();
    record.launches.push_back(std::move(launch));
    step.launch = launchIndex();
    record.steps.push_back(std::move(step));
    isOpen = true;
  }

  void readNodeBegin(RecordDecoder &in) {
    const RecordedLaunch *open = launch(in);
    if (!open || inNode)
      return in.fail();
    RecordedStep step;
    step.kind = RecordedStep::Node;
    step.launch = launchIndex();
    step.node = in.index(record.graphs[open->graph].nodes.size());
    step.isPoint = in.number() != 0;
    for (uint64_t left = in.count(); left; --left)
      step.extents.push_back(in.signedNumber());
    readValues(in, *open, step.inputs);
    step.hasEnded = false;
    if (!in.isGood())
      return in.fail();
    record.steps.push_back(std::move(step));
    inNode = true;
  }

  void readNodeEnd(RecordDecoder &in) {
    const RecordedLaunch *open = launch(in);
    if (!open || !inNode)
      return in.fail();
    RecordedStep &step = record.steps.back();
    readValues(in, *open, step.outputs);
    readChanges(in, *open, step.changes);
    step.verification = static_cast<RecordedStep::Verification>(in.index(4));
    step.finding = in.text();
    step.error = in.text();
    step.hasEnded = true;
    inNode = false;
  }

  /// Within a node: changes before the node runs.
  void readChanges(RecordDecoder &in) {
    const RecordedLaunch *open = launch(in);
    if (!open)
      return;
    RecordedStep step;
    step.kind = in.index(2) ? RecordedStep::Rest : RecordedStep::FirstUse;
    step.launch = launchIndex();
    readChanges(in, *open, step.changes);
    record.steps.insert(record.steps.end() - inNode, std::move(step));
  }

  void readLaunchEnd(RecordDecoder &in) {
    RecordedLaunch *open = launch(in);
    if (!open || inNode)
      return in.fail();
    readValues(in, *open, open->results);
    open->error = in.text();
    open->hasEnded = true;
    isOpen = false;
  }

  Record &record;
  bool isOpen = false, inNode = false;
};
} // namespace

static Result<std::string> readFile(const std::string &path) {
  auto failed = [&] {
    return Status::error(
        StatusCode::System,
        concat("cannot read ", quoted(path), ": ", systemErrorText(errno)));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failed();
  std::string content;
  struct stat info;
  if (::fstat(file, &info) == 0 && info.st_size > 0)
    content.reserve(static_cast<size_t>(info.st_size));
  std::string part(1 << 16, 0);
  ssize_t count;
  while ((count = ::read(file, part.data(), part.size())) != 0) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      Status status = failed();
      ::close(file);
      return status;
    }
    content.append(part.data(), static_cast<size_t>(count));
  }
  ::close(file);
  return content;
}

Result<std::unique_ptr<Record>> sluice::readRecord(const std::string &path) {
  auto record = std::make_unique<Record>();
  struct stat info;
  const bool isFolder =
      ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  record->path = isFolder ? concat(path, "/", recordFileName) : path;
  if (isFolder && ::stat(record->path.c_str(), &info) != 0 && errno == ENOENT)
    return Status::invalidArgument(
        concat(quoted(path), " holds no record: SLUICE_RECORD=", path,
               " makes one of a program that runs"));
  Result<std::string> file = readFile(record->path);
  if (!file.ok())
    return file.takeStatus();
  record->file = std::move(*file);
  const std::string_view all = record->file;
  if (!all.starts_with(recordMark))
    return Status::invalidArgument(concat(
        quoted(record->path),
        all.starts_with("sluice-record ")
            ? " is a record of another version of Sluice"
            : " is no record: SLUICE_RECORD=DIR makes one of a program that "
              "runs"));
  auto damaged = [&](size_t at) {
    return Status::invalidArgument(
        concat(quoted(record->path), " is damaged at byte ", at));
  };
  RecordReader reader(*record);
  size_t at = recordMark.size();
  while (at != all.size()) {
    RecordHead head;
    if (all.size() - at < sizeof head)
      break;
    std::memcpy(&head, all.data() + at, sizeof head);
    if (head.check != RecordHead::checkOf(head.event, head.size))
      return damaged(at);
    // An event that the program was writing when it ended may be incomplete.
    if (head.size > all.size() - at - sizeof head)
      break;
    const std::string_view content = all.substr(at + sizeof head, head.size);
    const RecordHead expected =
        RecordHead::of(static_cast<RecordEvent>(head.event), content);
    if (reader.hasEnd || std::memcmp(&head, &expected, sizeof head) != 0 ||
        !reader.read(static_cast<RecordEvent>(head.event), content))
      return damaged(at);
    at += sizeof head + head.size;
  }
  if (!reader.hasEnd)
    record->endsEarly =
        record->steps.empty() || record->steps.back().hasEnded
            ? "the program was ended from outside, or ended itself at once"
            : concat("the program ended in ",
                     record->nameOf(record->steps.back()));
  return record;
}
