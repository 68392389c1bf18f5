// The books at the end: the ledger's standing rules, each provider's own book and balance, the partner's wallets.
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
    'pawaPay and Chapa took a fee for each payment and told none. Two people post them from the statements.',
  );
  const [ann] = stage.operators;
  const books = await readAll(stage.simulators);
  const fees = await postFees(stage.operators, stage.simulators, books);
  screen.promise(
    true,
    `fees posted: ${fees.map(({ provider, currency, fees: sum }) => `${provider} ${currency} ${sum}`).join(', ')}`,
  );
  const { answer: ledger } = await ann.ask('ledger');
  const broken = (ledger.checks ?? []).filter((check) => check.broken.length > 0);
  const notRead = ledger.not_read ?? [];
  screen.promise(
    ledger.ok === true && notRead.length === 0,
    `npm run ledger:check: ${ledger.verdict ?? ledger.error?.message}, ${String(ledger.checks?.length)} rules${[...broken, ...notRead].map((one) => `; ${JSON.stringify(one)}`).join('')}`,
  );
  const told = [...report.payouts, ...report.later].filter(({ status }) => status === 'COMPLETE');
  for (const one of stage.simulators) comparePayments(screen, one, books[one.id], told);
  const floats = compareFloats(screen, stage.simulators, books, ledger.balances ?? []);
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
    floats,
    wallets,
    inbox,
    payments: told.length,
  };
}

const readAll = async (simulators) =>
  Object.fromEntries(await Promise.all(simulators.map(async ({ id, readBook }) => [id, await readBook()])));

/** Each payout of this provider that the partner was told of is one payment there, and there is no other. */
function comparePayments(screen, { id, name }, { payouts }, all) {
  const told = all.filter(({ provider }) => provider === id);
  const stands = payouts.flatMap(({ payments }) => payments.filter(({ reversed }) => !reversed));
  const theirs = new Set(stands.map(({ receipt }) => receipt));
  const same = stands.length === told.length && told.every(({ receipt }) => theirs.has(receipt));
  screen.promise(
    same && told.length > 0,
    `${name}'s book: ${String(stands.length)} payments, the partner's ${String(told.length)} receipts`,
  );
}

/** What each wallet of ours at a provider has there, and what the ledger says, in minor units. */
function compareFloats(screen, simulators, books, balances) {
  const rows = simulators.flatMap(({ id, floats }) =>
    floats.map(({ wallet, currency }) => {
      const theirs = books[id].wallets.find((one) => one.wallet === wallet && one.currency === currency);
      const account = `rail:${id}:${wallet}:${currency}`;
      // What is outside stands below zero.
      const kept = balances.find((one) => one.account === account)?.balance.amount ?? '0';
      const ledger = kept.startsWith('-') ? minorUnits(kept.slice(1), currency) : -minorUnits(kept, currency);
      return { account, balance_minor: `${minorUnits(theirs.balance, currency)}`, ledger_minor: `${ledger}` };
    }),
  );
  const wrong = rows.filter((row) => row.balance_minor !== row.ledger_minor || row.balance_minor === '0');
  screen.promise(
    wrong.length === 0,
    `our ${String(rows.length)} wallets at providers have what the ledger says, to the cent${wrong.length === 0 ? '' : `: ${JSON.stringify(wrong)}`}`,
  );
  return rows;
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
