import { projectConfig } from '../../jest.preset.js';

export default projectConfig('notifier', import.meta.dirname);
