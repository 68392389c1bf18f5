import type { LedgerPage } from '@vuka/admin';
import type { ExitCode, Paint } from '@vuka/terminal';

import type { Answer } from './answer.js';
import type { Admin } from '../admin-client.js';
import { ledgerPage } from '../pages/ledger-page.js';
import { checkSeal, type SealCheck, type SealWish } from '../seal/check-seal.js';

/** Exit code of the ledger check if something could not be read. */
export const NOT_READ: ExitCode = 3;

export async function ledgerAnswer(admin: Admin, wish: SealWish | null = null): Promise<Answer> {
  const seal = wish === null ? null : await checkSeal(wish, admin);
  const view = withSeal(await admin.views.ledger(), seal);
  const where = `checked ${admin.where}, ${admin.isRunning ? 'while it runs' : 'which is stopped'}`;
  return {
    code: codeOf(view),
    json: seal === null ? view : { ...view, seal: { chains: seal.chains, written: seal.written } },
    text: (paint) =>
      [paint.dim(where), ...(seal === null ? [] : sealLines(seal, paint)), ledgerPage(view, paint)].join('\n'),
  };
}

/** The seal is one rule more. */
function withSeal(view: LedgerPage, seal: SealCheck | null): LedgerPage {
  if (seal === null) return view;
  const holds = seal.check.broken.length === 0;
  const isRead = seal.not_read.length === 0;
  const verdict = holds ? (view.verdict === 'sound' && !isRead ? 'sound_as_read' : view.verdict) : 'not_sound';
  return {
    ...view,
    ok: view.ok && holds && isRead,
    verdict,
    checks: [...view.checks, seal.check],
    not_read: [...view.not_read, ...seal.not_read],
  };
}

function sealLines({ chains, written }: SealCheck, paint: Paint): string[] {
  return [
    ...chains.map(({ service, chain, blocks, rows, epoch, hash }) =>
      paint.dim(
        `sealed: ${service} ${chain}, ${rows} rows in ${blocks} blocks, epoch ${epoch}, head ${hash.slice(0, 16)}…`,
      ),
    ),
    ...(written === null ? [] : [paint.dim(`added to the file: ${written} blocks`)]),
  ];
}

function codeOf({ ok, verdict }: LedgerPage): ExitCode {
  if (ok) return 0;
  return verdict === 'not_sound' ? 1 : NOT_READ;
}
