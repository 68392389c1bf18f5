// The books at the end: the ledger's standing rules, pawaPay's own book, the partner's wallets.
import { currencyDecimals, parseDecimal } from '../../libs/domain/dist/index.js';
import { readInbox } from './acts/callback-acts.mjs';
import { postFees } from './acts/float-acts.mjs';
import { FUNDED } from './acts/partner-acts.mjs';

/** What a busy machine says of servers and chains that answer late, above all while they start. */
const OUTAGES = new Set(['kafka_away', 'chain_unreachable', 'rates_unreadable', 'rate_stale', 'peg_stale']);

/** Nobody was called for money. */
export function readAlarms({ stage, screen }) {
  const alarms = stage.services.alarms().filter(({ code }) => !OUTAGES.has(code));
  const told = alarms.map(({ service, code, message }) => `${service}: ${code ?? message}`).join(', ');
  screen.promise(alarms.length === 0, `alarms: ${told || 'none'}`);
  return alarms;
}

export async function readBooks({ stage, screen, api, report }) {
  await screen.act(
    'The books',
    'pawaPay took a fee for each payment and told none. Two people post them from its statement.',
  );
  const [ann] = stage.operators;
  const book = await stage.pawapay.book();
  const fees = await postFees(stage.operators, book);
  screen.promise(true, `fees posted: ${fees.map(({ currency, fees: sum }) => `${currency} ${sum}`).join(', ')}`);
  const { answer: ledger } = await ann.ask('ledger');
  const broken = (ledger.checks ?? []).filter((check) => check.broken.length > 0);
  const notRead = ledger.not_read ?? [];
  screen.promise(
    ledger.ok === true && notRead.length === 0,
    `npm run ledger:check: ${ledger.verdict ?? ledger.error?.message}, ${String(ledger.checks?.length)} rules${[...broken, ...notRead].map((one) => `; ${JSON.stringify(one)}`).join('')}`,
  );
  const told = [...report.payouts, ...Object.values(report.later)].filter(({ status }) => status === 'COMPLETE');
  comparePayments(screen, book, told);
  const wallets = await compareWallets(screen, api, told);
  const inbox = await readInbox({ stage, screen });
  const { answer: stuck } = await ann.ask('stuck');
  const waiting = Object.entries(stuck).filter(([, rows]) => Array.isArray(rows) && rows.length > 0);
  screen.promise(
    waiting.length === 0,
    `npm run vuka -- stuck: ${waiting.length === 0 ? 'nothing waits for people' : JSON.stringify(waiting)}`,
  );
  return {
    ledger: { ok: ledger.ok, verdict: ledger.verdict, broken, not_read: notRead },
    fees,
    wallets,
    inbox,
    payments: told.length,
  };
}

/** Each payout that the partner was told of is one payment there, and there is no other. */
function comparePayments(screen, { payouts }, told) {
  const stands = payouts.flatMap(({ payments }) => payments.filter(({ reversed }) => !reversed));
  const theirs = new Set(stands.map(({ receipt }) => receipt));
  const same = stands.length === told.length && told.every(({ receipt }) => theirs.has(receipt));
  screen.promise(
    same,
    `pawaPay's book: ${String(stands.length)} payments, the partner's ${String(told.length)} receipts`,
  );
}

/** In live a payout from a wallet costs its amount, and one from a deposit nothing. */
async function compareWallets(screen, api, told) {
  const { wallets } = await api.call('/account/detail', {});
  const rows = Object.entries(FUNDED).map(([currency, amount]) => {
    const paid = told.filter((one) => one.from === 'wallet' && one.currency === currency);
    const minor = (told) => minorUnits(told, currency);
    const expected = minor(amount) - paid.reduce((sum, one) => sum + minor(one.amount), 0n);
    const balance = minor(wallets.find((wallet) => wallet.currency === currency)?.balance);
    return { currency, funded_minor: `${minor(amount)}`, balance_minor: `${balance}`, expected_minor: `${expected}` };
  });
  const wrong = rows.filter((row) => row.balance_minor !== row.expected_minor);
  screen.promise(
    wrong.length === 0,
    `the partner's ${String(rows.length)} wallets: funded less paid, to the cent${wrong.length === 0 ? '' : `: ${JSON.stringify(wrong)}`}`,
  );
  return rows;
}

/** Of a decimal, as text or as a number of JSON. */
function minorUnits(told, currency) {
  const minor = parseDecimal(String(told), currencyDecimals(currency));
  if (!minor.ok) throw new Error(`${currency} ${told}: ${minor.error}`);
  return minor.value;
}
