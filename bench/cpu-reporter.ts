import { appendFileSync } from 'node:fs';

// This module is preloaded into a measured process. Twice a second, it appends a line to a file: the time in milliseconds since
// 1970, and the processor time that the process has used so far, of all its threads, in microseconds.
// The name of the file is the query of the module's URL.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const PAUSE_MS = 500;
setInterval(() => {
  const { user, system } = process.cpuUsage();
  appendFileSync(file, `${Date.now()} ${user + system}\n`);
}, PAUSE_MS).unref();
