//===- OpenCluster.cpp - Running as one of several ranks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what launchers tell the processes that they start, and finds the
// library with the functions for an MPI.
//
//===----------------------------------------------------------------------===//

#include "OpenCluster.h"

#include "Failures.h"
#include "RankIdentity.h"

#include "sluice/Base/Libraries.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/TableHead.h"
#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

using namespace sluice;

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Redirects descriptor `number` to the named pipe of the launching tool, if
/// there is one.
static bool writeToPipe(int number, const std::string &path) {
  // Fails if there is no reader, for example on another machine.
  const int pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0)
    return false;
  struct stat info;
  // The old file stays open: MPI forwards no more input to a rank that has
  // closed its outputs.
  const bool isPipe = ::fstat(pipe, &info) == 0 && S_ISFIFO(info.st_mode) &&
                      info.st_uid == ::geteuid() &&
                      ::fcntl(pipe, F_SETFL, 0) == 0 &&
                      ::fcntl(number, F_DUPFD_CLOEXEC, 3) >= 0 &&
                      ::dup2(pipe, number) == number;
  ::close(pipe);
  return isPipe;
}

/// Open MPI 4 prefixes the lines that ranks write, and loses some of them if
/// many short lines arrive at once. So ranks on the machine of the launching
/// tool write to the tool directly. This starts before `main`, so that lines
/// stay in order.
__attribute__((constructor)) static void writeToTool() {
  const char *folder = ::secure_getenv("SLUICE_TASK_RECORDS");
  const char *setting = std::getenv("SLUICE_CLUSTER");
  // Child processes of a rank write to the rank's own outputs.
  if (!folder || std::string_view(setting ? setting : "") == "off")
    return;
  // Machines that share the folder do not share pipes.
  const std::string rank = concat(rankByEnvironment(), ".", hostName());
  // Open MPI's output is a terminal: it contains what a rank wrote before it
  // was killed.
  if (writeToPipe(STDOUT_FILENO, concat(folder, "/output", rank)))
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
  writeToPipe(STDERR_FILENO, concat(folder, "/errors", rank));
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// The MPI that simulates ranks.
static constexpr const char *simulation = "smpi";

std::string sluice::launchingMPI(
    const std::function<const char *(const char *)> &environment) {
  auto isSeveral = [&](const char *name) {
    const char *value = environment(name);
    return value && std::atoi(value) > 1;
  };
  if (isSeveral("OMPI_COMM_WORLD_SIZE"))
    return "openmpi";
  if (isSeveral("PMI_SIZE"))
    return "mpich";
  // Ranks of a simulation, all in this process.
  if (isSeveral("SMPI_GLOBAL_SIZE"))
    return simulation;
  // Slurm and other launchers with PMIx, whose variables do not contain the
  // number of ranks.
  if (environment("PMIX_RANK"))
    return "openmpi";
  return "";
}

static Result<const SluiceCluster *> openLibrary(const std::string &mpi,
                                                 const char *function) {
  const std::string name = "libsluice-cluster-" + mpi + SLUICE_LIBRARY_ENDING;
  std::string reasons;
  for (const std::string &place : placesOfLibrary(name)) {
    // MPI opens components that look up MPI's functions in the global scope.
    void *library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      const char *text = ::dlerror();
      const std::string reason = text ? text : place;
      // If the library does not exist, listing the paths would not help.
      if (!reason.starts_with(place + ": cannot open shared object file") &&
          reasons.find(reason) == std::string::npos)
        reasons += concat(reasons.empty() ? " (" : "; ", reason);
      continue;
    }
    auto open = reinterpret_cast<SluiceOpenCluster>(::dlsym(library, function));
    char problem[256] = "it is no such library";
    const SluiceCluster *cluster =
        open ? open(&tableHead<SluiceCluster>, problem, sizeof problem)
             : nullptr;
    if (cluster)
      return cluster;
    return Status::error(StatusCode::System,
                         concat("cannot use ", quoted(place), ": ", problem));
  }
  if (!reasons.empty())
    reasons += ')';
  return Status::error(
      StatusCode::System,
      concat("this process is one of several that MPI has started, but ", name,
             reasons.empty() ? " is not installed" : " cannot be used", reasons,
             "; on Debian it is in the package 'sluice-mpi-", mpi,
             "'; set SLUICE_CLUSTER=off to run each of them alone"));
}

/// All ranks have found the same error; one prints it, and the others end
/// afterwards.
[[noreturn]] static void endAlike(const SluiceCluster &cluster,
                                  const Status &status) {
  if (cluster.rank == 0)
    std::fprintf(stderr, "sluice: error: %s\n", status.message().c_str());
  std::vector<char> all(cluster.numRanks);
  cluster.gather(cluster.context, "", 1, all.data());
  cluster.finish(cluster.context);
  std::_Exit(1);
}

/// Without MPI, Slurm starts copies of the program, each of which would do all
/// the work.
static Result<const SluiceCluster *> refuseOtherLaunchers() {
  const char *tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const int number = tasks ? std::atoi(tasks) : 1;
  if (number > 1)
    return Status::invalidArgument(
        concat("srun has started ", number,
               " of this program without telling them how to find each other: "
               "use 'srun --mpi=pmix', or set SLUICE_CLUSTER=off to run each "
               "of them alone"));
  return static_cast<const SluiceCluster *>(nullptr);
}

/// Seconds after which a rank is considered lost; 0: never.
static constinit double theDeadline = 0;

/// The deadline for all ranks: launchers may pass the setting to only some of
/// them, and a rank may be stopped if any of them allows it.
static double longestDeadline(const SluiceCluster &cluster, double own) {
  std::vector<double> all(cluster.numRanks);
  cluster.gather(cluster.context, &own, sizeof own, all.data());
  const auto [least, most] = std::ranges::minmax(all);
  return least > 0 ? most : 0;
}

/// Starting may take this many times as long as a response.
static constexpr double startFactor = 6;

/// Open MPI 4 leaves a rank's shared memory behind if its launcher had to be
/// killed. The launching tool removes the targets of the links in `folder`.
static void linkSharedMemory(const char *folder) {
  const char *job = std::getenv("OMPI_MCA_ess_base_jobid");
  const char *local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!job || !local)
    return;
  std::string host = hostName();
  if (!std::isdigit(static_cast<unsigned char>(host[0])))
    host = host.substr(0, host.find('.'));
  char number[16];
  std::snprintf(number, sizeof number, "%lx", std::strtoul(job, nullptr, 10));
  const std::string file = concat("/dev/shm/vader_segment.", host, ".",
                                  ::geteuid(), ".", number, ".", local);
  (void)::symlink(file.c_str(),
                  concat(folder, "/memory", rankByEnvironment()).c_str());
}

/// Makes the record where the launching tool finds it, if the tool runs on this
/// machine.
static void makeTaskRecord() {
  const char *folder = std::getenv("SLUICE_TASK_RECORDS");
  theTaskRecord = &TaskRecord::make(
      folder ? concat(folder, "/rank", rankByEnvironment()) : "");
  if (folder)
    linkSharedMemory(folder);
}

/// The detected kind of this process, which never changes: MPI can be
/// initialized only once.
static constinit bool isOneOfSeveral = false, isAlone = false;

/// Opens ranks that take turns in this thread. They belong to one program on
/// one processor, nobody watches them, and settings that all of them set apply
/// to each.
static Result<const SluiceCluster *> openSimulation(const char *function) {
  if (std::string_view(function) == SLUICE_OPEN_SHARED_CLUSTER)
    return Status::invalidArgument(
        "only programs over regions can be simulated");
  ::setenv("SLUICE_WORKERS", "1", /*overwrite=*/1);
  // Threads that compile kernels for each rank would only cost time.
  ::setenv("SLUICE_PACK_JIT", "off", /*overwrite=*/0);
  Result<const SluiceCluster *> cluster = openLibrary(simulation, function);
  isOneOfSeveral = cluster.ok();
  return cluster;
}

static Result<const SluiceCluster *> openCluster(const char *function) {
  if (isOneOfSeveral)
    return Status::misuse("this process is one of several ranks already: a "
                          "program runs either its graphs, or one task graph "
                          "or program over regions, on several ranks");
  if (isAlone)
    return static_cast<const SluiceCluster *>(nullptr);
  const char *setting = std::getenv("SLUICE_CLUSTER");
  std::string mpi = setting ? setting : "";
  if (mpi == "off")
    return static_cast<const SluiceCluster *>(nullptr);
  if (mpi.empty())
    mpi = launchingMPI([](const char *name) { return std::getenv(name); });
  else if (mpi != "openmpi" && mpi != "mpich" && mpi != simulation)
    return Status::invalidArgument(
        concat("SLUICE_CLUSTER is ", quoted(mpi),
               ", expected 'openmpi', 'mpich', 'smpi' or 'off'"));
  if (mpi.empty())
    return refuseOtherLaunchers();
  if (mpi == simulation)
    return openSimulation(function);
  Result<double> deadline = clusterDeadline();
  if (!deadline.ok())
    return deadline.takeStatus();
  makeTaskRecord();
  // The rank that detects the error first ends all others.
  const uint32_t rank = rankByEnvironment();
  const double limit = startFactor * *deadline;
  EndGuard guard(
      limit > 0 ? limit + 0.2 * std::min(rank, 10u) : 0, lostRankStatus,
      concat("rank ", rank, " has waited for others for ", secondsText(limit),
             " s: MPI has not started all of them"));
  // Programs that this process starts are not ranks, though they inherit the
  // launcher's variables. Set this before MPI starts threads, which may read
  // the environment.
  ::setenv("SLUICE_CLUSTER", "off", /*overwrite=*/1);
  Result<const SluiceCluster *> cluster = openLibrary(mpi, function);
  if (!cluster.ok())
    return cluster;
  const bool isShared =
      std::string_view(function) == SLUICE_OPEN_SHARED_CLUSTER;
  if ((*cluster)->numRanks == 1 && isShared)
    return cluster; // other code continues to use MPI
  if ((*cluster)->numRanks == 1) {
    // PMIx does not provide this beforehand.
    (*cluster)->finish((*cluster)->context);
    isAlone = true;
    return static_cast<const SluiceCluster *>(nullptr);
  }
  isOneOfSeveral = true;
  const std::vector<RankIdentity> ranks = gatherIdentities(**cluster);
  if (Status status = compareRanks(ranks); !status.ok())
    endAlike(**cluster, status);
  std::vector<std::string> hosts;
  for (const RankIdentity &each : ranks)
    hosts.push_back(each.host);
  theDeadline = longestDeadline(**cluster, *deadline);
  watchRanks(**cluster, theDeadline, std::move(hosts));
  return cluster;
}

/// For calls that end MPI, which wait without a limit.
static std::string endText(const SluiceCluster &cluster) {
  return concat("rank ", cluster.rank,
                " is done, but MPI does not come to its end");
}

void sluice::endWatch(const SluiceCluster &cluster) {
  // Ranks that have finished continue to beat until all have finished.
  std::vector<char> all(cluster.numRanks);
  cluster.gather(cluster.context, "", 1, all.data());
  EndGuard guard(theDeadline, lostRankStatus, endText(cluster));
  stopWatching();
}

void sluice::leaveMPI(const SluiceCluster &cluster) {
  EndGuard guard(theDeadline, lostRankStatus, endText(cluster));
  cluster.finish(cluster.context);
}

void sluice::closeCluster(const SluiceCluster &cluster) {
  endWatch(cluster);
  leaveMPI(cluster);
}

Result<const SluiceCluster *> sluice::openCluster() {
  return ::openCluster(SLUICE_OPEN_CLUSTER);
}

Result<const SluiceCluster *> sluice::openSharedCluster() {
  return ::openCluster(SLUICE_OPEN_SHARED_CLUSTER);
}
