//===- consumer.c - A C program that links the installed runtime ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks a range and asks for it again: enough to need the header, the
// library and everything the library needs.
//
//===----------------------------------------------------------------------===//

#include <sluice-c/Runtime.h>

int main(void) {
  static float data[16];
  sluiceInit();
  sluiceTrackMemory(data, sizeof data);
  int same = sluiceRequestMemory(data, sizeof data) == data;
  sluiceUntrackMemory(data);
  sluiceCleanup();
  return same ? 0 : 1;
}
