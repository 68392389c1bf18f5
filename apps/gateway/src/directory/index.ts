export { BanksController } from './banks.controller.js';
export { ListBanks, type ListBanksOptions } from './list-banks.js';
export { ListCountries, type ListCountriesOptions } from './list-countries.js';
export { ResolveName, type ResolveNameOptions } from './resolve-name.js';
export { ValidationController } from './validation.controller.js';
