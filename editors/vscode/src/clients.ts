// Language servers: one for each outermost folder of the workspace, started when
// the first of its files is opened, and one for files outside of all folders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import * as vscode from 'vscode';
import {
  CloseAction, type CloseHandlerResult, type DynamicFeature, ErrorAction,
  type ErrorHandler, type ErrorHandlerResult, LanguageClient,
  type Message, type Middleware, State, type StaticFeature,
} from 'vscode-languageclient/node';
import {probe} from './processes';
import {findSluice, folderOf, languages, serverOptions, workFolder} from './settings';

const crashPeriod = 3 * 60_000;
const mostCrashes = 4;

/// A server that ends unexpectedly is started again, but not for ever.
class Restarts implements ErrorHandler {
  private ends: number[] = [];

  constructor(private readonly giveUp: () => void) {}

  error(_error: Error, _message: Message | undefined,
        count: number | undefined): ErrorHandlerResult {
    return {
      action: count && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown,
      handled: true,
    };
  }

  closed(): CloseHandlerResult {
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < crashPeriod), now];
    if (this.ends.length <= mostCrashes)
      return {action: CloseAction.Restart, handled: true};
    this.giveUp();
    return {action: CloseAction.DoNotRestart, handled: true};
  }
}

class Client extends LanguageClient {
  // Commands belong to all servers, so the extension has them.
  override registerFeature(
      feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!('registrationType' in feature) ||
        feature.registrationType.method !== 'workspace/executeCommand')
      super.registerFeature(feature);
  }
}

/// Lets a client see the documents of its folder only. Patterns would not do:
/// names of folders may have any signs in them.
function onlyOwn(owns: (uri: vscode.Uri) => boolean): Middleware {
  return {
    didOpen: async (document, next) => {
      if (owns(document.uri))
        await next(document);
    },
    didChange: async (event, next) => {
      if (owns(event.document.uri))
        await next(event);
    },
    didSave: async (document, next) => {
      if (owns(document.uri))
        await next(document);
    },
    didClose: async (document, next) => {
      if (owns(document.uri))
        await next(document);
    },
    provideHover: (document, position, token, next) =>
        owns(document.uri) ? next(document, position, token) : undefined,
    provideDefinition: (document, position, token, next) =>
        owns(document.uri) ? next(document, position, token) : undefined,
    provideDocumentSymbols: (document, token, next) =>
        owns(document.uri) ? next(document, token) : undefined,
    provideCodeActions: (document, range, context, token, next) =>
        owns(document.uri) ? next(document, range, context, token) : undefined,
    // Pictures are shown by who has asked for them.
    window: {showDocument: async () => ({success: true})},
  };
}

export class Clients implements vscode.Disposable {
  /// By the URI of the folder; '' for files outside. What could not be started
  /// is undefined, and is not tried again until something changes.
  private readonly clients = new Map<string, Promise<Client | undefined>>();
  private readonly status: vscode.LanguageStatusItem;
  private readonly watchers: vscode.Disposable[];
  private lastStop: Promise<void> = Promise.resolve();
  private hasComplained = false;
  private isDisposed = false;

  constructor(private readonly log: vscode.OutputChannel) {
    this.status = vscode.languages.createLanguageStatusItem(
        'sluice.server', languages.map((language) => ({language})));
    this.status.name = 'Sluice';
    this.tell('not started', vscode.LanguageStatusSeverity.Information);
    this.watchers = [
      vscode.workspace.onDidOpenTextDocument(
          (document) => void this.of(document)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.restart()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['path', 'flags', 'programs', 'compileCommands', 'clangMessages',
             'leafHints', 'pause', 'timeLimit'].some(
                (name) => event.affectsConfiguration(`sluice.${name}`)))
          void this.restart();
      }),
    ];
  }

  /// Starts servers for what is open.
  async start(): Promise<void> {
    for (const document of vscode.workspace.textDocuments)
      await this.of(document);
  }

  /// The running server that knows a document, which is started if need be.
  async of(document: {uri: vscode.Uri, languageId: string}):
      Promise<Client | undefined> {
    if (document.uri.scheme !== 'file' || !languages.includes(document.languageId))
      return undefined;
    await this.lastStop;
    if (this.isDisposed || !vscode.workspace.isTrusted)
      return undefined;
    const folder = folderOf(document.uri);
    const key = folder?.uri.toString() ?? '';
    let client = this.clients.get(key);
    if (!client) {
      client = this.launch(folder, workFolder(document.uri));
      this.clients.set(key, client);
    }
    return client;
  }

  /// Ends all servers, and starts those that are needed.
  async restart(): Promise<void> {
    this.hasComplained = false;
    await this.stop();
    await this.start();
  }

  private stop(): Promise<void> {
    const ending = [...this.clients.values()];
    this.clients.clear();
    this.lastStop = this.lastStop.then(async () => {
      for (const starting of ending) {
        const client = await starting;
        try {
          await client?.dispose();
        } catch (error) { // it has ended already
          this.log.appendLine(`${error}`);
        }
      }
    });
    return this.lastStop;
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    for (const watcher of this.watchers)
      watcher.dispose();
    await this.stop();
    this.status.dispose();
  }

  private tell(text: string, severity: vscode.LanguageStatusSeverity,
               command?: vscode.Command): void {
    this.status.text = text;
    this.status.severity = severity;
    this.status.command =
        command ?? {title: 'Show the log', command: 'sluice.showLog'};
  }

  /// Says once what is wrong, with ways out.
  private complain(problem: string): void {
    this.log.appendLine(problem);
    this.tell(problem, vscode.LanguageStatusSeverity.Error,
              {title: 'How to install', command: 'sluice.install'});
    if (this.hasComplained)
      return;
    this.hasComplained = true;
    void complain(problem);
  }

  private async launch(folder: vscode.WorkspaceFolder | undefined,
                       cwd: string): Promise<Client | undefined> {
    const sluice = findSluice(folder);
    if (!sluice) {
      const given = vscode.workspace.getConfiguration('sluice', folder?.uri)
                        .get<string>('path');
      this.complain(given ? `there is no program '${given}' ('sluice.path')`
                          : "'sluice' is not in PATH");
      return undefined;
    }
    const answer = await probe(sluice, 'lsp');
    if (answer.kind !== 'good') {
      this.complain(answer.kind === 'old'
          ? `'${sluice}' is too old: ${answer.version} has no 'sluice lsp'`
          : `'${sluice}' does not run: ${answer.problem}`);
      return undefined;
    }
    const owns = (uri: vscode.Uri) =>
        folderOf(uri)?.uri.toString() === folder?.uri.toString();
    let giveUp = () => {};
    const client = new Client('sluice', 'Sluice', {
      command: sluice,
      args: ['lsp'],
      options: {cwd},
    }, {
      documentSelector:
          languages.map((language) => ({scheme: 'file', language})),
      workspaceFolder: folder,
      initializationOptions: serverOptions(folder),
      outputChannel: this.log,
      middleware: onlyOwn(owns),
      errorHandler: new Restarts(() => giveUp()),
      initializationFailedHandler: () => false,
    });
    giveUp = () => {
      const problem = `'${sluice} lsp' has ended ${mostCrashes + 1} times` +
          ' within three minutes, and is not started again';
      this.log.appendLine(problem);
      this.tell(problem, vscode.LanguageStatusSeverity.Error);
      void vscode.window.showErrorMessage(
          `Sluice: ${problem}`, 'Restart', 'Show log').then((choice) => {
        if (choice === 'Restart')
          void this.restart();
        else if (choice)
          void vscode.commands.executeCommand('sluice.showLog');
      });
    };
    client.onDidChangeState(({newState}) => {
      if (newState === State.Running)
        this.tell(`running: ${sluice}`,
                  vscode.LanguageStatusSeverity.Information);
    });
    try {
      await client.start();
    } catch (error) {
      this.complain(`'${sluice} lsp' does not start: ${error}`);
      return undefined;
    }
    return client;
  }
}

/// An error about the program 'sluice', with ways out.
export async function complain(problem: string): Promise<void> {
  const install = 'How to install', choose = 'Choose the program';
  const choice = await vscode.window.showErrorMessage(
      `Sluice: ${problem}`, install, choose);
  if (choice === install)
    await vscode.commands.executeCommand('sluice.install');
  else if (choice === choose)
    await vscode.commands.executeCommand(
        'workbench.action.openSettings', 'sluice.path');
}
