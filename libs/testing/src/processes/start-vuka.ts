import { StackProcess } from './stack-process.js';
import { newDataDir, VukaProcess, type StartOptions } from './vuka-process.js';

export type Profile = 'embedded' | 'distributed';

export interface ProfileOptions extends StartOptions {
  /** The one that VUKA_TEST_PROFILE names, unless a suite is about one of them. */
  readonly profile?: Profile;
}

/** `embedded` unless VUKA_TEST_PROFILE says `distributed`. */
export function testProfile(env: NodeJS.ProcessEnv = process.env): Profile {
  const named = env['VUKA_TEST_PROFILE'] ?? 'embedded';
  if (named !== 'embedded' && named !== 'distributed')
    throw new Error('VUKA_TEST_PROFILE must be embedded or distributed');
  return named;
}

/** Starts the built Vuka as processes of its own on free ports, and waits until it is ready. */
export async function startVuka({ profile = testProfile(), ...options }: ProfileOptions = {}): Promise<VukaProcess> {
  if (profile === 'distributed') return startStack(options);
  const vuka = new VukaProcess(options.dataDir ?? (await newDataDir()), options);
  await vuka.restart();
  return vuka;
}

/** The distributed profile: a supervisor, its services, providers and servers. The broker is VUKA_TEST_KAFKA_URL (`host:port`), where that is set. */
export async function startStack(options: StartOptions = {}): Promise<StackProcess> {
  const stack = new StackProcess(options.dataDir ?? (await newDataDir()), options);
  await stack.restart();
  return stack;
}
