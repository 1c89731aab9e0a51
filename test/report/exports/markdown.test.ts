import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { forMarkdown } from '../../../src/report/escape.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { JOURNALS, reportOfEvents, reportText } from '../journals.ts';

const HOSTILE =
  '\n## owned | a | b\n<script>x</script> `code` **b** @admin #1 org/repo#2 https://evil.example www.evil.example [l](x) $x$ ~~s~~';

/** Returns the events of a run in which every rule fails with the same text from the operator. */
function everythingFails(actual: string) {
  const scenarios = RULES.map(({ id }) => planned(id.replace('.', '/'), [id]));
  const events = RULES.flatMap(({ id }) => {
    const scenario = id.replace('.', '/');
    return [started(scenario), found(scenario, id, 'fail', { actual }), ended(scenario, { verdict: 'fail' })];
  });
  return [runStarted(scenarios), ...events, runEnded()];
}

describe('the Markdown report', () => {
  it('of a killed run says that it is not known what is owed, and how to settle', async () => {
    const text = await reportText('killed', 'markdown');
    expect(text).toContain('### Owed calls and balances\n\n');
    expect(text).toMatch(
      /\n- the run ended too early, so it is not known which calls, rounds and balances are still owed/,
    );
    expect(text).toContain('\n- To settle: <code>croupier settle .croupier/run.ndjson</code>\n');
    expect(await reportText('green', 'markdown')).not.toContain('Owed');
  });

  it('of a run with warnings only names each warning, and counts the scenarios that were played', async () => {
    const [story, left] = [planned('win/many', ['win.many-in-round']), planned('bet/debit', ['bet.debit'])];
    const warned = found(story.id, 'win.many-in-round', 'warn', { actual: 'the second win was answered 409' });
    const events = [runStarted([story, left]), started(story.id), warned, ended(story.id, { verdict: 'warn' })];
    const text = await reportOfEvents([...events, runEnded('time')], 'markdown');
    expect(text).toContain('### Warnings\n\n| rule | | actual | in |');
    expect(text).toMatch(/\n\| `win\.many-in-round` \| MUST.* \| the second win was answered 409 \| .*win\/many/);
    expect(text).toContain(' 1 of 2 scenarios, ');
    expect(await reportText('green', 'markdown')).not.toContain('### Warnings');
  });

  it('begins with the verdict, and has the causes, the broken rules and the calls', async () => {
    const text = await reportText('failing', 'markdown');
    expect(text).toMatch(/^## ❌ NOT CONFORMING: acme/);
    expect(text).toContain('### Likely causes');
    expect(text).toContain('Run alone: <code>croupier run ');
    expect(text).toMatch(/\| `[a-z]+\.[a-z-]+` \| MUST, money at stake \| .* \| <code>.*\.yaml:\d+<\/code> \|\n/);
    expect(text).toMatch(/<details><summary><code>idempotency\.bet: /);
    expect((text.match(/<details>/g) ?? []).length).toBe((text.match(/<\/details>/g) ?? []).length);
    const kinds = [...text.matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)].map(([, , weight]) => weight?.includes('money'));
    expect(kinds).toEqual(kinds.toSorted((a, b) => Number(b) - Number(a)));
  });

  it('also lists the results of a run without a breach', async () => {
    const text = await reportText('green', 'markdown');
    expect(text).toMatch(/^## ✅ CONFORMING/);
    expect(text).not.toContain('### Broken rules');
  });

  it.each(JOURNALS)('of the journal %s has no control character and no HTML from outside', async (name) => {
    const text = await reportText(name, 'markdown');
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
    const tags = new Set(text.match(/<[a-z/!][^>]*>/gi) ?? []);
    const own = [
      '<code>',
      '</code>',
      '<br>',
      '<details>',
      '</details>',
      '<summary>',
      '</summary>',
      '<pre>',
      '</pre>',
      '<!-- -->',
    ];
    expect([...tags].filter((tag) => !own.includes(tag))).toEqual([]);
  });

  it('does not let text of the operator become Markdown, a link, a mention or a table cell', async () => {
    const text = await reportOfEvents(everythingFails(HOSTILE), 'markdown');
    const table = text.split('\n').filter((line) => line.startsWith('| `'));
    expect(table.length).toBeGreaterThan(10);
    for (const line of table) {
      expect(line.split('|')).toHaveLength(6);
      expect(line).not.toMatch(/@admin|(?<!&)#[12]|https:\/\/|www\.|\*\*|~~|<script/);
    }
    expect(text).not.toMatch(/^ *## owned/m);
  });

  it('stays below the length limit of a comment, and says how much is left out', async () => {
    const text = await reportOfEvents(everythingFails(HOSTILE.repeat(50)), 'markdown');
    expect(Buffer.byteLength(text)).toBeLessThan(60_500);
    expect(text).toMatch(
      /_Left out because of the length limit: \d+ lines? and \d+ sections of details\. The journal has everything\._\n$/,
    );
  });

  it('escapes any text so that a Markdown parser returns it unchanged', () => {
    const back = (text: string) =>
      text.replaceAll('<!-- -->', '').replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    for (const text of [
      'a|b',
      '`x`',
      '<b>&amp;</b>',
      'me@x.example #12',
      'http://x www.x',
      '[a](b)![c]',
      '\\',
      '1. a_b_c',
    ]) {
      expect(back(forMarkdown(text))).toBe(text);
    }
  });
});
