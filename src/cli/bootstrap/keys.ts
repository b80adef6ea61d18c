import { open } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import {
  createKeyPair,
  type PublicKey,
  parsePublicKeys,
  parseSigningKey,
  type SigningKey,
} from '../../bootstrap/signed-line.ts'
import { readStatus } from '../../runtime/disk.ts'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import { toWriteFailure } from '../../runtime/files/replace-file.ts'
import type { Host } from '../../runtime/host.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { jsonOption } from '../terminal.ts'

/** Adds `gatepass bootstrap keygen`: the key pair that signs and verifies releases. */
export function addBootstrapKeygen(bootstrap: Command, { terminal }: Cli): void {
  bootstrap
    .command('keygen')
    .description('make the key that signs releases, and the public key that servers verify them with')
    .requiredOption(
      '--out <file>',
      'where to write the signing key; the public key is written beside it, with .pub at its end',
    )
    .option(...jsonOption)
    .addHelpText('after', '\nThe signing key is readable for this user alone. Nothing is ever overwritten.')
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const pair = createKeyPair()
      await writeNew(out, pair.signing, 0o600)
      await writeNew(`${out}.pub`, pair.public, 0o644)
      const words = `Key ${pair.id}\nSigning key: ${out}\nPublic key:  ${out}.pub\n`
      terminal.print(json ? renderJson({ key: pair.id, signingKey: out, publicKey: `${out}.pub` }) : words)
    })
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  try {
    const file = await open(path, 'wx', mode)
    await file.writeFile(text).finally(() => file.close())
  } catch (cause) {
    if (findErrorCode(cause) !== 'EEXIST') throw toWriteFailure(path, cause)
    throw new HelperError(
      'refused',
      `${path} exists already`,
      'name a file that does not exist: a key that is overwritten is lost',
      { cause },
    )
  }
}

/** Creates an option that is mandatory, because nothing is published or changed without a signature. */
export function createSigningKeyOption(): Option {
  return new Option(
    '--signing-key <where>',
    'a file or pipe with the signing key, or env:NAME for the variable that holds it',
  ).makeOptionMandatory()
}

/** Creates an option that is not mandatory: a command that needs the keys says so with its other options. */
export function createPublicKeyOption(): Option {
  return new Option('--public-key <file>', 'a file with the public keys of whoever publishes')
}

/**
 * Reads the signing key. Its text is in no argument and in no message.
 * @throws {HelperError} `not-configured` if it cannot be read or used, or if other users can read its file.
 */
export async function readSigningKey(
  { env, platform }: Pick<Host, 'env' | 'platform'>,
  where: string,
): Promise<SigningKey> {
  const [, variable] = /^env:(.+)$/.exec(where) ?? []
  const pem = variable === undefined ? await readPrivateFile(where, platform) : env[variable]
  if (pem === undefined || pem === '')
    throw new HelperError('not-configured', `the variable ${variable} is not set`, 'set it to the signing key, in PEM')
  const key = parseSigningKey(pem)
  if (key) return key
  const hint = `name an Ed25519 key in PEM without a passphrase; make one with: ${programName} bootstrap keygen --out release.key`
  throw new HelperError('not-configured', `${where} is not a signing key`, hint)
}

async function readPrivateFile(path: string, platform: NodeJS.Platform): Promise<string> {
  const text = await readKeyFile(path, 'check the path and its permissions')
  const status = await readStatus(path)
  if (status.isFile() && platform !== 'win32' && (status.mode & 0o077) !== 0)
    throw new HelperError(
      'not-configured',
      `${path} can be read by other users, who could sign releases with it`,
      `run: chmod 600 ${quoteWord(path)}`,
    )
  return text
}

/**
 * Reads the public keys.
 * @throws {HelperError} `not-configured` if they cannot be read or used.
 */
export async function readPublicKeys(path: string): Promise<PublicKey[]> {
  const hint = `name the .pub file that \`${programName} bootstrap keygen\` has written`
  const keys = parsePublicKeys(await readKeyFile(path, hint))
  if (keys.length > 0) return keys
  throw new HelperError('not-configured', `${path} does not hold public Ed25519 keys alone`, hint)
}

async function readKeyFile(path: string, hint: string): Promise<string> {
  try {
    return (await readNamedFile(path)).toString('utf8')
  } catch (cause) {
    const error = cause as NodeJS.ErrnoException // a system error
    const message = error.code === 'ENOENT' ? `there is no ${path}` : `${path} ${describeReadFailure(error)}`
    throw new HelperError('not-configured', message, hint, { cause })
  }
}
