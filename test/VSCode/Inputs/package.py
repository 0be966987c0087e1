# Looks at a .vsix as VS Code and its users do, and tries its snippets.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   package.py SOURCE VSIX SLUICE FOLDER

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

source, vsix, sluice, folder = map(pathlib.Path, sys.argv[1:])
archive = zipfile.ZipFile(vsix)
assert archive.testzip() is None
names = archive.namelist()
assert len(names) == len(set(names))


def text(name):
    return archive.read(name).decode()


# What every .vsix has.
types = ElementTree.fromstring(text("[Content_Types].xml"))
endings = {entry.get("Extension") for entry in types}
assert all(pathlib.PurePath(name).suffix in endings
           for name in names if name != "[Content_Types].xml")
scheme = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
described = ElementTree.fromstring(text("extension.vsixmanifest"))
identity = described.find(".//v:Identity", scheme)
manifest = json.loads(text("extension/package.json"))
version = re.search(r"project\(Sluice VERSION ([\d.]+)",
                    (source / "CMakeLists.txt").read_text())[1]
assert identity.get("Version") == manifest["version"] == version
assert identity.get("Id") == manifest["name"]
assert identity.get("Publisher") == manifest["publisher"]
engine = [entry.get("Value") for entry in described.iterfind(".//v:Property", scheme)
          if entry.get("Id") == "Microsoft.VisualStudio.Code.Engine"]
assert engine == [manifest["engines"]["vscode"]]
for asset in described.iterfind(".//v:Asset", scheme):
    assert asset.get("Path") in names, asset.get("Path")
print(f"{manifest['publisher']}.{manifest['name']} {version[:2]}")

# Files that the manifest names are there and can be read.
named = {manifest["main"]}


def walk(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("path", "configuration") and isinstance(inner, str):
                named.add(inner)
            walk(inner)
    elif isinstance(value, list):
        for inner in value:
            walk(inner)


walk(manifest["contributes"])
for name in named:
    content = text("extension/" + name.removeprefix("./"))
    if name.endswith(".json"):
        json.loads(content)
languages = {name for name in names if name.startswith("extension/languages/")}
unused = languages - {"extension/" + name.removeprefix("./") for name in named}
print(len(named), "files named, unused:", sorted(unused))
# Types of what newer versions of VS Code have would not be found.
api = json.loads((source / "editors/vscode/package.json").read_text())
assert "^" + api["devDependencies"]["@types/vscode"] == manifest["engines"]["vscode"]
for key in ("scripts", "dependencies", "devDependencies"):
    assert key not in manifest, key

# Licences.
notice = text("extension/THIRD-PARTY.txt")
held = re.findall(r"^(\S+) [\d.]+ \(([\w.-]+)\)$", notice, re.MULTILINE)
print(*sorted({f"{name}:{licence}" for name, licence in held}))
assert text("extension/LICENSE.txt") == (source / "LICENSE").read_text()
# Nothing of the machine where it was made.
for name in names:
    assert str(source) not in archive.read(name).decode(errors="replace"), name

# The same files give the same bytes.
archive.extractall(folder / "again")
subprocess.run([sys.executable, "-B", source / "utils/packages/vsix.py",
                folder / "again/extension", folder / "again.vsix"],
               check=True, stdout=subprocess.DEVNULL)
print("same bytes:", (folder / "again.vsix").read_bytes() == vsix.read_bytes())


# Snippets, with what they say by default.
def expand(body):
    result = "\n".join(body) if isinstance(body, list) else body
    last = None
    while last != result:  # the innermost first
        last = result
        result = re.sub(r"\$\{\d+:([^${}]*)\}", r"\1", result)
    result = re.sub(r"\$\d+", "", result)
    assert "$" not in result, result
    return result


def snippets(language):
    return {snippet["prefix"]: expand(snippet["body"]) for snippet in
            json.loads(text(f"extension/languages/{language}.snippets.json")).values()}


def run(*command, **options):
    done = subprocess.run([sluice, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        print(done.stdout)
    return done.returncode


in_c = snippets("c")
program = f"""#include <hpvm.h>
{in_c["hpvm-leaf"]}
{in_c["hpvm-graph"]}
int main(void) {{
  float X[3] = {{1, 2, 3}}, Y[3];
{in_c["hpvm-launch"]}
  return !(Y[0] == 2 && Y[1] == 4 && Y[2] == 6);
}}
"""
(folder / "snippets.c").write_text(program)
print("C:", run("run", folder / "snippets.c"))
in_mlir = snippets("mlir")
module = in_mlir["rdir-module"].replace(
    "\nrdir.graph", in_mlir["rdir-halo"] + "\n\nrdir.graph", 1)
(folder / "snippets.mlir").write_text(module + "\n")
print("regions:", run("check", folder / "snippets.mlir"))
print("layouts:", run("pack", *snippets("ddt").values()))
