//===- BuildCache.cpp - What drivers made of modules ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is: a line "sluice-device-binary 1", a line with the key, a line with
// the hash of the rest, the rest.
//
//===----------------------------------------------------------------------===//

#include "BuildCache.h"

#include "sluice/Base/Files.h"
#include "sluice/Base/Text.h"

#include <fstream>
#include <sstream>

using namespace sluice;
using namespace sluice::device;

static constexpr std::string_view firstLine = "sluice-device-binary 1\n";

BuildCache::BuildCache(const std::string &directory,
                       const SluiceDeviceModule &module,
                       const SluiceDeviceImage &image,
                       const Properties &properties)
    : directory(directory) {
  if (directory.empty())
    return;
  ContentHash hash;
  hash.add(module.hash ? module.hash : "");
  hash.add(std::string_view(static_cast<const char *>(image.code), image.size));
  hash.add(uint64_t(image.format));
  hash.add(properties.description);
  hash.add(properties.driver);
  hash.add(properties.target);
  key = hash.text();
  path = concat(directory, "/", key, ".device");
}

std::string BuildCache::read() const {
  if (!isWanted() || !checkPrivateFile(path).ok())
    return {};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  std::string content = std::move(all).str();
  std::string_view rest = content;
  auto take = [&](std::string_view start) {
    bool isThere = rest.starts_with(start);
    if (isThere)
      rest.remove_prefix(start.size());
    return isThere;
  };
  size_t hashSize = ContentHash().text().size();
  if (!take(firstLine) || !take(key) || !take("\n") ||
      rest.size() <= hashSize + 1)
    return {};
  std::string_view stated = rest.substr(0, hashSize);
  std::string_view binary = rest.substr(hashSize + 1);
  if (ContentHash().add(binary).text() != stated)
    return {};
  return std::string(binary);
}

void BuildCache::write(std::string_view binary) const {
  if (!isWanted() || binary.empty() || !preparePrivateDirectory(directory).ok())
    return;
  std::string content = concat(firstLine, key, "\n",
                               ContentHash().add(binary).text(), "\n", binary);
  (void)writeFileAtomically(path, content).ok();
}
