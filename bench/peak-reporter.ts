import { writeFileSync } from 'node:fs';

// This module is preloaded into a measured process. At its exit, it writes the maximum memory in kilobytes and the time of the
// processors in milliseconds to a file.
// The name of the file is the query of the module's URL.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeFileSync(file, `${maxRSS} ${(userCPUTime + systemCPUTime) / 1000}`);
});
