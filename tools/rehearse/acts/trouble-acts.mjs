// What goes wrong at each provider, and what each has for an hour.
import { lookUntil } from '../../demo/look.mjs';
import { callBackAsStranger } from './callback-acts.mjs';
import { outcomeOf, payFromWallets } from './partner-acts.mjs';

const SENTENCES = {
  lost: 'the answer was lost',
  forged: 'a forged callback says paid',
  refused: 'nobody has that number',
  asked: 'a stranger asks first whether to pay',
};
const HOUR_MS = 3_600_000;
const A_LITTLE_OVER = 60_000;
const TAKEN_WITHIN_MS = 30_000;
const MOST_HOURS = 3;
const ENDED_WITHIN_MS = 40_000;

/** Those that go to the provider before all others. */
export const corridorsAt = (corridors, { id }) => corridors.filter(({ providers }) => providers[0] === id);

const payOne = async (api, corridor, name, digits) => (await payFromWallets(api, [corridor], { name, digits }))[0];

/** Before clocks are moved: by another clock than ours pawaPay would seem to sign in the future. */
export async function goWrong({ api, corridors, screen, stage }) {
  await screen.act(
    'What goes wrong',
    'At each provider: a lost answer is paid once; a refused one comes back; a forged callback says paid of what is not.',
  );
  const cases = stage.simulators.flatMap((simulator) => {
    const theirs = corridorsAt(corridors, simulator);
    // Each at another corridor: one where half goes wrong is ill, and then the second way is the first.
    return Object.keys(SENTENCES)
      .filter((what) => simulator.digits[what] !== undefined)
      .map((what, place) => ({ what, simulator, corridor: theirs[place % theirs.length] }));
  });
  const told = await Promise.all(
    cases.map(async ({ what, simulator: { id, digits }, corridor }) => ({
      what,
      ...(await outcomeOf(api, await payOne(api, corridor, `${what}-${id}`, digits[what]))),
    })),
  );
  for (const [place, { what, simulator }] of cases.entries()) {
    const { status, failure_code: why, receipt } = told[place];
    const expected = simulator.codes[what] ?? null;
    const isKept = status === (expected === null ? 'COMPLETE' : 'FAILED') && why === expected;
    screen.promise(isKept, `${simulator.name}, ${SENTENCES[what]}: ${status}, ${receipt || why}`);
  }
  return told;
}

/** What pawaPay has surely not taken is paid by the second way, and by it alone. */
export async function takeSecondWay({ api, corridors, screen, stage }) {
  await screen.act('The second way', 'pawaPay cannot reach a network just now, and says so before it takes anything.');
  const [first, second] = ['pawapay', 'paystack'].map((id) => stage.simulators.find((one) => one.id === id));
  // The first corridor has more to bear: it would be ill.
  const both = corridorsAt(corridors, first)
    .slice(1)
    .filter(({ providers }) => providers[1] === second.id);
  const digits = first.digits.turnedAway;
  const sent = await payFromWallets(api, both, { name: 'second-way', digits });
  const outcomes = await Promise.all(sent.map((one) => outcomeOf(api, one)));
  const [refused, paid] = await Promise.all([first, second].map((one) => paymentsTo(one, digits)));
  for (const { currency, network, status, receipt, failure_code: why } of outcomes)
    screen.promise(
      status === 'COMPLETE' && paid.includes(receipt),
      `${currency} ${network}: ${status} by ${second.name}, ${receipt || why}`,
    );
  screen.promise(
    both.length > 0 && refused.length === 0 && paid.length === both.length,
    `${first.name}'s book has ${String(refused.length)} payments of them, ${second.name}'s ${String(paid.length)}`,
  );
  return outcomes.map((row) => ({ ...row, what: 'secondWay', provider: second.id }));
}

const paymentsTo = async ({ readBook }, digits) =>
  (await readBook()).payouts
    .filter(({ account }) => account.endsWith(digits))
    .flatMap(({ payments }) => payments.map(({ receipt }) => receipt));

export async function moveTheClocks({ api, corridors, screen, stage }) {
  await screen.act(
    'An hour later',
    'What a provider has under way for an hour ends when its hour is over, whatever a stranger calls back meanwhile.',
  );
  return Promise.all(stage.simulators.map((simulator) => moveOne({ api, corridors, screen, stage, simulator })));
}

async function moveOne({ api, corridors, screen, stage, simulator }) {
  const { id, name, digits, readBook, moveClock } = simulator;
  const late = await payOne(api, corridorsAt(corridors, simulator)[0], `late-${id}`, digits.late);
  const isTaken = async () => (await readBook()).payouts.some(({ account }) => account.endsWith(digits.late));
  await lookUntil(isTaken, (found) => found, TAKEN_WITHIN_MS);
  const { status, left } = await callBackAsStranger({ stage, simulator });
  const before = await api.status(late.code);
  screen.promise(
    status === 200 && left.length === 0 && before.status === 'PROCESSING',
    `${name}: a stranger calls back that it is paid: ${String(status)}, and it is ${before.status}`,
  );
  let row = { status: before.status };
  // Chapa's hour begins when we have approved, which may be after the first move.
  for (let hours = 0; hours < MOST_HOURS && row.status === before.status; hours += 1) {
    await moveClock(HOUR_MS + A_LITTLE_OVER);
    row = await outcomeOf(api, late, ENDED_WITHIN_MS);
  }
  screen.promise(
    row.status === 'COMPLETE',
    `${name}: under way for an hour of its clock: ${before.status}, then ${row.status}`,
  );
  return { what: 'late', before: before.status, ...row };
}
