import type { ServiceCalls, ViewMethods } from '@vuka/admin';
import type { AdminCalls } from '@vuka/contracts';

/** All that commands know: admin's own views, and the operations of the services, which it passes on. */
export interface Admin extends ServiceCalls {
  readonly views: AdminCalls<ViewMethods>;
  /** What people know it by: the data folder, or the file that says where admin is. */
  readonly where: string;
  /** A Vuka works there: what is decided here is carried on within seconds. */
  readonly isRunning: boolean;
}

/** When what was decided takes effect. */
export function whenCarriedOn({ isRunning }: Pick<Admin, 'isRunning'>): string {
  return isRunning ? 'within seconds' : 'when Vuka starts again';
}
