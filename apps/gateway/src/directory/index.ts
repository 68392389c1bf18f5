export { DirectoryModule } from './directory.module.js';
export { ListCountries } from './list-countries.js';
export { BANK_ANSWERS, BANK_OPERATIONS, NAME_ANSWERS, NAME_OPERATIONS } from './directory.operations.js';
