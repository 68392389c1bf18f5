import { projectConfig } from '../../jest.preset.js';

export default projectConfig('local-servers', import.meta.dirname);
