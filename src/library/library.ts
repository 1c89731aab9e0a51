/** The library of the package: judges an operator from code, for example in its own tests, with a typed result. */
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
