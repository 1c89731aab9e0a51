// This check runs before the build. It uses only old syntax, so that an old Node can print the message.
var parts = process.versions.node.split('.').map(Number);
var fits = (parts[0] === 22 && parts[1] >= 19) || (parts[0] === 24 && parts[1] >= 11) || parts[0] > 24;
if (!fits) {
  process.stderr.write(
    'croupier is built with Node 22.19 or 24.11 and later; this is Node ' +
      process.versions.node +
      '.\n' +
      'The npm package "node" brings the right one, but its install script did not run. Run: npm ci --ignore-scripts=false\n',
  );
  process.exit(2);
}
