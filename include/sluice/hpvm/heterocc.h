/*===- heterocc.h - Hetero-C++ by the name HPVM 2.0 gave its header --------===
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Programs written for HPVM 2.0 include this name.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SLUICE_HPVM_HETEROCC_H
#define SLUICE_HPVM_HETEROCC_H

#include "hetero.h"

#endif /* SLUICE_HPVM_HETEROCC_H */
