/*===- bmp.h - Pictures as BMP files ----------------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Reads and writes uncompressed BMP files of 8 bits (grey) and 24 bits a
|* pixel, in C as the kernels need it. In memory, a picture is one or three
|* planes (grey; or red, green, blue) of rows from top to bottom.
|*
\*===--------------------------------------------------------------------===*/

#ifndef SLUICE_EXAMPLES_BMP_H
#define SLUICE_EXAMPLES_BMP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BmpHeaderBytes = 54, BmpLargest = 1 << 14 };

typedef struct Bmp {
  int64_t width, height;
  int channels;       /* 1 or 3 */
  int isTopDown;      /* rows in the file; mostly they are bottom up */
  uint32_t begin;     /* of the pixels in the file */
  uint8_t greys[256]; /* of the palette's entries */
} Bmp;

static inline uint32_t bmpNumber(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

/* Rows are filled up to a multiple of four bytes. */
static inline int64_t bmpRowBytes(const Bmp *bmp) {
  return (bmp->width * bmp->channels + 3) / 4 * 4;
}

/* Null, or what is wrong. */
static inline const char *bmpReadPalette(FILE *file, const uint8_t *header,
                                         Bmp *bmp) {
  uint8_t entries[256][4] = {{0}};
  uint32_t count = bmpNumber(header + 46) ? bmpNumber(header + 46) : 256;
  long at = 14 + (long)bmpNumber(header + 14);
  if (count > 256 || fseek(file, at, SEEK_SET) ||
      fread(entries, 4, count, file) != count)
    return "its palette is incomplete";
  for (uint32_t i = 0; i < count; ++i)
    if (entries[i][0] != entries[i][1] || entries[i][1] != entries[i][2])
      return "of 8 bits a pixel, only grey pictures are read";
  for (uint32_t i = 0; i < 256; ++i)
    bmp->greys[i] = entries[i][0];
  return NULL;
}

/* Null, or what is wrong. */
static inline const char *bmpReadHeader(FILE *file, Bmp *bmp) {
  uint8_t header[BmpHeaderBytes];
  if (fread(header, 1, sizeof(header), file) != sizeof(header) ||
      header[0] != 'B' || header[1] != 'M' || bmpNumber(header + 14) < 40)
    return "it is no BMP file";
  int bits = header[28] | header[29] << 8;
  if ((bits != 8 && bits != 24) || bmpNumber(header + 30) != 0)
    return "expected 8 or 24 bits a pixel, not compressed";
  int32_t width = (int32_t)bmpNumber(header + 18);
  int32_t height = (int32_t)bmpNumber(header + 22);
  bmp->isTopDown = height < 0;
  bmp->width = width;
  bmp->height = bmp->isTopDown ? -(int64_t)height : height;
  bmp->channels = bits / 8;
  bmp->begin = bmpNumber(header + 10);
  if (bmp->width < 1 || bmp->width > BmpLargest || bmp->height < 1 ||
      bmp->height > BmpLargest)
    return "expected between 1 and 16384 rows and columns";
  return bits == 8 ? bmpReadPalette(file, header, bmp) : NULL;
}

/* Reads the pixels into width * height bytes for each channel. Null, or what
   is wrong. */
static inline const char *bmpReadPixels(FILE *file, const Bmp *bmp,
                                        uint8_t *planes) {
  int64_t rowBytes = bmpRowBytes(bmp);
  const char *problem = NULL;
  uint8_t *row = (uint8_t *)malloc((size_t)rowBytes);
  if (!row || fseek(file, (long)bmp->begin, SEEK_SET))
    problem = "its pixels cannot be read";
  for (int64_t i = 0; i < bmp->height && !problem; ++i) {
    if (fread(row, 1, (size_t)rowBytes, file) != (size_t)rowBytes)
      problem = "it ends before its pixels do";
    int64_t y = bmp->isTopDown ? i : bmp->height - 1 - i;
    for (int64_t x = 0; x < bmp->width && !problem; ++x)
      for (int c = 0; c < bmp->channels; ++c) {
        uint8_t value = row[x * bmp->channels + bmp->channels - 1 - c];
        planes[(c * bmp->height + y) * bmp->width + x] =
            bmp->channels == 1 ? bmp->greys[value] : value;
      }
  }
  free(row);
  return problem;
}

static inline void bmpPutNumber(uint8_t *bytes, uint32_t number) {
  for (int i = 0; i < 4; ++i)
    bytes[i] = (uint8_t)(number >> 8 * i);
}

/* 54 bytes, and the palette of grey pictures. */
static inline int bmpWriteHeader(FILE *file, const Bmp *bmp) {
  uint32_t palette = bmp->channels == 1 ? 1024 : 0;
  uint32_t pixels = (uint32_t)(bmpRowBytes(bmp) * bmp->height);
  uint8_t header[BmpHeaderBytes + 1024] = {'B', 'M'};
  bmpPutNumber(header + 2, BmpHeaderBytes + palette + pixels);
  bmpPutNumber(header + 10, BmpHeaderBytes + palette);
  bmpPutNumber(header + 14, 40);
  bmpPutNumber(header + 18, (uint32_t)bmp->width);
  bmpPutNumber(header + 22, (uint32_t)bmp->height);
  bmpPutNumber(header + 26, 1 | (uint32_t)bmp->channels * 8 << 16);
  bmpPutNumber(header + 34, pixels);
  for (uint32_t i = 0; i < palette; ++i)
    header[BmpHeaderBytes + i] = i % 4 == 3 ? 0 : (uint8_t)(i / 4);
  size_t size = BmpHeaderBytes + palette;
  return fwrite(header, 1, size, file) == size;
}

static inline int bmpWriteRows(FILE *file, const Bmp *bmp,
                               const uint8_t *planes) {
  int64_t rowBytes = bmpRowBytes(bmp);
  uint8_t *row = (uint8_t *)calloc(1, (size_t)rowBytes);
  int isFine = row != NULL;
  for (int64_t y = bmp->height - 1; y >= 0 && isFine; --y) {
    for (int64_t x = 0; x < bmp->width; ++x)
      for (int c = 0; c < bmp->channels; ++c)
        row[x * bmp->channels + bmp->channels - 1 - c] =
            planes[(c * bmp->height + y) * bmp->width + x];
    isFine = fwrite(row, 1, (size_t)rowBytes, file) == (size_t)rowBytes;
  }
  free(row);
  return isFine;
}

/* Writes a picture of 1 or 3 planes. 1 if the whole file has been written. */
static inline int bmpWrite(const char *path, int64_t width, int64_t height,
                           int channels, const uint8_t *planes) {
  Bmp bmp = {width, height, channels, 0, 0, {0}};
  FILE *file = fopen(path, "wb");
  if (!file)
    return 0;
  int isFine = bmpWriteHeader(file, &bmp) && bmpWriteRows(file, &bmp, planes);
  return fclose(file) == 0 && isFine;
}

#endif /* SLUICE_EXAMPLES_BMP_H */
