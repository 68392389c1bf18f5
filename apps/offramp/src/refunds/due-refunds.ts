import { Injectable } from '@nestjs/common';
import { WakeSignal } from '@vuka/runtime';

/** Notified when refunds may be due. */
@Injectable()
export class DueRefunds extends WakeSignal {}
