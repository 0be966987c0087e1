//===- HelperProcess.cpp - A library in a separate process ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helper initialises MPI as a separate process, without mpirun. Environment
// variables of a surrounding mpirun would make it act as a rank of that
// program, so they are removed.
//
//===----------------------------------------------------------------------===//

#include "Channel.h"
#include "Library.h"
#include "sluice/Base/Process.h"
#include "sluice/Base/Text.h"

#include <cerrno>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace sluice;
using namespace sluice::player;

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

static std::vector<std::string> helperEnvironment() {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable; ++variable)
    if (!isOfLauncher(*variable))
      variables.push_back(*variable);
  return variables;
}

/// Standard output is reserved for the table, so the output of an MPI goes to
/// standard error.
static Result<Process> spawn(const std::string &path, int socket) {
  constexpr int helperSocket = 3;
  return Process::start({.program = path,
                         .arguments = {std::to_string(helperSocket)},
                         .environment = helperEnvironment(),
                         .input = Redirect::nowhere(),
                         .output = Redirect::descriptor(STDERR_FILENO),
                         .files = {{socket, helperSocket}}});
}

namespace {
class HelperProcess : public Library {
public:
  HelperProcess(int socket, Process process, const std::string &title)
      : channel(std::make_unique<Channel>(socket)), process(std::move(process)),
        title(title) {}

  ~HelperProcess() override {
    // The helper ends when it reads the end of the channel.
    channel.reset();
    if (!isOver)
      process.wait();
  }

  /// Waits until the library is initialised.
  Status greet() {
    Result<std::string> greeting = answer("initialising");
    if (greeting.ok())
      title = *greeting;
    return greeting.takeStatus();
  }

  std::string name() const override { return title; }

  Result<TypeShape> prepare(const std::string &text, int64_t count) override {
    Result<std::string> reply = ask(
        request(ChannelRequest::Prepare).add(count).addRest(text), "building");
    if (!reply.ok())
      return reply.takeStatus();
    return Reader(*reply).take<TypeShape>();
  }

  Status commit() override {
    return ask(request(ChannelRequest::Commit), "committing").takeStatus();
  }

  Result<double> measure(Quantity quantity, double seconds) override {
    Result<std::string> reply =
        ask(request(ChannelRequest::Measure).add(quantity).add(seconds),
            isPack(quantity) ? "packing" : "unpacking");
    if (!reply.ok())
      return reply.takeStatus();
    return Reader(*reply).take<double>();
  }

  Result<std::string> packed() override {
    return ask(request(ChannelRequest::Packed), "packing");
  }
  Result<std::string> unpacked() override {
    return ask(request(ChannelRequest::Unpacked), "unpacking");
  }
  Status release() override {
    return ask(request(ChannelRequest::Release), "freeing").takeStatus();
  }
  bool isGone() const override { return isOver; }

private:
  static Writer request(ChannelRequest kind) {
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
    isOver = true;
    channel = std::make_unique<Channel>(-1);
    return Status::error(
        StatusCode::System,
        concat("its process ended while ", doing, ": ", process.wait().text()));
  }

  std::unique_ptr<Channel> channel;
  Process process;
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
  Result<Process> process = spawn(path, sockets[1]);
  close(sockets[1]);
  if (!process.ok()) {
    close(sockets[0]);
    return process.takeStatus();
  }
  auto helper =
      std::make_unique<HelperProcess>(sockets[0], std::move(*process), name);
  if (Status status = helper->greet(); !status.ok())
    return Status::error(StatusCode::System,
                         concat("cannot use ", name, ": ", status.message()));
  return std::unique_ptr<Library>(std::move(helper));
}
