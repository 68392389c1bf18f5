export { DeliveryLoop } from './delivery-loop.js';
export { SendingModule } from './sending.module.js';
