/**
 * The library of the package. It judges an operator from code, for example in the operator's own tests, and returns a
 * typed result.
 */
export type { Config } from '../app/config/schema.ts';
export { UsageError } from '../app/exit-status.ts';
export type {
  JsonReport,
  ReportedCause,
  ReportedExchange,
  ReportedFinding,
  ReportedRule,
  ReportedScenario,
} from '../report/json/json-schema.ts';
export { type RunOptions, type RunResult, run } from './run.ts';
