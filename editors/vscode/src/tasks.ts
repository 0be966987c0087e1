// Tasks that check, build and run programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import * as path from 'node:path';
import * as vscode from 'vscode';
import {findSluice, flagsOf, folderOf, programOf, stringsIn, workFolder} from './settings';

export interface Definition extends vscode.TaskDefinition {
  command: 'check' | 'build' | 'run';
  files: string[];
  flags?: string[];
  arguments?: string[];
  cwd?: string;
  env?: Record<string, string>;
}

function isDefinition(value: vscode.TaskDefinition): value is Definition {
  return ['check', 'build', 'run'].includes(value.command as string) &&
      stringsIn(value.files).length > 0;
}

/// A task; undefined where there is no 'sluice', or where the definition, which
/// a user has written, says too little.
export function makeTask(
    definition: vscode.TaskDefinition, folder: vscode.WorkspaceFolder | undefined,
    name: string): vscode.Task | undefined {
  const sluice = findSluice(folder);
  if (!sluice || !isDefinition(definition))
    return undefined;
  const words = definition.command === 'run' ? stringsIn(definition.arguments) : [];
  // Without a shell, so that names may have any signs in them.
  const execution = new vscode.ProcessExecution(sluice, [
    definition.command,
    ...stringsIn(definition.flags),
    ...stringsIn(definition.files),
    ...words.length > 0 ? ['--', ...words] : [],
  ], {
    cwd: definition.cwd ?? folder?.uri.fsPath,
    ...definition.env ? {env: definition.env} : {},
  });
  const task = new vscode.Task(
      definition, folder ?? vscode.TaskScope.Workspace, name, 'sluice', execution,
      '$sluice');
  if (definition.command === 'build')
    task.group = vscode.TaskGroup.Build;
  return task;
}

export class Tasks implements vscode.TaskProvider {
  provideTasks(): vscode.Task[] {
    const document = vscode.window.activeTextEditor?.document;
    if (!vscode.workspace.isTrusted || document?.uri.scheme !== 'file' ||
        !['c', 'cpp', 'mlir'].includes(document.languageId))
      return [];
    const uri = document.uri;
    const root = workFolder(uri);
    const files = programOf(uri).map((file) => {
      const within = path.relative(root, file);
      return within.startsWith('..') ? file : within;
    });
    const flags = flagsOf(uri);
    const name = path.basename(uri.fsPath);
    const output = path.basename(name, path.extname(name));
    const base = {type: 'sluice', files, ...folderOf(uri) ? {} : {cwd: root}};
    return [
      makeTask({...base, command: 'check', flags}, folderOf(uri), `check ${name}`),
      makeTask({...base, command: 'build', flags: [...flags, '-o', output]},
               folderOf(uri), `build ${name}`),
      makeTask({...base, command: 'build',
                flags: [...flags, '-g', '-O0', '-o', output]},
               folderOf(uri), `build ${name} for debugging`),
      makeTask({...base, command: 'run', flags}, folderOf(uri), `run ${name}`),
    ].filter((task): task is vscode.Task => task !== undefined);
  }

  /// Of a definition in tasks.json.
  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const folder = typeof task.scope === 'object' ? task.scope
        : vscode.workspace.workspaceFolders?.[0];
    const made = makeTask(task.definition, folder, task.name);
    if (!made)
      return undefined;
    // The editor knows the task by its definition, which must be the same.
    made.definition = task.definition;
    return made;
  }
}
