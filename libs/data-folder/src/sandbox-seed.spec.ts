import { describe, expect, it } from '@jest/globals';
import { gatewayApi, notifierApi, paymentsApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { InProcessServices } from '@vuka/http';
import { createLogger } from '@vuka/runtime';

import { newSecrets, Secrets } from './secrets.js';
import { sandboxKey, sandboxOpenings, seedSandbox } from './sandbox-seed.js';

const secretsOf = (byte: number): Secrets =>
  new Secrets({ ...newSecrets(), root: Buffer.alloc(32, byte).toString('base64url') });

describe('sandbox keys', () => {
  it('are the same for the same secrets and differ for all else', () => {
    const keys = [
      sandboxKey(secretsOf(1), 'sandbox1', 'consumer'),
      sandboxKey(secretsOf(1), 'sandbox1', 'checkout'),
      sandboxKey(secretsOf(1), 'sandbox2', 'consumer'),
      sandboxKey(secretsOf(2), 'sandbox1', 'consumer'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(sandboxKey(secretsOf(1), 'sandbox1', 'consumer')).toBe(keys[0]);
    expect(keys[0]).toMatch(/^vk_test_consumer_sandbox1_[0-9a-f]{64}$/);
  });
});

describe('sandbox openings', () => {
  it('are the whole units of the issue in minor units', () => {
    expect(Object.fromEntries(sandboxOpenings().map(({ currency, amount_minor }) => [currency, amount_minor]))).toEqual(
      {
        KES: '1000000000',
        NGN: '1000000000',
        MWK: '1000000000',
        UGX: '1000000',
        GHS: '100000000',
        CDF: '100000000',
        ETB: '100000000',
        USD: '1000000',
      },
    );
  });
});

describe('the seed', () => {
  it('gives both partners keys, wallets and a webhook secret, and the same ones again', async () => {
    const services = new InProcessServices(createLogger('test', { level: 'silent' }));
    const ids = new Map<string, number>();
    const opened: number[] = [];
    services.register(gatewayApi, {
      ensureSandboxPartner: async ({ name }) => {
        if (!ids.has(name)) ids.set(name, ids.size + 1);
        return ok({ partner_id: ids.get(name) ?? 0 });
      },
    });
    services.register(paymentsApi, {
      openSandboxWallets: async ({ partner_id, openings }) => {
        opened.push(partner_id);
        return ok({ opened: openings.length });
      },
      acceptPay: () => Promise.reject(new Error('not asked')),
      acceptPayout: () => Promise.reject(new Error('not asked')),
      answerApproval: () => Promise.reject(new Error('not asked')),
      controlSandboxPayout: () => Promise.reject(new Error('not asked')),
      takeCallback: () => Promise.reject(new Error('not asked')),
      findAcceptance: () => Promise.reject(new Error('not asked')),
      getTransaction: () => Promise.reject(new Error('not asked')),
      listTransactions: () => Promise.reject(new Error('not asked')),
      listWallets: () => Promise.reject(new Error('not asked')),
      requestRefund: () => Promise.reject(new Error('not asked')),
      walletStatement: () => Promise.reject(new Error('not asked')),
    });
    services.register(notifierApi, {
      ensureWebhookSecret: async ({ partner_id }) => ok({ secret: `whsec_${partner_id}` }),
      testWebhook: () => Promise.reject(new Error('not asked')),
      listDeliveries: () => Promise.reject(new Error('not asked')),
      resendDelivery: () => Promise.reject(new Error('not asked')),
      resendDeliveries: () => Promise.reject(new Error('not asked')),
    });

    const first = await seedSandbox(services, secretsOf(7));
    expect(first.map(({ id, name, webhook_secret }) => ({ id, name, webhook_secret }))).toEqual([
      { id: 1, name: 'Sandbox One', webhook_secret: 'whsec_1' },
      { id: 2, name: 'Sandbox Two', webhook_secret: 'whsec_2' },
    ]);
    expect(opened).toEqual([1, 2]);
    expect(await seedSandbox(services, secretsOf(7))).toEqual(first);
    const four = await seedSandbox(services, secretsOf(7), 4);
    expect(four.slice(0, 2)).toEqual(first);
    expect(four.slice(2).map(({ id, name, consumer_key }) => [id, name, consumer_key])).toEqual(
      [3, 4].map((n) => [n, `Sandbox ${n}`, sandboxKey(secretsOf(7), `sandbox${n}`, 'consumer')]),
    );
  });
});
