//===- Versions.cpp - Versions of compilers, MPIs and devices -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Device/Versions.h"

#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"
#include "sluice/Device/Device.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace sluice;

/// The number that begins after `key`, as in "4.0.2" or "4.2a1".
static std::string numberBehind(const std::string &text, std::string_view key) {
  size_t begin = text.find(key);
  if (begin == std::string::npos)
    return "";
  begin = text.find_first_not_of(" \t", begin + key.size());
  if (begin == std::string::npos ||
      !std::isdigit(static_cast<unsigned char>(text[begin])))
    return "";
  size_t end = text.find_first_of(" \t\r\n", begin);
  return text.substr(begin, end - begin);
}

std::string device::mpiNameIn(const std::string &said) {
  // "mpirun (Open MPI) 5.0.0", "mpirun.openmpi (OpenRTE) 4.1.4".
  for (const char *key : {"(Open MPI)", "(OpenRTE)"})
    if (std::string number = numberBehind(said, key); !number.empty())
      return "Open MPI " + number;
  if (said.find("HYDRA") == std::string::npos)
    return "";
  std::string number = numberBehind(said, "Version:");
  return number.empty() ? "MPICH" : "MPICH " + number;
}

/// The path of a program; empty if there is no program with that name.
static std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char *variable = std::getenv("PATH");
  std::string_view folders = variable ? variable : "/usr/bin:/bin";
  while (true) {
    size_t end = std::min(folders.find(':'), folders.size());
    std::string path = concat(folders.substr(0, end), '/', name);
    if (end > 0 && ::access(path.c_str(), X_OK) == 0)
      return path;
    if (end == folders.size())
      return "";
    folders.remove_prefix(end + 1);
  }
}

/// The output of a program with --version.
static std::string askForVersion(const std::string &path) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return "";
  Result<Process> asked =
      Process::start({.program = path,
                      .arguments = {"--version"},
                      .input = Redirect::nowhere(),
                      .output = Redirect::descriptor(ends[1]),
                      .errors = Redirect::nowhere()});
  ::close(ends[1]);
  std::string text;
  char part[512];
  ssize_t size;
  while (asked.ok() && (size = ::read(ends[0], part, sizeof part)) > 0)
    text.append(part, size_t(size));
  ::close(ends[0]);
  if (asked.ok())
    asked->wait();
  return text;
}

static std::vector<std::string> describeMPIs() {
  std::vector<std::string> names = {"mpirun.openmpi", "mpirun.mpich"};
  if (findProgram(names[0]).empty() && findProgram(names[1]).empty())
    names = {"mpirun"};
  if (const char *setting = std::getenv("SLUICE_MPIRUN"); setting && *setting)
    names = {setting};
  std::vector<std::string> lines;
  for (const std::string &name : names) {
    std::string path = findProgram(name);
    if (path.empty())
      continue;
    std::string mpi = device::mpiNameIn(askForVersion(path));
    lines.push_back(
        concat(mpi.empty() ? "of an unknown kind" : mpi, " (", path, ")"));
  }
  return lines;
}

static std::vector<std::string> describeDevices() {
  std::vector<std::string> lines;
  for (const device::Found &found : device::findDevices()) {
    if (!found.problem.empty())
      continue;
    const device::Properties &device = found.properties;
    std::string driver = device.driver;
    std::replace(driver.begin(), driver.end(), '\n', ' ');
    lines.push_back(concat(device.name, " ", device.description, ", ", driver));
  }
  return lines;
}

/// The lines under a heading, or a line that says that there are none.
static std::string section(std::string heading,
                           const std::vector<std::string> &lines) {
  heading.resize(9, ' ');
  if (lines.empty())
    return heading + "none found\n";
  std::string text;
  for (const std::string &line : lines) {
    text += concat(heading, line, '\n');
    heading.assign(heading.size(), ' ');
  }
  return text;
}

std::string device::versionText(const std::string &tool,
                                const std::string &version,
                                const std::string &llvm) {
  return concat(tool, ' ', version,
                llvm.empty() ? "" : concat(" (LLVM ", llvm, ")"), '\n',
                section("MPI", describeMPIs()),
                section("devices", describeDevices()));
}
