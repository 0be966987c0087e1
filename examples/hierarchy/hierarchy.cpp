//===- hierarchy.cpp - Three levels of replication ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A building of rooms (three dimensions), each with shelves (two dimensions),
// each with boxes (one dimension). A leaf of each room decides how many boxes
// its shelves hold: the number goes along an edge and becomes an extent. The
// boxes ask all their ancestors for positions and extents.
//
//===----------------------------------------------------------------------===//

#include "hpvm.h"

#include <cstdio>
#include <vector>

constexpr long MostBoxes = 7;

/// How many boxes each shelf of this room holds; none in some rooms.
void chooseBoxes(long Seed) {
  __hpvm__hint(hpvm::CPU_TARGET);
  void *Room = __hpvm__getParentNode(__hpvm__getNode());
  long X = __hpvm__getNodeInstanceID_x(Room);
  long Y = __hpvm__getNodeInstanceID_y(Room);
  long Z = __hpvm__getNodeInstanceID_z(Room);
  long Boxes = (Seed + X + 2 * Y + 3 * Z) % (MostBoxes + 1);
  __hpvm__return(1, Boxes);
}

/// Label one box with where it stands.
void labelBox(long *Labels, size_t LabelsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Labels, 1, Labels);
  void *Box = __hpvm__getNode();
  void *Shelf = __hpvm__getParentNode(Box);
  void *Room = __hpvm__getParentNode(Shelf);

  long Boxes = __hpvm__getNumNodeInstances_x(Box);
  long ShelfColumns = __hpvm__getNumNodeInstances_x(Shelf);
  long ShelfRows = __hpvm__getNumNodeInstances_y(Shelf);
  long RoomColumns = __hpvm__getNumNodeInstances_x(Room);
  long RoomRows = __hpvm__getNumNodeInstances_y(Room);
  long BoxX = __hpvm__getNodeInstanceID_x(Box);
  long ShelfX = __hpvm__getNodeInstanceID_x(Shelf);
  long ShelfY = __hpvm__getNodeInstanceID_y(Shelf);
  long RoomX = __hpvm__getNodeInstanceID_x(Room);
  long RoomY = __hpvm__getNodeInstanceID_y(Room);
  long RoomZ = __hpvm__getNodeInstanceID_z(Room);

  long RoomNumber = (RoomZ * RoomRows + RoomY) * RoomColumns + RoomX;
  long ShelfNumber = (RoomNumber * ShelfRows + ShelfY) * ShelfColumns + ShelfX;
  long Place = ShelfNumber * MostBoxes + BoxX;
  long Storeys = __hpvm__getNumNodeInstances_z(Room);
  Labels[Place] += ((RoomZ * 10 + RoomY) * 10 + RoomX) * 100000 +
                   (ShelfY * 10 + ShelfX) * 1000 + BoxX * 100 + Boxes * 10 +
                   Storeys;
}

void shelf(long Boxes, long *Labels, size_t LabelsBytes) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Labels, 1, Labels);
  void *Label = __hpvm__createNodeND(1, labelBox, Boxes);
  __hpvm__bindIn(Label, 1, 0, 0);
  __hpvm__bindIn(Label, 2, 1, 0);
}

void room(long *Labels, size_t LabelsBytes, long Seed, long ShelfColumns) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Labels, 1, Labels);
  void *Choose = __hpvm__createNodeND(0, chooseBoxes);
  void *Shelves = __hpvm__createNodeND(2, shelf, ShelfColumns, 2);
  __hpvm__bindIn(Choose, 2, 0, 0);
  __hpvm__edge(Choose, Shelves, 1, 0, 0, 0);
  __hpvm__bindIn(Shelves, 0, 1, 0);
  __hpvm__bindIn(Shelves, 1, 2, 0);
}

void building(long *Labels, size_t LabelsBytes, long Seed, long ShelfColumns,
              long Columns, long Rows) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__attributes(1, Labels, 1, Labels);
  void *Rooms =
      __hpvm__createNodeND(3, room, Columns, Rows, Columns + Rows - 1);
  __hpvm__bindIn(Rooms, 0, 0, 0);
  __hpvm__bindIn(Rooms, 1, 1, 0);
  __hpvm__bindIn(Rooms, 2, 2, 0);
  __hpvm__bindIn(Rooms, 3, 3, 0);
}

struct __attribute__((packed)) Arguments {
  long *Labels;
  size_t LabelsBytes;
  long Seed, ShelfColumns, Columns, Rows;
};

/// The labels of a building, and zero where no box stands.
static std::vector<long> plainLabels(const Arguments &Args, long Storeys) {
  std::vector<long> Labels;
  for (long Z = 0; Z != Storeys; ++Z)
    for (long Y = 0; Y != Args.Rows; ++Y)
      for (long X = 0; X != Args.Columns; ++X) {
        long Boxes = (Args.Seed + X + 2 * Y + 3 * Z) % (MostBoxes + 1);
        for (long ShelfY = 0; ShelfY != 2; ++ShelfY)
          for (long ShelfX = 0; ShelfX != Args.ShelfColumns; ++ShelfX)
            for (long Box = 0; Box != MostBoxes; ++Box) {
              long Label = Z * 10000000 + Y * 1000000 + X * 100000 +
                           ShelfY * 10000 + ShelfX * 1000 + Box * 100 +
                           Boxes * 10 + Storeys;
              Labels.push_back(Box < Boxes ? Label : 0);
            }
      }
  return Labels;
}

int main() {
  constexpr long ShelfColumns = 5, Columns = 4, Rows = 3;
  constexpr long Storeys = Columns + Rows - 1;
  std::vector<long> Labels(Storeys * Rows * Columns * 2 * ShelfColumns *
                           MostBoxes);
  Arguments Args = {Labels.data(), Labels.size() * sizeof(long),
                    /*Seed=*/5,    ShelfColumns,
                    Columns,       Rows};

  __hpvm__init();
  llvm_hpvm_track_mem(Args.Labels, Args.LabelsBytes);
  void *Graph = __hpvm__launch(0, building, &Args);
  __hpvm__wait(Graph);
  llvm_hpvm_request_mem(Args.Labels, Args.LabelsBytes);
  llvm_hpvm_untrack_mem(Args.Labels);
  __hpvm__cleanup();

  std::vector<long> Expected = plainLabels(Args, Storeys);
  long Boxes = 0;
  for (size_t Place = 0; Place != Expected.size(); ++Place) {
    if (Labels[Place] != Expected[Place]) {
      std::fprintf(stderr,
                   "hierarchy: expected label %ld, but the graph wrote %ld at "
                   "place %zu\n",
                   Expected[Place], Labels[Place], Place);
      return 1;
    }
    Boxes += Labels[Place] != 0;
  }
  std::printf("labelled %ld boxes in %ld rooms\n", Boxes,
              Storeys * Rows * Columns);
  std::printf("hierarchy: ok\n");
}
