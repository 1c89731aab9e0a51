import { Chalk, type ChalkInstance } from 'chalk';

/** Text styles of a terminal. Only the eight colours that every terminal has are used, so that the user's own palette applies. */
export type Paint = Pick<ChalkInstance, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'>;

// The level is always set: chalk's own detection ignores NO_COLOR and uses one stream for both. `wantsColour` decides instead.
export const PLAIN: Paint = new Chalk({ level: 0 });
export const ANSI: Paint = new Chalk({ level: 1 });
