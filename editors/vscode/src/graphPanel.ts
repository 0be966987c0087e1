// Panels that show graphs, as the server draws them, and draw them again when a
// file is saved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {readFile} from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type {Clients} from './clients';
import {explorerPage, largestPage, makeNonce, picturePage, placeOf} from './pages';
import {workFolder} from './settings';

interface Shown {
  panel: vscode.WebviewPanel;
  /// The picture that was drawn last, and where it is.
  picture?: {text: string, file: string};
  /// A save that the picture does not show yet.
  isOutdated: boolean;
  /// The drawing that counts.
  turn: number;
}

export class GraphPanels implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly watcher: vscode.Disposable;

  constructor(private readonly clients: Clients) {
    // What is saved may be a header, or another file of the program.
    this.watcher = vscode.workspace.onDidSaveTextDocument(() => {
      for (const [uri, shown] of this.shown) {
        shown.isOutdated = true;
        if (shown.panel.visible)
          void this.draw(uri, shown);
      }
    });
  }

  dispose(): void {
    this.watcher.dispose();
    for (const {panel} of [...this.shown.values()])
      panel.dispose();
  }

  /// Of a file's URI; by default of the file in the editor.
  async show(given?: unknown): Promise<void> {
    const uri = typeof given === 'string' ? vscode.Uri.parse(given)
        : given instanceof vscode.Uri ? given
        : vscode.window.activeTextEditor?.document.uri;
    if (!uri || uri.scheme !== 'file') {
      void vscode.window.showErrorMessage(
          'Sluice: open a file with a graph, and save it once');
      return;
    }
    const key = uri.toString();
    let shown = this.shown.get(key);
    if (shown) {
      shown.panel.reveal(undefined, true);
    } else {
      const panel = vscode.window.createWebviewPanel(
          'sluice.graph', `Graph of ${path.basename(uri.fsPath)}`,
          {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true},
          {enableScripts: true, localResourceRoots: [],
           retainContextWhenHidden: true});
      const made: Shown = shown = {panel, isOutdated: true, turn: 0};
      this.shown.set(key, made);
      panel.onDidDispose(() => this.shown.delete(key));
      panel.onDidChangeViewState(() => {
        if (panel.visible && made.isOutdated)
          void this.draw(key, made);
      });
      panel.webview.onDidReceiveMessage(
          (message) => void open(message, workFolder(uri)));
    }
    await this.draw(key, shown);
  }

  private async draw(key: string, shown: Shown): Promise<void> {
    const turn = ++shown.turn;
    shown.isOutdated = false;
    let problem: string | undefined;
    try {
      const picture = await this.ask(vscode.Uri.parse(key));
      if (turn === shown.turn)
        shown.picture = picture;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    // A later drawing counts, and a panel may be closed while one is made.
    if (turn === shown.turn && this.shown.get(key) === shown)
      shown.panel.webview.html = pageOf(shown, problem);
  }

  private async ask(uri: vscode.Uri): Promise<{text: string, file: string}> {
    const document = await vscode.workspace.openTextDocument(uri);
    const client = await this.clients.of(document);
    if (!client)
      throw new Error(vscode.workspace.isTrusted
          ? "the server 'sluice lsp' does not run, or does not know such files"
          : 'this workspace is not trusted');
    const answer = await client.sendRequest<{uri?: unknown} | null>(
        'workspace/executeCommand', {
          command: 'sluice.showGraph',
          arguments: [client.code2ProtocolConverter.asUri(uri)],
        });
    if (typeof answer?.uri !== 'string')
      throw new Error('the server has drawn nothing');
    const file = vscode.Uri.parse(answer.uri).fsPath;
    return {text: await readFile(file, 'utf8'), file};
  }
}

function pageOf({panel, picture}: Shown, problem: string | undefined): string {
  const nonce = makeNonce();
  if (picture && picture.text.length > largestPage) {
    problem = 'the graph is too large for a panel of the editor; ' +
        `'sluice graph -o NAME.html' makes a page for a browser`;
    picture = undefined;
  }
  if (!picture)
    return picturePage(
        {title: panel.title, nonce, problem: problem ?? 'there is no graph'});
  if (picture.file.endsWith('.html')) {
    const page = explorerPage(picture.text, nonce, problem);
    if (page)
      return page;
    return picturePage({title: panel.title, nonce,
                        problem: 'this version of Sluice writes other pages'});
  }
  if (!/<svg[\s>]/.test(picture.text))
    problem ??= 'there is no graph';
  return picturePage({title: panel.title, nonce, svg: picture.text, problem});
}

/// Shows a place in the source that was clicked. Paths are relative to where the
/// server runs.
async function open(message: unknown, folder: string): Promise<void> {
  const place = placeOf((message as {open?: unknown} | null)?.open);
  if (!place)
    return;
  try {
    const document = await vscode.workspace.openTextDocument(
        vscode.Uri.file(path.resolve(folder, place.path)));
    const start = new vscode.Position(Math.max(0, place.line - 1),
                                      Math.max(0, place.column - 1));
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.One,
      selection: new vscode.Range(start, start),
    });
  } catch (error) {
    void vscode.window.showErrorMessage(`Sluice: ${error}`);
  }
}
