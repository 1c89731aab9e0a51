import { FRAGMENT } from '../fragment.ts';
import { SCENARIO } from '../load.ts';
import { MODIFIERS } from './modifiers.ts';
import type { JsonSchema } from './shape.ts';
import {
  CALL_FIELDS,
  CALL_WORD,
  FRAGMENT_PATH,
  MODIFIERS_OF,
  NOTHING,
  RESENT,
  VERBS,
  type Verb,
  WAIT,
} from './verbs.ts';

const VERB_VALUES: Readonly<Record<Verb, { readonly about: string; readonly json: () => JsonSchema }>> = {
  bet: {
    about: 'Sends POST /bet. Without fields, the bet has one stake and a new round.',
    json: () => CALL_FIELDS.bet.json(),
  },
  win: {
    about: 'Sends POST /win. Without fields, the win has one stake and the round of the latest bet.',
    json: () => CALL_FIELDS.win.json(),
  },
  refund: {
    about: 'Sends POST /refund. Without fields, the refund is for the latest bet.',
    json: () => CALL_FIELDS.refund.json(),
  },
  balance: { about: 'Sends GET /balance.', json: () => CALL_FIELDS.balance.json() },
  call: {
    about: 'Sends the call with this name. The name can come from a case. `with` has the fields of the call.',
    json: () => CALL_WORD.json(),
  },
  resend: {
    about: 'Sends the call of an earlier step again, with the same URL, body and txID.',
    json: () => RESENT.json(),
  },
  together: { about: 'Sends several calls at the same moment.', json: () => ({ $ref: '#/definitions/steps' }) },
  wait: {
    about:
      'Waits for a time. `linger`: the configured time (2 s by default) after which a late debit would be visible.',
    json: () => WAIT.json(),
  },
  launches: {
    about: "Judges the calls that the operator's backend has sent to the Core API so far (`run --launches`).",
    json: () => NOTHING.json(),
  },
  use: {
    about:
      'Inserts the steps of a fragment file, such as `rounds/lost-bet.yaml`. The path begins in the folder of the file that contains `use`.',
    json: () => FRAGMENT_PATH.json(),
  },
};

/** Returns the JSON Schema of scenario files. Editors use it to show the keys with their values and meanings. */
export function scenarioSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'croupier scenario',
    description: 'A sequence of calls that croupier sends to an operator and judges.',
    anyOf: [{ $ref: '#/definitions/scenario' }, { $ref: '#/definitions/fragment' }],
    definitions: {
      scenario: SCENARIO.json(),
      fragment: FRAGMENT.json(),
      steps: { type: 'array', minItems: 1, items: { $ref: '#/definitions/step' } },
      step: stepSchema(),
    },
  };
}

/**
 * Returns the schema of a step. It is one object with all keys, so that an editor can offer each key with its meaning.
 * `dependencies` says which keys can be used together.
 */
function stepSchema(): JsonSchema {
  const verbs = VERBS.map((verb) => [verb, { description: VERB_VALUES[verb].about, ...VERB_VALUES[verb].json() }]);
  const modifiers = Object.entries(MODIFIERS).map(([key, { about, shape }]) => [
    key,
    { description: about, ...shape.json() },
  ]);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries([...verbs, ...modifiers]),
      with: { description: 'The fields of a `call`, or the parameters of a fragment.', type: 'object' },
    },
    additionalProperties: false,
    oneOf: VERBS.map((verb) => ({ required: [verb] })),
    dependencies: Object.fromEntries(VERBS.map((verb) => [verb, { propertyNames: { enum: keysWith(verb) } }])),
  };
}

function keysWith(verb: Verb): readonly string[] {
  // All actions (`VERBS`) are allowed here, because `oneOf` already reports a second action in a step.
  return [...VERBS, ...MODIFIERS_OF[verb], ...(verb === 'call' || verb === 'use' ? ['with'] : [])];
}
