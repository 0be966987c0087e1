// A stand-in for VS Code's interface to extensions, for tests: documents without
// windows, and panels, messages and tasks that are kept for the test to look at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests load the extension with it and act as the user by `vscode.test`. They wait
// for what happens, never for a time; a test that waits for ever ends after five
// minutes. What VS Code itself does, such as drawing, is not here.

'use strict';
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

//--- Waiting -----------------------------------------------------------------

let waiting = [];
/// Something has happened that a test may wait for.
function happened() {
  for (const look of [...waiting])
    look();
}

/// Waits until a function gives something, and gives that.
function until(wanted) {
  return new Promise((resolve, reject) => {
    const look = () => {
      try {
        const found = wanted();
        if (!found)
          return;
        waiting = waiting.filter((other) => other !== look);
        resolve(found);
      } catch (error) {
        reject(error);
      }
    };
    waiting.push(look);
    look();
  });
}

setTimeout(() => {
  console.log('the test waits for ever');
  process.exit(1);
}, 300_000).unref();

//--- Values ------------------------------------------------------------------

class Disposable {
  constructor(end) { this.dispose = end; }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = self ? listener.bind(self) : listener;
      this.listeners.add(bound);
      return new Disposable(() => this.listeners.delete(bound));
    };
  }
  fire(value) {
    for (const listener of [...this.listeners])
      listener(value);
    happened();
  }
  dispose() { this.listeners.clear(); }
}

class CancellationTokenSource {
  constructor() {
    const emitter = new EventEmitter();
    this.token = {
      isCancellationRequested: false,
      onCancellationRequested: emitter.event,
    };
    this.cancel = () => {
      this.token.isCancellationRequested = true;
      emitter.fire();
    };
  }
  dispose() {}
}

class Uri {
  constructor(scheme, place, fragment = '') {
    Object.assign(this, {scheme, path: place, fragment});
  }
  static file(place) { return new Uri('file', path.posix.normalize(place)); }
  static parse(text) {
    const [, scheme, rest, fragment] =
        /^([\w-]+):(?:\/\/)?([^#]*)(?:#(.*))?$/s.exec(text);
    return new Uri(scheme, decodeURIComponent(rest), fragment);
  }
  static joinPath(base, ...parts) {
    return new Uri(base.scheme, path.posix.join(base.path, ...parts));
  }
  get fsPath() { return this.path; }
  get authority() { return ''; }
  // As VS Code writes it: all signs but letters and a few others in percent.
  toString() {
    return `${this.scheme}:${this.scheme === 'file' ? '//' : ''}` +
        this.path.split('/').map((part) => encodeURIComponent(part).replace(
            /[!'()*]/g, (sign) => '%' + sign.charCodeAt(0).toString(16).toUpperCase()))
            .join('/') + (this.fragment && `#${this.fragment}`);
  }
}

class Position {
  constructor(line, character) { this.line = line; this.character = character; }
}

class Range {
  constructor(a, b, c, d) {
    this.start = typeof a === 'number' ? new Position(a, b) : a;
    this.end = typeof a === 'number' ? new Position(c, d) : b;
  }
}

class Location {
  constructor(uri, range) { this.uri = uri; this.range = range; }
}

class Diagnostic {
  constructor(range, message, severity) {
    this.range = range;
    this.message = message;
    this.severity = severity;
  }
}

class DiagnosticRelatedInformation {
  constructor(location, message) { Object.assign(this, {location, message}); }
}

class DocumentSymbol {
  constructor(name, detail, kind, range, selectionRange) {
    Object.assign(this, {name, detail, kind, range, selectionRange});
  }
}

class MarkdownString {
  constructor(value) { this.value = value ?? ''; }
  appendCodeblock(text) { this.value += text; return this; }
}

class Hover {
  constructor(contents, range) { this.contents = contents; this.range = range; }
}

class CodeAction {
  constructor(title, kind) { this.title = title; this.kind = kind; }
}

class Kind {
  constructor(value) { this.value = value; }
  append(part) { return new Kind(this.value ? `${this.value}.${part}` : part); }
}
const CodeActionKind = {Empty: new Kind('')};
for (const [name, value] of Object.entries({
  QuickFix: 'quickfix', Refactor: 'refactor', RefactorExtract: 'refactor.extract',
  RefactorInline: 'refactor.inline', RefactorRewrite: 'refactor.rewrite',
  Source: 'source', SourceOrganizeImports: 'source.organizeImports',
}))
  CodeActionKind[name] = new Kind(value);

class WorkspaceEdit {
  constructor() { this.changes = []; }
  set(uri, edits) { this.changes.push({uri, edits: edits.map((edit) => edit[0] ?? edit)}); }
}

class TextEdit {
  constructor(range, newText) { this.range = range; this.newText = newText; }
}

class ProcessExecution {
  constructor(process, args, options) {
    this.process = process;
    this.args = args;
    this.options = options ?? {};
  }
}

class Task {
  constructor(definition, scope, name, source, execution, problemMatchers) {
    Object.assign(this, {definition, scope, name, source, execution, problemMatchers});
  }
}

class DebugAdapterExecutable {
  constructor(command, args) { this.command = command; this.args = args; }
}

//--- Documents ---------------------------------------------------------------

class Document {
  constructor(uri, languageId, text) {
    Object.assign(this, {uri, languageId, text, version: 1, isClosed: false});
    this.isDirty = false;
  }
  get fileName() { return this.uri.fsPath; }
  getText() { return this.text; }
  /// Where a text stands for the first time, or that many later.
  find(text, number = 0) {
    let offset = -1;
    for (let i = 0; i <= number; ++i)
      offset = this.text.indexOf(text, offset + 1);
    if (offset < 0)
      throw new Error(`no '${text}'`);
    return this.positionAt(offset);
  }
  positionAt(offset) {
    const before = this.text.slice(0, offset);
    return new Position(before.split('\n').length - 1,
                        before.length - before.lastIndexOf('\n') - 1);
  }
  offsetAt({line, character}) {
    const lines = this.text.split('\n').slice(0, line);
    return lines.reduce((sum, text) => sum + text.length + 1, 0) + character;
  }
  at({start, end}) {
    return this.text.slice(this.offsetAt(start), this.offsetAt(end));
  }
}

const events = {};
for (const name of [
  'onDidOpenTextDocument', 'onDidChangeTextDocument', 'onDidCloseTextDocument',
  'onWillSaveTextDocument', 'onDidSaveTextDocument', 'onDidChangeConfiguration',
  'onDidChangeWorkspaceFolders', 'onDidGrantWorkspaceTrust', 'onDidCreateFiles',
  'onDidRenameFiles', 'onDidDeleteFiles', 'onWillCreateFiles', 'onWillRenameFiles',
  'onWillDeleteFiles',
])
  events[name] = new EventEmitter();
const listening = Object.fromEntries(
    Object.entries(events).map(([name, emitter]) => [name, emitter.event]));

const test = {
  until,
  /// Settings that differ from what the manifest says.
  settings: {},
  manifest: {},
  /// Messages to the user, as '[kind] text', and the buttons that are pressed.
  messages: [],
  presses: [],
  panels: [],
  commands: new Map(),
  executed: [],
  providers: {},
  /// Collections of problems: maps from URIs.
  collections: new Set(),
  channels: [],
  status: undefined,
  debuggers: [],
  taskProviders: {},
  /// What is chosen next in a dialog for files.
  files: undefined,

  open(file, text, languageId) {
    const document = new Document(Uri.file(file), languageId, text);
    workspace.textDocuments.push(document);
    window.activeTextEditor = {document};
    events.onDidOpenTextDocument.fire(document);
    return document;
  },
  type(document, text) {
    document.text = text;
    ++document.version;
    document.isDirty = true;
    events.onDidChangeTextDocument.fire(
        {document, contentChanges: [{text}], reason: undefined});
  },
  save(document) {
    fs.writeFileSync(document.uri.fsPath, document.text);
    document.isDirty = false;
    events.onDidSaveTextDocument.fire(document);
  },
  close(document) {
    document.isClosed = true;
    workspace.textDocuments = workspace.textDocuments.filter((one) => one !== document);
    events.onDidCloseTextDocument.fire(document);
  },
  set(name, value) {
    test.settings[name] = value;
    events.onDidChangeConfiguration.fire({
      affectsConfiguration: (section) =>
          name === section || name.startsWith(`${section}.`),
    });
  },
  setFolders(...folders) {
    const {length} = workspace.workspaceFolders ?? [];
    workspace.workspaceFolders = folders.map((folder, index) => ({
      uri: Uri.file(folder), name: path.basename(folder), index}));
    if (length || folders.length)
      events.onDidChangeWorkspaceFolders.fire({added: [], removed: []});
  },
  trust() {
    workspace.isTrusted = true;
    events.onDidGrantWorkspaceTrust.fire();
  },
  problemsOf(document) {
    return [...test.collections].flatMap(
        (collection) => collection.get(document.uri.toString()) ?? []);
  },
  /// Problems as 'line code <text> message'.
  shown(document) {
    return test.problemsOf(document).map(({range, code, message}) =>
      `${range.start.line + 1} ${code?.value ?? code ?? '-'} ` +
      `<${document.at(range)}> ${message}`);
  },
  /// The answers of all providers of a kind that are there for a document.
  async ask(kind, document, ...rest) {
    const answers = [];
    const {token} = new CancellationTokenSource();
    for (const {selector, provider, method} of test.providers[kind] ?? [])
      if (languages.match(selector, document)) {
        const answer = await provider[method](document, ...rest, token);
        if (answer && (!Array.isArray(answer) || answer.length))
          answers.push(...Array.isArray(answer) ? answer : [answer]);
      }
    return answers;
  },
};

//--- The interface -----------------------------------------------------------

const workspace = {
  ...listening,
  textDocuments: [],
  workspaceFolders: undefined,
  isTrusted: true,
  notebookDocuments: [],
  getWorkspaceFolder(uri) {
    // The innermost one, as VS Code does.
    return (workspace.workspaceFolders ?? [])
        .filter((folder) => uri.path === folder.uri.path ||
                uri.path.startsWith(folder.uri.path.replace(/\/*$/, '/')))
        .sort((a, b) => b.uri.path.length - a.uri.path.length)[0];
  },
  getConfiguration(section) {
    const full = (name) => section ? `${section}.${name}` : name;
    return {
      get(name, usual) {
        const properties = test.manifest.contributes?.configuration.properties;
        return test.settings[full(name)] ?? properties?.[full(name)]?.default ?? usual;
      },
      inspect() { return undefined; },
    };
  },
  async openTextDocument(uri) {
    const open = workspace.textDocuments.find(
        (document) => document.uri.toString() === uri.toString());
    return open ?? test.open(uri.fsPath, fs.readFileSync(uri.fsPath, 'utf8'),
                             'plaintext');
  },
  async saveAll() {
    for (const document of workspace.textDocuments)
      if (document.isDirty)
        test.save(document);
    return true;
  },
  async applyEdit() { return true; },
  createFileSystemWatcher() {
    return {onDidCreate() {}, onDidChange() {}, onDidDelete() {}, dispose() {}};
  },
};

function say(kind) {
  return async (text, ...rest) => {
    test.messages.push(`[${kind}] ${text}`);
    const buttons = rest.filter((one) => typeof one === 'string' || one?.title);
    const press = test.presses.find((name) => buttons.includes(name));
    if (press !== undefined)
      test.presses = test.presses.filter((name) => name !== press);
    happened();
    return press;
  };
}

const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: {all: [], onDidChangeTabs: () => new Disposable(() => {})},
  onDidChangeActiveTextEditor: () => new Disposable(() => {}),
  showErrorMessage: say('error'),
  showWarningMessage: say('warning'),
  showInformationMessage: say('information'),
  async showOpenDialog() { return test.files; },
  async showTextDocument(document, options) {
    test.executed.push(['show', document.uri.fsPath, options?.selection?.start]);
    happened();
  },
  withProgress(_options, work) {
    return work({report() {}}, new CancellationTokenSource().token);
  },
  createOutputChannel(name) {
    const channel = {
      name, text: '',
      append(text) { this.text += text; happened(); },
      appendLine(text) { this.append(text + '\n'); },
      show() { test.executed.push(['show', name]); },
      hide() {}, clear() {}, replace() {}, dispose() {},
    };
    test.channels.push(channel);
    return channel;
  },
  createWebviewPanel(viewType, title, _column, options) {
    const disposed = new EventEmitter(), changed = new EventEmitter();
    const messages = new EventEmitter();
    let html = '';
    const panel = {
      viewType, title, options, visible: true, reveals: 0,
      onDidDispose: disposed.event,
      onDidChangeViewState: changed.event,
      reveal() { ++panel.reveals; },
      dispose() {
        test.panels = test.panels.filter((one) => one !== panel);
        disposed.fire();
      },
      setVisible(visible) {
        panel.visible = visible;
        changed.fire({webviewPanel: panel});
      },
      webview: {
        onDidReceiveMessage: messages.event,
        send: (message) => messages.fire(message),
        get html() { return html; },
        set html(text) {
          html = text;
          ++panel.numPages;
          happened();
        },
      },
      numPages: 0,
    };
    test.panels.push(panel);
    return panel;
  },
};

const languages = {
  match(selector, document) {
    const all = Array.isArray(selector) ? selector : [selector];
    return all.some((filter) =>
      (!filter.language || filter.language === document.languageId) &&
      (!filter.scheme || filter.scheme === document.uri.scheme)) ? 10 : 0;
  },
  createDiagnosticCollection() {
    const own = new Map();
    test.collections.add(own);
    return {
      set(uri, problems) {
        own.set(uri.toString(), problems ?? []);
        happened();
      },
      delete(uri) { own.delete(uri.toString()); },
      clear() { own.clear(); },
      dispose() { test.collections.delete(own); },
    };
  },
  createLanguageStatusItem(id, selector) {
    test.status = {id, selector, dispose() {}};
    return test.status;
  },
};
for (const [name, method] of Object.entries({
  Hover: 'provideHover', Definition: 'provideDefinition',
  DocumentSymbol: 'provideDocumentSymbols', CodeActions: 'provideCodeActions',
}))
  languages[`register${name}Provider`] = (selector, provider) => {
    const entry = {selector, provider, method};
    (test.providers[name] ??= []).push(entry);
    return new Disposable(() => {
      test.providers[name] = test.providers[name].filter((one) => one !== entry);
    });
  };

const commands = {
  registerCommand(name, run) {
    if (test.commands.has(name))
      throw new Error(`command '${name}' already exists`);
    test.commands.set(name, run);
    return new Disposable(() => test.commands.delete(name));
  },
  async executeCommand(name, ...args) {
    test.executed.push([name, ...args]);
    happened();
    return test.commands.get(name)?.(...args);
  },
};

const taskEnds = new EventEmitter();
const tasks = {
  registerTaskProvider(type, provider) {
    test.taskProviders[type] = provider;
    return new Disposable(() => {});
  },
  onDidEndTaskProcess: taskEnds.event,
  async executeTask(task) {
    const {process: program, args, options} = task.execution;
    test.executed.push(['task', task.name, [program, ...args]]);
    const child = spawn(program, args, {
      cwd: options.cwd, env: {...process.env, ...options.env},
      stdio: ['ignore', 'pipe', 'pipe']});
    task.output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => { task.output += data; });
    const execution = {task, terminate() { child.kill(); }};
    child.on('close', (exitCode) => taskEnds.fire({execution, exitCode}));
    return execution;
  },
};

const debug = {
  registerDebugConfigurationProvider(type, provider, trigger) {
    test.debuggers.push({type, provider, trigger});
    return new Disposable(() => {});
  },
  registerDebugAdapterDescriptorFactory(type, factory) {
    test.debuggers.push({type, factory});
    return new Disposable(() => {});
  },
};

/// What is not here but named like a class or an enumeration: nothing in the tests
/// depends on what it does.
function unknown(name) {
  const kind = class {};
  Object.defineProperty(kind, 'name', {value: name});
  return new Proxy(kind, {
    get: (target, key) => key in target || typeof key !== 'string' ||
        /^[a-z]/.test(key) ? target[key] : `${name}.${key}`,
  });
}

const known = {
  version: '1.82.0',
  env: {language: 'en', appName: 'test', openExternal: async () => true},
  workspace, window, languages, commands, tasks, debug, test,
  Disposable, EventEmitter, CancellationTokenSource, Uri, Position, Range, Location,
  Diagnostic, DiagnosticRelatedInformation, DocumentSymbol, MarkdownString, Hover,
  CodeAction, CodeActionKind, WorkspaceEdit, TextEdit, ProcessExecution, Task, DebugAdapterExecutable,
  CancellationError: class extends Error {},
  DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3},
  LanguageStatusSeverity: {Information: 0, Warning: 1, Error: 2},
  ViewColumn: {Active: -1, Beside: -2, One: 1},
  ProgressLocation: {Window: 10, Notification: 15},
  TaskScope: {Global: 1, Workspace: 2},
  TaskGroup: {Build: {id: 'build'}},
  DebugConfigurationProviderTriggerKind: {Initial: 1, Dynamic: 2},
};

module.exports = new Proxy(known, {
  get(target, name) {
    if (!(name in target) && typeof name === 'string' && /^[A-Z]/.test(name))
      target[name] = unknown(name);
    return target[name];
  },
});
