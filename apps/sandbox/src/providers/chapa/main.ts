import { ProcessSettings, stdoutLog } from '../simulation/process-settings.js';
import { startChapaSimulator } from './chapa-simulator.js';
import { hundredths, isAmount } from './data/amount.js';

/**
 * The simulator alone: CHAPA_SIMULATOR_FOLDER, _TOKEN (the key, CHASECK-…), _SECRET_HASH (signs webhooks) and _APPROVAL_SECRET
 * (signs questions) are required; each secret may stand in a file that its name with _FILE names.
 * CHAPA_SIMULATOR_HOST is 127.0.0.1, _PORT 3920 and _CONTROL_PORT 3921 unless set; _PUBLIC_URL, _WEBHOOK_URL and _APPROVAL_URL are
 * none: without the last one it does not ask. _CONTROL_TOKEN is the key. _OPENING is what the balance opens with, _CHARGE what each
 * transfer costs, as decimal strings. _REPEATS is refused or paid_again.
 * With _TLS_KEY_FILE and _TLS_CERT_FILE the API, not the control, speaks https.
 */
const settings = new ProcessSettings('CHAPA_SIMULATOR_');
const controlToken = settings.text('CONTROL_TOKEN');
const publicUrl = settings.text('PUBLIC_URL');
const opening = settings.matching('OPENING', isAmount, 'amount');
const charge = settings.matching('CHARGE', isAmount, 'amount');
const repeats = settings.matching(
  'REPEATS',
  (text) => ['refused', 'paid_again'].includes(text),
  'refused or paid_again',
);
const tls = settings.tls();
const simulator = await startChapaSimulator({
  folder: settings.required('FOLDER'),
  token: settings.secret('TOKEN'),
  secretHash: settings.secret('SECRET_HASH'),
  approvalSecret: settings.secret('APPROVAL_SECRET'),
  host: settings.text('HOST') ?? '127.0.0.1',
  port: settings.port('PORT', '3920'),
  controlPort: settings.port('CONTROL_PORT', '3921'),
  settings: {
    webhooks: { url: settings.text('WEBHOOK_URL') ?? null },
    approval: { url: settings.text('APPROVAL_URL') ?? null },
    ...(repeats !== undefined && { repeats: repeats as 'refused' | 'paid_again' }),
    ...(charge !== undefined && { chargeHundredths: hundredths(charge) }),
    ...(opening !== undefined && { opening }),
  },
  ...(controlToken !== undefined && { controlToken }),
  ...(publicUrl !== undefined && { publicUrl }),
  ...(tls !== undefined && { tls }),
  log: stdoutLog,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
