import { ProcessSettings, stdoutLog } from '../simulation/process-settings.js';
import { hundredths, isAmount } from './data/amount.js';
import { startPawapaySimulator } from './pawapay-simulator.js';

/**
 * The simulator alone: PAWAPAY_SIMULATOR_FOLDER and PAWAPAY_SIMULATOR_TOKEN (or PAWAPAY_SIMULATOR_TOKEN_FILE, which holds it) are required.
 * PAWAPAY_SIMULATOR_HOST is 127.0.0.1, _PORT 3910 and _CONTROL_PORT 3911 unless set; _PUBLIC_URL and _CALLBACK_URL are none,
 * _CONTROL_TOKEN is the token. _OPENING is what each wallet opens with, _FEE what each payment costs, as decimal strings.
 * With _TLS_KEY_FILE and _TLS_CERT_FILE the API, not the control, speaks https.
 */
const settings = new ProcessSettings('PAWAPAY_SIMULATOR_');
const controlToken = settings.text('CONTROL_TOKEN');
const publicUrl = settings.text('PUBLIC_URL');
const opening = settings.matching('OPENING', isAmount, 'amount');
const tls = settings.tls();
const fee = settings.matching('FEE', isAmount, 'amount');
const simulator = await startPawapaySimulator({
  folder: settings.required('FOLDER'),
  token: settings.secret('TOKEN'),
  host: settings.text('HOST') ?? '127.0.0.1',
  port: settings.port('PORT', '3910'),
  controlPort: settings.port('CONTROL_PORT', '3911'),
  settings: {
    callbacks: { url: settings.text('CALLBACK_URL') ?? null },
    ...(opening !== undefined && { opening }),
    ...(fee !== undefined && { fees: { default: { fixedHundredths: hundredths(fee), basisPoints: 0n } } }),
  },
  ...(controlToken !== undefined && { controlToken }),
  ...(publicUrl !== undefined && { publicUrl }),
  ...(tls !== undefined && { tls }),
  log: stdoutLog,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop());
