import type { PeopleMethods, ServiceCalls, ViewMethods } from '@vuka/admin';
import type { AdminCalls } from '@vuka/contracts';
import type { Agreed } from '@vuka/http';

/** Admin's own views, and the service operations that it passes on. */
export interface Admin extends ServiceCalls {
  readonly views: AdminCalls<ViewMethods & PeopleMethods>;
  /** The person's own word for what needs two; null: the person has no key. */
  readonly sign: (agreed: Agreed) => string | null;
  /** The data folder, or the file that says where admin is. */
  readonly where: string;
  /** A Vuka runs there: decisions are carried out within seconds. */
  readonly isRunning: boolean;
}

/** When a decision takes effect. */
export function whenCarriedOn({ isRunning }: Pick<Admin, 'isRunning'>): string {
  return isRunning ? 'within seconds' : 'when Vuka starts again';
}
