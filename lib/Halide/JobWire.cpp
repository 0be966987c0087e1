//===- JobWire.cpp - Records between a job's two processes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JobWire.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

using namespace sluice::halide;

static bool sendBytes(int file, const void *bytes, size_t size) {
  auto *next = static_cast<const char *>(bytes);
  while (size) {
    ssize_t count = send(file, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    next += count;
    size -= count;
  }
  return true;
}

static bool receiveBytes(int file, void *bytes, size_t size) {
  auto *next = static_cast<char *>(bytes);
  while (size) {
    ssize_t count = read(file, next, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    next += count;
    size -= count;
  }
  return true;
}

bool sluice::halide::sendRecord(int file, const Record &record) {
  std::string text;
  auto addNumber = [&](uint64_t number) {
    text.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  addNumber(record.size());
  for (const std::string &field : record) {
    addNumber(field.size());
    text += field;
  }
  return sendBytes(file, text.data(), text.size());
}

bool sluice::halide::receiveRecord(int file, Record &record) {
  uint64_t count = 0;
  if (!receiveBytes(file, &count, sizeof count))
    return false;
  record.clear();
  while (count--) {
    uint64_t size = 0;
    if (!receiveBytes(file, &size, sizeof size))
      return false;
    std::string field(size, '\0');
    if (!receiveBytes(file, field.data(), size))
      return false;
    record.push_back(std::move(field));
  }
  return true;
}

Record sluice::halide::encode(const Description &description,
                              const RequestError &problem, bool isFine) {
  Record record{isFine ? "1" : "0",
                problem.parameter,
                problem.text,
                std::to_string(description.arguments.size()),
                std::to_string(description.parameters.size()),
                std::to_string(description.violations.size()),
                std::to_string(description.inputs.size())};
  for (const ArgumentInfo &info : description.arguments)
    record.insert(record.end(),
                  {info.name, std::to_string(int(info.kind)),
                   std::to_string(int(info.code)), std::to_string(info.bits),
                   std::to_string(info.dimensions),
                   std::to_string(info.innermostStride)});
  for (const ParameterInfo &info : description.parameters)
    record.insert(record.end(),
                  {info.name, info.value, info.isTunable ? "1" : "0",
                   info.isInput ? "1" : "0"});
  for (const Violation &violation : description.violations) {
    record.push_back(violation.error);
    record.push_back(std::to_string(violation.details.size()));
    record.insert(record.end(), violation.details.begin(),
                  violation.details.end());
  }
  record.insert(record.end(), description.inputs.begin(),
                description.inputs.end());
  return record;
}

namespace {
/// Takes one field after the other; fields after the end are empty.
class Fields {
public:
  explicit Fields(const Record &record) : record(record) {}
  std::string text() {
    isWhole &= next < record.size();
    return next < record.size() ? record[next++] : std::string();
  }
  long number() { return strtol(text().c_str(), nullptr, 10); }
  bool isComplete() const { return isWhole && next == record.size(); }
  size_t left() const { return record.size() - next; }

private:
  const Record &record;
  size_t next = 0;
  bool isWhole = true;
};
} // namespace

static ArgumentInfo takeArgument(Fields &fields) {
  ArgumentInfo info;
  info.name = fields.text();
  info.kind = static_cast<ArgumentInfo::Kind>(fields.number());
  info.code = static_cast<ArgumentInfo::Code>(fields.number());
  info.bits = fields.number();
  info.dimensions = fields.number();
  info.innermostStride = fields.number();
  return info;
}

static ParameterInfo takeParameter(Fields &fields) {
  ParameterInfo info;
  info.name = fields.text();
  info.value = fields.text();
  info.isTunable = fields.text() == "1";
  info.isInput = fields.text() == "1";
  return info;
}

static Violation takeViolation(Fields &fields) {
  Violation violation;
  violation.error = fields.text();
  for (size_t count = fields.number(); count && fields.left(); --count)
    violation.details.push_back(fields.text());
  return violation;
}

bool sluice::halide::decode(const Record &record, Description &description,
                            RequestError &problem, bool &isFine) {
  Fields fields(record);
  isFine = fields.text() == "1";
  problem.parameter = fields.text();
  problem.text = fields.text();
  size_t arguments = fields.number(), parameters = fields.number(),
         violations = fields.number(), inputs = fields.number();
  description = {};
  for (; arguments && fields.left(); --arguments)
    description.arguments.push_back(takeArgument(fields));
  for (; parameters && fields.left(); --parameters)
    description.parameters.push_back(takeParameter(fields));
  for (; violations && fields.left(); --violations)
    description.violations.push_back(takeViolation(fields));
  for (; inputs && fields.left(); --inputs)
    description.inputs.push_back(fields.text());
  return fields.isComplete() && !arguments && !parameters && !violations &&
         !inputs;
}
