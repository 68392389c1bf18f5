import { openScene, type ProfileOptions, type Scene } from '@vuka/testing';

import { ChainDriver } from './chain-driver.spec-support.js';

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
  const drivers = new Map<string, ChainDriver>();
  const chain = (name: string): ChainDriver => {
    // Another start may have another port.
    const url = scene.vuka.chainUrls.get(name);
    if (url === undefined) throw new Error(`the sandbox runs no ${name}: ${[...scene.vuka.chainUrls.keys()].join(', ')}`);
    const driver = drivers.get(url) ?? new ChainDriver(name, url);
    drivers.set(url, driver);
    return driver;
  };
  const end = async (): Promise<void> => {
    for (const driver of drivers.values()) driver.close();
    await scene.end();
  };
  return { ...scene, chain, end };
}
