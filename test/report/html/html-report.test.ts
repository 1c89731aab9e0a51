import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { conclude } from '../../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { htmlReport } from '../../../src/report/html/html-report.ts';
import { ended, exchange, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { foldOf, JOURNALS, OPTIONS, reportOfEvents, reportText } from '../journals.ts';

/** The calls of all scenarios, which the page stores compressed. */
const unpacked = (page: string): string =>
  [...page.matchAll(/<script type="application\/gzip"[^>]*>([^<]*)</g)]
    .map(([, text = '']) => gunzipSync(Buffer.from(text, 'base64')).toString())
    .join('');

/** Finds the start tags of an element in a page, as a parser would. */
const tags = (page: string, name: string): readonly string[] => page.match(new RegExp(`<${name}[\\s>]`, 'gi')) ?? [];

describe('the HTML report', () => {
  it.each(JOURNALS)('of a %s run shows its verdict and every rule once, and closes every tag', async (name) => {
    const page = await reportText(name, 'html');
    const { firstLine } = conclude(await foldOf(name));
    expect(page).toContain(`<title>${firstLine}</title>`);
    for (const { id } of RULES) expect(page.split(`id="rule-${id}"`)).toHaveLength(2);
    for (const element of ['details', 'section', 'table', 'ul', 'ol', 'dl', 'svg', 'pre', 'main', 'figure'])
      expect([element, page.split(`</${element}>`).length - 1]).toEqual([element, tags(page, element).length]);
    expect(page.trimEnd().endsWith('</html>')).toBe(true);
  });

  it('allows only its own style and script, by their hashes', async () => {
    const page = await reportText('failing', 'html');
    const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    const { style, script } = OPTIONS.page();
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&apos;', "'");
    expect(policy).toBe(
      `default-src 'none'; style-src '${hash(style)}'; script-src '${hash(script)}'; base-uri 'none'; form-action 'none'`,
    );
    expect(page).not.toMatch(/ (?:src|style|on\w+)=|href="(?!#)|@import|url\(/);
  });

  it('shows hostile text as text', async () => {
    const page = await reportText('hostile', 'html');
    expect(page).toContain('&lt;script&gt;alert(');
    expect(page).not.toContain('<script>alert');
    // One script holds the exchanges that are unfolded later, and the other is the script of the page.
    expect(tags(page, 'script')).toHaveLength(2);
    const calls = unpacked(page);
    expect(calls).not.toContain('<script');
    expect(calls).toContain('\\u{202e}');
    for (const text of [page, calls]) expect(text).not.toMatch(/[^\P{C}\n\t]/u);
  });

  it('shows failures first and with all details, rules about money before others', async () => {
    const page = await reportText('failing', 'html');
    const at = (text: string): number => page.indexOf(text);
    expect(at('id="causes"')).toBeGreaterThan(0);
    expect(at('id="causes"')).toBeLessThan(at('id="broken"'));
    expect(at('id="broken"')).toBeLessThan(at('id="rules"'));
    expect(at('id="rules"')).toBeLessThan(at('id="others"'));
    expect(page.slice(at('id="causes"'), at('id="broken"'))).toMatch(
      /<dt>expected<\/dt><dd class="expected">[^<]+.*<dt>actual<\/dt><dd class="actual">[^<]+.*<dt>to fix<\/dt>/,
    );
    expect(page).toMatch(/<details class="scenario fail"[^>]* open>/);
    expect(unpacked(page)).toMatch(/<details class="exchange found fail" id="call-[^"]*" open>/);
    expect(page).not.toMatch(/<details class="scenario pass"[^>]* open>/);
    const rules = [...page.matchAll(/<li id="rule-([^"]*)"/g)].map(([, id]) => RULES.find((rule) => rule.id === id));
    expect(rules.map((rule) => rule?.money)).toEqual(
      rules.map((rule) => rule?.money).toSorted((a, b) => Number(b) - Number(a)),
    );
  });

  it('shows the source near a finding, and the command that runs the scenario alone', async () => {
    const page = await reportText('failing', 'html');
    expect(page).toMatch(/<b class="fail"><i> +9<\/i> {3}- resend: first<\/b>/);
    expect(page).toContain('<code tabindex="0">croupier run idempotency/bet</code>');
  });

  it.each([
    { causes: 1, whole: 3 },
    { causes: 3, whole: 3 },
    { causes: 4, whole: 1 },
  ])(
    'of $causes causes shows the first scenario of each cause with $whole calls, and folds a scenario that repeats it',
    async ({ causes, whole }) => {
      const rules = (['bet.debit', 'win.credit', 'refund.restore', 'reply.json'] as const).slice(0, causes);
      const failed = (name: string, rule: Parameters<typeof found>[1]) => [
        started(name),
        ...['a', 'b', 'c'].flatMap((call) => exchange(`${name}-${call}`, name)),
        found(name, rule, 'fail', { exchange: `${name}-c` }),
        ended(name, { verdict: 'fail' }),
      ];
      const first = rules.map((rule) => planned(`first/${rule}`, [rule]));
      const again = planned('again/debit', ['bet.debit']);
      const other = planned('other/expectation', []);
      const events = [
        runStarted([...first, again, other]),
        ...first.flatMap(({ id }, at) => failed(id, rules[at] ?? 'expectation')),
        ...failed(again.id, 'bet.debit'),
        ...failed(other.id, 'expectation'),
        runEnded(),
      ];
      const page = await reportOfEvents(events, 'html');
      const cards = page.split('<details class="scenario fail"').slice(1);
      const shown = cards.map((card) => ({
        id: /id="scenario-([^"]*)"/.exec(card)?.[1],
        open: /^[^>]* open>/.test(card),
        calls: unpacked(card).match(/<details class="exchange[^>]* open>/g)?.length,
      }));
      expect(shown).toEqual([
        ...first.map(({ id }) => ({ id, open: true, calls: whole })),
        { id: other.id, open: true, calls: 1 },
        { id: again.id, open: false, calls: 1 },
      ]);
    },
  );

  it('mentions no cause and no money if only an expectation was missed', async () => {
    const story = planned('our/first', []);
    const page = await reportOfEvents(
      [
        runStarted([story]),
        started(story.id),
        found(story.id, 'expectation', 'fail'),
        ended(story.id, { verdict: 'fail' }),
        runEnded(),
      ],
      'html',
    );
    expect(page).toContain('No rule of the contract is newly broken.');
    expect(page).not.toMatch(/likely causes below|at stake, but/);
    const [, target = ''] = /<a href="#([a-z]+)">scenarios<\/a> are not met/.exec(page) ?? [];
    expect(page).toContain(`id="${target}"`);
  });

  it('says how many calls of a long scenario are only in the journal', async () => {
    const story = planned('bet/debit', ['bet.debit']);
    const calls = Array.from({ length: 30 }, (_, at) => exchange(`x${at}`, story.id)).flat();
    const events: JournalEvent[] = [runStarted([story]), started(story.id), ...calls, ended(story.id), runEnded()];
    const page = await reportOfEvents(events, 'html', { exchangesPerScenario: 10 });
    expect(page).toContain('and 20 further calls, which only the journal shows');
    expect(tags(page, 'article')).toHaveLength(0);
    expect(unpacked(page).match(/id="call-/g)?.length).toBe(10);
  });

  it('removes secrets from the calls before it compresses them', async () => {
    const story = planned('bet/debit', ['bet.debit']);
    const events = [runStarted([story]), started(story.id), ...exchange('x1', story.id), ended(story.id), runEnded()];
    const plain = unpacked(await reportOfEvents(events, 'html'));
    expect(plain).toContain('sessionID=s-1');
    const scrub = (text: string): string => text.replaceAll('s-1', 'HIDDEN');
    const page = unpacked(await reportOfEvents(events, 'html', { scrub }));
    expect(page).not.toContain('s-1');
    expect(page).toContain('HIDDEN');
  });

  it('groups scenarios without a finding by rule group, and shows the source of a file once', async () => {
    const first = planned('bet/debit#one', ['bet.debit']);
    const second = { ...planned('bet/debit#two', ['bet.debit']), place: first.place };
    const third = planned('win/credit', ['win.credit']);
    const events = [
      runStarted([first, second, third]),
      ...[first, second, third].flatMap(({ id }, at) => [started(id), ...exchange(`x${at}`, id), ended(id)]),
      runEnded(),
    ];
    const page = await reportOfEvents(events, 'html', { readLine: ({ line }) => (line < 4 ? `line ${line}` : null) });
    const groups = page.split('<details class="group"').slice(1);
    expect(groups.map((group) => /id="group-([^"]*)"/.exec(group)?.[1])).toEqual(['bet', 'win']);
    expect(groups[0]).toContain('2 scenarios');
    expect(groups[0]?.match(/class="source"/g)).toHaveLength(1);
    expect(groups[0]).toContain('The source is shown in <a href="#scenario-bet/debit%23one">');
  });

  it('has a ticket for each failed scenario, in which no text from outside is Markdown', async () => {
    const story = planned('bet/debit', ['bet.debit']);
    const events: JournalEvent[] = [
      runStarted([story]),
      started(story.id),
      ...exchange('x1', story.id),
      found(story.id, 'bet.debit', 'fail', { exchange: 'x1', expected: '90.00', actual: '```\n# a heading' }),
      ended(story.id, { verdict: 'fail' }),
      runEnded(),
    ];
    const page = await reportOfEvents(events, 'html');
    const text = /<p class="ticket">.*?<code hidden>([\s\S]*?)<\/code>/.exec(page)?.[1] ?? '';
    expect(text).toMatch(/^### bet\.debit is broken \(MUST, money is at stake\)\n/);
    expect(text.split('````')).toHaveLength(3);
    expect(text).toContain('actual    ```\\n# a heading');
    expect(text).toContain('request   ');
  });

  it('is written in pieces that do not grow with the run', async () => {
    const longest = async (count: number): Promise<number> => {
      const stories = Array.from({ length: count }, (_, at) => planned(`bet/debit-${at}`, ['bet.debit']));
      const events = [
        runStarted(stories),
        ...stories.flatMap(({ id }, at) => [started(id), ...exchange(`x${at}`, id), ended(id)]),
        runEnded(),
      ];
      let max = 0;
      for await (const piece of htmlReport(await foldJournal(events), () => events, OPTIONS))
        max = Math.max(max, piece.length);
      return max;
    };
    expect(await longest(400)).toBeLessThan((await longest(4)) * 1.2);
  });

  it('keeps text from outside in one piece and unchanged, so that a key in it can be found', async () => {
    const key = 'a`b*c-KEY';
    const story = planned('bet/debit', ['bet.debit']);
    const events: JournalEvent[] = [
      runStarted([story]),
      started(story.id),
      ...exchange('x1', story.id),
      found(story.id, 'bet.debit', 'fail', {
        exchange: 'x1',
        expected: `${key} first`,
        actual: `${key} ${'long '.repeat(50)}`,
      }),
      { event: 'notice', text: key },
      ended(story.id, { verdict: 'fail', reason: key }),
      { ...runEnded(), detail: key },
    ];
    const page = await reportOfEvents(events, 'html');
    // The key is in the notice, the detail, the reason, and the finding, which is shown twice: in its scenario and among the
    // rules.
    expect(page.split(key).length - 1).toBeGreaterThanOrEqual(5);
  });
});
