export { ListNetworks } from './list-networks.js';
