import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createSecureContext, type TlsOptions } from 'node:tls'
import { clockHint, HelperError, renderErrorCode } from '../../runtime/failure.ts'
import { ownSystem, quoteForHint, quoteWord } from '../../runtime/text/quote.ts'
import { readBoundedFile } from '../policy/read-policy-file.ts'
import { startLooking } from '../start-looking.ts'

/** The files of the server's own certificate, in PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by the intermediate certificates. */
  readonly cert: string
  readonly key: string
  /** The authorities of the gateways' certificates; if absent, gateways need no certificate. */
  readonly clientCa?: string | undefined
}

/** A change of the files. Each is reported once. */
export type TlsEvent = { readonly kind: 'loaded' | 'replaced' | 'recovered'; readonly expiresAt: number } | KeptPair

interface KeptPair {
  readonly kind: 'kept'
  readonly expiresAt: number
  readonly failure: HelperError
}

/** A certificate that is read again when its files change. */
export interface TlsFollower {
  context(): TlsPair['context']
  /** Calls `use` after each change. */
  onChange(use: (context: TlsPair['context']) => void): void
  state(): { readonly expiresAt: number; readonly isRefused: boolean }
  /** Checks the files now, besides the regular checks. */
  look(): Promise<void>
  close(): void
}

/**
 * Reads the files, and reads them again every second. Unusable files change nothing.
 * @throws {HelperError} `not-configured` for files that cannot be used at the start.
 */
export async function startFollowingTls(
  files: TlsFiles,
  { now, observe }: { now: () => number; observe: (event: TlsEvent) => void },
): Promise<TlsFollower> {
  let digest = await readDigest(files)
  let pair = await readPair(files, now())
  let refused: string | undefined
  const uses: ((context: TlsPair['context']) => void)[] = []
  observe({ kind: 'loaded', expiresAt: pair.expiresAt })
  const closing = new AbortController()

  async function look(): Promise<void> {
    const found = await readSettledDigest(files, refused ?? digest, closing.signal)
    if (found === undefined || closing.signal.aborted || (found === digest && refused === undefined)) return
    if (found === digest) {
      refused = undefined
      return observe({ kind: 'recovered', expiresAt: pair.expiresAt })
    }
    const isKnown = found === refused
    try {
      // Files that were refused are tried again too: a certificate becomes valid later, and a lack of file descriptors ends.
      pair = await readPair(files, now())
      digest = found
      refused = undefined
    } catch (failure) {
      refused = found
      if (!isKnown) observe({ kind: 'kept', expiresAt: pair.expiresAt, failure: failure as HelperError }) // of `readPair`
      return
    }
    for (const use of uses) use(pair.context)
    observe({ kind: 'replaced', expiresAt: pair.expiresAt })
  }

  const looks = startLooking(look, intervalMs)
  return {
    context: () => pair.context,
    onChange: (use) => void uses.push(use),
    state: () => ({ expiresAt: pair.expiresAt, isRefused: refused !== undefined }),
    look: looks.look,
    close() {
      closing.abort()
      looks.close()
    },
  }
}

/** The time between two checks. */
const intervalMs = 1000

/** A usable certificate with its key. */
interface TlsPair {
  readonly context: Pick<TlsOptions, 'cert' | 'key' | 'ca'>
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

async function readDigest({ cert, key, clientCa }: TlsFiles): Promise<string> {
  const hash = createHash('sha256')
  for (const path of [cert, key, clientCa]) {
    const content = path === undefined ? Buffer.alloc(0) : await readBoundedFile(path, 'its owner')
    hash.update(content instanceof Uint8Array ? content : content.message).update('\n')
  }
  // A key that other users can read from now on is refused too.
  const mode = await stat(key).then(
    (status) => status.mode,
    () => 0,
  )
  return hash.update(String(mode)).digest('hex')
}

/**
 * Reads a certificate with its key, and tests whether they can be used.
 * @param now Epoch milliseconds.
 * @throws {HelperError} `not-configured`, which describes the problem; it never contains any part of the key.
 */
async function readPair(files: TlsFiles, now: number): Promise<TlsPair> {
  await refuseReadableKey(files.key)
  const [cert, keyText] = [await readText(files.cert, '--tls-cert'), await readText(files.key, '--tls-key')]
  const ca = files.clientCa === undefined ? undefined : await readText(files.clientCa, '--client-ca')
  const certificate = parseCertificate(files.cert, cert, '--tls-cert')
  const key = parseKey(files.key, keyText)
  if (!certificate.checkPrivateKey(key))
    throw createFailure(
      `the key in ${files.key} is not that of the first certificate in ${files.cert}`,
      'install both from the same issue, the certificate of the server before those of its authorities',
    )
  refuseDates(files.cert, certificate, now)
  refuseUsage(files.cert, certificate)
  if (ca !== undefined && !parseCertificate(files.clientCa!, ca, '--client-ca').ca)
    throw createFailure(
      `the first certificate in ${files.clientCa} is not that of an authority`,
      'name the authority that issues the certificates of the gateways with --client-ca',
    )
  const context = { cert, key: keyText, ca }
  try {
    createSecureContext(context)
  } catch (cause) {
    const code = renderErrorCode(cause)
    throw createFailure(
      `the certificate in ${files.cert} cannot be used (${code})`,
      'have one issued with a key of 2048 bits or more for RSA, or of P-256 or P-384, and a signature by SHA-256 or more',
    )
  }
  return { context, expiresAt: certificate.validToDate.getTime() }
}

/** Reads the digest of all files, or of the reason why they cannot be read; `undefined` while they are being written. */
async function readSettledDigest(files: TlsFiles, known: string, signal: AbortSignal): Promise<string | undefined> {
  const found = await readDigest(files)
  if (found === known) return found
  await wait(settleMs, undefined, { signal, ref: false }).catch(() => {}) // the follower was closed
  return (await readDigest(files)) === found ? found : undefined
}

/** The pause between two reads that must give the same content, because a certificate and its key are written one after the other. */
const settleMs = 200

/**
 * A key may be readable for its owner and its group, as with Debian's group `ssl-cert` and with `fsGroup` in Kubernetes.
 * @throws {HelperError} `not-configured` for a key that every user can read; not for a missing file.
 */
export async function refuseReadableKey(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined) // reading the key reports it
  if (!status || ownSystem === 'windows' || (status.mode & 0o007) === 0) return
  throw createFailure(
    `the key ${path} can be read by every user of this machine`,
    `run: chmod o= ${quoteWord(path)}; for a Secret of Kubernetes, set defaultMode: 0440`,
  )
}

async function readText(path: string, option: string): Promise<string> {
  const content = await readBoundedFile(path, 'its owner')
  if (content instanceof Uint8Array) return Buffer.from(content).toString('latin1') // PEM is ASCII
  throw createFailure(`${option}: ${content.message}`, content.hint)
}

function parseCertificate(path: string, text: string, option: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw createFailure(
      `${path} does not begin with a certificate in PEM`,
      `name a file that begins with "-----BEGIN CERTIFICATE-----" with ${option}`,
    )
  }
}

function parseKey(path: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    // The library's error is omitted: it may contain bytes of the file.
    const isEncrypted = /ENCRYPTED/.test(text)
    throw createFailure(
      isEncrypted ? `the key in ${path} needs a passphrase` : `${path} holds no private key in PEM`,
      isEncrypted
        ? `write it without one, readable for the verifier alone: openssl pkey -in ${quoteForHint(path)} -out key-without-passphrase.pem`
        : 'name a file that begins with "-----BEGIN PRIVATE KEY-----" with --tls-key',
    )
  }
}

function refuseDates(path: string, { validFromDate, validToDate }: X509Certificate, now: number): void {
  if (validToDate.getTime() <= now)
    throw createFailure(`the certificate in ${path} expired at ${validToDate.toISOString()}`, 'have it renewed')
  if (validFromDate.getTime() > now)
    throw createFailure(
      `the certificate in ${path} is not valid before ${validFromDate.toISOString()}`,
      `wait until then, or ${clockHint}`,
    )
}

/** The extended key usage of servers (RFC 5280, section 4.2.1.12); a certificate without an extended key usage is valid for every use. */
const serverUsage = '1.3.6.1.5.5.7.3.1'

function refuseUsage(path: string, { keyUsage }: X509Certificate): void {
  if (!keyUsage || keyUsage.includes(serverUsage)) return
  throw createFailure(
    `the certificate in ${path} is not for a server (its extended key usage lacks serverAuth)`,
    'have one issued for servers, such as with the profile "server" of your authority',
  )
}

function createFailure(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
