#!/usr/bin/env node
// Runs on any Node, so that an old Node prints a clear message instead of an import error.
var parts = process.versions.node.split('.').map(Number);
var fits = (parts[0] === 22 && parts[1] >= 19) || (parts[0] === 24 && parts[1] >= 11) || parts[0] > 24;
if (fits) {
  void import('../dist/main.js');
} else {
  process.stderr.write(
    'croupier needs Node 22 from 22.19, or Node from 24.11. This is Node ' +
      process.versions.node +
      '.\nInstall a newer Node, for example from https://nodejs.org.\n',
  );
  process.exitCode = 2;
}
