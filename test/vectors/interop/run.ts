/**
 * `npm run interop`: whole decryptors in three languages, and the openssl command for the padding
 * alone. Each must take every block of the library and every published vector, and must refuse
 * every vector that is to be refused. All refusals must look the same. A decryptor that this
 * machine does not have is an error, never left out.
 */
// Claim rsa-oaep
import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EncryptedCard, encryptCard } from '../../../src/core/index.ts';
import { type Card, decryptBlock } from '../decrypt.ts';
import vectors from '../rsa_oaep_sha256_v1.json' with { type: 'json' };

interface Case {
  private_key: string;
  payload: string;
  layout: unknown;
  /** What every whole decryptor must answer. */
  answer: string;
  /** What openssl must answer, which knows the padding alone: the plaintext in hexadecimal. */
  plaintext: string;
}

const REFUSED = 'InvalidEncryptionBlock()';

const hex = (text: string) => Buffer.from(text).toString('hex');
const answerOf = ({ number, name, exp_month, exp_year, cvv }: Card) =>
  [number, name, exp_month, exp_year, cvv].map(hex).join(' ');

const keyOf = (key_id: string) => vectors.keys.find(({ id }) => id === key_id)!;

const accepted: Case[] = vectors.accepted.flatMap(
  ({ key_id, card, layout, plaintext, ciphertexts }) =>
    ciphertexts.map(({ payload }) => ({
      private_key: keyOf(key_id).private_key,
      payload,
      layout,
      answer: answerOf(card),
      plaintext,
    })),
);

const refused: (Case & { at: string })[] = vectors.refused.map(({ at, block }) => ({
  private_key: keyOf(block.key_id).private_key,
  payload: block.payload,
  layout: block.layout,
  answer: REFUSED,
  plaintext: '-',
  at,
}));

/** Fresh from the library: each card under each key that takes it. */
const encrypted: Case[] = await Promise.all(
  vectors.accepted.map(async ({ key_id, card, plaintext }, i) => {
    const { public_key, private_key } = keyOf(key_id);
    const key = { id: `cek_interop_${i}`, scheme: vectors.scheme, public_key };
    const { payload, layout }: EncryptedCard = await encryptCard(key, { ...card });
    return { private_key, payload, layout, answer: answerOf(card), plaintext };
  }),
);

const taken = [...accepted, ...encrypted];
const all = [...taken, ...refused];

const folder = mkdtempSync(join(tmpdir(), 'interop-'));
const vectorsFolder = join(import.meta.dirname, '..');

try {
  check('TypeScript', () => `Node ${process.version}`, all, typescript);
  check('Java', () => run('java', ['--version']), all, java());
  check('Java with its defaults, whose MGF1 is SHA-1', () => '', refuseAll(), java('defaults'));
  check('Python', pythonVersion, all, python);
  const padding = [...taken, ...refused.filter(({ at }) => at === 'decryption')].filter(isWhole);
  check('openssl, the padding alone', () => run('openssl', ['version']), padding, openssl);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Says what it found, or what is wrong. A decryptor that does not run is as wrong as one that errs. */
function check(
  name: string,
  version: () => string,
  cases: Case[],
  decrypt: (cases: Case[]) => string[],
) {
  try {
    const found = version().split('\n')[0];
    const answers = decrypt(cases);
    const expected = (it: Case) => (decrypt === openssl ? it.plaintext : it.answer);
    const wrong = cases.filter((it, i) => answers[i] !== expected(it)).length;
    if (wrong > 0 || answers.length !== cases.length) {
      throw new Error(`${wrong} of ${cases.length} answers are wrong`);
    }
    const refusals = cases.filter(({ answer }) => answer === REFUSED).length;
    const counts = `${cases.length - refusals} decrypted, ${refusals} refused`;
    console.log([name, found, counts].filter(Boolean).join(': '));
  } catch (reason) {
    console.error(`${name}: FAILED. ${(reason as Error).message}`);
    process.exitCode = 1;
  }
}

/** A control: with the wrong parameters even good blocks are refused. */
function refuseAll(): Case[] {
  return accepted.map((it) => ({ ...it, answer: REFUSED }));
}

/** Not so if the fault is in the Base64 or the length, which openssl does not look at. */
function isWhole({ payload }: Case): boolean {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length % 128 === 0 && bytes.toString('base64') === payload;
}

function typescript(cases: Case[]): string[] {
  return cases.map(({ private_key, payload, layout }) => {
    const der = Buffer.from(private_key, 'base64');
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    try {
      return answerOf(decryptBlock(key, { payload, layout }));
    } catch (error) {
      return `${(error as Error).name}()`;
    }
  });
}

function java(...options: string[]) {
  return (cases: Case[]) =>
    linesOf(run('java', [join(vectorsFolder, 'Decrypt.java'), ...options], toLines(cases)));
}

function python(cases: Case[]): string[] {
  return linesOf(run('python3', [join(vectorsFolder, 'decrypt.py')], toLines(cases)));
}

function pythonVersion(): string {
  const names = 'sys.version.split()[0], "with cryptography", cryptography.__version__';
  return run('python3', ['-c', `import cryptography, sys; print(${names})`]);
}

/** Some payloads have line breaks, so they travel in Base64. */
function toLines(cases: Case[]): string {
  const lines = cases.map(({ private_key, payload, layout }) =>
    [private_key, btoa(payload), JSON.stringify(layout)].join('\t'),
  );
  return `${lines.join('\n')}\n`;
}

function linesOf(output: string): string[] {
  return output.trim().split('\n');
}

function openssl(cases: Case[]): string[] {
  const [key, input] = [join(folder, 'key.der'), join(folder, 'payload')];
  const options = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'];
  return cases.map(({ private_key, payload }) => {
    writeFileSync(key, Buffer.from(private_key, 'base64'));
    writeFileSync(input, Buffer.from(payload, 'base64'));
    const { status, stdout } = spawnSync('openssl', [
      ...['pkeyutl', '-decrypt', '-inkey', key, '-keyform', 'DER', '-in', input],
      ...options.flatMap((option) => ['-pkeyopt', option]),
    ]);
    return status === 0 ? stdout.toString('hex') : '-';
  });
}

function run(command: string, args: string[], input = ''): string {
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
