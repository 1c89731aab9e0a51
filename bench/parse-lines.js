import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

// This program reads a file line by line, and parses the JSON of each line. A measurement compares other programs with it.
// It is JavaScript, so that Node does not have to load its parser for TypeScript.
for await (const line of createInterface({ input: createReadStream(process.argv[2] ?? '') })) JSON.parse(line);
