import { eachOf } from '@vuka/testing';

import { CallbackProviders, HandleCallback, TakeCallback } from '../../callbacks/index.js';
import type { TakeCallbackInput } from '../../callbacks/take-callback.js';
import type { Parts } from '../parts.spec-support.js';
import { CallbackDoor } from '../simulators/callback-door.spec-support.js';

const WAYS = ['pawapay', 'paystack'] as const;
type Way = (typeof WAYS)[number];
const AT_ONCE = 16;

/** The doors of two providers. What is called back may be kept on its way, and come late and again. */
export class HeldCallbacks {
  static readonly TOKENS: ReadonlyMap<string, readonly string[]> = new Map(
    WAYS.map((way) => [way, [CallbackDoor.TOKEN]]),
  );
  private held: TakeCallbackInput[] | null = null;

  private constructor(private readonly doors: Readonly<Record<Way, CallbackDoor>>) {}

  static async open(): Promise<HeldCallbacks> {
    return new HeldCallbacks({
      pawapay: await CallbackDoor.open('pawapay'),
      paystack: await CallbackDoor.open('paystack'),
    });
  }

  urlOf(way: Way): string {
    return this.doors[way].url;
  }

  /** As pawaPay signs it. */
  hostOf(way: Way): string {
    return new URL(this.doors[way].url).host;
  }

  leadTo(parts: Parts): void {
    for (const way of WAYS)
      this.doors[way].taking = async (callback) => {
        if (this.held === null) await take(parts, callback);
        else this.held.push(callback);
      };
  }

  /** From now on. The provider is told that they have come. */
  hold(): void {
    this.held = [];
  }

  /** In the order in which they were sent; a second time they are repeats. Resolves with how many they are. */
  async letIn(parts: Parts): Promise<number> {
    const held = this.held ?? [];
    await eachOf(held, AT_ONCE, (callback) => take(parts, callback));
    return held.length;
  }

  async close(): Promise<void> {
    await Promise.all(WAYS.map((way) => this.doors[way].close()));
  }
}

/** All that is due. One that cannot be handled now is due again when its lease is over. */
export async function handleCallbacks(parts: Parts): Promise<void> {
  const handler = parts.get(HandleCallback);
  for (const provider of parts.get(CallbackProviders).all)
    for (let claimed = AT_ONCE; claimed === AT_ONCE;) {
      const callbacks = await handler.claim(provider, AT_ONCE);
      claimed = callbacks.length;
      await eachOf(callbacks, AT_ONCE, (callback) => handler.run(callback, provider).catch(() => undefined));
    }
}

async function take(parts: Parts, callback: TakeCallbackInput): Promise<void> {
  const taken = await parts.get(TakeCallback).run(callback);
  if (!taken.ok) throw new Error(taken.error.message);
}
