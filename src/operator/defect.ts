import type { RuleId } from '../contract/catalogue.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';

/** What defects of time scale themselves by. */
export interface DefectScale {
  /** How long the service waits for a whole reply. */
  readonly deadlineMs: number;
}

/** A deliberate fault of the reference operator: one thing is done in another way, everything else stays right. */
export interface Defect {
  readonly name: string;
  /** The rules that a judge must report, each at its level. */
  readonly breaks: readonly RuleId[];
  /** Rules that it breaks as well, in ways that don't show in every run. */
  readonly mayBreak?: readonly RuleId[];
  /** As a bug report would put it. */
  readonly description: string;
  /** The steps that it changes, made anew for each operator: what is remembered is remembered by that one alone. */
  readonly change: (right: Behaviour, scale: DefectScale) => Partial<Behaviour>;
}

/** The contract's deadline, "Limits". */
const CONTRACT_SCALE: DefectScale = { deadlineMs: 5000 };

/** The correct behaviour with the defects put in, one upon the other. */
export function withDefects(defects: readonly Defect[], scale: DefectScale = CONTRACT_SCALE): Behaviour {
  let right = CORRECT;
  for (const defect of defects) right = { ...right, ...defect.change(right, scale) };
  return right;
}
