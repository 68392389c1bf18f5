export {
  allowedMethods,
  Answers,
  isNotOffered,
  type KeyKind,
  type Operation,
  type OperationName,
  OPERATIONS,
  ROUTER_OPTIONS,
  SCOPES,
} from './operations.js';
export { currencyOfPath } from './path-currency.js';
