/**
 * `npm run interop`: decryptors that share no code with the library or with Node must take every block of the library and every published
 * vector, and must refuse what is to be refused when decrypting. A decryptor that this machine does not have is an error, never left out.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptCard } from '../../../src/core/index.ts';
import vectors from '../rsa_oaep_sha256_v1.json' with { type: 'json' };

interface Case {
  private_key: string;
  payload: string;
  /** Hexadecimal; '-': to be refused. */
  plaintext: string;
}

const privateKey = (key_id: string) => vectors.keys.find(({ id }) => id === key_id)!.private_key;

/** Fresh from the library: each card under each key that takes it. */
async function encrypted(): Promise<Case[]> {
  const cases = vectors.accepted.map(async ({ key_id, card, plaintext }, i) => {
    const key = {
      id: `cek_interop_${i}`,
      scheme: vectors.scheme,
      public_key: vectors.keys.find(({ id }) => id === key_id)!.public_key,
    };
    return {
      private_key: privateKey(key_id),
      payload: (await encryptCard(key, { ...card })).payload,
      plaintext,
    };
  });
  return Promise.all(cases);
}

const accepted: Case[] = vectors.accepted.flatMap(({ key_id, plaintext, ciphertexts }) =>
  ciphertexts.map(({ payload }) => ({ private_key: privateKey(key_id), payload, plaintext })),
);
const refused: Case[] = vectors.refused
  .filter(({ at }) => at === 'decryption')
  .map(({ block: { key_id, payload } }) => ({
    private_key: privateKey(key_id),
    payload,
    plaintext: '-',
  }));

const folder = mkdtempSync(join(tmpdir(), 'interop-'));
const lines = (cases: Case[]) =>
  cases.map(({ private_key, payload }) => `${private_key} ${payload}\n`).join('');

const DECRYPTORS = {
  openssl: {
    version: ['openssl', 'version'],
    decrypt: (cases: Case[]) => cases.map(openssl),
  },
  Java: {
    version: ['java', '--version'],
    decrypt: (cases: Case[]) =>
      run(['java', join(import.meta.dirname, 'Decrypt.java')], lines(cases))
        .trim()
        .split('\n'),
  },
  "Python's cryptography": {
    version: [
      'python3',
      '-c',
      'import cryptography, sys; print(sys.version.split()[0], "with cryptography", cryptography.__version__)',
    ],
    decrypt: (cases: Case[]) =>
      run(['python3', join(import.meta.dirname, 'decrypt.py')], lines(cases))
        .trim()
        .split('\n'),
  },
};

function openssl({ private_key, payload }: Case): string {
  const [key, input] = [join(folder, 'key.der'), join(folder, 'payload')];
  writeFileSync(key, Buffer.from(private_key, 'base64'));
  writeFileSync(input, Buffer.from(payload, 'base64'));
  const oaep = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'].flatMap(
    (option) => ['-pkeyopt', option],
  );
  const { status, stdout } = spawnSync('openssl', [
    'pkeyutl',
    '-decrypt',
    '-inkey',
    key,
    '-keyform',
    'DER',
    '-in',
    input,
    ...oaep,
  ]);
  return status === 0 ? stdout.toString('hex') : '-';
}

function run([command, ...args]: string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command!, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** Says what it found, or what is wrong; a decryptor that does not run is as wrong as one that errs. */
function check(name: string, finding: () => string) {
  try {
    console.log(`${name}: ${finding()}`);
  } catch (reason) {
    console.error(`${name}: FAILED. ${(reason as Error).message}`);
    process.exitCode = 1;
  }
}

try {
  const cases = [...accepted, ...(await encrypted()), ...refused];
  for (const [name, { version, decrypt }] of Object.entries(DECRYPTORS)) {
    check(name, () => {
      const found = run(version).split('\n')[0];
      const answers = decrypt(cases);
      const wrong = cases.filter(({ plaintext }, i) => answers[i] !== plaintext).length;
      if (wrong || answers.length !== cases.length)
        throw new Error(`${found}: ${wrong} of ${cases.length} are wrong`);
      return `${found}: ${cases.length - refused.length} decrypted, ${refused.length} refused`;
    });
  }
  check('Java with its defaults', () => {
    const answers = run(
      ['java', join(import.meta.dirname, 'Decrypt.java'), 'defaults'],
      lines(accepted),
    )
      .trim()
      .split('\n');
    if (answers.some((answer) => answer !== '-'))
      throw new Error('It decrypts: its MGF1 is no longer SHA-1, and README.md is wrong');
    return `${answers.length} refused, since its MGF1 is SHA-1`;
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
