//===- edges.cpp - Detect edges in a stream of frames ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program: reads frames, gives them to the streaming graph of
// graph.cpp while it has room, takes results when it has none, writes them,
// and compares them with those of plain loops if asked to.
//
//===----------------------------------------------------------------------===//

#include "edges.h"

#include "hpvm.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

static const char Usage[] =
    "usage: edges [OPTIONS] INPUT [OUTPUT]\n"
    "  INPUT            a picture (PNG, or PGM and PPM, any number in a "
    "file),\n"
    "                   numbered pictures (in%03d.png), or - for a pipe of "
    "PGM\n"
    "                   and PPM pictures\n"
    "  OUTPUT           a picture (.png or .pgm), numbered ones "
    "(out%03d.png),\n"
    "                   or - for raw video, one byte per pixel\n"
    "  --size WxH       INPUT is raw video with frames of this size\n"
    "  --pixels FORMAT  of raw video: gray (default) or rgb24\n"
    "  --pan N          N frames of 640x480, moving over the picture INPUT\n"
    "  --threshold T    the part of the largest gradient that an edge has at\n"
    "                   least (default 0.2)\n"
    "  --in-flight N    how many frames may be in flight (default 8)\n"
    "  --every N        write and compare every Nth frame only\n"
    "  --check          compare frames with plain loops\n";

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

namespace {

struct Options {
  std::string Input, Output;
  size_t Columns = 0, Rows = 0, Pan = 0, Every = 1;
  PixelFormat Format = PixelFormat::Gray;
  Settings Detection;
  bool Check = false;
};

} // namespace

[[noreturn]] static void wrongUsage() {
  std::fputs(Usage, stderr);
  std::exit(2);
}

static size_t countFrom(const char *Text) {
  char *End;
  long Count = std::strtol(Text, &End, 10);
  if (*End || Count < 1 || Count > 1000000)
    wrongUsage();
  return Count;
}

static void readSize(const char *Text, Options &Result) {
  char Rest;
  if (std::sscanf(Text, "%5zux%5zu%c", &Result.Columns, &Result.Rows, &Rest) !=
          2 ||
      Result.Columns == 0 || Result.Rows == 0)
    wrongUsage();
}

static PixelFormat formatFrom(const std::string &Text) {
  if (Text != "gray" && Text != "rgb24")
    wrongUsage();
  return Text == "gray" ? PixelFormat::Gray : PixelFormat::RGB24;
}

static float thresholdFrom(const char *Text) {
  char *End;
  float Threshold = std::strtof(Text, &End);
  if (*End || !(Threshold >= 0 && Threshold <= 1))
    wrongUsage();
  return Threshold;
}

static void readOption(const std::string &Name, const char *Value,
                       Options &Result) {
  if (Name == "--size")
    readSize(Value, Result);
  else if (Name == "--pixels")
    Result.Format = formatFrom(Value);
  else if (Name == "--pan")
    Result.Pan = countFrom(Value);
  else if (Name == "--threshold")
    Result.Detection.Threshold = thresholdFrom(Value);
  else if (Name == "--in-flight")
    Result.Detection.InFlight = countFrom(Value);
  else if (Name == "--every")
    Result.Every = countFrom(Value);
  else
    wrongUsage();
}

static Options readOptions(int Count, char **Arguments) {
  Options Result;
  std::vector<std::string> Names;
  for (int At = 1; At < Count; ++At) {
    std::string Word = Arguments[At];
    if (Word == "--check")
      Result.Check = true;
    else if (Word.compare(0, 2, "--") != 0)
      Names.push_back(Word);
    else if (++At < Count)
      readOption(Word, Arguments[At], Result);
    else
      wrongUsage();
  }
  if (Names.empty() || Names.size() > 2 || (Result.Columns && Result.Pan))
    wrongUsage();
  Result.Input = Names[0];
  Result.Output = Names.size() == 2 ? Names[1] : "";
  return Result;
}

static std::unique_ptr<Source> open(const Options &Given) {
  if (Given.Pan)
    return panOver(readPicture(Given.Input), Given.Pan);
  if (Given.Columns)
    return openRawVideo(Given.Input, Given.Columns, Given.Rows, Given.Format);
  return openPictures(Given.Input);
}

//===----------------------------------------------------------------------===//
// From frames to edges
//===----------------------------------------------------------------------===//

namespace {

/// Takes results from a detector in order, writes and compares them.
class Results {
public:
  Results(const Options &Given, Detector &Graph) : Given(Given), Graph(Graph) {}

  /// Keep what the \p Number th frame is compared with.
  void expect(const Frame &Picture, size_t Number) {
    if (Given.Check && Number % Given.Every == 0)
      Waiting.push_back(Picture);
  }

  void takeOne(size_t Columns, size_t Rows) {
    const Edges &Found = Graph.pop();
    bool IsWanted = Number % Given.Every == 0;
    if (IsWanted && Given.Check)
      compare(Found);
    if (IsWanted)
      write(Found, Columns, Rows);
    ++Number;
  }

  size_t count() const { return Number; }

private:
  void compare(const Edges &Found) {
    Frame Picture = std::move(Waiting.front());
    Waiting.pop_front();
    Edges Expected = detectPlainly(Picture, Given.Detection.Threshold);
    if (Found.Maximum != Expected.Maximum)
      differ("the largest gradient", Expected.Maximum, Found.Maximum);
    for (size_t At = 0; At != Expected.Pixels.size(); ++At)
      if (Found.Pixels[At] != Expected.Pixels[At])
        differ("column " + std::to_string(At % Picture.Columns) + ", row " +
                   std::to_string(At / Picture.Columns),
               Expected.Pixels[At], Found.Pixels[At]);
  }

  [[noreturn]] void differ(const std::string &Where, int Expected, int Found) {
    std::fprintf(stderr,
                 "edges: frame %zu, %s: expected %d, but the graph gave %d\n",
                 Number, Where.c_str(), Expected, Found);
    std::exit(1);
  }

  void write(const Edges &Found, size_t Columns, size_t Rows) {
    const std::string &Path = Given.Output;
    if (Path == "-")
      return writeRaw(Found);
    if (isNumbered(Path))
      return writePicture(numbered(Path, Number), Found.Pixels.data(), Columns,
                          Rows);
    if (!Path.empty() && Number)
      fail(Path, "there are several frames to write; put a number's place into "
                 "the name, like %03d");
    if (!Path.empty())
      writePicture(Path, Found.Pixels.data(), Columns, Rows);
  }

  void writeRaw(const Edges &Found) {
    size_t Count = Found.Pixels.size();
    if (std::fwrite(Found.Pixels.data(), 1, Count, stdout) != Count ||
        std::fflush(stdout) != 0)
      fail("-", std::string("cannot be written: ") + std::strerror(errno));
  }

  const Options &Given;
  Detector &Graph;
  std::deque<Frame> Waiting;
  size_t Number = 0;
};

} // namespace

/// The first frame decides on the size of all.
static void requireSize(const Frame &Picture, const Frame &First, size_t Number,
                        const std::string &Path) {
  if (Picture.Columns == First.Columns && Picture.Rows == First.Rows)
    return;
  fail(Path,
       "frame " + std::to_string(Number) + " has " +
           std::to_string(Picture.Columns) + "x" +
           std::to_string(Picture.Rows) + " pixels, but the first one has " +
           std::to_string(First.Columns) + "x" + std::to_string(First.Rows));
}

/// All frames through the graph: pushed while there is room for one more in
/// flight, so that the stages work on different frames at the same time.
static void detect(const Options &Given) {
  std::unique_ptr<Source> Frames = open(Given);
  Frame First;
  if (!Frames->next(First))
    fail(Given.Input, "there is no frame");
  size_t Columns = First.Columns, Rows = First.Rows;

  auto Start = std::chrono::steady_clock::now();
  Detector Graph(Columns, Rows, Given.Detection);
  Results Done(Given, Graph);
  Frame Picture = First;
  size_t Pushed = 0;
  do {
    requireSize(Picture, First, Pushed, Given.Input);
    if (Graph.isFull())
      Done.takeOne(Columns, Rows);
    Graph.push(Picture);
    Done.expect(Picture, Pushed++);
  } while (Frames->next(Picture));
  while (!Graph.isEmpty())
    Done.takeOne(Columns, Rows);

  std::chrono::duration<double> Seconds =
      std::chrono::steady_clock::now() - Start;
  std::FILE *Report = Given.Output == "-" ? stderr : stdout;
  std::fprintf(Report, "%zu frames of %zux%zu, %.1f frames/s, %zu in flight\n",
               Done.count(), Columns, Rows,
               double(Done.count()) / Seconds.count(), Graph.mostInFlight());
  if (Given.Check)
    std::fprintf(Report, "edges: ok\n");
}

int main(int Count, char **Arguments) {
  Options Given = readOptions(Count, Arguments);
  __hpvm__init();
  detect(Given);
  __hpvm__cleanup();
  return 0;
}
