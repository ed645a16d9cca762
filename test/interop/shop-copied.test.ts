/** The files of a port work in a folder of their own, as the README of the port says. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PORTS, type Port, Shop } from './ports.ts';

const SCRIPT = join(import.meta.dirname, '../../dist/cardseal.js');

function copy(port: Port): Port {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const original = join(port.folder, '..');
  cpSync(original, folder, { recursive: true });
  const inCopy = (part: string) => part.replace(original, folder);
  const command = port.shop(0).map(inCopy);
  expect(command.some((part) => part.startsWith(folder))).toBe(true);
  return { ...port, folder, shop: (number) => port.shop(number).map(inCopy) };
}

test.each(PORTS)('the shop in $name runs from a copy, with cardseal.js beside it', async (port) => {
  const copied = copy(port);
  cpSync(SCRIPT, join(copied.folder, 'cardseal.js'));
  const shop = new Shop(copied, 'http://127.0.0.1:9');
  onTestFinished(() => shop.close());
  await shop.start();
  const script = await fetch(`${shop.address}/cardseal.js`);
  expect(await script.text()).toBe(readFileSync(SCRIPT, 'utf8'));
  expect((await fetch(shop.address)).status).toBe(200);
});
