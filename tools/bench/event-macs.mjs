import { createHmac, createPublicKey, createSecretKey, randomBytes, sign, verify } from 'node:crypto';

import { median, table } from './table.mjs';

/** A transfer's life: `transaction.processing` and `transaction.complete`, each signed once and checked once. */
const EVENTS_OF_A_ROAD = 2;
const ROUNDS = 5;
const TOPIC = 'payments.transaction.events.v1';

/** Processor time of what a MAC takes, with the code that services run. */
export async function measureMacs({ events }) {
  const [{ privateKeyOf }, { eventMacsBy }, { EventAuthors }] = await Promise.all([
    import('../../libs/chains/dist/ed25519-key.js'),
    import('../../libs/messaging/dist/authors/event-keys.js'),
    import('../../libs/messaging/dist/authors/event-authors.js'),
  ]);
  const keys = [{ id: 'e1', key: randomBytes(32) }];
  const signs = eventMacsBy({ to: { notifier: keys }, from: {} });
  const reader = new EventAuthors('notifier', { from: { payments: keys } });
  const told = Array.from({ length: 64 }, (_, n) => eventOf(n));
  const texts = told.map((event) => JSON.stringify(event));
  const macs = texts.map((text) => signs(TOPIC, text));
  const claims = told.map(({ id, key, sequence }, n) => ({ topic: TOPIC, eventId: id, key, sequence, macs: macs[n] }));
  const bytes = texts.map((text) => Buffer.from(text));
  const fault = reader.faultOfClaimed(claims[0], bytes[0]);
  if (fault !== null) throw new Error(`a true event is not known: ${fault}`);
  const [bare] = keys.map(({ key }) => createSecretKey(key));
  const privateKey = privateKeyOf(randomBytes(32));
  const publicKey = createPublicKey(privateKey);
  const signatures = bytes.map((text) => sign(null, text, privateKey));
  const perEvent = (work) => microseconds(events, (n) => work(n % texts.length));
  return {
    bytes: median(bytes.map(({ length }) => length)),
    signUs: perEvent((n) => signs(TOPIC, texts[n])),
    checkUs: perEvent((n) => reader.faultOfClaimed(claims[n], bytes[n])),
    hmacUs: perEvent((n) => createHmac('sha256', bare).update(texts[n]).digest()),
    signatureUs: perEvent((n) => sign(null, bytes[n], privateKey)),
    signatureCheckUs: perEvent((n) => verify(null, bytes[n], publicKey, signatures[n])),
  };
}

/** `road`: processor time of a bank transfer in ms, all processes together; undefined where it was not measured. */
export function macsReport({ bytes, signUs, checkUs, hmacUs, signatureUs, signatureCheckUs }, road) {
  const perRoad = EVENTS_OF_A_ROAD * (signUs + checkUs);
  const share =
    road === undefined
      ? ''
      : `, ${((perRoad / 1_000 / road) * 100).toFixed(1)} % of the ${road.toFixed(2)} ms that it takes as services`;
  return [
    '## MACs of events',
    `Processor time of what says who wrote an event of ${bytes} bytes ([decision 0027](../decisions/0027-events-have-an-author.md)); median of ${ROUNDS} rounds. Each further reader of a topic is one more MAC. A bank transfer tells ${EVENTS_OF_A_ROAD} events: ${perRoad.toFixed(1)} µs${share}. The embedded profile has none.`,
    '',
    ...table(
      ['work', 'µs an event'],
      [
        ['made by the producer, for one reader', signUs.toFixed(1)],
        ['checked by the reader, with id, key and sequence', checkUs.toFixed(1)],
        ['HMAC-SHA256 alone', hmacUs.toFixed(1)],
        ['instead, an Ed25519 signature made', signatureUs.toFixed(1)],
        ['instead, an Ed25519 signature checked', signatureCheckUs.toFixed(1)],
      ],
    ),
  ];
}

function microseconds(events, work) {
  for (let n = 0; n < events / 10; n += 1) work(n);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (let n = 0; n < events; n += 1) work(n);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / events;
  });
  return median(rounds);
}

function eventOf(n) {
  const transaction_code = `transfer-${n}`;
  return {
    id: `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    type: 'transaction.complete',
    version: 1,
    key: String(1_000 + n),
    sequence: 2,
    occurredAt: '2026-11-21T10:00:00.000Z',
    correlationId: `request-${n}`,
    causationId: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    producer: 'payments',
    data: {
      transaction_id: 1_000 + n,
      partner_id: 1,
      callback_url: 'https://partner.example/webhooks/vuka',
      public_sequence: 2,
      payload: {
        status: 'COMPLETE',
        transaction_code,
        message: 'The transfer was paid',
        public_name: 'JANE DOE',
        receipt_number: `R${n}`,
      },
    },
  };
}
