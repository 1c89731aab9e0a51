import { Chalk, type ChalkInstance } from 'chalk';

/**
 * Text styles of a terminal. Only the eight colours of every terminal are used, so that the user can choose them in the
 * settings of the terminal.
 */
export type Paint = Pick<ChalkInstance, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'>;

// The colour level is set here, and the function `wantsColour` decides which level is used. chalk's own detection ignores NO_COLOR.
// It also checks only one stream, and not both standard output and standard error.
export const PLAIN: Paint = new Chalk({ level: 0 });
export const ANSI: Paint = new Chalk({ level: 1 });
