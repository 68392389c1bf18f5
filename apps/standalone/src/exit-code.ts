/** 0: done. 1: a problem, or a broken rule. 2: asked the wrong way. */
export type ExitCode = 0 | 1 | 2;
