import { clarity } from 'clarity-js';

clarity.start({
  projectId: 'project',
  upload: `${location.origin}/up/clarity`,
  track: true,
  content: true,
  delay: 300,
  ...(location.search.includes('open') && { unmask: ['body'] }),
});
