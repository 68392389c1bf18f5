// What is rehearsed, act by act.
import { readAlarms, readBooks } from './books.mjs';
import { readCallbacks, undecided } from './acts/callback-acts.mjs';
import { fundFloats } from './acts/float-acts.mjs';
import {
  corridorsOf,
  FUNDED,
  makePartner,
  outcomeOf,
  partnerApi,
  payFromDeposit,
  payFromWallets,
} from './acts/partner-acts.mjs';
import { failPay, signApart, underpay } from './acts/refund-acts.mjs';
import { corridorsAt, goWrong, moveTheClocks, takeSecondWay } from './acts/trouble-acts.mjs';
import { tryUnsafe } from './unsafe.mjs';

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

export async function refuseUnsafe({ stage, screen, part }) {
  await screen.act('What a live start refuses', 'Each setting by itself, in what the deployment runs with.');
  const told = ({ service, setting, what, refused, said }) =>
    screen.promise(refused, `${service}: ${setting} (${what}) ${refused ? 'is refused by name' : `is not refused by name: ${said}`}`); // prettier-ignore
  const { folder, deployment } = stage;
  return tryUnsafe({ folder, environments: deployment.environments, part }, told);
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
    const wrong = [...(await takeSecondWay(act)), ...(await goWrong(act))];
    report.callbacks = await readCallbacks(act);
    report.later = [...wrong, ...(await moveTheClocks(act))];
    report.books = await readBooks(act);
    report.alarms = readAlarms(act);
  } finally {
    await api.close();
  }
}

async function onboard({ stage, screen }) {
  const { operators, simulators } = stage;
  const [ann, ben] = operators;
  await screen.act(
    'Floats and a partner, by commands',
    `${ann.name} proposes, ${ben.name} approves; nobody approves alone.`,
  );
  await fundFloats(operators, simulators);
  for (const { name, floats } of simulators)
    screen.promise(
      true,
      `${name}: ${String(floats.length)} wallets are topped up and posted: ${floats.map(({ currency, amount }) => `${currency} ${amount}`).join(', ')}`,
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

async function fromWallets({ api, corridors, screen, stage }) {
  await screen.act('From wallets', 'Each recipient that a route reaches, all at once.');
  const sent = await payFromWallets(api, corridors);
  const outcomes = await Promise.all(sent.map((one) => outcomeOf(api, one)));
  // Not approved in time, so not paid: the partner sends it again.
  const isLate = ({ provider, failure_code: why }) => provider === 'chapa' && why === 'rail_rejected';
  const late = corridors.filter((_, place) => isLate(outcomes[place]));
  if (late.length === 0 || (await undecided(stage)) < late.length) return tell(screen, outcomes);
  const again = await payFromWallets(api, late, { name: 'wallet-again' });
  const ended = await Promise.all(again.map((one) => outcomeOf(api, one)));
  return tell(screen, [...outcomes.filter((one) => !isLate(one)), ...ended]);
}

async function fromDeposits({ api, corridors, screen, stage }) {
  await screen.act('From deposits', 'One on each chain. Of the three endpoints of CELO one is silent: two agree.');
  stage.companies.silence(2, 'CELO');
  const own = corridors.filter(({ wallet }) => wallet === undefined);
  const firstOf = own.filter(({ currency }, place) => own.findIndex((one) => one.currency === currency) === place);
  const sent = await Promise.all(
    DEPOSITS.filter(([chain]) => chain in stage.nodes).map(([chain, asset], place) =>
      payFromDeposit(api, { chain, asset, corridor: firstOf[place % firstOf.length], place, send: senderOn(stage) }),
    ),
  );
  return tell(screen, await Promise.all(sent.map((one) => outcomeOf(api, one))));
}

function tell(screen, outcomes) {
  for (const { from, currency, amount, network, provider, status, receipt, took_ms, failure_code: why } of outcomes)
    screen.promise(
      status === 'COMPLETE' && receipt !== null,
      `${from.padEnd(9)} → ${currency} ${String(amount).padStart(9)}  ${network.padEnd(12)} ${provider.padEnd(8)} ${status}  ${receipt ?? why ?? ''}  ${(took_ms / 1_000).toFixed(1)} s`,
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
  const [pawapay] = stage.simulators;
  const corridor = corridorsAt(corridors, pawapay)[0];
  const refunds = [
    ...(await underpay(api, deposits, { send, corridor, networks })),
    await failPay(api, {
      chain: 'BASE',
      asset: 'USDC',
      back: backOn.BASE,
      corridor,
      digits: pawapay.digits.refused,
      send,
    }),
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
