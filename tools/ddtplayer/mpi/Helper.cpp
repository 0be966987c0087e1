//===- Helper.cpp - The player's helper process for one MPI ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ddtplayer starts this program with the number of a socket. It answers
// requests until the player closes the socket. See Channel.h for the protocol.
//
//===----------------------------------------------------------------------===//

#include "../Channel.h"
#include "../Workbench.h"
#include "MPIEngine.h"

#include <cstdio>
#include <cstdlib>

using namespace sluice;
using namespace sluice::player;

static Status fail(Channel &channel, const Status &status) {
  return channel.send("-" + status.message());
}

template <typename Value>
static Status succeed(Channel &channel, const Value &value) {
  Writer writer;
  writer.add('+').add(value);
  return channel.send(writer.message());
}

template <typename Value>
static Status answer(Channel &channel, const Result<Value> &result) {
  return result.ok() ? succeed(channel, *result)
                     : fail(channel, result.status());
}

static Status answer(Channel &channel,
                     const Result<std::span<const std::byte>> &result) {
  return result.ok() ? channel.send("+", *result)
                     : fail(channel, result.status());
}

static Status answer(Channel &channel, const Status &status) {
  return status.ok() ? channel.send("+") : fail(channel, status);
}

/// Handles the request `message`; an error means that the player is gone.
static Status serve(Channel &channel, Workbench &workbench,
                    const std::string &message) {
  Reader reader(message);
  switch (reader.take<ChannelRequest>()) {
  case ChannelRequest::Prepare: {
    auto count = reader.take<int64_t>();
    std::string text(reader.takeRest());
    return answer(channel, workbench.prepare(text, count));
  }
  case ChannelRequest::Measure: {
    auto quantity = reader.take<Quantity>();
    return answer(channel, workbench.measure(quantity, reader.take<double>()));
  }
  case ChannelRequest::Commit:
    return answer(channel, workbench.commit());
  case ChannelRequest::Packed:
    return answer(channel, workbench.packed());
  case ChannelRequest::Unpacked:
    return answer(channel, workbench.unpacked());
  case ChannelRequest::Release:
    workbench.release();
    return channel.send("+");
  }
  return fail(channel, Status::misuse("unknown request"));
}

static void serveAll(int socket) {
  Channel channel(socket);
  MPIEngine engine;
  Workbench workbench(engine);
  Status status = channel.send("+" + engine.name());
  while (status.ok()) {
    Result<std::string> message = channel.receive();
    if (!message.ok())
      return;
    status = serve(channel, workbench, *message);
  }
}

int main(int argc, char **argv) {
  if (argc != 2 || std::atoi(argv[1]) < 3) {
    std::fprintf(stderr, "%s: started by ddtplayer; see 'ddtplayer --help'\n",
                 argv[0]);
    return 2;
  }
  // A single process needs no daemon of Open MPI.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  serveAll(std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
