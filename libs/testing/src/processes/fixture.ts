import { ApiClient } from '../partner/api-client.js';
import { OutsideChecker } from '../checker/outside-checker.js';
import { SHARED_SETTINGS, takeSharedPlace, type SharedPlace } from './vuka-place.js';
import { startVuka, startStack, type ProfileOptions } from './start-vuka.js';
import type { StackProcess } from './stack-process.js';
import type { StartOptions, VukaProcess } from './vuka-process.js';
import { WebhookReceiver } from '../partner/webhook-receiver.js';

/** A Vuka, a client per partner, their webhook receiver and the outside checker. */
export interface Fixture<V extends VukaProcess = VukaProcess> {
  readonly vuka: V;
  readonly clients: readonly ApiClient[];
  readonly one: ApiClient;
  readonly two: ApiClient;
  readonly receiver: WebhookReceiver;
  readonly checker: OutsideChecker;
  end(): Promise<void>;
}

export interface FixtureOptions extends ProfileOptions {
  /** Clients repeat nothing by themselves: for suites that kill parts of Vuka and look at its answers. */
  readonly asksOnce?: boolean;
}

/** Enough for a new data folder on a busy machine, or a stack that gives up by itself and reports why. */
export const FIXTURE_WITHIN_MS = 300_000;

/** On its own Vuka, of the profile in VUKA_TEST_PROFILE. */
export async function openFixture({ asksOnce = false, ...options }: FixtureOptions = {}): Promise<Fixture> {
  return fixtureOn(await startVuka(options), { persists: !asksOnce });
}

/**
 * For suites that neither stop nor configure their Vuka: on the shared one if there is one, with own partners; else on
 * its own.
 * Other suites pay at the same time. It has no chains.
 */
export async function openSharedFixture(): Promise<Fixture> {
  const place = takeSharedPlace();
  return place === null ? openFixture({ env: SHARED_SETTINGS }) : fixtureOn(place.vuka, { place, persists: true });
}

export async function openStackFixture(options: StartOptions = {}): Promise<Fixture<StackProcess>> {
  return fixtureOn(await startStack(options), { persists: false });
}

async function fixtureOn<V extends VukaProcess>(
  vuka: V,
  { place = null, persists }: { readonly place?: SharedPlace | null; readonly persists: boolean },
): Promise<Fixture<V>> {
  const clients = vuka.partners.map((partner) => new ApiClient(vuka, partner, { persists }));
  const [one, two] = clients;
  if (one === undefined || two === undefined) throw new Error('the sandbox has two partners');
  const receiver = await WebhookReceiver.start(vuka.partners);
  const checker = await OutsideChecker.begin(vuka, clients, receiver, { place });
  const end = async (): Promise<void> => {
    await receiver.stop();
    await Promise.all(clients.map((client) => client.close()));
    await vuka.dispose();
  };
  return { vuka, clients, one, two, receiver, checker, end };
}
