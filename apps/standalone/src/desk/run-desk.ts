import { canonicalAddress } from '@vuka/chains';
import { chainNamed, currencyDecimals, parseDecimal } from '@vuka/domain';
import { BootError, SettingsError, loadSettings } from '@vuka/platform';
import type { SettlementProposal, TransactionSummary } from '@vuka/payments';

import { nameOf as nameOfSwitch } from './chain-desk.js';
import { switchesPage, switchLines, unclaimedPage } from './chain-pages.js';
import { problemOf, refusal, type Answer, type ExitCode } from './desk-answer.js';
import { parseDeskArguments, type DeskCommand, type TransactionWord } from './desk-command.js';
import { CALL, helpText } from './desk-help.js';
import type { Desk } from './desk.js';
import { ledgerPage } from './ledger-page.js';
import { nameOf, nextSteps, settleSteps } from './next-step.js';
import { withDesk } from './open-desk.js';
import { orderPage, ordersPage } from './order-pages.js';
import type { Paint } from './paint.js';
import { showPage } from './show-page.js';
import { aboutSigning } from './sign-refunds.js';
import { stuckPage } from './stuck-page.js';
import { deadLettersPage, refundsPage, settlementLines, stepLines, unappliedPage, whichOne } from './trouble-lines.js';
import { relativeText } from './text-values.js';

/** Of what waits for partners on chain. */
const MOST_UNAPPLIED = 200;

/** Where the desk prints and what it knows of its surroundings. */
export interface DeskSurroundings {
  readonly env: NodeJS.ProcessEnv;
  /** A line or more to the reader: standard output. */
  readonly say: (text: string) => void;
  /** A line or more about what went wrong: standard error. */
  readonly complain: (text: string) => void;
  readonly paint: Paint;
}

/** Does what the words say, prints it, and gives the exit code. Never throws for trouble that a person can be told of. */
export async function runDesk(argv: readonly string[], { env, say, complain, paint }: DeskSurroundings): Promise<ExitCode> {
  const parsed = parseDeskArguments(argv);
  if (parsed.kind === 'help') {
    say(helpText(parsed.about, paint));
    return 0;
  }
  const printJson = (value: object): void => say(JSON.stringify(value, null, 2));
  if (parsed.kind === 'wrong_usage') {
    const hint = `${CALL} ${parsed.about ?? ''} --help`.replace('  ', ' ');
    if (parsed.json) printJson(problemOf('wrong_usage', parsed.problem, hint));
    else complain(`${paint.red('✗')} ${parsed.problem}\n  ${hint}`);
    return 2;
  }
  try {
    const answer = await withDesk(loadSettings(env).dataDir, (desk) => answerTo(parsed.command, desk));
    if (parsed.json) printJson(answer.json);
    else (answer.code === 0 || !('error' in answer.json) ? say : complain)(answer.text(paint, new Date()));
    return answer.code;
  } catch (error) {
    if (!(error instanceof BootError) && !(error instanceof SettingsError)) throw error;
    const advice = error instanceof BootError ? error.advice : 'README.md lists the settings.';
    if (parsed.json) printJson(problemOf('unavailable', error.message, advice));
    else complain(`${paint.red('✗')} ${error.message}\n  ${advice}`);
    return 1;
  }
}

async function answerTo(command: DeskCommand, desk: Desk): Promise<Answer> {
  switch (command.name) {
    case 'show':
    case 'release':
    case 'settle':
    case 'clear':
      return aboutTransaction(command, command.transaction, desk);
    case 'stuck': {
      const page = await desk.stuck();
      return { code: 0, json: page, text: (paint, now) => stuckPage(page, now, paint) };
    }
    case 'ledger': {
      const view = await desk.ledger();
      const where = `checked ${desk.dataDir}, ${desk.isRunning ? 'while it runs' : 'which is stopped'}`;
      return { code: view.ok ? 0 : 1, json: view, text: (paint) => `${paint.dim(where)}\n${ledgerPage(view, paint)}` };
    }
    case 'dead-letters': {
      const { letters, more } = await desk.letters.list();
      const dead_letters = letters.map((letter) => ({ ...letter, next: nextSteps.dead_letters(letter) }));
      return { code: 0, json: { dead_letters, more }, text: (paint, now) => deadLettersPage(dead_letters, more, now, paint) };
    }
    case 'unapplied': {
      const found = await desk.payments.unapplied(MOST_UNAPPLIED + 1);
      const [unapplied, more] = [found.slice(0, MOST_UNAPPLIED), found.length > MOST_UNAPPLIED];
      return { code: 0, json: { unapplied, more }, text: (paint, now) => unappliedPage(unapplied, more, now, paint) };
    }
    case 'refunds': {
      const found = await desk.payments.openRefunds(MOST_UNAPPLIED + 1);
      const troubles = new Map((await desk.offramp.refunds.open(MOST_UNAPPLIED)).map(({ refund_id, trouble }) => [refund_id, trouble]));
      const refunds = found.slice(0, MOST_UNAPPLIED).map((refund) => ({ ...refund, trouble: troubles.get(refund.refund_id) ?? null }));
      const more = found.length > MOST_UNAPPLIED;
      return { code: 0, json: { refunds, more }, text: (paint, now) => refundsPage(refunds, more, now, paint) };
    }
    case 'orders': {
      const { orders, more } = await desk.checkout.open(new Date());
      return { code: 0, json: { orders, more }, text: (paint, now) => ordersPage(orders, more, now, paint) };
    }
    case 'unclaimed': {
      const found = await desk.offramp.chains.unclaimed(command, MOST_UNAPPLIED + 1);
      const [unclaimed, more] = [found.slice(0, MOST_UNAPPLIED), found.length > MOST_UNAPPLIED];
      return { code: 0, json: { unclaimed, more }, text: (paint, now) => unclaimedPage(unclaimed, more, now, paint) };
    }
    case 'switches': {
      const page = await desk.offramp.chains.switches();
      return { code: 0, json: page, text: (paint, now) => switchesPage(page, now, paint) };
    }
    case 'switch-off':
    case 'switch-on':
      return switchChain(command, desk);
    case 'refunds-export':
    case 'refunds-import':
    case 'refund-cancel':
    case 'refund-clear':
    case 'refund-settle':
      return aboutSigning(command, desk);
    case 'return-address':
      return returnAddress(command, desk);
    case 'approve':
      return approve(command.settlementId, command.by, desk);
    case 'withdraw':
      return withdraw(command.settlementId, desk);
    case 'resolve':
      return resolve(command.incidentId, command.by, command.note, desk);
    case 'replay':
      return replay(command.eventId, command.group, command.by, desk);
  }
}

async function switchChain(command: Extract<DeskCommand, { name: 'switch-off' | 'switch-on' }>, desk: Desk): Promise<Answer> {
  const { chains } = desk.offramp;
  const isOff = command.name === 'switch-off';
  const done = await (isOff ? chains.switchOff(command) : chains.switchOn(command));
  if (!done.ok) return refusal(done.error, [`${CALL} switches`]);
  const when = whenCarriedOn(desk);
  const what = isOff ? `takes nothing from now on (new pays are refused ${when}), and what waits there goes on waiting` : `is taken again, and what waited is looked at ${when}`;
  return {
    code: 0,
    json: { switch: done.value },
    text: (paint, now) => [`${paint.green('✓')} ${paint.bold(nameOfSwitch(done.value))} ${what}.`, ...switchLines(done.value, now, paint).map((line) => `  ${line}`)].join('\n'),
  };
}

type AboutTransaction = Extract<DeskCommand, { readonly transaction: TransactionWord }>;

/** Finds the one that is meant; where several may be, says which and how to name each. */
async function aboutTransaction(command: AboutTransaction, word: TransactionWord, desk: Desk): Promise<Answer> {
  const found = await desk.payments.find(word.codeOrId, word.partnerId);
  const [one] = found;
  const order = command.name === 'show' ? await desk.checkout.show(word.codeOrId, word.partnerId) : undefined;
  if (one === undefined && order !== undefined) return { code: 0, json: { order }, text: (paint, now) => orderPage(order, now, paint) };
  if (one === undefined) {
    const whose = word.partnerId === null ? '' : ` of partner ${word.partnerId}`;
    return refusal({ code: 'not_found', message: `There is no transaction "${word.codeOrId}"${whose}.` });
  }
  if (found.length > 1) {
    const problem = problemOf('ambiguous', `"${word.codeOrId}" may be any of ${found.length} transactions.`, '--partner says whose');
    const text = (paint: Paint): string => `${paint.yellow('?')} ${problem.error.message} Say which one:\n\n${whichOne(command.name, found, paint)}`;
    return { code: 1, json: { ...problem, candidates: found }, text };
  }
  switch (command.name) {
    case 'show': {
      const page = await desk.show(one.id);
      return page === undefined ? refusal({ code: 'not_found', message: 'It is gone.' }) : { code: 0, json: { ...page, ...(order && { order }) }, text: (paint, now) => [showPage(page, now, paint), ...(order === undefined ? [] : [`\n${orderPage(order, now, paint)}`])].join('\n') };
    }
    case 'release':
      return release(one, desk);
    case 'settle':
      return settle(command, one, desk);
    case 'clear':
      return propose({ transactionId: one.id, outcome: 'cleared', receipt: null, paidMinor: null, evidence: command.evidence, by: command.by }, one, desk);
  }
}

async function release(one: TransactionSummary, desk: Desk): Promise<Answer> {
  const result = await desk.payments.release(one.id);
  if (!result.ok) return refusal(result.error);
  const deadline = result.value.parkDeadline?.toISOString() ?? null;
  const when = whenCarriedOn(desk);
  return {
    code: 0,
    json: { released: { transaction_id: one.id, transaction_code: one.transaction_code, partner_id: one.partner_id, park_deadline: deadline } },
    text: (paint, now) => [
      `${paint.green('✓')} ${one.transaction_code} is due now: it is tried again ${when}.`,
      ...(deadline === null ? [] : [`  If no rail takes it, it fails ${relativeText(deadline, now)}, and the money goes back to the wallet.`]),
      ...stepLines([`${CALL} show ${nameOf(one)}`], paint).map((line) => `  ${line}`),
    ].join('\n'),
  };
}

async function settle(command: Extract<DeskCommand, { name: 'settle' }>, one: TransactionSummary, desk: Desk): Promise<Answer> {
  const { verdict, evidence, by } = command;
  const { currency } = one.amount;
  const isPaid = verdict.outcome === 'paid';
  const amount = isPaid && verdict.amount !== null ? parseDecimal(verdict.amount, currencyDecimals(currency)) : null;
  if (amount !== null && !amount.ok) return refusal({ code: 'invalid_request', message: `--amount ${amount.error}, in ${currency}.` });
  return propose({ transactionId: one.id, outcome: verdict.outcome, receipt: isPaid ? verdict.receipt : null, paidMinor: amount?.value ?? null, evidence, by }, one, desk);
}

async function propose(proposal: SettlementProposal, one: TransactionSummary, desk: Desk): Promise<Answer> {
  const proposed = await desk.payments.settlements.propose(proposal);
  if (!proposed.ok) return refusal(proposed.error, [`${CALL} show ${nameOf(one)}`]);
  const settlement = await desk.payments.settlement(proposed.value.settlementId);
  const next = settleSteps({ ...one, settlement_id: proposed.value.settlementId });
  return {
    code: 0,
    json: { settlement, next },
    text: (paint, now) => [
      `${paint.green('✓')} Proposed. ${paint.bold('Nothing has moved yet')}: somebody else looks at the evidence and approves.`,
      ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
      ...stepLines(next, paint).map((line) => `  ${line}`),
    ].join('\n'),
  };
}

async function approve(id: number, by: string, desk: Desk): Promise<Answer> {
  const result = await desk.payments.settlements.approve({ settlementId: id, by });
  if (!result.ok) return refusal(result.error);
  const { transactionId, status, state } = result.value;
  const [settlement, one] = [await desk.payments.settlement(id), (await desk.payments.find(String(transactionId), null)).find((found) => found.id === transactionId)];
  const when = whenCarriedOn(desk);
  return {
    code: 0,
    json: { settlement, transaction: one },
    text: (paint, now) => [
      `${paint.green('✓')} Carried out: ${one?.transaction_code ?? transactionId} is ${paint.bold(status === state ? status : `${status} (${state})`)}. The partner is told ${when}.`,
      ...(settlement === undefined ? [] : settlementLines(settlement, now, paint)).map((line) => `  ${line}`),
    ].join('\n'),
  };
}

async function withdraw(id: number, desk: Desk): Promise<Answer> {
  const result = await desk.payments.settlements.withdraw({ settlementId: id });
  if (!result.ok) return refusal(result.error);
  const settlement = await desk.payments.settlement(id);
  return { code: 0, json: { settlement }, text: (paint) => `${paint.green('✓')} Settlement ${id} is withdrawn. Nothing has moved.` };
}

async function resolve(id: number, by: string, note: string, desk: Desk): Promise<Answer> {
  const result = await desk.payments.resolveIncident(id, by, note);
  if (!result.ok) return refusal(result.error);
  return {
    code: 0,
    json: { incident: result.value },
    text: (paint) => `${paint.green('✓')} Incident ${id} of ${result.value.transaction_code} is resolved.`,
  };
}

async function returnAddress(command: Extract<DeskCommand, { name: 'return-address' }>, desk: Desk): Promise<Answer> {
  const family = chainNamed(command.chain.toUpperCase())?.family;
  let { address } = command;
  if (address !== null && family !== undefined) {
    const spelled = await canonicalAddress(family, address);
    if (!spelled.ok) return refusal({ code: 'invalid_request', message: `--address ${spelled.error}` });
    address = spelled.value;
  }
  const result = await desk.payments.setReturnAddress({ ...command, address });
  if (!result.ok) return refusal(result.error);
  const { partner_id: partner } = result.value;
  const what = address === null ? `has no return address on chains of ${family} any more` : `has its money back at ${address} on chains of ${family}, where it names no other address`;
  return { code: 0, json: { return_address: result.value }, text: (paint) => `${paint.green('✓')} Partner ${partner} ${what}.` };
}

async function replay(eventId: string, group: string | null, by: string, desk: Desk): Promise<Answer> {
  const groups = (await desk.letters.groupsWith(eventId)).filter((name) => group === null || name === group);
  const [only] = groups;
  if (only === undefined) return refusal({ code: 'not_found', message: `There is no dead letter ${eventId}${group === null ? '' : ` of ${group}`}.` }, [`${CALL} dead-letters`]);
  if (groups.length > 1) return refusal({ code: 'ambiguous', message: `Several readers have it: ${groups.join(', ')}. Say which with --group.` });
  const answer = await desk.letters.requestReplay(only, eventId, by);
  switch (answer.kind) {
    case 'requested': {
      const when = whenCarriedOn(desk);
      return { code: 0, json: { replay: { event_id: eventId, consumer_group: only, requested_by: by } }, text: (paint) => `${paint.green('✓')} ${only} reads ${eventId} again ${when}. If it fails once more, it is back among the dead letters.` };
    }
    case 'already_requested':
      return refusal({ code: 'invalid_request', message: `${answer.by} asked for this already, at ${answer.at.toISOString()}. ${desk.isRunning ? 'It is read within seconds.' : 'Vuka is stopped: it is read at its next start.'}` });
    case 'already_replayed':
      return refusal({ code: 'invalid_request', message: `It was read again and taken in, at ${answer.at.toISOString()}.` });
    case 'not_replayable':
      return refusal({ code: 'invalid_request', message: `${answer.why}.` });
    case 'not_found':
      return refusal({ code: 'not_found', message: `There is no dead letter ${eventId} of ${only}.` });
  }
}

function whenCarriedOn(desk: Desk): string {
  return desk.isRunning ? 'within seconds' : 'when Vuka starts again';
}
