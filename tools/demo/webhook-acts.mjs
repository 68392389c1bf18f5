import { lookUntil } from './look.mjs';
import { account, codeOf, STRAIGHT_WITHIN_MS } from './tour.mjs';

function logOf({ api }, code, isIt) {
  const look = async () => {
    const { body } = await api.ask('/v1/webhooks/deliveries', { transaction_code: code });
    return [...(body.data ?? [])].sort((one, other) => one.sequence - other.sequence);
  };
  return lookUntil(look, isIt, STRAIGHT_WITHIN_MS);
}

async function receiverDown(tour) {
  const { screen, api, receiver } = tour;
  await screen.act(
    'Your server is down',
    'It answers 503. Vuka tries webhooks again for two days. You can see each try, and request missed webhooks again.',
  );
  const code = codeOf(tour, 'down');
  receiver.isDown(true);
  await api.call('/kes/bank-transfer', {
    amount: 700,
    account_number: account(tour, '6789'),
    bank_code: '01',
    reference: code,
    callback_url: receiver.url,
  });
  // A newer webhook supersedes an older one in progress once its outcome is recorded.
  const tried = await logOf(tour, code, ([older, newer]) => older?.state === 'superseded' && newer?.attempts > 0);
  for (const { sequence, event, state, log } of tried)
    screen.line(
      `${sequence}  ${event.padEnd(22)}  ${state.padEnd(10)}  ${log.map(({ status, duration_ms: ms }) => `${status} after ${ms} ms`).join(', ')}`,
    );
  screen.promise(
    tried.length === 2 && tried[1].log[0]?.status === 503,
    'the log has every try, and what your server said',
  );
  screen.promise(tried[0]?.state === 'superseded', 'outdated news is not sent: a newer webhook replaced the older one');
  receiver.isDown(false);
  const before = receiver.received.length;
  const again = await api.call(`/v1/webhooks/deliveries/${tried[1]?.id}/resend`, {});
  screen.promise(again.status === 200, 'sent again on your request');
  const arrived = await receiver.waitForAgain(tried[1]?.webhook_id, before, STRAIGHT_WITHIN_MS);
  screen.promise(arrived?.isGenuine === true, `here it is, under its own id: ${tried[1]?.webhook_id}`);
  const [, told] = await logOf(tour, code, (rows) => rows[1]?.state === 'delivered');
  screen.promise(told?.state === 'delivered', 'and the log says so');
}

async function signed({ screen, receiver }) {
  const ids = new Set(receiver.received.map(({ id }) => id));
  await screen.act('The webhooks', `${receiver.received.length} arrived, with ${ids.size} different ids.`);
  screen.promise(
    receiver.received.every(({ isGenuine }) => isGenuine),
    'each was signed by Vuka, for this partner',
  );
}

export const WEBHOOK_ACTS = [receiverDown, signed];
