"""An editor that speaks to a language server, for tests.

Waits for answers, never for a time; a server that does not answer is ended
after five minutes.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import pathlib
import signal
import subprocess


class Failure(Exception):
    """The server answered with an error."""


class Document:
    def __init__(self, editor, path, text):
        self.editor, self.path, self.text = editor, str(path), text
        self.uri = pathlib.Path(path).absolute().as_uri()
        self.version = 1
        editor.documents[self.uri] = self
        editor.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "any", "version": 1, "text": text}})

    def change(self, text):
        self.text = text
        self.version += 1
        self.editor.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version},
            "contentChanges": [{"text": text}]})

    def replace(self, old, new):
        assert old in self.text, old
        self.change(self.text.replace(old, new, 1))

    def close(self):
        self.editor.notify("textDocument/didClose",
                           {"textDocument": {"uri": self.uri}})

    def problems(self):
        """What the server says of the text as it is."""
        published = self.editor.published
        while published.get(self.uri, {}).get("version") != self.version:
            self.editor.receive()
        return published[self.uri]["diagnostics"]

    def shown(self):
        """The problems, one text for each."""
        return [self.show(problem) for problem in self.problems()]

    def show(self, problem):
        kind = {1: "error", 2: "warning", 3: "remark",
                4: "hint"}[problem["severity"]]
        return "%s %s %d <%s> %s" % (
            kind, problem.get("code", "-"),
            problem["range"]["start"]["line"] + 1,
            self.at(problem["range"]), problem["message"])

    def position(self, text, number=0, inside=0):
        """Where `text` stands for the so-manieth time."""
        offset = -1
        for _ in range(number + 1):
            offset = self.text.index(text, offset + 1)
        before = self.text[:offset + inside]
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"),
                "character": len(line.encode("utf-16-le")) // 2}

    def offset(self, position):
        lines = self.text.split("\n")
        line = lines[position["line"]].encode("utf-16-le")
        column = len(line[:2 * position["character"]].decode("utf-16-le"))
        return sum(len(x) + 1 for x in lines[:position["line"]]) + column

    def at(self, where):
        """The text of a range."""
        return self.text[self.offset(where["start"]):self.offset(where["end"])]

    def ask(self, method, text, number=0, inside=0):
        return self.editor.request("textDocument/" + method, {
            "textDocument": {"uri": self.uri},
            "position": self.position(text, number, inside)})

    def hover(self, text, number=0, inside=0):
        """What is said of a word, with the text that it is said of."""
        said = self.ask("hover", text, number, inside)
        if not said:
            return None
        return "<%s> %s" % (self.at(said["range"]), said["contents"]["value"])

    def definition(self, text, number=0, inside=0):
        """The lines and texts of where a word leads."""
        found = []
        for place in self.ask("definition", text, number, inside) or []:
            document = self.editor.documents[place["uri"]]
            found.append("%d <%s>" % (place["range"]["start"]["line"] + 1,
                                      document.at(place["range"])))
        return found

    def outline(self):
        lines = []

        def show(entries, depth):
            for entry in entries:
                name = self.at(entry["selectionRange"])
                lines.append("  " * depth + entry["name"] + ": "
                             + entry["detail"] + " <%s>" % name)
                assert inside(entry["selectionRange"], entry["range"])
                show(entry["children"], depth + 1)

        show(self.editor.request("textDocument/documentSymbol", {
            "textDocument": {"uri": self.uri}}), 0)
        return lines

    def actions(self, text, number=0, only=None):
        place = self.position(text, number)
        context = {"diagnostics": []}
        if only:
            context["only"] = only
        return self.editor.request("textDocument/codeAction", {
            "textDocument": {"uri": self.uri},
            "range": {"start": place, "end": place}, "context": context})

    def apply(self, action):
        """Makes the changes of an action in this document."""
        edits = action["edit"]["changes"][self.uri]
        text = self.text
        places = [(self.offset(edit["range"]["start"]),
                   self.offset(edit["range"]["end"]), edit["newText"])
                  for edit in edits]
        for begin, end, new in sorted(places, reverse=True):
            text = text[:begin] + new + text[end:]
        self.change(text)


def inside(inner, outer):
    def key(place):
        return place["line"], place["character"]
    return (key(outer["start"]) <= key(inner["start"])
            and key(inner["end"]) <= key(outer["end"]))


class Editor:
    def __init__(self, server, options=None, root=".", capabilities=None):
        signal.alarm(300)
        self.process = subprocess.Popen(
            server, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.documents, self.published = {}, {}
        self.answers, self.asked, self.messages = {}, [], []
        self.versions = {}
        self.number = 0
        self.server = self.request("initialize", {
            "processId": None, "capabilities": capabilities or {},
            "rootUri": pathlib.Path(root).absolute().as_uri(),
            "initializationOptions": options or {}})
        self.notify("initialized", {})

    def send_raw(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, message):
        text = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self):
        """Takes one message."""
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server has ended")
            line = line.strip()
            if not line:
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message = json.loads(self.process.stdout.read(length))
        assert message["jsonrpc"] == "2.0", message
        if "method" not in message:
            self.answers[message["id"]] = message
        elif message["method"] == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"]] = params
            if "version" in params:
                self.versions.setdefault(params["uri"], []).append(
                    params["version"])
        elif "id" in message:
            self.asked.append(message)
            self.send({"id": message["id"], "result": {"success": True}})
        else:
            self.messages.append(message)

    def begin(self, method, params):
        """Sends a request; its number."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def end(self, number):
        """The answer of a request."""
        while number not in self.answers:
            self.receive()
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(answer["error"]["message"])
        return answer["result"]

    def request(self, method, params):
        return self.end(self.begin(method, params))

    def open(self, path, text):
        return Document(self, path, text)

    def quit(self):
        """Ends the server as the protocol wants it; its status."""
        assert self.request("shutdown", None) is None
        self.notify("exit", None)
        self.process.stdin.close()
        return self.process.wait()
