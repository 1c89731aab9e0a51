/** For the tests of others: judges an operator from code, with a typed result. */
export type { Config } from '../cli/config-schema.ts';
export { UsageError } from '../cli/usage-error.ts';
export type {
  JsonReport,
  ReportedCause,
  ReportedExchange,
  ReportedFinding,
  ReportedRule,
  ReportedScenario,
} from '../report/json-schema.ts';
export { type RunOptions, type RunResult, run } from './run.ts';
