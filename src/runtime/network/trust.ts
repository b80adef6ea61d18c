import { X509Certificate } from 'node:crypto'
import { delimiter } from 'node:path'
import * as tls from 'node:tls'
import { readIfPresent, readStatus, waitForDirectory } from '../disk.ts'
import { HelperError } from '../failure.ts'
import { quoteForHint } from '../text/quote.ts'
import type { AuthorityFile, NetworkSettings } from './settings.ts'

/** Receives what a connection waits for, such as "looking up sts.eu-central-1.amazonaws.com". */
export type ReportStage = (stage: string) => void

/** The settings that can name a certificate authority, for hints. */
export const authoritySettings =
  "the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

const read = new WeakMap<NetworkSettings, Promise<readonly string[]>>()
const resolved = new WeakMap<NetworkSettings, Promise<tls.SecureContext>>()

/**
 * Prepares the certificate authorities that TLS trusts: Node's own, those of the system's store, and those of every configured file. They
 * are read once for all connections of a call, because the stores hold hundreds of certificates.
 * @throws {HelperError} `not-configured` for a file that cannot be used, and if verification is switched off.
 */
export function prepareTrust(settings: NetworkSettings, report: ReportStage): Promise<tls.SecureContext> {
  const known = resolved.get(settings) ?? createTrust(settings, report)
  resolved.set(settings, known)
  return known
}

/**
 * Reads every file that is set, before Node does: Node reads `NODE_EXTRA_CA_CERTS` when `node:tls` or `node:https` is loaded, and the
 * files of the system's store later, without a limit and with its own lines on stderr.
 * @throws {HelperError} as {@link prepareTrust}.
 */
export function readAuthorities(settings: NetworkSettings, report: ReportStage): Promise<readonly string[]> {
  report('reading certificate authorities')
  const known = read.get(settings) ?? readFiles(settings)
  read.set(settings, known)
  return known
}

/**
 * Refuses an authority path that is not a regular file, for plain `http`, which needs no authority. A missing file is accepted. A pipe is
 * not, because `Headers` and `Response` load `node:tls`, and Node reads the file there and would wait for the other end of the pipe.
 * @throws {HelperError} `not-configured`
 */
export async function refusePipes({ authorities }: NetworkSettings): Promise<void> {
  await Promise.all(authorities.map(readRegular))
}

async function createTrust(settings: NetworkSettings, report: ReportStage): Promise<tls.SecureContext> {
  const files = await readAuthorities(settings, report)
  return tls.createSecureContext({ ca: [...new Set([...listRuntimeStore(), ...listSystemStore(), ...files])] })
}

async function readFiles({ authorities, systemFiles, verification }: NetworkSettings): Promise<readonly string[]> {
  if (verification === 'switched off')
    throw new HelperError(
      'not-configured',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      `unset it; if your organization has a certificate authority of its own, name its file in ${authoritySettings}`,
    )
  const files = await Promise.all(authorities.map(readAuthority))
  await checkSystemStore(systemFiles)
  return files
}

/**
 * Lists Node's own authorities. `getCACertificates` exists since Node 22.15, and an older version does not load a module that imports it by
 * name.
 */
function listRuntimeStore(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
}

function listSystemStore(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('system') : []
}

async function checkSystemStore({ file, directory }: NetworkSettings['systemFiles']): Promise<void> {
  if (file !== undefined) await readRegular({ path: file, origin: 'variable SSL_CERT_FILE' })
  for (const one of directory?.split(delimiter) ?? []) await waitForDirectory(one)
}

/** Reads a file; `undefined` if it is missing. @throws {HelperError} for anything except a file, such as a pipe. */
async function readRegular({ path, origin }: AuthorityFile): Promise<string | undefined> {
  const status = await readStatus(path).catch(() => undefined)
  if (status && !status.isFile())
    throw new HelperError(
      'not-configured',
      `${path} (${origin}) is not a regular file`,
      'name a regular file: certificate authorities are read twice',
    )
  return readIfPresent(path)
}

/**
 * Reads the text of a file of certificate authorities.
 * @throws {HelperError} `not-configured` for a file without certificates in PEM form, or with one that cannot be parsed.
 */
export async function readAuthority(file: AuthorityFile): Promise<string> {
  const { path, origin } = file
  const text = await readRegular(file)
  if (text === undefined)
    throw new HelperError(
      'not-configured',
      `the file of certificate authorities ${path} (${origin}) does not exist`,
      'correct the path, or put the file there',
    )
  // TLS silently ignores a file that it cannot parse, so the authority would be missing.
  if (!/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(text))
    throw new HelperError(
      'not-configured',
      `${path} (${origin}) holds no certificate in PEM form`,
      `name a file in PEM form; if this one is in DER, convert it with: openssl x509 -inform der -in ${quoteForHint(path)} -out authority.pem`,
    )
  if (!isReadable(text))
    throw new HelperError(
      'not-configured',
      `${path} (${origin}) holds a certificate that cannot be read`,
      `list the certificates up to the broken one with: openssl storeutl -noout -certs ${quoteForHint(path)}`,
    )
  return text
}

/** Returns whether every certificate can be parsed. Node itself would report a broken one on stderr, and drop the rest of the file. */
function isReadable(text: string): boolean {
  try {
    return parseCertificates(text).every(({ fingerprint256 }) => fingerprint256 !== '')
  } catch {
    return false
  }
}

/** Parses the certificates of a PEM text, in their order. @throws Node's error for one that cannot be parsed. */
export function parseCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN (TRUSTED )?CERTIFICATE-----.*?(-----END (TRUSTED )?CERTIFICATE-----|$)/gs) ?? []
  return blocks.map((block) => new X509Certificate(block))
}
