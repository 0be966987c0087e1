// Panels that show where the time of a traced run went, as 'sluice trace' says it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {mkdir, mkdtemp, readFile, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {complain} from './clients';
import {largestPage, makeNonce, picturePage} from './pages';
import {probe, run} from './processes';
import {findSluice, flagsOf, folderOf, programOf, workFolder} from './settings';
import {makeTask} from './tasks';

/// Whether programs may run; the user is told if not.
function isTrusted(): boolean {
  if (!vscode.workspace.isTrusted)
    void vscode.window.showErrorMessage('Sluice: this workspace is not trusted');
  return vscode.workspace.isTrusted;
}

export class TracePanels implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private numRuns = 0;

  constructor(private readonly context: vscode.ExtensionContext) {}

  dispose(): void {
    for (const panel of [...this.panels.values()])
      panel.dispose();
  }

  /// Of a file, by default one that is chosen; read by the Sluice of its folder, or
  /// of that of the program.
  async show(given?: unknown, program?: vscode.Uri): Promise<void> {
    if (!isTrusted())
      return;
    let uri = given instanceof vscode.Uri ? given : undefined;
    if (!uri) {
      const active = vscode.window.activeTextEditor?.document.uri;
      const chosen = await vscode.window.showOpenDialog({
        title: 'A timeline that a program has written (SLUICE_TRACE)',
        filters: {Timelines: ['json']},
        defaultUri: active?.fsPath.endsWith('.json') ? active
            : vscode.workspace.workspaceFolders?.[0]?.uri,
      });
      uri = chosen?.[0];
    }
    if (!uri)
      return;
    const file = uri.fsPath;
    const folder = folderOf(program ?? uri) ?? vscode.workspace.workspaceFolders?.[0];
    const content = await this.read(uri, folder);
    if (!content)
      return;
    let panel = this.panels.get(file);
    if (panel) {
      panel.reveal();
    } else {
      panel = vscode.window.createWebviewPanel(
          'sluice.trace', `Trace ${path.basename(file, '.json')}`,
          vscode.ViewColumn.Active,
          {enableScripts: true, localResourceRoots: [], enableFindWidget: true,
           retainContextWhenHidden: true});
      this.panels.set(file, panel);
      panel.onDidDispose(() => this.panels.delete(file));
    }
    panel.webview.html =
        picturePage({title: panel.title, nonce: makeNonce(), ...content});
  }

  /// What 'sluice trace' says and draws; undefined if the user was told why not.
  private async read(uri: vscode.Uri, from: vscode.WorkspaceFolder | undefined):
      Promise<{svg?: string, text?: string, problem?: string} | undefined> {
    const sluice = await this.findSluice(from, 'trace');
    if (!sluice)
      return undefined;
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-trace-'));
    try {
      const picture = path.join(folder, 'trace.svg');
      const ended = await vscode.window.withProgress({
        location: vscode.ProgressLocation.Notification,
        title: `Sluice: reading ${path.basename(uri.fsPath)}`,
        cancellable: true,
      }, (_progress, token) => {
        const stop = new AbortController();
        token.onCancellationRequested(() => stop.abort());
        return run(sluice, ['trace', uri.fsPath, '-o', picture],
                   {signal: stop.signal});
      });
      if (ended.status !== 0)
        return {problem: ended.errors.trim() || ended.problem ||
                    `'sluice trace' ended with status ${ended.status}`};
      const {size} = await stat(picture);
      return size > largestPage
          ? {text: ended.output, problem:
                "the picture is too large for a panel; 'sluice trace -o' writes it"}
          : {text: ended.output, svg: await readFile(picture, 'utf8')};
    } catch (error) {
      return {problem: String(error)};
    } finally {
      await rm(folder, {recursive: true, force: true});
    }
  }

  private async findSluice(folder: vscode.WorkspaceFolder | undefined,
                           command: string): Promise<string | undefined> {
    const sluice = findSluice(folder);
    if (!sluice) {
      void complain("'sluice' is not in PATH, and 'sluice.path' names no program");
      return undefined;
    }
    const answer = await probe(sluice, command);
    if (answer.kind === 'good')
      return sluice;
    void complain(answer.kind === 'old'
        ? `'${sluice}' is too old: ${answer.version} has no 'sluice ${command}'`
        : `'${sluice}' does not run: ${answer.problem}`);
    return undefined;
  }

  /// Runs the program of a file, by default of that in the editor, and shows
  /// where its time went.
  async run(given?: unknown): Promise<void> {
    if (!isTrusted())
      return;
    const uri = given instanceof vscode.Uri
        ? given : vscode.window.activeTextEditor?.document.uri;
    if (!uri || uri.scheme !== 'file') {
      void vscode.window.showErrorMessage('Sluice: open a program first');
      return;
    }
    if (!await vscode.workspace.saveAll(false) ||
        !await this.findSluice(folderOf(uri), 'trace'))
      return;
    const storage = (this.context.storageUri ?? this.context.globalStorageUri).fsPath;
    const folder = path.join(storage, 'traces');
    await mkdir(folder, {recursive: true});
    const name = path.basename(uri.fsPath, path.extname(uri.fsPath));
    const file = path.join(folder, `${name}.json`);
    await rm(file, {force: true});
    const task = makeTask({
      type: 'sluice',
      command: 'run',
      files: programOf(uri),
      flags: flagsOf(uri),
      cwd: workFolder(uri),
      env: {SLUICE_TRACE: file},
      number: ++this.numRuns, // so that tasks are told apart
    }, folderOf(uri), `${name} with a trace`);
    if (!task)
      return;
    const ended = new Promise<number | undefined>((resolve) => {
      const watcher = vscode.tasks.onDidEndTaskProcess((event) => {
        if (event.execution.task.definition.number !== task.definition.number ||
            event.execution.task.definition.type !== 'sluice')
          return;
        watcher.dispose();
        resolve(event.exitCode);
      });
    });
    await vscode.tasks.executeTask(task);
    const status = await ended;
    // A program that failed may have written its timeline all the same.
    try {
      await stat(file);
    } catch {
      void vscode.window.showErrorMessage(status === 0
          ? 'Sluice: the program has launched no graph, so there is no trace'
          : `Sluice: there is no trace, as the program ended with status ${status}`);
      return;
    }
    await this.show(vscode.Uri.file(file), uri);
  }
}
