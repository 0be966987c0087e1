//===- Checkpoints.cpp - Checkpoints of programs over regions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FOLDER/NAME.7 is the seventh checkpoint of a program, FOLDER/NAME.new a
// checkpoint that is being written.
//
//===----------------------------------------------------------------------===//

#include "Checkpoints.h"

#include "../../Cluster/RankIdentity.h"

#include "sluice/Base/Text.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

using namespace sluice;
using namespace sluice::regions;

namespace files = std::filesystem;

Result<CheckpointSettings> CheckpointSettings::fromEnvironment() {
  CheckpointSettings settings;
  if (const char *folder = std::getenv("SLUICE_CHECKPOINT"))
    settings.folder = folder;
  const char *every = std::getenv("SLUICE_CHECKPOINT_EVERY");
  const std::string_view text = every ? every : "";
  if (text.empty())
    return settings;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, settings.every);
  if (error != std::errc() || rest != end || settings.every < 1)
    return Status::invalidArgument(
        concat("SLUICE_CHECKPOINT_EVERY is ", sluice::quoted(text),
               ", expected a number of iterations, at least 1"));
  return settings;
}

Status CheckpointSettings::compare(const SluiceCluster &cluster) const {
  const size_t mine = std::hash<std::string>()(
      concat(meaningOfSetting("SLUICE_CHECKPOINT", folder), "\n", every));
  std::vector<size_t> all(cluster.numRanks);
  cluster.gather(cluster.context, &mine, sizeof(mine), all.data());
  for (uint32_t rank = 1; rank < cluster.numRanks; ++rank)
    if (all[rank] != all[0])
      return Status::invalidArgument(
          concat("SLUICE_CHECKPOINT or SLUICE_CHECKPOINT_EVERY of rank ", rank,
                 " is not that of rank 0; have the launcher hand them on to "
                 "all machines"));
  return {};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Status fileError(std::string_view what, const std::string &path,
                        int errorNumber) {
  return Status::error(StatusCode::System,
                       concat("cannot ", what, " ", sluice::quoted(path), ": ",
                              systemErrorText(errorNumber)));
}

namespace {
/// An open file that closes itself.
class File {
public:
  File(std::string path, int flags)
      : path(std::move(path)),
        handle(::open(this->path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (handle >= 0)
      ::close(handle);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return handle >= 0; }
  Status read(char *to, uint64_t bytes, uint64_t offset) const {
    while (bytes) {
      ssize_t done = ::pread(handle, to, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR)
        continue;
      if (done < 0)
        return fileError("read", path, errno);
      if (done == 0)
        return Status::error(StatusCode::System,
                             concat(sluice::quoted(path), " is too short"));
      advance(to, bytes, offset, done);
    }
    return {};
  }
  Status write(const char *from, uint64_t bytes, uint64_t offset) const {
    while (bytes) {
      ssize_t done = ::pwrite(handle, from, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR)
        continue;
      if (done < 0)
        return fileError("write", path, errno);
      advance(from, bytes, offset, done);
    }
    return {};
  }
  Status resize(uint64_t bytes) const {
    return ::ftruncate(handle, static_cast<off_t>(bytes)) == 0
               ? Status()
               : fileError("write", path, errno);
  }
  Status flush() const {
    return ::fsync(handle) == 0 ? Status() : fileError("write", path, errno);
  }

private:
  template <typename Pointer>
  static void advance(Pointer &at, uint64_t &bytes, uint64_t &offset,
                      ssize_t done) {
    at += done;
    bytes -= done;
    offset += done;
  }
  const std::string path;
  const int handle;
};
} // namespace

static bool isZero(const char *data, uint64_t bytes) {
  return std::all_of(data, data + bytes, [](char byte) { return byte == 0; });
}

/// Zeros in a new file need not be written.
static Status writeUnlessZero(const File &file, const char *data,
                              uint64_t bytes, uint64_t offset) {
  constexpr uint64_t blockBytes = uint64_t(1) << 16;
  for (uint64_t at = 0; at < bytes; at += blockBytes) {
    const uint64_t size = std::min(blockBytes, bytes - at);
    if (isZero(data + at, size))
      continue;
    if (Status status = file.write(data + at, size, offset + at); !status.ok())
      return status;
  }
  return {};
}

static Status writeWhole(const std::string &path, std::string_view text) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.isOpen())
    return fileError("write", path, errno);
  if (Status status = file.write(text.data(), text.size(), 0); !status.ok())
    return status;
  return file.flush();
}

/// Makes the names in a folder durable, too.
static Status flushFolder(const std::string &path) {
  File folder(path, O_RDONLY | O_DIRECTORY);
  return folder.isOpen() ? folder.flush() : fileError("open", path, errno);
}

Status Checkpoints::writeParts(const std::string &path,
                               const std::vector<FieldPart> &parts) const {
  for (const FieldPart &part : parts) {
    if (part.runs.empty() && !isFirst())
      continue;
    File file(path + "/" + part.file, O_WRONLY | O_CREAT);
    if (!file.isOpen())
      return fileError("write", path + "/" + part.file, errno);
    if (isFirst())
      if (Status status = file.resize(part.count * part.elementBytes);
          !status.ok())
        return status;
    for (const SluiceRun &run : part.runs) {
      const uint64_t offset = run.begin * part.elementBytes;
      if (Status status = writeUnlessZero(
              file, part.base + offset,
              (run.end - run.begin) * part.elementBytes, offset);
          !status.ok())
        return status;
    }
    if (Status status = file.flush(); !status.ok())
      return status;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// The program's name as a part of a file name.
static std::string fileName(std::string_view name) {
  std::string text(name);
  for (char &letter : text)
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '-' &&
        letter != '_')
      letter = '_';
  return text.empty() ? "program" : text;
}

Checkpoints::Checkpoints(CheckpointSettings settings, std::string_view name,
                         const SluiceCluster *cluster)
    : settings(std::move(settings)),
      cluster(cluster && cluster->numRanks > 1 ? cluster : nullptr),
      prefix(fileName(name) + ".") {}

std::string Checkpoints::pathOf(uint64_t number) const {
  return concat(settings.folder, "/", prefix, number);
}

/// The existing checkpoints, ascending.
std::vector<uint64_t> Checkpoints::numbers() const {
  std::vector<uint64_t> all;
  std::error_code error;
  for (files::directory_iterator at(settings.folder, error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix))
      continue;
    const char *begin = name.data() + prefix.size();
    const char *last = name.data() + name.size();
    uint64_t number = 0;
    auto [rest, problem] = std::from_chars(begin, last, number);
    if (problem == std::errc() && rest == last && number)
      all.push_back(number);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Whether all ranks agree.
bool Checkpoints::isEverywhere(bool isFine) const {
  if (!cluster)
    return isFine;
  const char mine = isFine;
  std::string all(cluster->numRanks, 0);
  cluster->gather(cluster->context, &mine, 1, all.data());
  return all.find('\0') == std::string::npos;
}

Status Checkpoints::find() {
  const std::vector<uint64_t> all = numbers();
  last = all.empty() ? 0 : all.back();
  if (cluster) {
    // The view of rank 0 counts.
    std::vector<uint64_t> ofRanks(cluster->numRanks);
    cluster->gather(cluster->context, &last, sizeof(last), ofRanks.data());
    last = ofRanks[0];
  }
  if (last == 0)
    return {};
  waiting = true;
  return readState();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static constexpr std::string_view magic = "sluice checkpoint 1";

Status Checkpoints::readState() {
  const std::string path = pathOf(last);
  std::ifstream state(path + "/state"), sets(path + "/partitions");
  std::string line;
  std::getline(state, line);
  const bool isKnown = line == magic;
  state >> found.graph >> found.item >> found.iterations;
  std::getline(state, line, '\n');
  std::ostringstream rest;
  rest << state.rdbuf();
  foundDescription = rest.str();
  uint64_t numPartitions = 0;
  sets >> numPartitions;
  for (uint64_t i = 0; sets && i < numPartitions; ++i) {
    uint32_t index = 0;
    uint64_t numColors = 0;
    bool isDisjoint = false;
    sets >> index >> isDisjoint >> numColors;
    savedPartitions[index].isDisjoint = isDisjoint;
    std::vector<Runs> &colors = savedPartitions[index].colors;
    for (uint64_t color = 0; sets && color < numColors; ++color) {
      uint64_t numRuns = 0;
      sets >> numRuns;
      Runs &runs = colors.emplace_back();
      for (uint64_t run = 0; sets && run < numRuns; ++run) {
        SluiceRun &read = runs.emplace_back();
        sets >> read.begin >> read.end;
      }
    }
  }
  if (!isKnown || state.fail() || sets.fail())
    return Status::error(StatusCode::System,
                         concat("cannot read the checkpoint ",
                                sluice::quoted(path),
                                "; remove it to begin anew"));
  return {};
}

static std::string textOf(const SavedPartitions &partitions) {
  std::ostringstream text;
  text << partitions.size() << '\n';
  for (const auto &[index, partition] : partitions) {
    text << index << ' ' << partition.isDisjoint << ' '
         << partition.colors.size() << '\n';
    for (const Runs &runs : partition.colors) {
      text << runs.size();
      for (const SluiceRun &run : runs)
        text << ' ' << run.begin << ' ' << run.end;
      text << '\n';
    }
  }
  return text.str();
}

Status Checkpoints::load(const std::string &description,
                         const std::vector<FieldPart> &parts) {
  waiting = false;
  const std::string path = pathOf(last);
  if (description != foundDescription)
    return Status::error(
        StatusCode::System,
        concat("the checkpoint ", sluice::quoted(path),
               " is of another program, of other parameters or of another "
               "processor; remove it to begin anew"));
  for (const FieldPart &part : parts) {
    if (part.runs.empty())
      continue;
    File file(path + "/" + part.file, O_RDONLY);
    if (!file.isOpen())
      return fileError("read", path + "/" + part.file, errno);
    for (const SluiceRun &run : part.runs) {
      const uint64_t offset = run.begin * part.elementBytes;
      if (Status status =
              file.read(part.base + offset,
                        (run.end - run.begin) * part.elementBytes, offset);
          !status.ok())
        return status;
    }
  }
  if (isFirst())
    std::fprintf(stderr,
                 "sluice: goes on from the checkpoint '%s', after %lld "
                 "iterations\n",
                 path.c_str(), static_cast<long long>(found.iterations));
  return {};
}

static Status makeFolder(const std::string &path) {
  std::error_code error;
  files::remove_all(path, error);
  files::create_directories(path, error);
  return error ? fileError("create directory", path, error.value()) : Status();
}

void Checkpoints::skip(const CheckpointPosition &position) {
  if (std::exchange(hasSkipped, true) || !isFirst())
    return;
  std::fprintf(stderr,
               "sluice: warning: no checkpoint after %lld iterations: tasks "
               "have begun to write files, which get their names at the end of "
               "the graph; write them in a graph of their own\n",
               static_cast<long long>(position.iterations));
}

void Checkpoints::save(const CheckpointPosition &position,
                       const std::string &description,
                       const std::vector<FieldPart> &parts,
                       const SavedPartitions &partitions) {
  const std::string path = concat(settings.folder, "/", prefix, "new");
  auto isFine = [&](Status status) {
    if (!status.ok())
      std::fprintf(stderr,
                   "sluice: warning: no checkpoint after %lld "
                   "iterations: %s\n",
                   static_cast<long long>(position.iterations),
                   status.message().c_str());
    return isEverywhere(status.ok());
  };
  auto ofFirst = [&](auto &&function) {
    return isFirst() ? function() : Status();
  };
  const bool isWritten =
      isFine(ofFirst([&] { return makeFolder(path); })) &&
      isFine(writeParts(path, parts)) && isFine(ofFirst([&] {
        Status status = writeWhole(path + "/partitions", textOf(partitions));
        if (status.ok())
          status =
              writeWhole(path + "/state",
                         concat(magic, "\n", position.graph, " ", position.item,
                                " ", position.iterations, "\n", description));
        if (status.ok() &&
            ::rename(path.c_str(), pathOf(last + 1).c_str()) != 0)
          status = fileError("rename", path, errno);
        if (status.ok())
          status = flushFolder(settings.folder);
        return status;
      }));
  std::error_code ignored;
  if (!isWritten) {
    if (isFirst())
      files::remove_all(path, ignored);
    return;
  }
  if (isFirst() && last)
    files::remove_all(pathOf(last), ignored);
  ++last;
}

void Checkpoints::removeAll() {
  if (!isEverywhere(true) || !isFirst())
    return;
  std::error_code ignored;
  for (uint64_t number : numbers())
    files::remove_all(pathOf(number), ignored);
  // Leftovers of a killed run.
  files::remove_all(concat(settings.folder, "/", prefix, "new"), ignored);
}
