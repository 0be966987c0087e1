// What the user has set, for a file or a folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import * as path from 'node:path';
import * as vscode from 'vscode';
import {findInPath, findNamed} from './processes';

export const languages = ['c', 'cpp', 'mlir', 'ddt'];

/// The outermost folder of the workspace that a file is in.
export function folderOf(uri: vscode.Uri): vscode.WorkspaceFolder | undefined {
  const inner = vscode.workspace.getWorkspaceFolder(uri);
  if (!inner)
    return undefined;
  let outer = inner;
  for (const folder of vscode.workspace.workspaceFolders ?? [])
    if (folder.uri.scheme === inner.uri.scheme &&
        inner.uri.path.startsWith(folder.uri.path.replace(/\/*$/, '/')) &&
        folder.uri.path.length < outer.uri.path.length)
      outer = folder;
  return outer;
}

/// Where commands for a file run.
export function workFolder(uri: vscode.Uri): string {
  return folderOf(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
}

/// A setting, or what it is by default where somebody gave it another type.
export function setting<T>(scope: vscode.ConfigurationScope | undefined,
                           name: string, usual: T): T {
  const value =
      vscode.workspace.getConfiguration('sluice', scope).get<unknown>(name);
  return typeof value === typeof usual &&
          Array.isArray(value) === Array.isArray(usual) ? value as T : usual;
}

export function stringsIn(value: unknown): string[] {
  return Array.isArray(value)
      ? value.filter((entry): entry is string => typeof entry === 'string')
      : [];
}

/// The program `sluice`.
export function findSluice(folder?: vscode.WorkspaceFolder): string | undefined {
  const given = setting(folder?.uri, 'path', '');
  return given.trim() ? findNamed(given, folder?.uri.fsPath)
                      : findInPath(['sluice']);
}

/// What 'sluice lsp' takes as initializationOptions.
export function serverOptions(folder?: vscode.WorkspaceFolder): object {
  const scope = folder?.uri;
  const programs = setting<unknown[]>(scope, 'programs', []).map(stringsIn);
  const compileCommands = setting(scope, 'compileCommands', '');
  return {
    flags: stringsIn(setting(scope, 'flags', [])),
    programs: programs.filter((files) => files.length > 0),
    ...compileCommands ? {compileCommands} : {},
    clangMessages: setting(scope, 'clangMessages', false),
    leafHints: setting(scope, 'leafHints', false),
    pause: setting(scope, 'pause', 150),
    timeLimit: setting(scope, 'timeLimit', 30000),
  };
}

/// All files of the program that a file belongs to.
export function programOf(uri: vscode.Uri): string[] {
  const folder = folderOf(uri);
  const root = workFolder(uri);
  for (const entry of setting<unknown[]>(folder?.uri, 'programs', [])) {
    const files = stringsIn(entry).map((file) => path.resolve(root, file));
    if (files.includes(uri.fsPath))
      return files;
  }
  return [uri.fsPath];
}

export function flagsOf(uri: vscode.Uri): string[] {
  return stringsIn(setting(folderOf(uri)?.uri, 'flags', []));
}
