import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PawapayProvider } from '@vuka/payouts';

import { connect, payoutIdFor, to } from './adapter.spec-support.js';
import { MINUTE_MS, RunningPawapay } from './simulator.spec-support.js';

describe('the pawaPay adapter asks', () => {
  let pawapay: RunningPawapay;
  let provider: PawapayProvider;
  beforeEach(async () => {
    pawapay = await RunningPawapay.start();
    provider = connect(pawapay);
  });
  afterEach(async () => {
    await provider.close();
    await pawapay.remove();
  });

  it('which networks pay: all that we pay, each in its state', async () => {
    await pawapay.control.setProviderStatus('MPESA_KEN', 'CLOSED');
    await pawapay.control.setProviderStatus('MTN_MOMO_UGA', 'DELAYED');
    const answer = await provider.availability();
    if (answer.outcome !== 'told') throw new Error(answer.detail);
    const states = answer.corridors.map(({ currency, network, state }) => [`${currency} ${network}`, state]);
    expect(states).toHaveLength(13);
    expect(states.filter(([, state]) => state !== 'open')).toEqual([
      ['KES Safaricom', 'closed'],
      ['UGX MTN', 'slow'],
    ]);
  });

  it('which network a number is of', async () => {
    const predict = (phone: string, currency: string) => provider.predictNetwork({ phone, currency, timeoutMs: 2_000 });
    expect(await predict('+265993456789', 'MWK')).toEqual({ outcome: 'told', network: 'Airtel Money' });
    expect(await predict('+265993456789', 'KES')).toEqual({ outcome: 'cannot_tell' });
    expect(await predict('+15550000000', 'MWK')).toMatchObject({ outcome: 'failed' });
  });

  it('to be called back again, of what has ended', async () => {
    const payout = to('1234');
    await provider.submit(payout);
    expect(await provider.resend?.(payout.attemptId)).toMatchObject({ outcome: 'refused' });
    pawapay.clock.advance(MINUTE_MS);
    expect(await provider.query(payout)).toMatchObject({ outcome: 'succeeded' });
    const heard = (): number => pawapay.heardOf(payoutIdFor(payout)).length;
    await pawapay.control.moveClock(MINUTE_MS);
    const before = heard();
    expect(await provider.resend?.(payout.attemptId)).toEqual({ outcome: 'resent' });
    await pawapay.control.moveClock(MINUTE_MS);
    expect(heard()).toBeGreaterThan(before);
    expect(await provider.resend?.(to('1234').attemptId)).toMatchObject({ outcome: 'refused' });
  });
});
