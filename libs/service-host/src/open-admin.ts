import { Global, Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SERVICES, type AdminMethods, type OpenAdmin, type ServiceName } from '@vuka/contracts';
import { Database, missingMigrations, type MigrationClass } from '@vuka/persistence';
import { Cipher, nestLogger, WakeSignal, WebhookCipher } from '@vuka/runtime';

import { closeApp } from './open-service.js';
import { refuseUndeclared } from './refuse-undeclared.js';
import type { AdminGround } from './service-context.js';
import {
  CALLBACK_TOKENS,
  CLOCK,
  COVERAGE,
  CURRENCIES_IN_FORCE,
  KEY_PEPPERS,
  LOGGER,
  OUTBOX_SIGNAL,
  PAYOUT_PROVIDER_IDS,
  PAYOUT_PROVIDERS,
  SETTINGS,
} from './tokens.js';

/** The root of an admin module. */
export interface AdminRoot<M extends AdminMethods> {
  readonly methods: M;
}

export interface AdminDefinition<M extends AdminMethods> {
  readonly name: ServiceName;
  readonly migrations: readonly MigrationClass[];
  readonly module: Type<unknown>;
  readonly root: Type<AdminRoot<M>>;
}

@Global()
@Module({})
class AdminContextModule {}

class AdminRootModule {}

/** No events, jobs or loops; its own pool. */
export async function openAdmin<M extends AdminMethods>(
  { name, migrations, module, root }: AdminDefinition<M>,
  ground: AdminGround,
): Promise<OpenAdmin<M>> {
  refuseUndeclared(module);
  const db = await Database.connect({ ...ground.database, migrations: [] });
  try {
    const providers = providersOf(name, ground, db);
    const context: DynamicModule = { module: AdminContextModule, providers, exports: providers };
    const app = await NestFactory.createApplicationContext(
      { module: AdminRootModule, imports: [context, module] },
      { logger: nestLogger(ground.log), abortOnError: false },
    );
    return {
      methods: app.get(root, { strict: false }).methods,
      missingMigrations: () => missingMigrations(db, migrations),
      close: () => closeApp(app, () => db.close()),
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

function providersOf(name: ServiceName, ground: AdminGround, db: Database): Provider[] {
  return [
    { provide: Database, useValue: db },
    { provide: SETTINGS, useValue: ground.settings },
    { provide: CURRENCIES_IN_FORCE, useValue: ground.currencies },
    { provide: CLOCK, useValue: ground.clock },
    { provide: LOGGER, useValue: ground.log },
    // The running service relays the outbox.
    { provide: OUTBOX_SIGNAL, useValue: new WakeSignal() },
    { provide: COVERAGE, useValue: ground.coverage ?? [] },
    { provide: PAYOUT_PROVIDERS, useValue: ground.providers ?? [] },
    { provide: CALLBACK_TOKENS, useValue: ground.callbackTokens ?? new Map() },
    { provide: PAYOUT_PROVIDER_IDS, useValue: ground.providerIds },
    ...(SERVICES[name].seals ? [{ provide: Cipher, useValue: ground.cipher }] : []),
    ...(SERVICES[name].tells ? [{ provide: WebhookCipher, useValue: ground.webhookCipher }] : []),
    ...(name === 'gateway' ? [{ provide: KEY_PEPPERS, useValue: ground.keyPeppers }] : []),
  ];
}
