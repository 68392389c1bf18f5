import { ChainDriver } from './chain-driver.js';
import { openScene, type Scene } from './scene.js';
import type { ProfileOptions } from './start-vuka.js';

/** A scene with chains under it: real nodes of the sandbox's own. */
export interface PayScene extends Scene {
  /** Throws where the sandbox does not run it. */
  chain(name: string): ChainDriver;
}

export interface PaySceneOptions extends ProfileOptions {
  readonly chains: readonly string[];
}

/** On the profile that VUKA_TEST_PROFILE names, with these chains. */
export async function openPayScene({ chains, ...options }: PaySceneOptions): Promise<PayScene> {
  const scene = await openScene({ ...options, env: { ...options.env, VUKA_SANDBOX_CHAINS: chains.join(',') } });
  const drivers = new Map(await Promise.all([...scene.vuka.chainUrls].map(async ([name, url]) => [name, await ChainDriver.open(name, url)] as const)));
  const chain = (name: string): ChainDriver => {
    const driver = drivers.get(name);
    if (driver === undefined) throw new Error(`the sandbox runs no ${name}: ${[...drivers.keys()].join(', ')}`);
    return driver;
  };
  const end = async (): Promise<void> => {
    for (const driver of drivers.values()) driver.close();
    await scene.end();
  };
  return { ...scene, chain, end };
}
