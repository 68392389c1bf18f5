import { StackProcess } from './stack-process.js';
import { newDataDir, VukaProcess, type StartOptions } from './vuka-process.js';

export type Profile = 'embedded' | 'distributed';

export interface ProfileOptions extends StartOptions {
  readonly profile?: Profile;
}

export function testProfile(env: NodeJS.ProcessEnv = process.env): Profile {
  const named = env['VUKA_TEST_PROFILE'] ?? 'embedded';
  if (named !== 'embedded' && named !== 'distributed')
    throw new Error('VUKA_TEST_PROFILE must be embedded or distributed');
  return named;
}

export async function startVuka({ profile = testProfile(), ...options }: ProfileOptions = {}): Promise<VukaProcess> {
  if (profile === 'distributed') return startStack(options);
  const vuka = new VukaProcess(options.dataDir ?? (await newDataDir()), options);
  await vuka.restart();
  return vuka;
}

/** A supervisor with its services, providers and servers. VUKA_TEST_KAFKA_URL (`host:port`) replaces its broker. */
export async function startStack(options: StartOptions = {}): Promise<StackProcess> {
  const stack = new StackProcess(options.dataDir ?? (await newDataDir()), options);
  await stack.restart();
  return stack;
}
