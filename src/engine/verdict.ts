import { EXPECTATION, graver, type Verdict } from '../journal/finding.ts';
import type { Plan } from '../scenario/plan.ts';
import type { Gathering } from './gathering.ts';
import type { Halt } from './halt.ts';

/**
 * How a scenario has ended, when all is gathered.
 *
 * @param missed what was seen of a race in which too little overlapped
 */
export function verdictOf(
  { rules }: Plan,
  gathering: Gathering,
  halt: Halt | null,
  missed: string | null,
): { readonly verdict: Verdict; readonly reason: string | null } {
  if (halt?.verdict === 'skip') return { verdict: 'skip', reason: halt.reason };
  const { findings, passes } = gathering;
  const claims = new Set<string>([...rules, EXPECTATION]);
  const start: Verdict = Object.keys(passes).length > 0 ? 'pass' : 'skip';
  // A skip of one rule beside what was decided doesn't make a skipped scenario.
  const gravest = findings
    .filter(({ verdict, rule }) => verdict !== 'skip' && (claims.has(rule) || verdict === 'fail'))
    .reduce<Verdict>((worst, { verdict }) => graver(worst, verdict), start);
  const skipped = findings.find(({ verdict, rule }) => verdict === 'skip' && claims.has(rule));
  if (halt) return { verdict: graver(gravest, 'inconclusive'), reason: halt.reason };
  if (missed !== null) return { verdict: graver(gravest, 'inconclusive'), reason: missed };
  const decided = rules.length === 0 || rules.some((rule) => gathering.hasDecided(rule));
  if (!decided && gravest === 'pass') return { verdict: 'skip', reason: skipped?.actual ?? null };
  return { verdict: gravest, reason: null };
}
