/** Two rows of bars, in colours that can be read on white and on black. */
import type { Results } from './bench.ts';
import { CARDSEAL } from './contenders.ts';

interface Bar {
  name: string;
  value: number;
  label: string;
}

const [WIDTH, BAR, GAP, NAMES, ROOM] = [460, 16, 8, 124, 76];

export function chart({ sizes, speed }: Results): string {
  const bytes = sizes.map(({ name, brotli }) => ({
    name,
    value: brotli,
    label: `${(brotli / 1000).toFixed(1)} kB`,
  }));
  const times = sizes.flatMap(({ name }): Bar[] => {
    const median = speed.chromium.cold[name]?.time.median;
    return median === undefined
      ? []
      : [{ name, value: median, label: `${median.toFixed(median < 10 ? 1 : 0)} ms` }];
  });
  const height = 40 + Math.max(bytes.length, times.length) * (BAR + GAP);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="12">
<style>
text { fill: #1f2328 } .own { font-weight: 600 } rect { fill: #8c959f } rect.own { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } rect.own { fill: #4493f8 } }
</style>
${panel('To load, minified, with brotli', bytes, 0)}
${panel('Fresh page, key in hand to ciphertext, Chromium', times, WIDTH)}
</svg>
`;
}

function panel(title: string, bars: Bar[], x: number): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const lines = bars.flatMap(({ name, value, label }, i) => {
    const y = 36 + i * (BAR + GAP);
    const width = Math.max(1, (value / most) * (WIDTH - NAMES - ROOM));
    const own = name.startsWith(CARDSEAL) ? ' class="own"' : '';
    return [
      `<text${own} x="${x + NAMES - 8}" y="${y + 12}" text-anchor="end">${name}</text>`,
      `<rect${own} x="${x + NAMES}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>`,
      `<text${own} x="${(x + NAMES + width + 6).toFixed(1)}" y="${y + 12}">${label}</text>`,
    ];
  });
  return [`<text class="own" x="${x + 8}" y="18">${title}</text>`, ...lines].join('\n');
}
