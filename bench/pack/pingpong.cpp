//===- pingpong.cpp - A layout to the other rank and back -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row is `pingpong:SENT` or `pingpong:SENT RECEIVED`, two layouts of equal
// packed sizes. Each rank sends the one and receives the other, as the derived
// datatype or, with the argument `manual`, as bytes that it packs and unpacks
// with the plain loops. Times are half a round trip.
//
//===----------------------------------------------------------------------===//

#include "find_hand.h"
#include "mpi_types.h"
#include "pair.h"
#include "rows.h"

#include <optional>

using namespace bench;

namespace {

enum Order { Prepare, Fill, Exchange, Check, Release };

struct Command {
  Order order;
  long times;
  char parameters[sizeof(benchParameters)];
};

int rank;
bool isManual;
CommandPipe commands;

/// One direction: a layout, its buffer, and its types.
struct Side {
  std::string name;
  Instances<Places::Type> places;
  Instances<MPI_Datatype> type;
  const Hand *hand;
  int64_t handCount;
  Buffer buffer;

  void prepare(MpiTypes &types, const std::string &layout) {
    name = layout;
    Places oracle;
    places = makeLayout(oracle, name);
    type = makeLayout(types, name);
    MPI_Type_commit(&type.type);
    buffer.allocate(spannedBytes(places));
    if (isManual) {
      hand = &findHand(plainLoops(), name);
      handCount = ::handCount(name);
    }
  }
};

std::optional<MpiTypes> types;
Side sent, received;
Buffer packed;
int packedSize;
Repetitions repetitions;
const char *problem;

void send(int to) {
  if (isManual) {
    sent.hand->pack(sent.buffer.data(), packed.data(), sent.handCount);
    MPI_Send(packed.data(), packedSize, MPI_BYTE, to, 0, MPI_COMM_WORLD);
  } else {
    MPI_Send(sent.buffer.data(), static_cast<int>(sent.type.count),
             sent.type.type, to, 0, MPI_COMM_WORLD);
  }
}

void receive(int from) {
  if (isManual) {
    MPI_Recv(packed.data(), packedSize, MPI_BYTE, from, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    received.hand->unpack(packed.data(), received.buffer.data(),
                          received.handCount);
  } else {
    MPI_Recv(received.buffer.data(), static_cast<int>(received.type.count),
             received.type.type, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void exchange(long times) {
  const int other = 1 - rank;
  for (long i = 0; i < times; ++i) {
    if (rank == 0)
      send(other);
    receive(other);
    if (rank == 1)
      send(other);
  }
}

void prepare(const char *parameters) {
  const std::string names = parameters;
  const size_t space = names.find(' ');
  types.emplace();
  sent.prepare(*types, names.substr(0, space));
  received.prepare(
      *types, space == std::string::npos ? names : names.substr(space + 1));
  packedSize = static_cast<int>(packedBytes(sent.places));
  packed.allocate(packedSize);
  repetitions.forget();
}

/// The ranks send different bytes.
void fill() {
  sent.buffer.number(static_cast<uint64_t>(rank));
  received.buffer.clear();
}

/// What the other rank sent must be here, and nothing else.
const char *check() {
  Buffer theirs, stream, expected;
  theirs.allocate(spannedBytes(sent.places));
  theirs.number(static_cast<uint64_t>(1 - rank));
  stream.allocate(packedSize);
  packByDefinition(sent.places, theirs.data(), stream.data());
  expected.allocate(spannedBytes(received.places));
  expected.clear();
  unpackByDefinition(received.places, stream.data(), expected.data());
  return compareBytes(rank == 0 ? "received" : "received by rank 1", expected,
                      received.buffer);
}

void release() {
  types.reset();
  for (Buffer *buffer : {&sent.buffer, &received.buffer, &packed})
    buffer->release();
}

/// The first rank learns what the second one found.
void gatherProblem() {
  static char text[160];
  problem = check();
  std::snprintf(text, sizeof(text), "%s", problem ? problem : "");
  if (rank == 1) {
    MPI_Send(text, sizeof(text), MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(text, sizeof(text), MPI_CHAR, 1, 1, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (!problem && *text)
    problem = text;
}

void obey(const Command &command) {
  switch (command.order) {
  case Prepare:
    return prepare(command.parameters);
  case Fill:
    return fill();
  case Exchange:
    return exchange(command.times);
  case Check:
    return gatherProblem();
  case Release:
    return release();
  }
}

/// The first rank's way to have both do something.
void order(Order what, long times = 0) {
  Command command = {what, times, {}};
  std::memcpy(command.parameters, benchParameters, sizeof(benchParameters));
  commands.tell(command);
  obey(command);
}

/// Half a round trip. A round begins with one that is not timed, so that the
/// other rank is awake.
double measure() {
  if (repetitions.count() == 0)
    repetitions.find([](long times) { order(Exchange, 1 + times); });
  const long times = repetitions.count();
  Command command = {Exchange, 1 + times, {}};
  commands.tell(command);
  exchange(1);
  const double start = benchSeconds();
  exchange(times);
  return (benchSeconds() - start) / (2.0 * static_cast<double>(times));
}

int serve() {
  static BenchRow row = {};
  row.name = "pingpong";
  row.allocate = [] {
    order(Prepare);
    row.work = packedSize;
  };
  row.reset = [] { order(Fill); };
  row.run = [] { order(Exchange, 1); };
  row.verify = [] {
    order(Check);
    return problem;
  };
  row.release = [] { order(Release); };
  row.measure = measure;
  return benchServe(&row, 1);
}

void follow() {
  Command command;
  while (commands.hear(command))
    obey(command);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CommandPipe::require(ranks == 2, "run with other than 2 ranks");
  isManual = argc > 1 && std::string(argv[1]) == "manual";
  commands.open(rank);
  int status = 0;
  if (rank == 0) {
    status = serve();
    commands.close();
  } else {
    follow();
  }
  types.reset();
  MPI_Finalize();
  return status;
}
