import path from 'node:path';
import { packageRoot, readBytes } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { LicensesFlags } from './flags.ts';

/** `croupier licenses`: prints the licences of croupier and of the software in it, or the list of this software. @returns 0 */
export function licensesCommand({ sbom }: LicensesFlags, { out }: Stdio): number {
  if (sbom) out.write(packaged('dist/sbom.cdx.json'));
  else out.write(`${packaged('LICENSE')}\n${packaged('dist/THIRD-PARTY-NOTICES.txt')}`);
  return 0;
}

/** Returns the text of a file of the package. */
function packaged(name: string): string {
  return Buffer.from(readBytes(path.join(packageRoot(), name))).toString('utf8');
}
