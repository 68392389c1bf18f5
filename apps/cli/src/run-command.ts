import { AdminRefusedError, ApprovalNeededError } from '@vuka/http';
import { BootError, DeadlineExceededError, ServiceUnavailableError, SettingsError } from '@vuka/runtime';
import type { ExitCode, Paint } from '@vuka/terminal';

import { corridorsAnswer, switchCorridor } from './answers/corridor-answers.js';
import { returnAddress, switchChain } from './answers/chain-answers.js';
import { problemOf, refusal, type Answer } from './answers/answer.js';
import { ledgerAnswer, NOT_READ } from './answers/ledger-answer.js';
import { aboutMoney } from './answers/money-answers.js';
import { aboutPartners } from './answers/partner-answers.js';
import { begin, makeCredential } from './answers/people/begin-operators.js';
import { aboutPeople, approveAsked, waitsAnswer } from './answers/people/people-answers.js';
import { rotateCipher } from './answers/rotate-cipher.js';
import { aboutTransaction, approve, resolve, withdraw } from './answers/transaction-answers.js';
import { parseCommand, type CliCommand, type FolderCommand } from './commands/parse-command.js';
import { CALL, helpText } from './commands/help.js';
import { FOLDER_COMMANDS } from './commands/command-list.js';
import { MONEY_COMMANDS } from './commands/money-commands.js';
import { PARTNER_COMMANDS } from './commands/partner-commands.js';
import { PEOPLE_COMMANDS } from './commands/people/people-commands.js';
import type { TroubleCommand } from './commands/trouble-words.js';
import { type CliSettings, loadCliSettings, takeAs } from './cli-settings.js';
import { whenCarriedOn, type Admin } from './admin-client.js';
import { operatorOf, withAdmin } from './open-admin.js';
import { callbacksPage } from './pages/callbacks-page.js';
import { switchesPage, unclaimedPage } from './pages/chain-pages.js';
import { nextSteps, stuckWithNext } from './pages/next-step.js';
import { ordersPage } from './pages/order-pages.js';
import { stuckPage } from './pages/stuck-page.js';
import { plural } from './pages/text-values.js';
import { deadLettersPage, notAskedLines, refundsPage, unappliedPage } from './pages/trouble-lines.js';
import { aboutSigning } from './sign-refunds.js';

/** Rows of unapplied deposits and refunds. */
const MOST_UNAPPLIED = 200;

const NOTHING_DONE = 'Nothing was done. Try again when the service answers.';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly paint: Paint;
}

/** Prints the answer and returns the exit code. Throws only for bugs. */
export async function runCommand(
  typed: readonly string[],
  { env, say, complain, paint }: Surroundings,
): Promise<ExitCode> {
  const printJson = (value: object): void => say(JSON.stringify(value, null, 2));
  const tell = (answer: Answer, json: boolean): ExitCode => {
    if (json) printJson(answer.json);
    else (answer.code === 0 || !('error' in answer.json) ? say : complain)(answer.text(paint, new Date()));
    return answer.code;
  };
  let isLedger = false;
  const { as, words } = takeAs(typed);
  const { as: sealedFile, words: argv } = takeAs(words, '--break-glass');
  try {
    const settings = await loadCliSettings(env, { as, sealedFile });
    const parsed = parseCommand(argv, await operatorOf(settings));
    if (parsed.kind === 'help') {
      say(helpText(parsed.about, paint));
      return 0;
    }
    if (parsed.kind === 'wrong_usage') {
      const hint = `${CALL} ${parsed.about ?? ''} --help`.replace('  ', ' ');
      if (parsed.json) printJson(problemOf('wrong_usage', parsed.problem, hint));
      else complain(`${paint.red('✗')} ${parsed.problem}\n  ${hint}`);
      return 2;
    }
    const { command, json } = parsed;
    isLedger = command.name === 'ledger';
    if (isOf(FOLDER_COMMANDS, command)) return tell(await onFolder(command, settings), json);
    return tell(await withAdmin(settings, complain, (admin) => answerTo(command, admin)), json);
  } catch (error) {
    const told = refusalOf(error);
    if (told === undefined) throw error;
    // 1 means that a ledger rule is broken, so this needs another code.
    return tell(isLedger ? { ...told, code: NOT_READ } : told, argv.includes('--json'));
  }
}

/** undefined: a bug. */
function refusalOf(error: unknown): Answer | undefined {
  if (error instanceof ApprovalNeededError) return waitsAnswer(error.approval);
  if (error instanceof AdminRefusedError) {
    const { problem } = error;
    return problem.code === 'service_unavailable' ? unavailable(`${problem.message}.`, NOTHING_DONE) : refusal(problem);
  }
  if (error instanceof BootError) return unavailable(error.message, error.advice);
  if (error instanceof SettingsError)
    return unavailable(error.message, 'README.md and docs/operators/settings.md list the settings.');
  if (error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError) {
    return unavailable(
      `${error.message}.`,
      error.sent ? 'The command may have been carried out. Check before you run it again.' : NOTHING_DONE,
    );
  }
  return undefined;
}

function unavailable(message: string, advice: string): Answer {
  return {
    code: 1,
    json: problemOf('unavailable', message, advice),
    text: (paint) => `${paint.red('✗')} ${message}\n  ${advice}`,
  };
}

function onFolder(command: FolderCommand, settings: CliSettings): Promise<Answer> {
  switch (command.name) {
    case 'cipher-rotate':
      return rotateCipher(settings);
    case 'operators-begin':
      return begin(command, settings);
    case 'operator-credential':
      return makeCredential(command);
  }
}

async function answerTo(command: Exclude<CliCommand, FolderCommand>, admin: Admin): Promise<Answer> {
  if (isOf(PARTNER_COMMANDS, command)) return aboutPartners(command, admin);
  if (isOf(MONEY_COMMANDS, command)) return aboutMoney(command, admin);
  if (isOf(PEOPLE_COMMANDS, command)) return aboutPeople(command, admin);
  return aboutTrouble(command, admin);
}

async function aboutTrouble(command: TroubleCommand, admin: Admin): Promise<Answer> {
  switch (command.name) {
    case 'show':
    case 'release':
    case 'settle':
    case 'clear':
      return aboutTransaction(command, command.transaction, admin);
    case 'stuck':
      return stuckAnswer(admin);
    case 'ledger':
      return ledgerAnswer(admin, command.seal);
    case 'dead-letters':
      return deadLettersAnswer(admin);
    case 'unapplied':
      return unappliedAnswer(admin);
    case 'refunds':
      return refundsAnswer(admin);
    case 'orders': {
      const { orders, more } = await admin.checkout.openOrders();
      return { code: 0, json: { orders, more }, text: (paint, now) => ordersPage(orders, more, now, paint) };
    }
    case 'unclaimed':
      return unclaimedAnswer(command, admin);
    case 'switches': {
      const page = await admin.offramp.switches();
      return { code: 0, json: page, text: (paint, now) => switchesPage(page, now, paint) };
    }
    case 'callbacks':
      return callbacksAnswer(admin);
    case 'callbacks-resolve':
      return resolveCallbacks(command, admin);
    case 'switch-off':
    case 'switch-on':
      return switchChain(command, admin);
    case 'corridors':
      return corridorsAnswer(admin);
    case 'corridor-off':
    case 'corridor-on':
      return switchCorridor(command, admin);
    case 'refunds-export':
    case 'refunds-import':
    case 'refund-cancel':
    case 'refund-clear':
    case 'refund-settle':
      return aboutSigning(command, admin);
    case 'return-address':
      return returnAddress(command, admin);
    case 'approve':
      return 'approval' in command
        ? approveAsked(command.approval, command.by, admin)
        : approve(command.settlementId, command.by, admin);
    case 'withdraw':
      return withdraw(command, admin);
    case 'resolve':
      return resolve(command.incidentId, command.by, command.note, admin);
    case 'replay':
      return replay(command, admin);
  }
}

async function stuckAnswer(admin: Admin): Promise<Answer> {
  const page = stuckWithNext(await admin.views.stuck());
  return {
    code: page.not_asked.length === 0 ? 0 : 1,
    json: page,
    text: (paint, now) => stuckPage(page, now, paint),
  };
}

async function deadLettersAnswer(admin: Admin): Promise<Answer> {
  const { deadLetters, more, notAsked: not_asked } = await admin.views.deadLetters();
  const dead_letters = deadLetters.map((deadLetter) => ({ ...deadLetter, next: nextSteps.dead_letters(deadLetter) }));
  return {
    code: not_asked.length === 0 ? 0 : 1,
    json: { dead_letters, more, not_asked },
    text: (paint, now) =>
      [
        ...notAskedLines(not_asked, paint),
        ...(dead_letters.length === 0 && not_asked.length > 0 ? [] : [deadLettersPage(dead_letters, more, now, paint)]),
      ].join('\n\n'),
  };
}

async function callbacksAnswer(admin: Admin): Promise<Answer> {
  const page = await admin.payments.callbacks();
  return { code: 0, json: page, text: (paint, now) => callbacksPage(page, now, paint) };
}

async function resolveCallbacks(
  { provider, by, reason }: Extract<TroubleCommand, { name: 'callbacks-resolve' }>,
  admin: Admin,
): Promise<Answer> {
  const done = await admin.payments.resolveCallbacks({ provider, by, reason });
  if (!done.ok) return refusal(done.error);
  const { resolved } = done.value;
  return {
    code: 0,
    json: { resolved },
    text: (paint) => `${paint.green('✓')} ${plural(resolved, 'callback')} of ${provider} resolved.`,
  };
}

async function unappliedAnswer(admin: Admin): Promise<Answer> {
  const found = await admin.payments.unapplied(MOST_UNAPPLIED + 1);
  const [unapplied, more] = [found.slice(0, MOST_UNAPPLIED), found.length > MOST_UNAPPLIED];
  return { code: 0, json: { unapplied, more }, text: (paint, now) => unappliedPage(unapplied, more, now, paint) };
}

async function refundsAnswer(admin: Admin): Promise<Answer> {
  const { refunds, more } = await admin.views.refunds(MOST_UNAPPLIED);
  return { code: 0, json: { refunds, more }, text: (paint, now) => refundsPage(refunds, more, now, paint) };
}

async function unclaimedAnswer(
  { minutes, dust }: Extract<TroubleCommand, { name: 'unclaimed' }>,
  admin: Admin,
): Promise<Answer> {
  const found = await admin.offramp.unclaimed({ minutes, dust }, MOST_UNAPPLIED + 1);
  const [unclaimed, more] = [found.slice(0, MOST_UNAPPLIED), found.length > MOST_UNAPPLIED];
  return { code: 0, json: { unclaimed, more }, text: (paint, now) => unclaimedPage(unclaimed, more, now, paint) };
}

function isOf<N extends string>(
  commands: Readonly<Record<N, object>>,
  command: CliCommand,
): command is Extract<CliCommand, { readonly name: N }> {
  return Object.hasOwn(commands, command.name);
}

async function replay(
  { eventId, group, by, reason }: Extract<CliCommand, { name: 'replay' }>,
  admin: Admin,
): Promise<Answer> {
  const groups = (await admin.views.groupsWithDeadLetter(eventId)).filter((name) => group === null || name === group);
  const [only] = groups;
  if (only === undefined)
    return refusal(
      { code: 'not_found', message: `There is no dead letter ${eventId}${group === null ? '' : ` of ${group}`}.` },
      [`${CALL} dead-letters`],
    );
  if (groups.length > 1)
    return refusal({
      code: 'ambiguous',
      message: `Several consumer groups have it: ${groups.join(', ')}. Name one with --group.`,
    });
  const answer = await admin.views.requestReplay({ group: only, eventId, by, reason });
  switch (answer.kind) {
    case 'requested': {
      const when = whenCarriedOn(admin);
      return {
        code: 0,
        json: { replay: { event_id: eventId, consumer_group: only, requested_by: by } },
        text: (paint) =>
          `${paint.green('✓')} ${only} processes ${eventId} again ${when}. If it fails again, it is a dead letter again.`,
      };
    }
    case 'already_requested':
      return refusal({
        code: 'invalid_request',
        message: `${answer.by} requested this replay already, at ${answer.at.toISOString()}. ${admin.isRunning ? 'The event is processed within seconds.' : 'Vuka is stopped: the event is processed at its next start.'}`,
      });
    case 'already_replayed':
      return refusal({
        code: 'invalid_request',
        message: `The event was replayed and processed already, at ${answer.at.toISOString()}.`,
      });
    case 'not_replayable':
      return refusal({ code: 'invalid_request', message: `${answer.why}.` });
    case 'not_found':
      return refusal({ code: 'not_found', message: `There is no dead letter ${eventId} of ${only}.` });
  }
}
