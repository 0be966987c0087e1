//===- camera.cpp - Develop a camera's raw picture ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main program: reads a raw picture and the camera's model, develops it
// with the graph of develop.cpp as often as asked, compares the result with
// that of plain loops, byte by byte, and writes it as PNG.
//
//===----------------------------------------------------------------------===//

#include "camera.h"

#include "hpvm.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

static const char Usage[] =
    "usage: camera RAW MODEL OUT.png [REPETITIONS [SETTING]]\n"
    "  RAW          raw picture\n"
    "  MODEL        folder with the camera's raw2jpg_*.txt\n"
    "  OUT.png      where the developed picture goes\n"
    "  REPETITIONS  how often to develop it (default 1)\n"
    "  SETTING      white-balance setting of the model (default 0: the raw\n"
    "               values are balanced already)\n";

static int numberArgument(int Count, char **Arguments, int At, int Default) {
  return At < Count ? std::atoi(Arguments[At]) : Default;
}

/// Report the first byte that differs, if any.
static bool agree(const Developed &Graph, const Developed &Plain,
                  size_t Columns) {
  for (size_t Byte = 0; Byte != Plain.size(); ++Byte) {
    if (Graph[Byte] == Plain[Byte])
      continue;
    std::fprintf(stderr,
                 "camera: expected %d, but the graph gave %d in channel %zu of "
                 "column %zu, row %zu\n",
                 Plain[Byte], Graph[Byte], Byte % 3, Byte / 3 % Columns,
                 Byte / 3 / Columns);
    return false;
  }
  return true;
}

int main(int Count, char **Arguments) {
  int Repetitions = numberArgument(Count, Arguments, 4, 1);
  int Setting = numberArgument(Count, Arguments, 5, Balanced);
  if (Count < 4 || Count > 6 || Repetitions < 1) {
    std::fputs(Usage, stderr);
    return 2;
  }
  RawPicture Raw = readRaw(Arguments[1]);
  CameraModel Model = readModel(Arguments[2], Setting);

  __hpvm__init();
  double Best = std::numeric_limits<double>::infinity();
  Developed Picture;
  {
    Darkroom Room(Raw, Model);
    for (int Repetition = 0; Repetition != Repetitions; ++Repetition)
      Best = std::min(Best, Room.develop());
    Picture = Room.picture();
  }
  __hpvm__cleanup();

  std::printf("developed %zux%zu in %.2f ms (best of %d)\n", Raw.Columns,
              Raw.Rows, Best, Repetitions);
  writePNG(Arguments[3], Picture, Raw.Columns, Raw.Rows);
  std::printf("wrote %s\n", Arguments[3]);
  if (!agree(Picture, developPlainly(Raw, Model), Raw.Columns))
    return 1;
  std::printf("camera: ok\n");
  return 0;
}
