import { enableCompileCache } from 'node:module';
import { version } from './version.ts';

// Nothing but these two is imported before the version is answered: starting quickly is what tools that probe for it need.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache();
  const { main } = await import('./program.ts');
  const status = await main(args);
  process.exitCode = status;
  // What a command leaves open (an idle connection, a timer) must not keep the process; what it wrote must be out first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(status)));
}
