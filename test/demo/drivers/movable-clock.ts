/** Loaded before the demo: moves its clock by as many milliseconds as it is told, and says when it has. */
const { now } = Date;
let ahead = 0;
Date.now = () => now() + ahead;
process.on('message', (milliseconds: number) => {
  ahead += milliseconds;
  process.send!('moved');
});
process.channel!.unref(); // or the demo would not end by itself
