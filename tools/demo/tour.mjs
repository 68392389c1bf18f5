import { lookUntil } from './look.mjs';
import { shillings } from './partner-api.mjs';

export const STRAIGHT_WITHIN_MS = 10_000;
export const DETOUR_WITHIN_MS = 30_000;
const REFERENCE_DEAD_LETTERS = 36;

export function newTour(things) {
  return { ...things, run: Date.now().toString(REFERENCE_DEAD_LETTERS) };
}

export const codeOf = (tour, name) => `demo-${tour.run}-${name}`;
export const account = (tour, number) =>
  `${(parseInt(tour.run.slice(-4), REFERENCE_DEAD_LETTERS) % 900_000) + 100_000}${number}`;

export const named = (tour, code) => [code, '--partner', String(tour.partner.id)];

export const pageWith = (tour, code, isIt, withinMs = DETOUR_WITHIN_MS) =>
  lookUntil(() => tour.admin.read('show', ...named(tour, code)), isIt, withinMs);

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
