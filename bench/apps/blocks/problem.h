//===- problem.h - A stream of blocks with state -----------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sound in blocks through four stages, of which three remember what came
// before: a high-pass filter, a low-pass filter, a limiter that follows the
// loudness, and a soft clipping. Each stage takes the blocks in their order.
// Contracted products differ among compilers: the tolerance is 1e-4.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_BLOCKS_H
#define SLUICE_BENCH_BLOCKS_H

#include "../app.h"

enum { numStates = 4 };
/// The states of the stages, on lines of their own.
enum { stateStride = 16, stateFloats = numStates * stateStride };

static long blockLength, numBlocks;
static float *sound, *result, *states, *expected;

/// state: the last input and the last output.
static inline void highPass(float *block, float *state, long count) {
  float before = state[0], output = state[1];
  for (long i = 0; i < count; ++i) {
    float input = block[i];
    output = input - before + 0.995f * output;
    before = input;
    block[i] = output;
  }
  state[0] = before;
  state[1] = output;
}

/// state: two delayed numbers of a filter of second order.
static inline void lowPass(float *block, float *state, long count) {
  float first = state[0], second = state[1];
  for (long i = 0; i < count; ++i) {
    float input = block[i];
    float output = 0.067f * input + first;
    first = 0.135f * input + 1.143f * output + second;
    second = 0.067f * input - 0.413f * output;
    block[i] = output;
  }
  state[0] = first;
  state[1] = second;
}

/// state: the loudness.
static inline void limitLoudness(float *block, float *state, long count) {
  float loudness = state[0];
  for (long i = 0; i < count; ++i) {
    float size = block[i] < 0 ? -block[i] : block[i];
    loudness += (size > loudness ? 0.1f : 0.001f) * (size - loudness);
    block[i] /= 1.0f + loudness;
  }
  state[0] = loudness;
}

static inline void clipSoftly(float *block, long count) {
  for (long i = 0; i < count; ++i)
    block[i] = block[i] / (1.0f + 0.5f * block[i] * block[i]);
}

static inline float *stateOf(int stage) { return states + stage * stateStride; }

static inline size_t soundBytes(void) {
  return sizeof(float) * (size_t)(blockLength * numBlocks);
}
static inline float *blockAt(long k) { return result + k * blockLength; }

/// Every repetition begins with this; blocks are changed in their place.
static inline void beginSound(void) {
  memcpy(result, sound, soundBytes());
  memset(states, 0, sizeof(float) * stateFloats);
}

static inline void processSerial(void) {
  for (long k = 0; k < numBlocks; ++k) {
    float *block = blockAt(k);
    highPass(block, stateOf(0), blockLength);
    lowPass(block, stateOf(1), blockLength);
    limitLoudness(block, stateOf(2), blockLength);
    clipSoftly(block, blockLength);
  }
}

static void reset(void) { memset(result, 0, soundBytes()); }

static void allocate(void) {
  blockLength = appNumber(1);
  numBlocks = appNumber(2);
  sound = (float *)appOracle(soundBytes());
  result = (float *)appArray(soundBytes());
  states = appFloats(stateFloats);
  expected = (float *)appOracle(soundBytes());
  for (long i = 0; i < blockLength * numBlocks; ++i)
    sound[i] = 4 * appUniform() - 2;
  beginSound();
  processSerial();
  memcpy(expected, result, soundBytes());
}

static const char *verify(void) {
  return appSameFloats("sample", expected, result, blockLength * numBlocks,
                       1e-4);
}

#endif // SLUICE_BENCH_BLOCKS_H
