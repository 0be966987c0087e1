"""Packages that were made twice: what differs is named. Copies of sources: what is
the same is not written again."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop(1))
import same_files  # noqa: E402

CONTROL = """Package: thing
Version: 1
Architecture: all
Maintainer: Nobody <nobody@example.org>
Description: a thing
"""


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Packages(Folders):
    def make(self, where, change=lambda tree: None, name="thing"):
        """The folder of a package; `change` gets its files before it is made."""
        tree, out = self.folder / "tree", self.folder / where
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(CONTROL)
        (tree / "usr/lib").mkdir(parents=True)
        (tree / "usr/lib/code").write_bytes(b"\x7fELF, from /some/where/x.cpp")
        (tree / "usr/lib/link").symlink_to("code")
        change(tree)
        out.mkdir(exist_ok=True)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-b", tree, out / f"{name}.deb"],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
        shutil.rmtree(tree)
        return out

    def found(self, change, *folders):
        return list(same_files.compare(self.make("one"),
                                       self.make("other", change), folders))

    def test_equal(self):
        self.assertEqual(self.found(lambda tree: None), [])

    def test_content(self):
        self.assertEqual(
            self.found(lambda tree: (tree / "usr/lib/code").write_bytes(
                b"\x7fELF, from /some/other/x.cpp")),
            ["'usr/lib/code' differs in thing.deb"])

    def test_link(self):
        def change(tree):
            (tree / "usr/lib/link").unlink()
            (tree / "usr/lib/link").symlink_to("/usr/lib/code")
        self.assertEqual(self.found(change),
                         ["'usr/lib/link' differs in thing.deb"])

    def test_what_dpkg_reads(self):
        self.assertEqual(
            self.found(lambda tree: (tree / "DEBIAN/control").write_text(
                CONTROL.replace("a thing", "another thing"))), [
                    "'DEBIAN/control' differs in thing.deb"])

    def test_one_file_more(self):
        self.assertEqual(
            self.found(lambda tree: (tree / "usr/lib/more").touch()),
            ["only one thing.deb has 'usr/lib/more'"])

    def test_mode(self):
        found, = self.found(lambda tree: (tree / "usr/lib/code").chmod(0o755))
        self.assertIn("-rwxr-xr-x", found)
        self.assertIn("usr/lib/code", found)

    def test_package_that_is_missing(self):
        first = self.make("one")
        self.make("one", name="second")
        self.assertEqual(
            list(same_files.compare(first, self.make("other"), [])),
            ["second.deb was made once only"])

    def test_no_packages(self):
        (self.folder / "none").mkdir()
        found, = same_files.compare(self.folder / "none",
                                    self.folder / "none", [])
        self.assertIn("has no packages", found)

    def test_name_of_the_folder(self):
        self.assertEqual(
            self.found(lambda tree: None, "/some/where", "/else"),
            ["'usr/lib/code' of thing.deb names '/some/where'"])


class Copies(Folders):
    def test_only_changes_are_written(self):
        source, copy = self.folder / "source", self.folder / "copy"
        source.mkdir()
        copy.mkdir()
        subprocess.run(["git", "init", "-q", source], check=True)
        (source / "sub").mkdir()
        for name in ("same", "sub/changes", "goes", "ignored"):
            (source / name).write_text(name)
        (source / ".gitignore").write_text("ignored\n")
        same_files.copy_sources(source, copy)
        for path in copy.rglob("*"):
            os.utime(path, (1, 1))
        (source / "sub/changes").write_text("changed")
        (source / "sub/changes").chmod(0o755)
        (source / "goes").unlink()
        (source / "new one").write_text("new")
        same_files.copy_sources(source, copy)
        files = {str(path.relative_to(copy)): path for path in copy.rglob("*")
                 if path.is_file()}
        self.assertEqual(sorted(files),
                         [".gitignore", "new one", "same", "sub/changes"])
        self.assertEqual(files["same"].stat().st_mtime, 1)
        self.assertGreater(files["sub/changes"].stat().st_mtime, 1)
        self.assertEqual(files["sub/changes"].read_text(), "changed")
        self.assertTrue(os.access(files["sub/changes"], os.X_OK))


if __name__ == "__main__":
    unittest.main()
