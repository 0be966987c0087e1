# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds, runs, compares and reports the benchmark programs."""
