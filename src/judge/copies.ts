import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import { isTurnedDown, type Race } from './calls-at-once.ts';
import { breach, PASS, type Seen } from './check.ts';
import type { Docket } from './docket.ts';
import { isNamesakeAtOnce, type Part } from './story.ts';
import { PLAIN_EFFECTS } from './suspects.ts';

/** The same bytes many times: one effect, and one transaction of the operator's. */
export function judgeCopies({ seens, wallet }: Race, docket: Docket): void {
  const sets = new Map<string, Seen[]>();
  for (const seen of seens) {
    const { origin, key } = seen.part.step;
    if (!seen.part.regular) continue;
    const { namesake } = seen.part;
    const of = origin.kind === 'copy' ? origin.of : namesake && isNamesakeAtOnce(seen.part) ? namesake.step.key : key;
    sets.set(of, [...(sets.get(of) ?? []), seen]);
  }
  for (const set of sets.values()) {
    const [first] = set;
    if (!first || set.length < 2) continue;
    const rule = 'idempotency.concurrent';
    const matter = { rule, step: first.part.step, exchange: first.exchange.id } as const;
    const answered = set.filter(({ answer }) => answer === 'accepted');
    const txIDs = new Set(
      answered.map(({ reading }) => reading?.txID).filter((txID) => txID !== undefined && txID !== ''),
    );
    if (answered.length === 0) {
      const reason = `none of the ${set.length} copies was answered 200`;
      docket.decide(matter, { kind: set.every(isTurnedDown) ? 'skip' : 'undecided', reason });
      continue;
    }
    const differ = txIDs.size > 1;
    if (differ) {
      docket.decide(
        matter,
        breach(
          `${set.length} copies of one call at once are one transaction`,
          `they were answered with ${txIDs.size} different operator txIDs`,
        ),
      );
    }
    const effect = first.effect;
    if (effect.isZero()) {
      if (!differ) docket.decide(matter, PASS);
      continue;
    }
    // A call that moves twice its sum, or nothing, does so when it comes alone too.
    const plain = PLAIN_EFFECTS[first.part.step.call];
    const alike = [...(plain ? [plain.rule] : []), ...ofManyInRound(first.part)];
    const times = set.map((_, extra) => ({
      by: effect.times(Money.of(String(extra + 1))),
      meaning: `it took effect ${extra + 2} times`,
      causes: extra === 0 ? alike : [],
    }));
    wallet.owe({
      rule,
      endpoint: null,
      step: first.part.step,
      exchange: first.exchange.id,
      offsets: [
        ...times.slice(0, -1),
        {
          by: effect.negated(),
          meaning: 'it had no effect at all',
          causes: alike,
        },
      ],
      rank: 0,
      until: 'read',
      expected: `${set.length} copies of one call at once have one effect`,
      reported: differ,
    });
  }
}

/** What is wrong with every further call of a round is wrong with this one too. */
function ofManyInRound({ step, betsBefore, winsBefore }: Part): RuleId[] {
  if (step.call === 'bet' && betsBefore > 0) return ['bet.many-in-round'];
  return step.call === 'win' && winsBefore > 0 ? ['win.many-in-round'] : [];
}
