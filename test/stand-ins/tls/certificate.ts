import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** An organization's own certificate authority, whose key never leaves this process. */
export interface Authority {
  readonly name: string
  /** Its own certificate, in PEM, as an administrator would hand it out. */
  readonly cert: string
  issue(subject: Subject): Certificate
}

export interface Subject {
  readonly names: readonly string[]
  readonly from?: Date
  readonly until?: Date
}

export function createAuthority(name: string): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const common = { issuer: name, signer: privateKey, from: inHours(-1), until: inHours(24) }
  const basicConstraints = extension('2.5.29.19', sequence(boolean(true)))
  const cert = renderCertificate({ ...common, subject: name, publicKey, extensions: [basicConstraints] })
  return {
    name,
    cert,
    issue: ({ names, from = common.from, until = common.until }) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const alternatives = extension('2.5.29.17', sequence(...names.map(alternativeName)))
      const extensions = [alternatives]
      const facts = { ...common, subject: names[0] ?? '', publicKey: own.publicKey, extensions, from, until }
      return { cert: renderCertificate(facts), key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

export function inHours(hours: number): Date {
  return new Date(Date.now() + hours * 3_600_000)
}

interface CertificateFacts {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly from: Date
  readonly until: Date
  readonly extensions: readonly Buffer[]
}

/** Renders X.509 version 3 in DER (RFC 5280, section 4.1), as PEM. */
function renderCertificate({ subject, issuer, publicKey, signer, from, until, extensions }: CertificateFacts): string {
  const algorithm = sequence(objectId('1.2.840.10045.4.3.2')) // ecdsa-with-SHA256
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    sequence(time(from), time(until)),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, signer)
  const der = sequence(body, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function commonName(name: string): Buffer {
  return sequence(element(0x31, sequence(objectId('2.5.4.3'), element(0x0c, Buffer.from(name)))))
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? element(0x87, Buffer.from(name.split('.').map(Number))) : element(0x82, Buffer.from(name))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), element(0x04, value))
}

function time(date: Date): Buffer {
  return element(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`))
}

function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]))
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap((number) => {
    const groups = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    return groups
  })
  return element(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
