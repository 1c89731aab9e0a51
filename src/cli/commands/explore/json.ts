import { type RuleId, ruleById } from '../../../contract/catalogue.ts';
import type { Exploration } from '../../../engine/explore/exploration.ts';
import type { Finding } from '../../../journal/finding.ts';
import { writeScenario } from '../../../scenario/write.ts';
import type { ExploreConclusion, KeptFind } from './text.ts';

/** Returns the JSON output of a search, in the format `croupier-explore/1`. */
export function exploreJson(
  { finds: _finds, flaky, ended, ...counts }: Exploration,
  { verdict, exitCode }: ExploreConclusion,
  kept: readonly KeptFind[],
  about: { readonly seed: string; readonly journal: string; readonly extCID: string },
): string {
  const answer = {
    schema: 'croupier-explore/1',
    verdict,
    exitCode,
    ...about,
    ended: ended.how,
    histories: counts.histories,
    calls: counts.calls,
    rulesJudged: counts.judged,
    durationMs: Math.round(counts.durationMs),
    finds: kept.map(({ find, yaml, file, command }) => ({
      rules: find.findings.map(built),
      history: find.history,
      steps: find.steps,
      stepsBefore: find.stepsBefore,
      failed: find.failed,
      played: find.played,
      unfinished: find.unfinished,
      file,
      command,
      scenario: yaml,
    })),
    flaky: flaky.map(({ findings, history, draft }) => ({
      rules: findings.map(built),
      history,
      scenario: writeScenario(draft),
    })),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function built({ rule, expected, actual }: Finding) {
  const { level, money, sentence } = ruleById(rule as RuleId);
  return { id: rule, level, money, sentence, expected, actual };
}
