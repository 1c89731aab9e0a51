import type { RunFlags } from './run-flags.ts';

/**
 * The flags that a later run needs to meet the same operator in the same way: whom to judge, and how patiently. What came from
 * the configuration stays there, and a key has no flag of its own.
 *
 * @param client the ExtCID that was judged, where there were several to choose from
 */
export function sameOperator(flags: RunFlags, client: string | undefined): readonly string[] {
  const one = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [name, value];
  const each = (name: string, values: readonly string[] = []): readonly string[] =>
    values.flatMap((value) => [name, value]);
  const milliseconds = (value: number | undefined): string | undefined =>
    value === undefined ? undefined : `${value}ms`;
  return [
    ...(flags.reference ? ['--reference'] : []),
    ...each('--habit', flags.habit),
    ...each('--defect', flags.defect),
    ...one('--config', flags.config),
    ...one('--client', client),
    ...one('--base-url', flags.baseUrl),
    ...one('--ext-cid', flags.extCid),
    ...each('--session', flags.session),
    ...one('--key-file', flags.keyFile),
    ...one('--ca', flags.ca),
    ...(flags.insecure ? ['--insecure'] : []),
    ...one('--proxy', flags.proxy),
    ...one('--deadline', milliseconds(flags.deadline)),
    ...one('--linger', milliseconds(flags.linger)),
    ...one('--campaign', flags.campaign),
    ...each('--stake', flags.stake),
    ...one('--contract', flags.contract),
    ...(flags.largeAmounts ? ['--large-amounts'] : []),
    ...each('--after', flags.after),
  ];
}
