#!/usr/bin/env python3
# Makes the .vsix of an extension of VS Code: a zip of its folder, with what the
# format wants beside it. The same folder gives the same bytes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   vsix.py FOLDER OUT.vsix

import json
import pathlib
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

TYPES = {
    ".json": "application/json",
    ".js": "application/javascript",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".vsixmanifest": "text/xml",
}
TIME = (1980, 1, 1, 0, 0, 0)


def properties(manifest):
    def joined(name):
        return ",".join(manifest.get(name, []))

    code = "Microsoft.VisualStudio.Code"
    return {
        f"{code}.Engine": manifest["engines"]["vscode"],
        f"{code}.ExtensionDependencies": joined("extensionDependencies"),
        f"{code}.ExtensionPack": joined("extensionPack"),
        f"{code}.ExtensionKind": joined("extensionKind"),
        f"{code}.LocalizedLanguages": "",
        f"{code}.ExecutesCode": "true",
        "Microsoft.VisualStudio.Services.Content.Pricing": "Free",
    }


def described(manifest):
    """The text of extension.vsixmanifest."""
    tags = list(manifest.get("keywords", []))
    for language in manifest["contributes"].get("languages", []):
        tags += [language["id"]]
        tags += ["__ext_" + ending[1:] for ending in language["extensions"]]
    shown = "\n".join(
        f"      <Property Id={quoteattr(name)} Value={quoteattr(value)}/>"
        for name, value in properties(manifest).items()
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0"
    xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011"
    xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id={quoteattr(manifest["name"])}
        Version={quoteattr(manifest["version"])}
        Publisher={quoteattr(manifest["publisher"])}/>
    <DisplayName>{escape(manifest["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(manifest["description"])}</Description>
    <Tags>{escape(",".join(tags))}</Tags>
    <Categories>{escape(",".join(manifest["categories"]))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
{shown}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest"
        Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details"
        Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License"
        Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def content_types(names):
    endings = sorted({pathlib.PurePath(name).suffix for name in names})
    unknown = set(endings) - set(TYPES)
    if unknown:
        sys.exit(f"vsix.py: no type is known for {', '.join(sorted(unknown))}")
    lines = "\n".join(
        f'  <Default Extension="{ending}" ContentType="{TYPES[ending]}"/>'
        for ending in endings
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
{lines}
</Types>
"""


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    manifest = json.loads((folder / "package.json").read_text())
    files = {
        f"extension/{path.relative_to(folder)}": path.read_bytes()
        for path in sorted(folder.rglob("*")) if path.is_file()
    }
    files = {"extension.vsixmanifest": described(manifest).encode(), **files}
    files = {"[Content_Types].xml": content_types(files).encode(), **files}
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    print(f"{out}: {len(files)} files, {out.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
