import { projectConfig } from '../../jest.preset.js';

export default projectConfig('checkout', import.meta.dirname);
