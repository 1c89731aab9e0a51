import type { RuleId } from '../contract/catalogue.ts';
import { asOfForm, breach, type Decision, described, isOfForm, type RuleCheck, type Seen } from './check.ts';
import { wantOfOther } from './denied.ts';

/** What the reply alone decides about a rule. undefined: nothing yet, or nothing at all. */
export function decisionOf(rule: RuleId, check: RuleCheck, seen: Seen): Decision | undefined {
  // Without a reply there is nothing to decide, unless it came and is not in the coding that it names.
  if (seen.answer === 'lost' && !seen.closes)
    return rule === 'reply.json' && isGarbled(seen) ? breachOfCoding(seen) : undefined;
  const decision = check.reply?.(seen);
  const ofForm = isOfForm(seen.reading?.status) && rule !== 'signature.accepted' && !rule.startsWith('reply.');
  // Want of money tells nothing of rounds, of repeats, or of what else a bet was to show.
  if (seen.isDenied && !rule.startsWith('reply.') && (decision?.kind === 'breach' || decision?.kind === 'warn'))
    return { kind: 'undecided', reason: `it was ${described(seen)}, though there was enough` };
  const poor = wantOfOther(seen);
  if (poor && !rule.startsWith('reply.') && decision?.kind === 'breach') return { kind: 'skip', reason: poor };
  return decision && ofForm ? asOfForm(decision) : decision;
}

/** A 200 came as a whole, but its body is not in the coding that its headers name: no accident of the connection. */
export function isGarbled({ exchange: { outcome } }: Seen): boolean {
  return outcome.kind === 'none' && outcome.reason === 'bad-encoding' && outcome.head?.status === 200;
}

function breachOfCoding({ exchange: { outcome } }: Seen): Decision {
  return breach(
    'the body of a 200 is in the coding that its headers name',
    outcome.kind === 'none' ? outcome.detail : 'it is not',
  );
}
