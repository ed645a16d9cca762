import { clarity } from 'clarity-js';

clarity.start({
  projectId: 'project',
  upload: `${uploads.origin}/up/clarity`,
  track: true,
  content: true,
  delay: 300,
  ...(location.search.includes('open') && { unmask: ['body'] }),
});
