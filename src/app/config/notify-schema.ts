import { z } from 'zod';

const VARIABLE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** The forms in which a result can be posted. */
const NOTIFY_KINDS = ['webhook', 'slack', 'teams'] as const;

const text = z.string().min(1, 'must not be empty');

function urlProblem(value: string): string | undefined {
  if (VARIABLE.test(value)) return undefined;
  const url = URL.parse(value);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    return 'must be an http or https URL, such as https://ci.example/croupier';
  return url.username === '' && url.password === '' ? undefined : 'must not contain a user or password';
}

const target = z
  .strictObject({
    kind: z
      .enum(NOTIFY_KINDS)
      .describe('webhook: the JSON report without calls. slack and teams: a message of at most 20 lines.'),
    url: text
      .superRefine((value, context) => {
        const message = urlProblem(value);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .describe(
        'The address that gets the result by POST. For chats, this address is a secret, so write ${NAME} for an environment variable.',
      ),
    when: z
      .enum(['always', 'failed'])
      .optional()
      .describe(
        'failed: only if the exit status is not 0. always: after each run. Default: always for webhook, failed for chats.',
      ),
    secret: z
      .union([text, z.strictObject({ file: text.describe('The path of a file that contains only the secret.') })])
      .optional()
      .describe(
        'Only for webhook: the secret that signs the message. Write ${NAME} for an environment variable, or { file: … }. Default: the message is not signed.',
      ),
  })
  .superRefine(({ kind, secret }, context) => {
    if (secret !== undefined && kind !== 'webhook')
      context.addIssue({ code: 'custom', path: ['secret'], message: 'is only for `kind: webhook`' });
  });

/** The schema of `notify`, in croupier.yaml and in fleet.yaml. */
export const notifySchema = z.array(target).min(1, 'needs at least one address');

export type NotifyEntry = z.infer<typeof target>;
