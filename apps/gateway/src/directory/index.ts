export { DirectoryModule } from './directory.module.js';
export { ListCountries } from './list-countries.js';
