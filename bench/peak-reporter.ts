import { writeFileSync } from 'node:fs';

// This module is preloaded into a measured process. At its exit, it writes the maximum memory in kilobytes to a file.
// The name of the file is the query of the module's URL.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
process.once('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
