# The format of Sluice's lit tests: shell tests, each with a cache of its own.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `sluice run` keeps what it builds in a cache. A test must neither see what
# another test left there nor what it left itself the last time, so each one
# starts with an empty folder in the build tree.

import os
import shutil

import lit.formats


class SluiceTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        folder, name = os.path.split(test.getExecPath())
        cache = os.path.join(folder, "Output", name + ".cache")
        shutil.rmtree(cache, ignore_errors=True)
        # A lit worker is a process that runs one test after the other, so the
        # environment of the configuration is this test's alone.
        test.config.environment["SLUICE_CACHE_DIR"] = cache
        try:
            return super().execute(test, lit_config)
        finally:
            shutil.rmtree(cache, ignore_errors=True)
