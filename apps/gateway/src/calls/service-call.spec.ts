import { describe, expect, it } from '@jest/globals';
import { ContractError, DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

import { silentLog } from '../testing/gateway.spec-support.js';
import { commit, commitOrder, isOpenOutcome } from './service-call.js';

const MONEY = { currency: 'KES', transactionCode: 'code-1', repeatWith: 'the same Idempotency-Key' };

const told = async (error: Error): Promise<{ code: string; message: string; transactionCode?: string }> => {
  const result = await commit(silentLog, MONEY, () => Promise.reject(error));
  if (result.ok) throw new Error('it was told as done');
  return result.error;
};

describe('a money operation that was not answered', () => {
  it.each([
    ['lost', new ServiceUnavailableError('payments', 'the connection was lost'), 'service_unavailable'],
    ['late', new DeadlineExceededError('payments', 'acceptPayout'), 'outcome_unknown'],
    [
      'answered by nonsense',
      new ContractError('payments.acceptPayout answer breaks its schema'),
      'service_unavailable',
    ],
    ['broken by a bug of ours', new TypeError('a bug'), 'service_unavailable'],
  ])('is open where it was %s', async (_how, error, code) => {
    const problem = await told(error);
    expect(problem).toMatchObject({ code, transactionCode: 'code-1' });
    expect(problem.message).toContain(
      'its outcome is open. Send the same request again with the same Idempotency-Key: it never pays twice. Or ask POST /kes/status',
    );
    expect(problem.message).not.toContain('changed nothing');
  });

  it.each([
    ['refused', new ServiceUnavailableError('payments', 'no connection', { sent: false })],
    ['out of time before it was sent', new DeadlineExceededError('payments', 'acceptPayout', { sent: false })],
  ])('changed nothing if it was %s, and still keeps its code', async (_how, error) => {
    const problem = await told(error);
    expect(problem).toMatchObject({ code: 'service_unavailable', transactionCode: 'code-1' });
    expect(problem.message).toBe(
      'The service that accepts transactions could not be reached, and this request changed nothing. Send it again with the same Idempotency-Key: it never pays twice',
    );
    // An earlier request may have been accepted, so the code stays with the key.
    expect(isOpenOutcome({ code: 'service_unavailable', message: '' })).toBe(true);
  });
});

describe('an order that was not answered', () => {
  const told = async (error: Error): Promise<unknown> => commitOrder(silentLog, 'order-7', () => Promise.reject(error));

  it('is open unless it was certainly never sent, and the same request can be repeated in both cases', async () => {
    const open =
      'The order was not confirmed, so its outcome is open. Send the same request again: one order_id makes one order. Or ask POST /v1/checkout/status with order_id order-7; a 404 within the first minute is no proof';
    expect(await told(new DeadlineExceededError('checkout', 'createOrder'))).toEqual({
      ok: false,
      error: { code: 'outcome_unknown', message: open },
    });
    expect(await told(new TypeError('a bug'))).toEqual({
      ok: false,
      error: { code: 'service_unavailable', message: open },
    });
    for (const error of [
      new ServiceUnavailableError('checkout', 'no connection', { sent: false }),
      new DeadlineExceededError('checkout', 'createOrder', { sent: false }),
    ]) {
      const message =
        'The service that makes orders could not be reached, and this request changed nothing. Send the same request again: one order_id makes one order';
      expect(await told(error)).toEqual({ ok: false, error: { code: 'service_unavailable', message } });
    }
  });
});
