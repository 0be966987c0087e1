"""Checks a log of SARIF 2.1.0 and prints its results, one a line.

read_sarif.py SCHEMA LOG: validates the log by the schema, and what a schema
cannot say: rules and base URIs that are named exist, and regions lie in the
text of their files.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import sys
import urllib.parse
import urllib.request

import jsonschema


class Log:
    def __init__(self, run):
        self.bases = run["originalUriBaseIds"]
        self.rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert run["columnKind"] == "utf16CodeUnits"

    def path(self, location):
        """The file of an artifactLocation; none for what is in no file."""
        uri = location["uri"]
        if "uriBaseId" in location:
            base = self.bases[location["uriBaseId"]]["uri"]
            uri = urllib.parse.urljoin(base, uri)
        parts = urllib.parse.urlparse(uri)
        assert parts.scheme == "file", uri
        return urllib.request.url2pathname(parts.path)

    def marked(self, path, region):
        """The text of a region, which must lie in the file."""
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        first, last = region["startLine"] - 1, region["endLine"] - 1
        assert first <= last < len(lines), region
        # Two bytes for each unit of UTF-16.
        text = [line.encode("utf-16-le") for line in lines[first:last + 1]]
        start, end = region["startColumn"] - 1, region["endColumn"] - 1
        assert 2 * start <= len(text[0]) and 2 * end <= len(text[-1]), region
        text[-1] = text[-1][:2 * end]
        text[0] = text[0][2 * start:]
        assert first < last or start <= end, region
        return "\n".join(part.decode("utf-16-le") for part in text)

    def place(self, location):
        physical = location.get("physicalLocation")
        if not physical:
            return "nowhere"
        path = self.path(physical["artifactLocation"])
        name = path.rsplit("/", 1)[-1]
        region = physical.get("region")
        if not region or name.startswith("<"):
            return name
        return "%s:%d:%d <%s>" % (name, region["startLine"],
                                  region["startColumn"],
                                  self.marked(path, region))

    def show(self, result):
        rule = result.get("ruleId", "-")
        if "ruleIndex" in result:
            assert self.rules[result["ruleIndex"]] == rule
        places = [self.place(x) for x in result.get("locations", [])]
        print(result["level"], rule, *(places or ["nowhere"]), "|",
              result["message"]["text"])
        for location in result.get("relatedLocations", []):
            print("  related", self.place(location), "|",
                  location["message"]["text"])
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                path = self.path(change["artifactLocation"])
                for replacement in change["replacements"]:
                    old = self.marked(path, replacement["deletedRegion"])
                    new = replacement.get("insertedContent", {"text": ""})
                    print("  fix %s | %s -> %s" % (
                        fix["description"]["text"], json.dumps(old),
                        json.dumps(new["text"])))


def main():
    schema, name = sys.argv[1:]
    with open(schema) as file:
        schema = json.load(file)
    with open(name, encoding="utf-8") as file:
        log = json.load(file)
    jsonschema.Draft7Validator(
        schema, format_checker=jsonschema.FormatChecker()).validate(log)
    for run in log["runs"]:
        print("successful" if run["invocations"][0]["executionSuccessful"]
              else "failed")
        for rule in run["tool"]["driver"]["rules"]:
            print("rule", rule["id"], rule.get("helpUri", "without a page"))
        for result in run["results"]:
            Log(run).show(result)


main()
