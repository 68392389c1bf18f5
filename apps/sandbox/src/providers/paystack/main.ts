import { ProcessSettings, stdoutLog } from '../simulation/process-settings.js';
import { startPaystackSimulator } from './paystack-simulator.js';
import { TEST_RETRIES } from './settings.js';

/**
 * The simulator alone: PAYSTACK_SIMULATOR_FOLDER and PAYSTACK_SIMULATOR_SECRET (or PAYSTACK_SIMULATOR_SECRET_FILE, which holds it) are
 * required. PAYSTACK_SIMULATOR_HOST is 127.0.0.1, _PORT 3920 and _CONTROL_PORT 3921 unless set; _WEBHOOK_URL and _APPROVAL_URL are
 * none, _CONTROL_TOKEN is the secret. _OPENING_MINOR is what each balance opens with, _FEE_MINOR what each transfer costs, in minor units.
 * _WEBHOOK_SPELLING is snake or camel. With _TLS_KEY_FILE and _TLS_CERT_FILE the API, not the control, speaks https. A secret
 * sk_test_… is told more seldom.
 */
const settings = new ProcessSettings('PAYSTACK_SIMULATOR_');
const isMinor = (text: string): boolean => /^\d{1,18}$/.test(text);
const opening = settings.matching('OPENING_MINOR', isMinor, 'amount in minor units');
const fee = settings.matching('FEE_MINOR', isMinor, 'amount in minor units');
const spelling = settings.matching('WEBHOOK_SPELLING', (text) => ['snake', 'camel'].includes(text), 'snake or camel');
const controlToken = settings.text('CONTROL_TOKEN');
const secret = settings.secret('SECRET');
const tls = settings.tls();
const simulator = await startPaystackSimulator({
  folder: settings.required('FOLDER'),
  secret,
  host: settings.text('HOST') ?? '127.0.0.1',
  port: settings.port('PORT', '3920'),
  controlPort: settings.port('CONTROL_PORT', '3921'),
  settings: {
    webhooks: {
      url: settings.text('WEBHOOK_URL') ?? null,
      ...(spelling !== undefined && { spelling: spelling as 'snake' | 'camel' }),
      ...(secret.startsWith('sk_test_') && { retryAfterMs: TEST_RETRIES }),
    },
    approval: { url: settings.text('APPROVAL_URL') ?? null },
    ...(opening !== undefined && { openingMinor: BigInt(opening) }),
    ...(fee !== undefined && { feesMinor: { default: BigInt(fee) } }),
  },
  ...(controlToken !== undefined && { controlToken }),
  ...(tls !== undefined && { tls }),
  log: stdoutLog,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
