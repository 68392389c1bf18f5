import { WakeSignal } from '@vuka/platform';

/** Notified when refunds may be due. */
export class DueRefunds extends WakeSignal {}
