import type { LedgerPage } from '@vuka/admin';
import type { ExitCode } from '@vuka/terminal';

import type { Answer } from './answer.js';
import type { Admin } from '../admin-client.js';
import { ledgerPage } from '../pages/ledger-page.js';

/** Exit code of the ledger check if something could not be read. */
export const NOT_READ: ExitCode = 3;

export async function ledgerAnswer(admin: Admin): Promise<Answer> {
  const view = await admin.views.ledger();
  const where = `checked ${admin.where}, ${admin.isRunning ? 'while it runs' : 'which is stopped'}`;
  return { code: codeOf(view), json: view, text: (paint) => `${paint.dim(where)}\n${ledgerPage(view, paint)}` };
}

function codeOf({ ok, verdict }: LedgerPage): ExitCode {
  if (ok) return 0;
  return verdict === 'not_sound' ? 1 : NOT_READ;
}
