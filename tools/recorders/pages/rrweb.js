import { record } from 'rrweb';

const events = [];
record({ emit: (event) => events.push(event) });
setInterval(() => {
  const body = JSON.stringify(events.splice(0));
  fetch(`${uploads.origin}/up/rrweb`, { method: 'POST', body });
}, 300);
