import { X509Certificate } from 'node:crypto'
import { Certificate, ContentInfo, EncapsulatedContentInfo, SignedData, type SignerInfo, TSTInfo } from 'pkijs'

/** A certificate authority at which a chain must end. */
export interface PinnedRoot {
  /** Its common name. */
  readonly name: string
  /** SHA-256 of the certificate, in hexadecimal digits. */
  readonly sha256: string
  /** The page on which its owner publishes it. */
  readonly source: string
}

/** The signer of a message, and the time of signing by the word of a time-stamping authority. */
export interface Signer {
  /** The signer's certificate and those above it; the last is a pinned root. */
  readonly chain: readonly X509Certificate[]
  readonly signedAt: Date
}

/** The purposes that certificates name (RFC 5280 section 4.2.1.12). */
const purposes = { codeSigning: '1.3.6.1.5.5.7.3.3', timeStamping: '1.3.6.1.5.5.7.3.8' } as const

/** The attributes that hold a time stamp (RFC 3161): Microsoft's own, and that of RFC 5126. */
const timeStampAttributes: ReadonlySet<string> = new Set(['1.3.6.1.4.1.311.3.3.1', '1.2.840.113549.1.9.16.2.14'])

/** Parses the signed message (CMS, RFC 5652) in these bytes. */
export function parseSignedMessage(bytes: Uint8Array): SignedData {
  return new SignedData({ schema: ContentInfo.fromBER(new Uint8Array(bytes)).content })
}

/**
 * Verifies the signature of a message over this content, its time stamp, and the chains of both at the stamped time, because code-signing
 * certificates are valid for days only. Revocation is not checked.
 * @throws if anything fails.
 */
export async function verifySignedMessage(
  message: SignedData,
  content: Uint8Array,
  roots: readonly PinnedRoot[],
): Promise<Signer> {
  const [signer, ...others] = message.signerInfos
  if (signer === undefined || others.length > 0) throw new Error('the signature has not exactly one signer')
  const stamp = readTimeStamp(signer)
  const trusted = requirePinned([...listCertificates(message), ...listCertificates(stamp.message)], roots)
  const at = { trusted, date: stamp.date }
  await verifyAt(stamp.message, new Uint8Array(signer.signature.getValue()), { ...at, purpose: purposes.timeStamping })
  // The content is passed separately, because the signature covers its bytes without tag and length.
  const { eContentType } = message.encapContentInfo
  const detached = new SignedData({ ...message, encapContentInfo: new EncapsulatedContentInfo({ eContentType }) })
  const chain = await verifyAt(detached, content, { ...at, purpose: purposes.codeSigning })
  return { chain, signedAt: stamp.date }
}

function readTimeStamp(signer: SignerInfo): { message: SignedData; date: Date } {
  const attribute = signer.unsignedAttrs?.attributes.find(({ type }) => timeStampAttributes.has(type))
  if (attribute === undefined) throw new Error('the signature has no time stamp')
  const message = new SignedData({ schema: new ContentInfo({ schema: attribute.values[0] }).content })
  const content = message.encapContentInfo.eContent
  if (content === undefined) throw new Error('the time stamp holds no time')
  return { message, date: TSTInfo.fromBER(content.getValue()).genTime }
}

function listCertificates({ certificates = [] }: SignedData): Certificate[] {
  return certificates.filter((one): one is Certificate => one instanceof Certificate)
}

/** The roots come from the message, and are accepted only by their digests. */
function requirePinned(certificates: readonly Certificate[], roots: readonly PinnedRoot[]): Certificate[] {
  const pins = new Set(roots.map(({ sha256 }) => sha256))
  const trusted = certificates.filter((one) => pins.has(toFingerprint(toX509(one))))
  if (trusted.length > 0) return trusted
  throw new Error(`the chain of the signature does not end at ${roots.map(({ name }) => name).join(' or ')}`)
}

async function verifyAt(
  message: SignedData,
  content: Uint8Array,
  { trusted, date, purpose }: { trusted: Certificate[]; date: Date; purpose: string },
): Promise<X509Certificate[]> {
  const bytes = new Uint8Array(content).buffer
  const settings = { signer: 0, checkChain: true, extendedMode: true, passedWhenNotRevValues: true } as const
  const result = await message.verify({ ...settings, data: bytes, trustedCerts: trusted, checkDate: date })
  const chain = result.certificatePath.map(toX509)
  const [leaf] = chain
  if (!result.signatureVerified || !result.signerCertificateVerified || leaf === undefined)
    throw new Error(`the signature is not valid: ${result.message || 'its chain is not trusted'}`)
  if (!leaf.keyUsage?.includes(purpose)) throw new Error(`a certificate of the signature is not for ${purpose}`)
  return chain
}

function toX509(certificate: Certificate): X509Certificate {
  return new X509Certificate(Buffer.from(certificate.toSchema().toBER()))
}

function toFingerprint({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase()
}

/** Returns one field of a certificate's subject, such as `O`; `undefined` where it has none or several. */
export function findSubjectField({ subject }: X509Certificate, field: string): string | undefined {
  const values = subject
    .split('\n')
    .flatMap((line) => (line.startsWith(`${field}=`) ? [line.slice(field.length + 1)] : []))
  return values.length === 1 ? values[0] : undefined
}
