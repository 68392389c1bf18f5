/** 0 done, 1 problem or broken rule, 2 wrong usage, 3 ledger incomplete but no broken rule found. */
export type ExitCode = 0 | 1 | 2 | 3;
