//===- RankIdentity.cpp - Properties that ranks must have in common -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same program on another processor could select other instructions, in a
// library if not in itself, and produce different bits. So ranks compare both.
//
//===----------------------------------------------------------------------===//

#include "RankIdentity.h"

#include "sluice/Base/Hash.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/utsname.h>
#endif

using namespace sluice;

#if defined(__x86_64__)
/// The name and the features of the processor.
static std::string processorText() {
  std::string name;
  ContentHash features;
  unsigned words[4];
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf)
    if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]))
      name.append(reinterpret_cast<const char *>(words), sizeof words);
  name = name.c_str();
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  // Excludes word 1, which contains the number of the current processor.
  if (__get_cpuid(1, &words[0], &words[1], &words[2], &words[3]))
    features.add(words[0]).add(words[2]).add(words[3]);
  if (__get_cpuid_count(7, 0, &words[0], &words[1], &words[2], &words[3]))
    features.add(words[1]).add(words[2]);
  return concat(name, " (features ", features.text().substr(0, 8), ")");
}
#else
static std::string processorText() {
  utsname system;
  return ::uname(&system) == 0 ? system.machine : "";
}
#endif

/// One word in shell quoting: different words result in different texts.
static std::string shellWord(std::string_view word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
      "+-_=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos)
    return std::string(word);
  std::string text = "'";
  for (char each : word)
    text += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return text + '\'';
}

/// Excludes the program's name, which may differ.
static std::string argumentsText() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words(std::istreambuf_iterator<char>(file), {});
  std::string text;
  size_t at = words.find('\0');
  while (at != words.npos && at + 1 < words.size()) {
    const size_t end = words.find('\0', at + 1);
    if (!text.empty())
      text += ' ';
    text += shellWord(std::string_view(words).substr(
        at + 1, end == words.npos ? words.npos : end - at - 1));
    at = end;
  }
  return text;
}

/// "a=1:b=2" for "b=2:a=1", since each part is a setting of its own; of several
/// for one name the last counts, so these keep their order.
static std::string sortedParts(std::string_view value) {
  std::multimap<std::string_view, std::string_view> parts;
  while (!value.empty()) {
    const size_t end = std::min(value.find(':'), value.size());
    const std::string_view part = value.substr(0, end);
    if (end != 0)
      parts.emplace(part.substr(0, part.find('=')), part);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  std::string text;
  for (const auto &[name, part] : parts)
    text += concat(text.empty() ? "" : ":", part);
  return text;
}

/// "kept" for "kept/" and "./kept". Working folders of ranks may have different
/// paths that lead to one folder, as where machines mount it elsewhere.
static std::string normalFolder(std::string_view value) {
  if (value.empty())
    return "";
  const auto path = std::filesystem::path(value).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

std::string sluice::meaningOfSetting(std::string_view name,
                                     std::string_view value) {
  if (name == "SLUICE_EXECUTOR" && value == "pool")
    return "";
  if (name == "SLUICE_CHECKPOINT" || name == "SLUICE_RECORD")
    return normalFolder(value);
  if (name == "SLUICE_CHECKPOINT_EVERY") {
    // A 0 stays one, which is an error.
    value.remove_prefix(std::min(value.find_first_not_of('0'),
                                 value.empty() ? 0 : value.size() - 1));
    return value == "100" ? "" : std::string(value);
  }
  if (name == "GLIBC_TUNABLES")
    return sortedParts(value);
  return std::string(value);
}

RankIdentity RankIdentity::ofThisProcess() {
  RankIdentity identity = {hostName(), hashFile("/proc/self/exe"),
                           processorText(), argumentsText()};
  for (const char *name : alikeSettings) {
    const char *value = std::getenv(name);
    identity.settings.push_back(meaningOfSetting(name, value ? value : ""));
  }
  return identity;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// "'--steps=3' and none".
static std::string bothTexts(const std::string &mine, const std::string &its) {
  auto text = [](const std::string &value) {
    return value.empty() ? "none" : quoted(value);
  };
  return concat(text(mine), " and ", text(its));
}

/// The difference between two ranks; empty if there is none.
static std::string difference(const RankIdentity &first,
                              const RankIdentity &other) {
  if (first.program != other.program)
    return concat("run different programs, with the hashes ",
                  bothTexts(first.program, other.program),
                  ": build the program once, and start that file everywhere");
  if (first.processor != other.processor)
    return concat("have different processors, ",
                  bothTexts(first.processor, other.processor),
                  ", which could give different results");
  if (first.arguments != other.arguments)
    return concat("have different arguments, ",
                  bothTexts(first.arguments, other.arguments),
                  ": start all ranks with the same");
  auto valueOf = [](const RankIdentity &rank, size_t index) {
    return index < rank.settings.size() ? rank.settings[index] : "";
  };
  for (size_t i = 0; i < std::size(alikeSettings); ++i)
    if (valueOf(first, i) != valueOf(other, i))
      return concat("have different values of ", alikeSettings[i], ", ",
                    bothTexts(valueOf(first, i), valueOf(other, i)),
                    ": give all ranks the same (Open MPI's launcher hands it "
                    "to other machines with '-x ",
                    alikeSettings[i], "')");
  return "";
}

Status sluice::compareRanks(const std::vector<RankIdentity> &ranks) {
  const RankIdentity &first = ranks.front();
  for (size_t rank = 1; rank < ranks.size(); ++rank)
    if (std::string what = difference(first, ranks[rank]); !what.empty())
      return Status::invalidArgument(
          concat("ranks 0 on ", quoted(first.host), " and ", rank, " on ",
                 quoted(ranks[rank].host), " ", what));
  return {};
}

namespace {
/// Texts of a fixed size, so that one call gathers them.
template <size_t size> struct FixedText {
  std::array<char, size> bytes = {};

  FixedText() = default;
  explicit FixedText(const std::string &text) {
    std::string shown = text;
    if (text.size() >= size) {
      const std::string hash = ContentHash().add(text).text();
      shown.resize(size - hash.size() - 16);
      shown += concat("... (hash ", hash, ")");
    }
    std::memcpy(bytes.data(), shown.data(), shown.size());
  }
  std::string text() const { return bytes.data(); }
};

struct IdentityRecord {
  FixedText<256> host, processor;
  FixedText<64> program;
  FixedText<512> arguments;
  std::array<FixedText<160>, std::size(alikeSettings)> settings;
};
} // namespace

std::vector<RankIdentity>
sluice::gatherIdentities(const SluiceCluster &cluster) {
  const RankIdentity mine = RankIdentity::ofThisProcess();
  IdentityRecord record = {FixedText<256>(mine.host),
                           FixedText<256>(mine.processor),
                           FixedText<64>(mine.program),
                           FixedText<512>(mine.arguments),
                           {}};
  for (size_t i = 0; i < mine.settings.size(); ++i)
    record.settings[i] = FixedText<160>(mine.settings[i]);
  std::vector<IdentityRecord> all(cluster.numRanks);
  cluster.gather(cluster.context, &record, sizeof record, all.data());
  std::vector<RankIdentity> ranks;
  for (const IdentityRecord &each : all) {
    RankIdentity &rank = ranks.emplace_back(
        RankIdentity{each.host.text(), each.program.text(),
                     each.processor.text(), each.arguments.text()});
    for (const FixedText<160> &setting : each.settings)
      rank.settings.push_back(setting.text());
  }
  return ranks;
}
