/** 0: done. 1: a problem or broken rule. 2: wrong usage. 3: ledger check incomplete, no broken rule found. */
export type ExitCode = 0 | 1 | 2 | 3;
