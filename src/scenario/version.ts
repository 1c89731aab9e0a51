import { field, refuse, type Shape } from './shape.ts';

export const LANGUAGE_VERSION = 1;

const version: Shape<number> = {
  read(cell, reading) {
    if (cell.kind === 'scalar' && cell.value === LANGUAGE_VERSION) return LANGUAGE_VERSION;
    return refuse(reading, cell, 'the version of the language, 1', `write croupier: ${LANGUAGE_VERSION}`);
  },
  json: () => ({ const: LANGUAGE_VERSION }),
};

/** `croupier: 1`, at the head of a file. */
export const versionField = field('Version of the scenario language.', version);
