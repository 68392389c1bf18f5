export { PAY_PAGE, PayPageController, type PayPageOptions, payPageParts } from './pay-page.controller.js';
