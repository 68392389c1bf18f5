export { PageByAge } from './page-by-age.js';
export { PageOrders } from './page-orders.js';
export { meterRefunds, PageRefunds } from './page-refunds.js';
export { RefundWatch } from './refund-watch.js';
export { measureArrivals, WatchArrivals } from './watch-arrivals.js';
