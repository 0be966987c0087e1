// What VS Code starts: see docs/editors.md.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import * as vscode from 'vscode';
import {Clients} from './clients';
import {DebugConfigurations} from './debug';
import {GraphPanels} from './graphPanel';
import {Tasks} from './tasks';
import {TracePanels} from './tracePanel';

let clients: Clients | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Sluice');
  clients = new Clients(log);
  const graphs = new GraphPanels(clients);
  const traces = new TracePanels(context);
  const debug = new DebugConfigurations(context, log);

  const command = (name: string, run: (given?: unknown) => unknown) =>
      context.subscriptions.push(vscode.commands.registerCommand(name, run));
  command('sluice.showGraph', (given) => graphs.show(given));
  command('sluice.showTrace', (given) => traces.show(given));
  command('sluice.runWithTrace', (given) => traces.run(given));
  command('sluice.restart', () => clients?.restart());
  command('sluice.showLog', () => log.show());
  command('sluice.install', () => vscode.commands.executeCommand(
      'markdown.showPreview', vscode.Uri.joinPath(context.extensionUri, 'INSTALL.md')));

  context.subscriptions.push(
      log, graphs, traces,
      vscode.tasks.registerTaskProvider('sluice', new Tasks()),
      vscode.debug.registerDebugConfigurationProvider('sluice', debug),
      vscode.debug.registerDebugConfigurationProvider(
          'sluice', debug, vscode.DebugConfigurationProviderTriggerKind.Dynamic),
      vscode.debug.registerDebugAdapterDescriptorFactory('sluice', debug));
  // Not waited for: an editor starts without its servers.
  void clients.start();
}

export async function deactivate(): Promise<void> {
  await clients?.dispose();
  clients = undefined;
}
