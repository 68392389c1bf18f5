import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ApiClient } from '../partner/api-client.js';
import { checkOutside } from '../checker/check-outside.js';
import { ledgerCheck } from './operator.js';
import type { OutsideView, WalletChange } from '../checker/outside-view.js';
import { ProviderBooks } from '../books/provider-book.js';
import {
  ACCOUNT,
  PARTNERS_OF_A_FIXTURE,
  placesOf,
  SEED_FILE,
  SHARED_FOLDER,
  SHARED_SETTINGS,
  type Account,
} from './vuka-place.js';
import { startVuka, type Profile } from './start-vuka.js';
import type { Environment, SandboxPartner, VukaProcess } from './vuka-process.js';

type Wallets = ReadonlyMap<string, bigint>;

export class LentVuka {
  private constructor(
    readonly vuka: VukaProcess,
    private readonly before: ReadonlyMap<number, Wallets>,
  ) {}

  static async start({
    profile,
    fixtures,
  }: {
    readonly profile: Profile;
    readonly fixtures: number;
  }): Promise<LentVuka> {
    const vuka = await startVuka({
      profile,
      env: { ...SHARED_SETTINGS, VUKA_TEST_PARTNERS: String(Math.max(1, fixtures) * PARTNERS_OF_A_FIXTURE) },
    });
    try {
      mkdirSync(placesOf(vuka.dataDir));
      writeFileSync(join(placesOf(vuka.dataDir), SEED_FILE), vuka.eventBusSeed);
      return new LentVuka(vuka, await walletsOf(vuka));
    } catch (error) {
      await vuka.dispose();
      throw error;
    }
  }

  get env(): Environment {
    return { [SHARED_FOLDER]: this.vuka.dataDir };
  }

  /**
   * Faults of all fixtures together: missing accounts, payments no fixture accounts for, wallets that changed
   * otherwise, an unsound ledger.
   */
  async faults(): Promise<string[]> {
    const { accounts, missing } = this.accounts();
    const view: OutsideView = {
      sent: accounts.flatMap(({ sent }) => sent),
      rows: new Map(accounts.flatMap(({ rows }) => rows.map(([name, row]) => [name, row ?? null] as const))),
      webhooks: accounts.flatMap(({ webhooks }) => webhooks),
      books: await new ProviderBooks(this.vuka).entries(),
      wallets: this.changes(await walletsOf(this.vuka)),
    };
    const { code, output } = await ledgerCheck(this.vuka);
    return [...missing, ...checkOutside(view), ...(code === 0 ? [] : [output])];
  }

  end(): Promise<void> {
    return this.vuka.dispose();
  }

  private accounts(): { accounts: readonly Account[]; missing: readonly string[] } {
    const places = readdirSync(placesOf(this.vuka.dataDir)).filter((name) => name !== SEED_FILE);
    const fileOf = (place: string): string => join(placesOf(this.vuka.dataDir), place, ACCOUNT);
    const [told, untold] = [
      places.filter((place) => existsSync(fileOf(place))),
      places.filter((place) => !existsSync(fileOf(place))),
    ];
    return {
      accounts: told.map((place) => JSON.parse(readFileSync(fileOf(place), 'utf8')) as Account),
      missing: untold.map(
        (place) => `the fixture of ${this.vuka.partner(Number(place)).name} ended without a last look`,
      ),
    };
  }

  private changes(after: ReadonlyMap<number, Wallets>): WalletChange[] {
    return [...this.before].flatMap(([partner, wallets]) =>
      [...wallets].map(([currency, before]) => ({
        partner,
        currency,
        before,
        after: after.get(partner)?.get(currency) ?? 0n,
      })),
    );
  }
}

async function walletsOf(vuka: VukaProcess): Promise<Map<number, Wallets>> {
  const ask = async (partner: SandboxPartner): Promise<readonly [number, Wallets]> => {
    const client = new ApiClient(vuka, partner);
    try {
      return [partner.id, await client.wallets()];
    } finally {
      await client.close();
    }
  };
  return new Map(await Promise.all(vuka.partners.map(ask)));
}
