// What is rehearsed, act by act.
import { readAlarms, readBooks } from './books.mjs';
import { callBackAsStranger, FORGED, readCallbacks } from './acts/callback-acts.mjs';
import { fundFloats } from './acts/float-acts.mjs';
import {
  corridorsOf,
  FUNDED,
  LOST_ANSWER,
  makePartner,
  NOT_FOUND,
  outcomeOf,
  partnerApi,
  payFromDeposit,
  payFromWallets,
  RECONCILED_LATER,
  walletOf,
} from './acts/partner-acts.mjs';
import { failPay, signApart, underpay } from './acts/refund-acts.mjs';
import { lookUntil } from '../demo/look.mjs';
import { tryUnsafe } from './unsafe.mjs';

const HOUR_MS = 3_600_000;
const A_LITTLE_OVER = 60_000;
const TAKEN_WITHIN_MS = 30_000;
/** A deposit on each chain, and an asset that the chain has. */
const DEPOSITS = [
  ['CELO', 'USDC'],
  ['BASE', 'USDC'],
  ['POLYGON', 'USDT'],
  ['ETHEREUM', 'USDT'],
  ['BNB', 'USDT'],
  ['AVALANCHE', 'USDC'],
  ['ARBITRUM', 'USDT'],
  ['SOLANA', 'USDC'],
  ['STELLAR', 'USDC'],
];
/** One of each family goes back. */
const GO_BACK = [
  { chain: 'CELO', asset: 'USDC', amount: '12' },
  { chain: 'SOLANA', asset: 'USDC', amount: '12' },
  { chain: 'STELLAR', asset: 'USDC', amount: '12' },
];

export async function refuseUnsafe({ stage, screen }) {
  await screen.act('What a live start refuses', 'Each setting by itself, in what the deployment runs with.');
  const told = ({ service, setting, what, refused, said }) =>
    screen.promise(refused, `${service}: ${setting} (${what}) ${refused ? 'is refused by name' : `is not refused by name: ${said}`}`); // prettier-ignore
  const { folder, deployment } = stage;
  return tryUnsafe({ folder, environments: deployment.environments }, told);
}

export async function rehearse({ stage, screen, report }) {
  await stage.start();
  const { authority, publicUrl, providers } = stage;
  const corridors = corridorsOf(providers.routes);
  const partner = await onboard({ stage, screen });
  const api = partnerApi({ publicUrl, authority, key: partner.key });
  try {
    const act = { stage, screen, api, corridors, report };
    await refuseUnrouted(act);
    report.payouts = [...(await fromWallets(act)), ...(await fromDeposits(act))];
    report.refunds = await sendBack(act);
    const wrong = await goWrong(act);
    report.callbacks = await readCallbacks(act);
    report.later = { ...wrong, late: await moveTheClock(act) };
    report.books = await readBooks(act);
    report.alarms = readAlarms(act);
  } finally {
    await api.close();
  }
}

async function onboard({ stage, screen }) {
  const { operators, pawapay } = stage;
  const [ann, ben] = operators;
  await screen.act(
    'Floats and a partner, by commands',
    `${ann.name} proposes, ${ben.name} approves; nobody approves alone.`,
  );
  const floats = await fundFloats(operators, pawapay);
  screen.promise(
    true,
    `${String(floats.length)} wallets at pawaPay are topped up and posted: ${floats.map(({ currency, amount }) => `${currency} ${amount}`).join(', ')}`,
  );
  const wallets = Object.entries(FUNDED).map(([currency, amount]) => ({ currency, amount }));
  const partner = await makePartner(operators, { wallets });
  screen.promise(true, `partner ${String(partner.id)} has a key and ${String(wallets.length)} funded wallets`);
  return partner;
}

/** Nothing that no route carries waits in QUEUED. */
async function refuseUnrouted({ api, screen, report }) {
  const body = {
    type: 'MOBILE',
    shortcode: '0731001234',
    mobile_network: 'Airtel',
    amount: 1_200,
    reference: 'rehearsal-unrouted',
  };
  const { status, body: answer } = await api.ask('/kes/disburse', body);
  report.unrouted = { status, message: answer.message };
  screen.promise(
    status === 400 || status === 404,
    `what no route carries is refused at once: ${String(status)} ${answer.message}`,
  );
}

async function fromWallets({ api, corridors, screen }) {
  await screen.act('From wallets', 'Each network that pawaPay reaches, all at once.');
  const sent = await payFromWallets(api, corridors);
  return tell(screen, await Promise.all(sent.map((one) => outcomeOf(api, one))));
}

async function fromDeposits({ api, corridors, screen, stage }) {
  await screen.act('From deposits', 'One on each chain. Of the three endpoints of CELO one is silent: two agree.');
  stage.companies.silence(2, 'CELO');
  const firstOf = [...new Map(corridors.map((corridor) => [walletOf(corridor), corridor])).values()].filter(({ wallet }) => wallet === undefined); // prettier-ignore
  const sent = await Promise.all(
    DEPOSITS.filter(([chain]) => chain in stage.nodes).map(([chain, asset], place) =>
      payFromDeposit(api, { chain, asset, corridor: firstOf[place % firstOf.length], place, send: senderOn(stage) }),
    ),
  );
  return tell(screen, await Promise.all(sent.map((one) => outcomeOf(api, one))));
}

function tell(screen, outcomes) {
  for (const { from, currency, amount, network, status, receipt, took_ms, failure_code: why } of outcomes)
    screen.promise(
      status === 'COMPLETE' && receipt !== null,
      `${from.padEnd(9)} → ${currency} ${String(amount).padStart(9)}  ${network.padEnd(12)} ${status}  ${receipt ?? why ?? ''}  ${(took_ms / 1_000).toFixed(1)} s`,
    );
  return outcomes;
}

/** The payer outside. */
const senderOn =
  (stage) =>
  async ({ chain, asset, amount, to }) => {
    const sent = await (await handsOn(stage, chain)).transfer({ asset, amount, to });
    if (!sent.ok) throw new Error(`${chain}: ${sent.error}`);
    return sent.value.hash;
  };

async function handsOn(stage, name) {
  const [{ openSandboxHands }, { chainNamed }] = await Promise.all([
    import('../../libs/chains/dist/index.js'),
    import('../../libs/domain/dist/index.js'),
  ]);
  stage.hands ??= {};
  return (stage.hands[name] ??= await openSandboxHands(chainNamed(name), stage.nodes[name]));
}

async function sendBack({ api, corridors, screen, stage }) {
  await screen.act(
    'Sent back on its chain',
    'Too little came on three chains; on a fourth the payout failed. A key signs that is on no machine of Vuka: exported, signed offline, imported.',
  );
  const { newRefundKeys } = await import('../../libs/chains/dist/index.js');
  const theirs = await newRefundKeys(['evm', 'solana', 'stellar']);
  const backOn = { CELO: theirs.evm.address, BASE: theirs.evm.address, SOLANA: theirs.solana.address, STELLAR: theirs.stellar.address }; // prettier-ignore
  await holdTrustline(stage, backOn.STELLAR);
  const deposits = GO_BACK.map((one) => ({ ...one, back: backOn[one.chain] }));
  const networks = await api.call('/account/networks', {});
  const send = senderOn(stage);
  const [corridor] = corridors;
  const refunds = [
    ...(await underpay(api, deposits, { send, corridor, networks })),
    await failPay(api, { chain: 'BASE', asset: 'USDC', back: backOn.BASE, corridor, send }),
  ];
  const { offline, folder, operators } = stage;
  const mine = async (chains) => {
    for (const chain of chains.filter((name) => name === 'CELO' || name === 'BASE'))
      await (await handsOn(stage, chain)).mine(2);
  };
  const done = await signApart(refunds, { people: operators, offline, folder, mine });
  for (const { chain, amount, asset, to, status } of done)
    screen.promise(status === 'COMPLETE', `${chain.padEnd(9)} ${amount} ${asset} → ${to.slice(0, 10)}…  ${status}`);
  return done;
}

/** Who is paid on Stellar needs an account that trusts the asset. */
async function holdTrustline(stage, account) {
  const hands = await handsOn(stage, 'STELLAR');
  for (const { asset } of GO_BACK.filter(({ chain }) => chain === 'STELLAR'))
    await hands.hold({ account, asset, amount: '0' });
}

/** Before pawaPay's clock is moved: by another clock than ours it would seem to sign in the future. */
async function goWrong({ api, corridors, screen }) {
  await screen.act(
    'What goes wrong',
    'A lost answer is paid once; a refused one comes back; a forged callback says paid of what is not.',
  );
  const [kes] = corridors;
  const one = async (name, digits) => (await payFromWallets(api, [kes], { name, digits }))[0];
  const sent = { lost: await one('lost', LOST_ANSWER), refused: await one('refused', NOT_FOUND), forged: await one('forged', FORGED) }; // prettier-ignore
  const outcomes = {};
  for (const [name, payout] of Object.entries(sent)) outcomes[name] = await outcomeOf(api, payout);
  const { lost, refused, forged } = outcomes;
  screen.promise(
    lost.status === 'COMPLETE',
    `the answer was lost: ${lost.status}, ${lost.receipt ?? lost.failure_code}`,
  );
  const isRefused = ({ status, failure_code: code }) => status === 'FAILED' && code === 'recipient_not_found';
  screen.promise(isRefused(refused), `nobody has that number: ${refused.status}, ${refused.failure_code}`);
  screen.promise(isRefused(forged), `a forged callback says paid: ${forged.status}, ${forged.failure_code}`);
  return outcomes;
}

async function moveTheClock({ api, corridors, screen, stage }) {
  await screen.act(
    'An hour later',
    'What is reconciled for an hour ends when the hour is over, whatever a stranger calls back meanwhile.',
  );
  const [late] = await payFromWallets(api, [corridors[0]], { name: 'late', digits: RECONCILED_LATER });
  const isUnderWay = async () => (await stage.pawapay.book()).payouts.some(({ phoneNumber }) => phoneNumber.endsWith(RECONCILED_LATER)); // prettier-ignore
  await lookUntil(isUnderWay, (found) => found, TAKEN_WITHIN_MS);
  const { status, left } = await callBackAsStranger({ stage, digits: RECONCILED_LATER });
  const before = await api.status(late.code);
  screen.promise(
    status === 200 && left.length === 0 && before.status === 'PROCESSING',
    `a stranger calls back that it is paid: ${String(status)}, and it is ${before.status}`,
  );
  await stage.pawapay.moveClock(HOUR_MS + A_LITTLE_OVER);
  const row = await outcomeOf(api, late);
  screen.promise(
    row.status === 'COMPLETE',
    `reconciled for an hour, moved on pawaPay's clock: ${before.status}, then ${row.status}`,
  );
  return { before: before.status, ...row };
}
