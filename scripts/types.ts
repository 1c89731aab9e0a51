// Writes the type declarations of the package. The compiler creates files for all modules, and only the declarations
// that an entry needs are kept. They need no other package: the types of zod are written as plain types.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOT = path.join(import.meta.dirname, '..');
const TYPES = path.join(ROOT, 'dist', 'types');
const ENTRIES = ['library/library.d.ts', 'sdk/sdk.d.ts'].map((entry) => path.join(TYPES, entry));
/** The type of the values that a schema describes, such as `export type Config = z.infer<typeof configSchema>;`. */
const INFERRED = /export type (\w+) = z\.infer<typeof \w+>;/g;

function tsc(...args: readonly string[]): void {
  execFileSync(path.join(ROOT, 'node_modules', '.bin', 'tsc'), args, { cwd: ROOT, stdio: 'inherit' });
}

/** Returns the files that the entries import, directly or through other files. */
function reachable(): ReadonlySet<string> {
  const reached = new Set<string>();
  const reach = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)['"]/g,
    ))
      reach(path.resolve(path.dirname(file), target.replace(/\.ts$/, '.d.ts')));
  };
  for (const entry of ENTRIES) reach(entry);
  return reached;
}

function removeUnreachable(): ReadonlySet<string> {
  const reached = reachable();
  for (const entry of readdirSync(TYPES, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(TYPES, entry);
    if (entry.endsWith('.ts') && !reached.has(file)) rmSync(file);
  }
  return reached;
}

/**
 * Replaces each type that is inferred from a schema by the same type without zod. The compiler writes the type: the
 * declaration of a constant without an annotation contains the whole type of the constant.
 */
function writePlainTypes(files: readonly string[]): void {
  const folder = mkdtempSync(path.join(TYPES, 'plain-'));
  const lines = files.flatMap((file, index) => {
    const from = path.relative(folder, file).replaceAll(path.sep, '/');
    const names = [...readFileSync(file, 'utf8').matchAll(INFERRED)].map(([, name = '']) => name);
    return [
      `import type * as file${index} from '${from}';`,
      ...names.map((name) => `export const file${index}_${name} = plain<file${index}.${name}>();`),
    ];
  });
  writeFileSync(path.join(folder, 'all.ts'), ['declare function plain<T>(): T;', ...lines, ''].join('\n'));
  const compilerOptions = { rootDir: folder, outDir: folder, noErrorTruncation: true, noUnusedLocals: false };
  const config = { extends: path.join(ROOT, 'tsconfig.types.json'), compilerOptions, files: ['all.ts'] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  tsc('-p', folder);
  const plain = new Map(
    statements(readFileSync(path.join(folder, 'all.d.ts'), 'utf8')).map(({ name, bare }) => [
      name,
      bare.slice(bare.indexOf(':') + 1),
    ]),
  );
  rmSync(folder, { recursive: true });
  for (const [index, file] of files.entries()) {
    const code = readFileSync(file, 'utf8').replace(
      INFERRED,
      (whole, name: string) => `export type ${name} =${plain.get(`file${index}_${name}`) ?? whole}`,
    );
    writeFileSync(file, withoutZod(code));
  }
}

/** Removes the statements that mention zod, and the statements that need a removed one. */
function withoutZod(code: string): string {
  let kept = statements(code);
  for (let removed = ['z']; removed.length > 0; ) {
    const mention = new RegExp(String.raw`(?<![\w$.])(?:${removed.join('|')})\b(?!\??:)`);
    // Texts such as 'refund.unknown' name no declaration.
    const goes = ({ bare }: Statement) => mention.test(bare.replaceAll(/"[^"]*"|'[^']*'/g, ''));
    removed = kept.filter(goes).flatMap(({ name }) => name ?? []);
    kept = kept.filter((statement) => !goes(statement));
  }
  return `${kept
    .map(({ text }) => text)
    .join('')
    .trimStart()}\n`;
}

interface Statement {
  /** The name that the statement declares. */
  readonly name: string | undefined;
  /** The statement with the comments before it. */
  readonly text: string;
  /** The statement without the comments before it. */
  readonly bare: string;
}

function statements(code: string): readonly Statement[] {
  const { program, errors } = parseSync('types.d.ts', code);
  if (errors[0]) throw new Error(errors[0].message);
  let from = 0;
  return program.body.map(({ start, end }) => {
    const bare = code.slice(start, end);
    const [, name] = /^(?:export )?(?:declare )?(?:const|type|interface|function|class) (\w+)/.exec(bare) ?? [];
    const statement = { name, text: code.slice(from, end), bare };
    from = end;
    return statement;
  });
}

rmSync(TYPES, { recursive: true, force: true });
tsc('-p', 'tsconfig.types.json');
const files = [...removeUnreachable()];
writePlainTypes(files.filter((file) => readFileSync(file, 'utf8').includes("'zod'")));
for (const file of removeUnreachable()) {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
    /(?:\bfrom |\bimport\(|\bimport )['"]([^'".][^'"]*)['"]/g,
  ))
    if (!name.startsWith('node:')) throw new Error(`${file} needs the package ${name}`);
}
