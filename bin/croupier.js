#!/usr/bin/env node
// Runs on any Node, so that an old Node prints a clear message instead of an import error.
var parts = process.versions.node.split('.').map(Number);
var fits = (parts[0] === 22 && parts[1] >= 19) || (parts[0] === 24 && parts[1] >= 11) || parts[0] > 24;
if (fits) {
  void import('../dist/main.js');
} else {
  process.stderr.write(
    'croupier needs Node 22.19 or later in its line, or 24.11 or later; this is Node ' +
      process.versions.node +
      '.\n' +
      'Install a current Node from your package manager, or run it as: npx -p node@24 -p croupier-conformance croupier\n',
  );
  process.exitCode = 2;
}
