import type { Payout } from '../book/payout.js';
import type { Wallet, WalletLine } from '../book/wallets.js';
import { fromHundredths } from '../data/amount.js';

type Cell = (line: WalletLine, wallet: Wallet, payout: Payout | undefined) => string;

/** Columns that docs.pawapay.io/dashboard/finances/statements names [D]; the last three are not confirmed [U]. */
const COLUMNS: Readonly<Record<string, Cell>> = {
  'Creation Date': ({ atMs }) => new Date(atMs).toISOString().replace('T', ' ').slice(0, 19),
  MSISDN: (_line, _wallet, payout) => payout?.request.phoneNumber ?? '',
  'Transaction ID': ({ payoutId }) => payoutId,
  Amount: ({ amount }) => fromHundredths(amount),
  Currency: (_line, { id }) => id.currency,
  Country: (_line, { id }) => id.country,
  MNO: (_line, _wallet, payout) => payout?.request.provider ?? '',
  Type: ({ type }) => type,
  'Provider Transaction ID': ({ type, atMs }, _wallet, payout) => (type === 'TOP_UP' ? '' : receiptAt(payout, atMs)),
  'Client Reference': (_line, _wallet, payout) => payout?.request.clientReferenceId ?? '',
  Balance: ({ balanceAfter }) => fromHundredths(balanceAfter),
};

/** A wallet's lines from one time up to another, oldest first. */
export function statementCsv(
  wallet: Wallet,
  find: (id: string) => Payout | undefined,
  fromMs: number,
  toMs: number,
): string {
  const lines = wallet.lines
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.atMs >= fromMs && line.atMs < toMs)
    .sort((a, b) => a.line.atMs - b.line.atMs || a.index - b.index)
    .map(({ line }) => {
      const payout = line.payoutId === '' ? undefined : find(line.payoutId);
      return Object.values(COLUMNS).map((cell) => quoted(cell(line, wallet, payout)));
    });
  return [Object.keys(COLUMNS), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function receiptAt(payout: Payout | undefined, atMs: number): string {
  return payout?.payments.find((payment) => payment.atMs >= atMs)?.receipt ?? payout?.payments.at(-1)?.receipt ?? '';
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
