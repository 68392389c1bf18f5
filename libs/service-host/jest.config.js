import { projectConfig } from '../../jest.preset.js';

export default projectConfig('service-host', import.meta.dirname);
