/**
 * 0: done. 1: a problem or broken rule. 2: wrong usage. 3: ledger only: no broken rule found, but not
 * everything could be read.
 */
export type ExitCode = 0 | 1 | 2 | 3;
