//===- Faults.cpp - Deliberate failures -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses SLUICE_DEVICE_FAULTS and counts operations against its rules.
//
//===----------------------------------------------------------------------===//

#include "Faults.h"

#include "sluice/Base/Text.h"

#include <charconv>

using namespace sluice;
using namespace sluice::device;

static constexpr std::array<std::string_view, numFaultKinds> kindNames = {
    "allocate", "pin",  "write", "read", "copy",
    "launch",   "load", "wait",  "lost"};

static Status wrongFault(std::string_view text, const char *expected) {
  return Status::invalidArgument(concat("SLUICE_DEVICE_FAULTS has ",
                                        quoted(text), ", expected ", expected,
                                        " as in 'launch:3,write:1+'"));
}

static Result<FaultRule> parseFault(std::string_view text) {
  FaultRule rule;
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  size_t kind = 0;
  while (kind != numFaultKinds && kindNames[kind] != name)
    ++kind;
  if (kind == numFaultKinds)
    return wrongFault(text, "one of allocate, pin, write, read, copy, launch, "
                            "load, wait and lost, and a number,");
  rule.kind = FaultKind(kind);
  std::string_view count =
      colon == std::string_view::npos ? "" : text.substr(colon + 1);
  bool isOpen = count.ends_with('+');
  if (isOpen)
    count.remove_suffix(1);
  const char *end = count.data() + count.size();
  auto [rest, error] = std::from_chars(count.data(), end, rule.first);
  if (count.empty() || error != std::errc() || rest != end || rule.first == 0)
    return wrongFault(text, "a colon and a number from 1 after the kind,");
  if (isOpen && rule.kind == FaultKind::Lost)
    return wrongFault(text, "no '+' after 'lost', which is for ever,");
  rule.last = isOpen ? UINT64_MAX : rule.first;
  return rule;
}

Result<std::vector<FaultRule>> device::parseFaults(std::string_view text) {
  std::vector<FaultRule> rules;
  while (true) {
    size_t comma = text.find(',');
    Result<FaultRule> rule = parseFault(text.substr(0, comma));
    if (!rule.ok())
      return rule.takeStatus();
    rules.push_back(*rule);
    if (comma == std::string_view::npos)
      return rules;
    text.remove_prefix(comma + 1);
  }
}

Status Faults::lostError() const {
  return Status::error(StatusCode::System,
                       "the device was lost (SLUICE_DEVICE_FAULTS)");
}

Status Faults::next(FaultKind kind) {
  auto count = [&](FaultKind counted) {
    return counters[unsigned(counted)].fetch_add(1) + 1;
  };
  if (isLost())
    return lostError();
  uint64_t number = count(kind);
  uint64_t operation = kind == FaultKind::Wait ? 0 : count(FaultKind::Lost);
  for (const FaultRule &rule : rules) {
    if (rule.kind == FaultKind::Lost && rule.first == operation) {
      lost.store(true, std::memory_order_relaxed);
      return lostError();
    }
    if (rule.kind == kind && number >= rule.first && number <= rule.last)
      return Status::error(kind == FaultKind::Allocate || kind == FaultKind::Pin
                               ? StatusCode::Exhausted
                               : StatusCode::System,
                           concat(kindNames[unsigned(kind)], " ", number,
                                  " fails on purpose (SLUICE_DEVICE_FAULTS)"));
  }
  return {};
}
