import { ApiClient } from '../partner/api-client.js';
import { OutsideChecker } from '../checker/outside-checker.js';
import { SHARED_SETTINGS, takeSharedPlace, type SharedPlace } from './vuka-place.js';
import { startVuka, startStack, type ProfileOptions } from './start-vuka.js';
import type { StackProcess } from './stack-process.js';
import type { StartOptions, VukaProcess } from './vuka-process.js';
import { WebhookReceiver } from '../partner/webhook-receiver.js';

/** What an end-to-end suite plays in: a Vuka, a client for each of its partners, their receiver, and the outside checker. */
export interface Fixture<V extends VukaProcess = VukaProcess> {
  readonly vuka: V;
  /** One per sandbox partner, in order. */
  readonly clients: readonly ApiClient[];
  readonly one: ApiClient;
  readonly two: ApiClient;
  readonly receiver: WebhookReceiver;
  readonly checker: OutsideChecker;
  /** Ends all of it. The suite runs its last check before. */
  end(): Promise<void>;
}

/** How long a fixture may take to stand: a new data folder on a busy machine, or a stack that gives up by itself and tells why. */
export const FIXTURE_WITHIN_MS = 150_000;

/** On a Vuka of its own, of the profile that VUKA_TEST_PROFILE names. */
export async function openFixture(options: ProfileOptions = {}): Promise<Fixture> {
  return fixtureOn(await startVuka(options));
}

/**
 * For a suite of what partners see, which neither stops its Vuka nor sets anything: on the one that suites share, where there is
 * one, with partners of its own; else on a Vuka of its own. Others pay at the same time, and ask for what they like. It runs no chains:
 * suites of pays have fixtures of their own.
 */
export async function openSharedFixture(): Promise<Fixture> {
  const place = takeSharedPlace();
  return place === null ? openFixture({ env: SHARED_SETTINGS }) : fixtureOn(place.vuka, place);
}

/** On a stack, for what only that has: services that die alone, several of each, servers that pause. */
export async function openStackFixture(options: StartOptions = {}): Promise<Fixture<StackProcess>> {
  return fixtureOn(await startStack(options));
}

async function fixtureOn<V extends VukaProcess>(vuka: V, place: SharedPlace | null = null): Promise<Fixture<V>> {
  const clients = vuka.partners.map((partner) => new ApiClient(vuka, partner));
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
