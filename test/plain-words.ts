import { parseSync, Visitor } from 'rolldown/utils';

/** A piece of prose in a file: a comment, a text, a title, or a paragraph of a page. */
interface Passage {
  /** The line of the file where it begins, from 1. */
  readonly line: number;
  readonly text: string;
  /** False for labels, such as headings and cells of tables, which need not be sentences. */
  readonly isSentence: boolean;
}

/** Words that are hard to read for somebody whose second language is English, each with a plain alternative. */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bwhom\b/iu, 'a shorter sentence with "who" or a name'],
  [/\bso many\b|\bso often\b|\bmanieth\b/iu, '"this number of", "every Nth", "how often"'],
  [/\breckon\w*/iu, '"compute", "expect", "count"'],
  [/\bmend(?:s|ed|ing)?\b/iu, '"fix"'],
  [/\b(?:un|re)?told\b|\btell(?:er|ers|ing)\b/iu, '"logged", "reported", "says"'],
  [/\bbesides\b/iu, '"also"'],
  [/\bfor want of\b/iu, '"because … is missing"'],
  [/\bat the door\b/iu, '"blamed for", "refused"'],
  [/\banew\b/iu, '"again", "new"'],
  [/\bin vain\b/iu, '"without success"'],
  [/\blest\b/iu, '"so that … not"'],
  [/\b(?:story|stories)\b/iu, '"scenario" or "timeline"'],
  // A flag or an argument of this name still works, so only prose is checked.
  [/(?<!--)\bhabits?(?=\s\S)|(?<=\S\s)\bhabits?\b/iu, '"variant"'],
  [/\b(?:docket|cashier|troupes?|casting|purse|aloft|incident desk)\b/iu, 'the technical noun'],
];

/** A file, a module, an id such as `query-string-sorted` or a published value such as `undecided`: names are not prose. */
const PATH = /^[^\s]*[/.][^\s]*$|^[a-z\d]+(?:-[a-z\d]+)*$/u;

/** A sentence that begins so has its subject late, or has none. The title of a section of the contract is quoted as it is. */
const OPENING = /^(?!What the service does(?: \d+)?$)(?:What|How|Whom|So (?:many|much|often))\b/u;

/**
 * Finds the words and sentences of a file that are hard to read.
 *
 * @param file its path: the ending decides where prose is in it
 * @returns one line for each place, with the file, the line and a plain alternative
 */
export function hardWords(file: string, content: string): readonly string[] {
  return passagesOf(file, content).flatMap(({ line, text, isSentence }) => [
    ...WORDS.flatMap(([word, instead]) => {
      const found = word.exec(text);
      return found ? [`${file}:${String(line + linesBefore(text, found.index))}: "${found[0]}": write ${instead}`] : [];
    }),
    ...(isSentence ? openings(text) : []).map(
      ({ sentence, at }) =>
        `${file}:${String(line + linesBefore(text, at))}: "${sentence.slice(0, 40)}": begin with the subject`,
    ),
  ]);
}

function linesBefore(text: string, at: number): number {
  return text.slice(0, at).split('\n').length - 1;
}

function openings(text: string): readonly { readonly sentence: string; readonly at: number }[] {
  return [...text.matchAll(/(?<=^|[.?!]["”)]?\s)[^\s](?:[^.?!]|[.?!](?=\S))*(?<end>[.?!]|$)/gu)]
    .filter(({ 0: sentence, groups }) => OPENING.test(sentence) && groups?.end !== '?')
    .map(({ 0: sentence, index }) => ({ sentence: sentence.replaceAll(/\s+/gu, ' '), at: index }));
}

function passagesOf(file: string, content: string): readonly Passage[] {
  if (file.endsWith('.md')) return ofMarkdown(content);
  if (file.endsWith('.ts')) return ofTypeScript(file, content);
  return ofYaml(content);
}

/** Paragraphs, headings, cells and blocks, without inline code, and without the output of programs. */
function ofMarkdown(content: string): readonly Passage[] {
  const blanked = content
    .replaceAll(/^```(?:text|console)?\n[\s\S]*?^```$/gmu, blank)
    .replaceAll(/^```(\w+)\n([\s\S]*?)^```$/gmu, (block, kind: string) =>
      kind === 'yaml' || kind === 'sh' ? block : blank(block),
    )
    .replaceAll(/`[^`\n]*`/gu, blank)
    .replaceAll(/\]\([^)\s]*\)/gu, blank);
  return paragraphs(blanked, (text) => !/^(?:#+ |\|| {4})/u.test(text)).flatMap((passage) =>
    passage.text.startsWith('|')
      ? passage.text.split('\n').map((text, at) => ({ ...passage, line: passage.line + at, text }))
      : passage,
  );
}

/** Spaces of the same length, so that the lines keep their numbers. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/gu, ' ');
}

/** Pieces between blank lines; each entry of a list is one of its own. */
function paragraphs(content: string, isSentence: (text: string) => boolean): readonly Passage[] {
  const found: Passage[] = [];
  let line = 1;
  for (const piece of content.split(/(?<=\n)(?=[ \t]*\n)|(?<=\n)(?=[ \t]*(?:[-*]|\d+\.) )|(?<=^#.*\n)/mu)) {
    const text = piece.trim().replace(/^(?:[-*]|\d+\.) /u, '');
    const before = /^\s*/u.exec(piece)?.[0] ?? '';
    if (text !== '')
      found.push({ line: line + linesBefore(before, before.length), text, isSentence: isSentence(text) });
    line += piece.split('\n').length - 1;
  }
  return found;
}

function ofYaml(content: string): readonly Passage[] {
  return content.split('\n').map((text, at) => {
    const prose = /^(?:title|\s*description): (.*)$|(?:^|\s)# (.*)$/u.exec(text);
    return { line: at + 1, text: (prose?.[1] ?? prose?.[2] ?? text).replace(/^["']/u, ''), isSentence: prose !== null };
  });
}

/** Comments and texts; in tests, the comments and the titles. */
function ofTypeScript(file: string, content: string): readonly Passage[] {
  const { program, comments } = parseSync(file, content);
  const lineAt = (offset: number) => 1 + linesBefore(content, offset);
  const found: Passage[] = comments.flatMap(({ value, start }) => {
    const text = value.replaceAll(/^[ \t]*\*+ ?/gmu, '').replaceAll(/`[^`\n]*`/gu, blank);
    return paragraphs(text, () => true).map((one) => ({ ...one, line: lineAt(start) + one.line - 1 }));
  });
  const isTest = file.startsWith('test/');
  const add = (text: string, start: number) => {
    found.push({
      line: lineAt(start),
      text: text.replaceAll(/`[^`\n]*`/gu, blank),
      isSentence: isTest || / /u.test(text),
    });
  };
  new Visitor({
    Literal: ({ value, start }) => {
      if (!isTest && typeof value === 'string' && !PATH.test(value)) add(value, start);
    },
    TemplateElement: ({ value, start }) => {
      if (!isTest) add(value.raw, start);
    },
    CallExpression: ({ callee, arguments: [title] }) => {
      const isTitle = /^(?:it|test|describe)\b/u.test(content.slice(callee.start, callee.end));
      if (isTest && isTitle && title?.type === 'Literal' && typeof title.value === 'string')
        add(title.value, title.start);
    },
  }).visit(program);
  return found;
}
