//===- HalideCode.cpp - Code of generators, cached by content -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling a generator takes seconds. This file decides what its result
// depends on, and caches it under a hash of these inputs.
//
//===----------------------------------------------------------------------===//

#include "HalideCode.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
#include "sluice/Toolchain/FileHash.h"
#include "sluice/Toolchain/Tools.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <link.h>
#include <unistd.h>

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using halide::ArgumentInfo;
using halide::ParameterInfo;

std::string HalideCode::text() const {
  std::string result;
  for (const auto &[name, value] : parameters)
    result += (result.empty() ? "" : " ") + name + "=" + value;
  return result;
}

static void addSettings(ContentHash &hash, const HalideCode &code) {
  hash.add(code.generator).add(code.target).add(code.parameters.size());
  for (const auto &[name, value] : code.parameters)
    hash.add(name).add(value);
}

std::string driver::halideSymbol(const HalideCode &code) {
  ContentHash hash;
  addSettings(hash, code);
  std::string symbol;
  for (char c : code.generator)
    symbol += isAlnum(c) ? c : '_';
  return symbol + "_" + hash.text().substr(0, 16);
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

/// Paths of all libraries of this process.
static std::vector<std::string> loadedLibraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *list) {
        if (info->dlpi_name && *info->dlpi_name == '/')
          static_cast<std::vector<std::string> *>(list)->push_back(
              info->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

static bool isHalide(StringRef path) {
  StringRef name = sys::path::filename(path);
  return name.starts_with("libHalide") && name.contains(".so");
}

std::string driver::loadedHalide() {
  for (const std::string &path : loadedLibraries())
    if (isHalide(path))
      return path;
  return "";
}

/// System libraries keep compatibility; those of Sluice are already part of
/// every key.
static bool isUsers(StringRef path) {
  SmallString<128> real;
  if (sys::fs::real_path(path, real))
    return false;
  // Graphs that ran before are loaded from the cache.
  SmallString<128> cache;
  (void)sys::fs::real_path(cacheDirectory(), cache);
  if (!cache.empty())
    cache += '/';
  StringRef kept = real;
  bool isKept = !cache.empty() && kept.consume_front(cache);
  if (real.starts_with("/usr/lib/") || real.starts_with("/lib/") ||
      (isKept && !kept.starts_with("generators/")))
    return false;
  SmallString<128> ours;
  (void)sys::fs::real_path(libraryFolder(), ours);
  return sys::path::parent_path(real) != ours ||
         !sys::path::filename(real).starts_with("libSluice");
}

std::vector<std::string> driver::generatorFiles() {
  std::vector<std::string> files{sys::fs::getMainExecutable(nullptr, nullptr)};
  for (const std::string &path : loadedLibraries())
    if (isUsers(path) || isHalide(path))
      files.push_back(path);
  return files;
}

/// Hashes of files that cannot change: this process runs them.
static std::string hashOnce(const std::string &path) {
  static std::map<std::string, std::string> hashes;
  std::string &hash = hashes[path];
  if (hash.empty())
    hash = hashInput(path);
  return hash;
}

/// A hash of the running executable (which may differ from the file at its path
/// by now), of the user's libraries and of Halide.
static std::string hashProgram() {
  ContentHash hash;
  hash.add(hashOnce("/proc/self/exe"));
  for (const std::string &path : loadedLibraries()) {
    if (isHalide(path))
      hash.add(path).add(fileStamp(path));
    else if (isUsers(path))
      hash.add(path).add(hashOnce(path));
  }
  // Halide's own settings affect the code that it generates.
  std::vector<std::string> settings;
  for (char **entry = environ; entry && *entry; ++entry)
    if (StringRef(*entry).starts_with("HL_"))
      settings.push_back(*entry);
  llvm::sort(settings);
  for (const std::string &setting : settings)
    hash.add(setting);
  return hash.text();
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static json::Value toJSON(const HalideCode &code) {
  json::Array arguments, declared, inputs;
  for (const std::string &input : code.inputs)
    inputs.push_back(json::Object{{"name", json::fixUTF8(input)},
                                  {"hash", hashInput(input)}});
  for (const ArgumentInfo &info : code.arguments)
    arguments.push_back(json::Object{{"name", info.name},
                                     {"kind", int(info.kind)},
                                     {"code", int(info.code)},
                                     {"bits", info.bits},
                                     {"dimensions", info.dimensions},
                                     {"stride", info.innermostStride}});
  for (const ParameterInfo &info : code.declared)
    declared.push_back(json::Object{{"name", info.name},
                                    {"value", info.value},
                                    {"tunable", info.isTunable},
                                    {"input", info.isInput}});
  return json::Object{{"version", 2},
                      {"inputs", std::move(inputs)},
                      {"arguments", std::move(arguments)},
                      {"parameters", std::move(declared)},
                      {"object", sys::path::filename(code.object)},
                      {"hash", code.objectHash}};
}

static bool fromJSON(const json::Value &value, ArgumentInfo &info,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int kind = 0, code = 0;
  if (!map || !map.map("name", info.name) || !map.map("kind", kind) ||
      !map.map("code", code) || !map.map("bits", info.bits) ||
      !map.map("dimensions", info.dimensions) ||
      !map.map("stride", info.innermostStride))
    return false;
  info.kind = static_cast<ArgumentInfo::Kind>(kind);
  info.code = static_cast<ArgumentInfo::Code>(code);
  return true;
}

static bool fromJSON(const json::Value &value, ParameterInfo &info,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", info.name) && map.map("value", info.value) &&
         map.map("tunable", info.isTunable) && map.map("input", info.isInput);
}

template <typename T>
static bool readArray(const json::Object &object, StringRef name,
                      std::vector<T> &result) {
  const json::Array *array = object.getArray(name);
  if (!array)
    return false;
  json::Path::Root root;
  result.clear();
  for (const json::Value &value : *array)
    if (!fromJSON(value, result.emplace_back(), root))
      return false;
  return true;
}

/// False if one of them has changed.
static bool readInputs(const json::Object &object,
                       std::vector<std::string> &inputs) {
  const json::Array *array = object.getArray("inputs");
  if (!array)
    return false;
  inputs.clear();
  for (const json::Value &value : *array) {
    const json::Object *input = value.getAsObject();
    auto name = input ? input->getString("name") : std::nullopt;
    auto hash = input ? input->getString("hash") : std::nullopt;
    if (!name || !hash || hashInput(*name) != *hash)
      return false;
    inputs.push_back(name->str());
  }
  return true;
}

/// The text of an entry, if no other user could have written it.
static std::optional<json::Value> readEntry(const Store &store,
                                            const std::string &entry) {
  std::optional<std::string> text = store.read(entry);
  if (!text)
    return std::nullopt;
  Expected<json::Value> value = json::parse(*text);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  return *value;
}

/// An entry that cannot be written is made again the next time.
static void writeEntry(const Store &store, const std::string &entry,
                       const json::Value &value) {
  std::string text;
  raw_string_ostream(text) << value << '\n';
  (void)store.write(entry, text);
}

//===----------------------------------------------------------------------===//
// HalideCache
//===----------------------------------------------------------------------===//

bool HalideCache::open(std::string &problem) {
  Result<Store> opened = Store::openOrTemporary(StoreKind::Halide);
  if (!opened.ok()) {
    problem = opened.status().message();
    return false;
  }
  store = *opened;
  std::string halide = loadedHalide();
  version = ContentHash()
                .add(halide)
                .add(fileStamp(halide))
                .add(fileStamp(compilerPath()))
                .text();
  program = hashProgram();
  return true;
}

std::string HalideCache::entryName(const HalideCode &code) const {
  ContentHash hash;
  hash.add(version).add(program).add(code.symbol);
  addSettings(hash, code);
  return hash.text() + ".json";
}

std::string HalideCache::callName(const HalideCode &code,
                                  const halide::KnownCall &call) const {
  ContentHash hash;
  hash.add(entryName(code)).add(call.size()).add(code.inputs.size());
  for (const std::string &input : code.inputs)
    hash.add(input).add(hashInput(input));
  for (const halide::KnownArgument &argument : call) {
    hash.add(argument.value).add(argument.extents.size());
    for (size_t i = 0; i != argument.extents.size(); ++i)
      hash.add(uint64_t(argument.extents[i]))
          .add(uint64_t(argument.strides[i]));
  }
  return hash.text() + ".call.json";
}

std::string HalideCache::runtimeName(StringRef target) const {
  return ContentHash().add(version).add("runtime").add(target).text() + ".o";
}

void HalideCache::read(HalideCode &code) {
  std::optional<json::Value> value = readEntry(store, entryName(code));
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object || object->getInteger("version") != 2 ||
      !readInputs(*object, code.inputs) ||
      !readArray(*object, "arguments", code.arguments) ||
      !readArray(*object, "parameters", code.declared))
    return;
  code.isDescribed = true;
  StringRef name = object->getString("object").value_or("");
  if (name.empty() || sys::path::filename(name) != name)
    return;
  Result<std::string> pinned = store.pin(name);
  std::string hash = object->getString("hash").value_or("").str();
  if (pinned.ok() && store.contains(name) && fileDigest(*pinned) == hash) {
    code.object = *pinned;
    code.objectHash = hash;
  }
}

void HalideCache::write(const HalideCode &code) {
  writeEntry(store, entryName(code), toJSON(code));
}

std::optional<halide::Violation>
HalideCache::readCall(const HalideCode &code, const halide::KnownCall &call) {
  std::optional<json::Value> value = readEntry(store, callName(code, call));
  const json::Object *object = value ? value->getAsObject() : nullptr;
  const json::Array *details = object ? object->getArray("details") : nullptr;
  if (!details)
    return std::nullopt;
  halide::Violation violation;
  violation.error = object->getString("error").value_or("").str();
  for (const json::Value &detail : *details)
    violation.details.push_back(detail.getAsString().value_or("").str());
  return violation;
}

void HalideCache::writeCall(const HalideCode &code,
                            const halide::KnownCall &call,
                            const halide::Violation &violation) {
  json::Array details;
  for (const std::string &detail : violation.details)
    details.push_back(json::fixUTF8(detail));
  writeEntry(store, callName(code, call),
             json::Object{{"error", violation.error},
                          {"details", std::move(details)}});
}
