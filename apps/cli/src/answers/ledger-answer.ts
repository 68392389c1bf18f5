import type { ExitCode } from '@vuka/terminal';

import type { Answer } from './desk-answer.js';
import type { Desk, LedgerPage } from '../desk.js';
import { ledgerPage } from '../pages/ledger-page.js';

/** Of the ledger, where something was away that should have been read. */
export const NOT_READ: ExitCode = 3;

export async function ledgerAnswer(desk: Desk): Promise<Answer> {
  const view = await desk.ledger();
  const where = `checked ${desk.where}, ${desk.isRunning ? 'while it runs' : 'which is stopped'}`;
  return { code: codeOf(view), json: view, text: (paint) => `${paint.dim(where)}\n${ledgerPage(view, paint)}` };
}

function codeOf({ ok, verdict }: LedgerPage): ExitCode {
  if (ok) return 0;
  return verdict === 'not_sound' ? 1 : NOT_READ;
}
