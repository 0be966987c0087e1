# The format of Sluice's lit tests: shell tests, each with a cache of its own.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `sluice run` keeps what it builds in a cache. A test must neither see what
# another test left there nor what it left itself the last time, so each one
# starts with an empty folder in the build tree.
#
# lit ends a test that takes too long with the help of a Python package that
# Debian does not install with it; what it needs of that is here instead.

import glob
import os
import shutil
import signal
import zlib

import lit.formats
import lit.util


def kill_tree(pid):
    """Ends a process and all of its descendants."""
    children = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path) as file:
                children += [int(child) for child in file.read().split()]
        except OSError:
            pass  # the thread has ended
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for child in children:
        kill_tree(child)


lit.util.killProcessAndChildren = kill_tree
lit.util.killProcessAndChildrenIsSupported = lambda: (True, "")


def split_paths(paths, root):
    for path in paths:
        if not os.path.exists(os.path.join(root, path)):
            raise FileNotFoundError(f"there is no test '{path}'")
    return {tuple(path.split("/")) for path in paths}


class SluiceTest(lit.formats.ShTest):
    left_out = ()
    first = ()
    part = None

    def take_part(self, part):
        """Only the tests that wait for each other, 'ranks', or the 'others'."""
        if part not in (None, "ranks", "others"):
            raise ValueError(f"there is no part '{part}' of the tests")
        self.part = part

    def leave_out(self, paths, root):
        """Tests, by their paths below root, that are not to be found."""
        self.left_out = split_paths(paths, root)

    def begin_with(self, paths, root):
        """Tests that take long: nothing should wait for them in the end."""
        self.first = split_paths(paths, root)

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        has_ranks = config.parallelism_group is not None
        if self.part and has_ranks != (self.part == "ranks"):
            return
        for test in super().getTestsInDirectory(suite, path_in_suite,
                                                lit_config, config):
            if test.path_in_suite in self.left_out:
                continue
            # lit begins with what took longest. Those that wait for each other
            # (parallelism groups) are in the same folders, and would stop all of
            # its workers but one; so tests begin in an order that mixes folders,
            # the same one each time.
            name = "/".join(test.path_in_suite).encode()
            test.previous_elapsed = (zlib.crc32(name) / 2**32
                                     + (test.path_in_suite in self.first))
            yield test

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
