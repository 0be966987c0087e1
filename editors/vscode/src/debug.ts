// Debugging by lldb-dap: files are built with all their variables, and lldb gets
// the commands that know of nodes and instances.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdir} from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {complain} from './clients';
import {findFormatters, findLldbDap, run} from './processes';
import {findSluice, flagsOf, programOf, setting, stringsIn} from './settings';

/// A command of lldb that loads a file; none if lldb has no way to write its name.
function loading(file: string | undefined): string[] {
  return file === undefined || file.includes('`')
      ? [] : [`command script import "${file.replace(/[\\"]/g, '\\$&')}"`];
}

/// Tells the user, and starts nothing.
function refuse(problem: string): undefined {
  void vscode.window.showErrorMessage(`Sluice: ${problem}`);
  return undefined;
}

export class DebugConfigurations implements vscode.DebugConfigurationProvider,
                                            vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly context: vscode.ExtensionContext,
              private readonly log: vscode.OutputChannel) {}

  /// What can be started without a launch.json.
  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [{
      type: 'sluice',
      request: 'launch',
      name: 'Debug this file with Sluice',
      files: ['${file}'],
    }];
  }

  /// Without a launch.json, the configuration is empty.
  resolveDebugConfiguration(
      _folder: vscode.WorkspaceFolder | undefined,
      configuration: vscode.DebugConfiguration): vscode.DebugConfiguration {
    if (!configuration.type && !configuration.request && !configuration.name)
      return this.provideDebugConfigurations()[0];
    return configuration;
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
      folder: vscode.WorkspaceFolder | undefined,
      configuration: vscode.DebugConfiguration,
      token?: vscode.CancellationToken):
      Promise<vscode.DebugConfiguration | undefined> {
    if (!vscode.workspace.isTrusted)
      return refuse('programs of a workspace that is not trusted are not run');
    if (configuration.request !== 'launch')
      return refuse("the 'request' of a configuration is 'launch'");
    if (!findLldbDap(setting(folder?.uri, 'lldbDap', ''), folder?.uri.fsPath))
      return refuse("there is no 'lldb-dap'; install lldb-22, or set 'sluice.lldbDap'");
    const sluice = findSluice(folder);
    if (!sluice) {
      void complain("'sluice' is not in PATH, and 'sluice.path' names no program");
      return undefined;
    }
    const {files: given, flags, ...rest} = configuration;
    let program = configuration.program as unknown;
    const listed = stringsIn(given);
    if (listed.length > 0) {
      program = await this.build(folder, sluice, listed, stringsIn(flags),
                                 typeof program === 'string' ? program : undefined,
                                 token);
      if (program === undefined)
        return undefined;
    }
    if (typeof program !== 'string' || !program)
      return refuse("a configuration names the 'files' of a program, or a 'program'");
    const root = folder?.uri.fsPath ?? path.dirname(path.resolve(listed[0] ?? program));
    program = path.resolve(root, program as string);
    if (!existsSync(program as string))
      return refuse(`there is no program '${program}'`);
    const load = loading(findFormatters(sluice));
    if (load.length === 0)
      this.log.appendLine(
          `lldb knows no 'sluice instance': no sluice_lldb.py with '${sluice}'`);
    return {
      ...rest,
      program,
      args: stringsIn(configuration.args),
      cwd: configuration.cwd ?? root,
      env: {SLUICE_WORKERS: '1', ...configuration.env},
      initCommands: [
        ...load,
        ...stringsIn(configuration.initCommands),
      ],
    };
  }

  /// Builds a program and says where it is; undefined if the user was told why
  /// not.
  private async build(
      folder: vscode.WorkspaceFolder | undefined, sluice: string, listed: string[],
      flags: string[], output: string | undefined,
      token: vscode.CancellationToken | undefined): Promise<string | undefined> {
    const root = folder?.uri.fsPath ?? path.dirname(path.resolve(listed[0]));
    let files = listed.map((file) => path.resolve(root, file));
    const first = vscode.Uri.file(files[0]);
    if (files.length === 1)
      files = programOf(first);
    if (!await vscode.workspace.saveAll(false))
      return undefined;
    let program: string;
    if (output) {
      program = path.resolve(root, output);
    } else {
      // Programs of one name in many folders stay apart.
      const storage =
          (this.context.storageUri ?? this.context.globalStorageUri).fsPath;
      const key = createHash('sha256').update(files.join('\0')).digest('hex');
      program = path.join(storage, 'debug', key.slice(0, 16),
                          path.basename(files[0], path.extname(files[0])));
    }
    try {
      await mkdir(path.dirname(program), {recursive: true});
    } catch (error) {
      return refuse(`${error}`);
    }
    const args = ['build', '-g', '-O0', '--color=never', ...flagsOf(first), ...flags,
                  ...files, '-o', program];
    const ended = await vscode.window.withProgress({
      location: vscode.ProgressLocation.Notification,
      title: `Sluice: building ${path.basename(program)} for debugging`,
      cancellable: true,
    }, (_progress, stop) => {
      const abort = new AbortController();
      stop.onCancellationRequested(() => abort.abort());
      token?.onCancellationRequested(() => abort.abort());
      return run(sluice, args, {cwd: root, signal: abort.signal});
    });
    if (ended.errors || ended.output)
      this.log.append(ended.output + ended.errors);
    if (ended.status === 0)
      return program;
    if (ended.problem)
      return refuse(`the program was not built: ${ended.problem}`);
    const firstError = ended.errors.split('\n').find((line) => / error: /.test(line));
    void vscode.window.showErrorMessage(
        `Sluice: the program was not built: ${firstError ?? ended.errors.trim()}`,
        'Show log').then((choice) => {
      if (choice)
        void vscode.commands.executeCommand('sluice.showLog');
    });
    return undefined;
  }

  createDebugAdapterDescriptor(session: vscode.DebugSession):
      vscode.DebugAdapterDescriptor | undefined {
    const folder = session.workspaceFolder;
    const program =
        findLldbDap(setting(folder?.uri, 'lldbDap', ''), folder?.uri.fsPath);
    return program ? new vscode.DebugAdapterExecutable(program, []) : undefined;
  }
}
