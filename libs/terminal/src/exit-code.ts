/**
 * How a command ends. 0: done. 1: a problem, or a broken rule. 2: asked the wrong way. 3: of the ledger, nothing that was read breaks a
 * rule, and something was away that should have been read.
 */
export type ExitCode = 0 | 1 | 2 | 3;
