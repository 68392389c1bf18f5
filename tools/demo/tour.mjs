import { lookUntil } from './look.mjs';
import { shillings } from './partner-api.mjs';

export const STRAIGHT_WITHIN_MS = 10_000;
export const DETOUR_WITHIN_MS = 30_000;
const REFERENCE_DEAD_LETTERS = 36;

/** Everything an act may use. `run` names this tour's transactions, so that it can be taken again on the same sandbox. */
export function newTour(things) {
  return { ...things, run: Date.now().toString(REFERENCE_DEAD_LETTERS) };
}

export const codeOf = (tour, name) => `demo-${tour.run}-${name}`;
/** Some digits of our own before the sandbox number, so that each act has a recipient to itself. */
export const account = (tour, number) =>
  `${(parseInt(tour.run.slice(-4), REFERENCE_DEAD_LETTERS) % 900_000) + 100_000}${number}`;

/** A transaction of this tour's partner, as the admin part is asked for it. */
export const named = (tour, code) => [code, '--partner', String(tour.partner.id)];

/** What the admin part has of a transaction, once it is as wanted; the last look in any case. */
export const pageWith = (tour, code, isIt, withinMs = DETOUR_WITHIN_MS) =>
  lookUntil(() => tour.admin.read('show', ...named(tour, code)), isIt, withinMs);

/** Waits for the end, by webhook and by status, and holds both to it. */
export async function endsIn(tour, code, status, withinMs = STRAIGHT_WITHIN_MS) {
  const hook = await tour.receiver.waitFor(code, status, withinMs);
  tour.screen.promise(hook !== undefined, `a signed webhook tells ${status}`);
  const row = await tour.api.status(code);
  tour.screen.promise(
    row.status === status,
    `and so does the status, when asked: ${row.status}${row.failure_code ? `, ${row.failure_code}` : ''}`,
  );
  return row;
}

export async function costs(tour, before, expected, why) {
  const after = await tour.api.wallet();
  const change = before === after ? 'is as it was' : `is down by ${shillings(before - after)}`;
  tour.screen.promise(before - after === expected, `the wallet ${change}: ${why}`);
}
