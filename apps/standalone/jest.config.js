import { projectConfig } from '../../jest.preset.js';

export default projectConfig('standalone', import.meta.dirname);
