import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileChunks } from '../../src/app/file-chunks.ts';

describe('fileChunks', () => {
  it('yields the bytes of a file in parts, each of them in the same memory', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'chunks-'));
    try {
      const file = path.join(folder, 'file');
      const bytes = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));
      writeFileSync(file, bytes);
      const [found, memory]: [Buffer[], Set<ArrayBufferLike>] = [[], new Set()];
      for await (const part of fileChunks(file)) {
        found.push(Buffer.from(part));
        memory.add(part.buffer);
      }
      expect(Buffer.concat(found).equals(bytes)).toBe(true);
      expect([found.length > 1, memory.size]).toEqual([true, 1]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
