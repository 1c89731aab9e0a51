import { readFileSync, writeFileSync } from 'node:fs';

// This module is preloaded into a measured process. At its exit, it writes the maximum memory in kilobytes and the time of the
// processors in milliseconds to a file.
// The name of the file is the query of the module's URL.
// It is JavaScript, because Node would need 60 ms and some megabytes to load its parser for TypeScript into the measured process.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(file, `${maximumOfLinux() ?? maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`);
});

/**
 * Returns the maximum memory of this process in kilobytes; undefined if the system is not Linux. The maximum that `getrusage` returns on
 * Linux is too high: a new process inherits the maximum of the process that starts it, here of the benchmark itself.
 */
function maximumOfLinux() {
  if (process.platform !== 'linux') return undefined;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}
