import { writeFileSync } from 'node:fs';

// Preloaded into a measured process: writes the most memory that it held, in kilobytes, into the file after its own `?`.
const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
process.once('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
