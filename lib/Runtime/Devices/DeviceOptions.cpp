//===- DeviceOptions.cpp - Settings of devices and placement --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the environment strictly: with a slightly wrong name, a program would
// silently run somewhere else.
//
//===----------------------------------------------------------------------===//

#include "DeviceOptions.h"

#include "sluice/Base/Text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

using namespace sluice;

static std::string_view setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : std::string_view();
}

/// Accepts only digits; nothing if there are other characters or too many
/// digits.
static std::optional<uint64_t> readDigits(std::string_view text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

bool sluice::isDeviceName(std::string_view name) {
  for (std::string_view kind : {"opencl", "cuda"}) {
    if (!name.starts_with(kind))
      continue;
    std::string_view rest = name.substr(kind.size());
    if (rest.empty())
      return true;
    return rest.front() == ':' && rest.size() <= 5 &&
           readDigits(rest.substr(1));
  }
  return false;
}

static std::vector<std::string> splitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos)
      return parts;
    text.remove_prefix(comma + 1);
  }
}

//===----------------------------------------------------------------------===//
// Policies
//===----------------------------------------------------------------------===//

static Status checkPlace(std::string_view place, std::string_view text) {
  if (place == "host" || place == "device" || isDeviceName(place))
    return {};
  return Status::invalidArgument(
      concat(quoted(text), " names the place ", quoted(place),
             ", expected 'host', 'device', or a device as 'opencl:0'"));
}

static Status readPlaces(std::string_view list, std::string_view text,
                         PlacementRule &rule) {
  rule.places = splitAtCommas(list);
  for (const std::string &place : rule.places)
    if (Status status = checkPlace(place, text); !status.ok())
      return status;
  return {};
}

Result<PlacementRule> PlacementRule::parse(std::string_view text) {
  PlacementRule rule;
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  std::optional<std::string_view> rest;
  if (colon != std::string_view::npos)
    rest = text.substr(colon + 1);
  if (name == "constant" && rest && rest->find(',') == rest->npos) {
    rule.policy = PlacementPolicy::Constant;
    if (Status status = readPlaces(*rest, text, rule); !status.ok())
      return status;
    return rule;
  }
  if (name == "iteration") {
    rule.policy = PlacementPolicy::Iteration;
    if (Status status = rest ? readPlaces(*rest, text, rule) : Status();
        !status.ok())
      return status;
    return rule;
  }
  if (name == "history" && (!rest || *rest == "off")) {
    rule.policy = PlacementPolicy::History;
    rule.keepsTimes = !rest;
    return rule;
  }
  if (text == "node" || text == "status" || text == "default") {
    rule.policy = text == "node"     ? PlacementPolicy::Node
                  : text == "status" ? PlacementPolicy::Status
                                     : PlacementPolicy::Default;
    return rule;
  }
  return Status::invalidArgument(concat(
      quoted(text),
      " is no policy, expected 'default', 'node', 'status', 'history', "
      "'history:off', 'constant:PLACE', 'iteration' or "
      "'iteration:PLACE,PLACE...', where a place is 'host', 'device', or a "
      "device as 'opencl:0'"));
}

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

static Status readDevices(DeviceOptions &options) {
  std::string_view text = setting("SLUICE_DEVICE");
  if (text.empty() || text == "auto")
    return {};
  options.hostOnly = text == "host";
  if (options.hostOnly)
    return {};
  options.names = splitAtCommas(text);
  for (const std::string &name : options.names) {
    if (!isDeviceName(name))
      return Status::invalidArgument(concat(
          "SLUICE_DEVICE is ", quoted(text), ", where ", quoted(name),
          " is no device; expected 'auto', 'host', or devices separated by "
          "commas: 'opencl', 'opencl:N', 'cuda' or 'cuda:N', which 'sluice "
          "devices' lists"));
    if (std::count(options.names.begin(), options.names.end(), name) > 1)
      return Status::invalidArgument(concat("SLUICE_DEVICE is ", quoted(text),
                                            ", which names ", quoted(name),
                                            " twice"));
  }
  return {};
}

/// "512M": a number, optionally with K, M or G for powers of 1024.
std::optional<uint64_t> sluice::readBytes(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    size_t unit = std::string_view("KMG").find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(unit + 1);
      text.remove_suffix(1);
    }
  }
  std::optional<uint64_t> number = readDigits(text);
  if (!number || *number == 0 || *number > (INT64_MAX >> shift))
    return std::nullopt;
  return *number << shift;
}

Status DeviceOptions::readEnvironment() {
  if (Status status = readDevices(*this); !status.ok())
    return status;
  std::string_view text = setting("SLUICE_PLACEMENT");
  if (!text.empty()) {
    Result<PlacementRule> rule = PlacementRule::parse(text);
    if (!rule.ok())
      return Status::invalidArgument(
          concat("SLUICE_PLACEMENT: ", rule.status().message()));
    placement = std::move(*rule);
  }
  std::string_view shared = setting("SLUICE_SHARE");
  if (!shared.empty() && shared != "0" && shared != "1")
    return Status::invalidArgument(
        concat("SLUICE_SHARE is ", quoted(shared), ", expected 0 or 1"));
  share = shared == "1";
  std::string_view bytes = setting("SLUICE_DEVICE_MEMORY");
  if (bytes.empty())
    return {};
  std::optional<uint64_t> number = readBytes(bytes);
  if (!number)
    return Status::invalidArgument(
        concat("SLUICE_DEVICE_MEMORY is ", quoted(bytes),
               ", expected a number of bytes, at least 1, with K, M or G for "
               "powers of 1024, as in '512M'"));
  memory = *number;
  return {};
}
