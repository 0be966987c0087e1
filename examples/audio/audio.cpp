//===- audio.cpp - Encode and decode sound --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program: encodes a sound with the streaming graph of encode.cpp and
// compares the bytes with those of plain loops, or decodes one and says how
// well it compares with the sound it was made from.
//
//===----------------------------------------------------------------------===//

#include "audio.h"

#include "hpvm.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char Usage[] =
    "usage: audio encode [OPTIONS] OUTPUT [INPUT]\n"
    "       audio decode CODED OUTPUT.wav [INPUT]\n"
    "  INPUT          a WAV file or raw samples of 16 bits, - for a pipe, or\n"
    "                 sweep (what encode takes without INPUT), a tone\n"
    "  --step S       distance of two values of a coefficient, 1 to 1000000\n"
    "                 (default 512); larger ones make less bytes and more "
    "noise\n"
    "  --in-flight N  how many blocks may be in flight (default 64)\n"
    "  decode compares its result with INPUT, if that is given\n";

[[noreturn]] static void wrongUsage() {
  std::fputs(Usage, stderr);
  std::exit(2);
}

namespace {

struct Options {
  std::vector<std::string> Names;
  float Step = 512;
  size_t InFlight = 64;
};

} // namespace

static float numberFrom(const char *Text) {
  char *End;
  float Number = std::strtof(Text, &End);
  if (*End || !(Number >= 1 && Number <= 1e6f))
    wrongUsage();
  return Number;
}

static Options readOptions(int Count, char **Arguments) {
  Options Result;
  for (int At = 2; At < Count; ++At) {
    std::string Word = Arguments[At];
    if (Word.compare(0, 2, "--") != 0)
      Result.Names.push_back(Word);
    else if (Word == "--step" && At + 1 < Count)
      Result.Step = numberFrom(Arguments[++At]);
    else if (Word == "--in-flight" && At + 1 < Count)
      Result.InFlight = size_t(numberFrom(Arguments[++At]));
    else
      wrongUsage();
  }
  return Result;
}

/// Encode by the graph, and report what that took.
static Coded encodeByGraph(const Sound &From, const Options &Given) {
  auto Start = std::chrono::steady_clock::now();
  Coded Result;
  __hpvm__init();
  {
    Encoder Graph(Given.Step, Given.InFlight);
    Result = Graph.encode(From);
  }
  __hpvm__cleanup();
  std::chrono::duration<double> Seconds =
      std::chrono::steady_clock::now() - Start;

  double Length = double(From.Samples.size()) / From.Rate;
  std::printf(
      "encoded %zu blocks to %zu bytes, %.1f kbit/s, %.0f times as fast "
      "as it sounds\n",
      blockCount(From.Samples.size()), Result.Bytes.size(),
      8e-3 * double(Result.Bytes.size()) / Length, Length / Seconds.count());
  return Result;
}

/// Report the first byte that differs, if any.
static bool agree(const Coded &Graph, const Coded &Plain) {
  for (size_t At = 0; At != Plain.Bytes.size(); ++At) {
    if (At < Graph.Bytes.size() && Graph.Bytes[At] == Plain.Bytes[At])
      continue;
    std::fprintf(stderr,
                 "audio: expected %zu bytes and %d in byte %zu, but the graph "
                 "gave %zu bytes and another one\n",
                 Plain.Bytes.size(), Plain.Bytes[At], At, Graph.Bytes.size());
    return false;
  }
  return Graph.Bytes.size() == Plain.Bytes.size();
}

static int encode(const Options &Given) {
  const std::vector<std::string> &Names = Given.Names;
  if (Names.empty() || Names.size() > 2)
    wrongUsage();
  Sound From = readSound(Names.size() == 2 ? Names[1] : "sweep");
  Coded Result = encodeByGraph(From, Given);
  writeCoded(Names[0], Result);
  if (!agree(Result, encodePlainly(From, Given.Step)))
    return 1;
  std::printf("audio: ok\n");
  return 0;
}

static int decode(const Options &Given) {
  const std::vector<std::string> &Names = Given.Names;
  if (Names.size() < 2 || Names.size() > 3)
    wrongUsage();
  Sound Result = decode(readCoded(Names[0]), Names[0]);
  writeWAV(Names[1], Result);
  std::printf("decoded %zu samples\n", Result.Samples.size());
  if (Names.size() == 2)
    return 0;
  Sound From = readSound(Names[2]);
  if (From.Samples.size() != Result.Samples.size())
    fail(Names[2], "has " + std::to_string(From.Samples.size()) +
                       " samples, but there are " +
                       std::to_string(Result.Samples.size()) + " in '" +
                       Names[0] + "'");
  std::printf("signal to noise: %.1f dB\n",
              signalToNoise(filtered(From), Result.Samples));
  return 0;
}

int main(int Count, char **Arguments) {
  std::string Command = Count > 1 ? Arguments[1] : "";
  if (Command != "encode" && Command != "decode")
    wrongUsage();
  Options Given = readOptions(Count, Arguments);
  return Command == "encode" ? encode(Given) : decode(Given);
}
