export { ListNetworks } from './list-networks.js';
export { NetworksModule } from './networks.module.js';
