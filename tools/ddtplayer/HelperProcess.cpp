//===- HelperProcess.cpp - A library in a process of its own --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helper initialises MPI as a process of its own, without mpirun. What a
// surrounding mpirun left in the environment would let it take itself for a
// rank of that program, so such variables are taken away.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include "Library.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace sluice::player;

extern char **environ;

static bool isOfLauncher(std::string_view variable) {
  static const std::string_view prefixes[] = {
      "PMI_",          "PMIX_",         "PMI2_",          "OMPI_COMM_WORLD_",
      "OMPI_UNIVERSE", "OMPI_MCA_ess_", "OMPI_MCA_orte_", "HYDI_",
      "HYDRA_",        "MPI_LOCAL"};
  for (std::string_view prefix : prefixes)
    if (variable.starts_with(prefix))
      return true;
  return false;
}

static std::vector<char *> helperEnvironment() {
  std::vector<char *> variables;
  for (char **variable = environ; *variable; ++variable)
    if (!isOfLauncher(*variable))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Standard output belongs to the table, so what an MPI prints goes to standard
/// error.
static Result<pid_t> spawn(const std::string &path, int socket) {
  constexpr int helperSocket = 3;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, helperSocket);
  std::vector<char *> environment = helperEnvironment();
  std::string program = path, argument = std::to_string(helperSocket);
  char *words[] = {program.data(), argument.data(), nullptr};
  pid_t process = 0;
  int error = posix_spawn(&process, path.c_str(), &actions, nullptr, words,
                          environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return Status::error(
        StatusCode::System,
        concat("cannot start ", quoted(path), ": ", systemErrorText(error)));
  return process;
}

namespace {
class HelperProcess : public Library {
public:
  HelperProcess(int socket, pid_t process, const std::string &title)
      : channel(std::make_unique<Channel>(socket)), process(process),
        title(title) {}

  ~HelperProcess() override {
    // The helper ends when it reads the end of the channel.
    channel.reset();
    if (!isOver)
      waitpid(process, nullptr, 0);
  }

  /// Waits for the library to be initialised.
  Status greet() {
    Result<std::string> greeting = answer("initialising");
    if (greeting.ok())
      title = *greeting;
    return greeting.takeStatus();
  }

  std::string name() const override { return title; }

  Result<Shape> prepare(const std::string &text, int64_t count) override {
    Result<std::string> reply =
        ask(request(Request::Prepare).add(count).addRest(text), "building");
    if (!reply.ok())
      return reply.takeStatus();
    return Reader(*reply).take<Shape>();
  }

  Status commit() override {
    return ask(request(Request::Commit), "committing").takeStatus();
  }

  Result<double> measure(Quantity quantity, double seconds) override {
    Result<std::string> reply =
        ask(request(Request::Measure).add(quantity).add(seconds),
            isPack(quantity) ? "packing" : "unpacking");
    if (!reply.ok())
      return reply.takeStatus();
    return Reader(*reply).take<double>();
  }

  Result<std::string> packed() override {
    return ask(request(Request::Packed), "packing");
  }
  Result<std::string> unpacked() override {
    return ask(request(Request::Unpacked), "unpacking");
  }
  Status release() override {
    return ask(request(Request::Release), "freeing").takeStatus();
  }
  bool isGone() const override { return isOver; }

private:
  static Writer request(Request kind) {
    Writer writer;
    writer.add(kind);
    return writer;
  }

  Result<std::string> ask(const Writer &writer, const char *doing) {
    if (isOver)
      return Status::error(StatusCode::System, "its process has ended");
    if (Status status = channel->send(writer.message()); !status.ok())
      return explainEnd(doing);
    return answer(doing);
  }

  Result<std::string> answer(const char *doing) {
    Result<std::string> message = channel->receive();
    if (!message.ok() || message->empty())
      return explainEnd(doing);
    if (message->front() == '+')
      return message->substr(1);
    return Status::error(StatusCode::System, message->substr(1));
  }

  Status explainEnd(const char *doing) {
    int state = 0;
    isOver = true;
    channel = std::make_unique<Channel>(-1);
    if (waitpid(process, &state, 0) != process)
      return Status::error(StatusCode::System, "its process is lost");
    std::string how = WIFSIGNALED(state)
                          ? concat("signal ", WTERMSIG(state))
                          : concat("exit status ", WEXITSTATUS(state));
    return Status::error(StatusCode::System, concat("its process ended while ",
                                                    doing, " (", how, ")"));
  }

  std::unique_ptr<Channel> channel;
  pid_t process;
  std::string title;
  bool isOver = false;
};
} // namespace

Result<std::unique_ptr<Library>>
sluice::player::startHelper(const std::string &path, const std::string &name) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return Status::error(StatusCode::System, concat("cannot create a socket: ",
                                                    systemErrorText(errno)));
  Result<pid_t> process = spawn(path, sockets[1]);
  close(sockets[1]);
  if (!process.ok()) {
    close(sockets[0]);
    return process.takeStatus();
  }
  auto helper = std::make_unique<HelperProcess>(sockets[0], *process, name);
  if (Status status = helper->greet(); !status.ok())
    return Status::error(StatusCode::System,
                         concat("cannot use ", name, ": ", status.message()));
  return std::unique_ptr<Library>(std::move(helper));
}
