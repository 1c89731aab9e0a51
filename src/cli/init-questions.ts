import { cancel, intro, isCancel, text } from '@clack/prompts';
import { type Answers, type InitFlags, keyEnvFor, whyNoUrl, whyNoVariable } from './init.ts';
import { readSession } from './session-flag.ts';

async function answered(given: string | undefined, question: Parameters<typeof text>[0]): Promise<string | undefined> {
  if (given !== undefined) return given;
  const answer = await text(question);
  return isCancel(answer) ? undefined : answer;
}

/** Asks what the flags leave open. @returns undefined when the person gave up */
export async function ask(flags: InitFlags): Promise<Answers | undefined> {
  intro('croupier: whom shall it judge?');
  const baseUrl = await answered(flags.baseUrl, {
    message: "The operator's base URL for reverse calls (a call's path is appended)",
    placeholder: 'https://wallet.staging.example/eu',
    validate: (answer) => whyNoUrl(answer ?? ''),
  });
  const extCid =
    baseUrl === undefined
      ? undefined
      : await answered(flags.extCid, {
          message: "The client's ExtCID",
          placeholder: 'acme-eu',
          validate: (answer) => (answer ? undefined : 'It is needed: reports name it.'),
        });
  const session =
    extCid === undefined
      ? undefined
      : await answered(flags.session?.[0], {
          message: 'A session that is open for the test: ID, or ID,player=p1,currency=USD,game=catch',
          placeholder: 'eu-usd-1,player=p1,currency=USD',
          validate: (answer) => whyNoSession(answer ?? ''),
        });
  const keyEnv =
    session === undefined
      ? undefined
      : await answered(flags.keyEnv, {
          message: 'Which environment variable will hold the Integration API key?',
          initialValue: keyEnvFor(extCid ?? ''),
          validate: (answer) => whyNoVariable(answer ?? ''),
        });
  if (baseUrl === undefined || extCid === undefined || session === undefined || keyEnv === undefined) {
    cancel('Nothing was written.');
    return undefined;
  }
  return { baseUrl, extCid, sessions: flags.session ?? [session], keyEnv };
}

function whyNoSession(answer: string): string | undefined {
  try {
    readSession(answer);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
