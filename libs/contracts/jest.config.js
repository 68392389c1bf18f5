import { projectConfig } from '../../jest.preset.js';

export default projectConfig('contracts', import.meta.dirname);
