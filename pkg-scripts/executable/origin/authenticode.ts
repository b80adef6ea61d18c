import { createHash } from 'node:crypto'
import { OctetString, Sequence } from 'asn1js'
import {
  findSubjectField,
  type PinnedRoot,
  parseSignedMessage,
  type Signer,
  verifySignedMessage,
} from './signed-message.ts'

/** The identity that signs Node's programs for Windows. */
export const windowsSigner = {
  organization: 'OpenJS Foundation',
  root: {
    name: 'Microsoft Identity Verification Root Certificate Authority 2020',
    sha256: '5367f20c7ade0e2bca790915056d086b720c33c1fa2a2661acf787e3292e1270',
    source: 'https://www.microsoft.com/pkiops/docs/repository.htm',
  },
} as const satisfies WindowsSigner

/**
 * Verifies the Authenticode signature of a Windows program: it must cover these bytes, and be made by Node's publisher.
 * @throws if anything fails.
 */
export async function verifyAuthenticode(file: Buffer, { organization, root }: WindowsSigner): Promise<Signer> {
  const place = locateSignature(file)
  const message = parseSignedMessage(file.subarray(place.offset + head.bytes, place.offset + place.length))
  const { eContentType, eContent } = message.encapContentInfo
  if (eContentType !== indirectData || !(eContent instanceof Sequence))
    throw new Error('the signature is not about a program')
  const signed = Buffer.from(eContent.toBER())
  if (!readSignedDigest(eContent).equals(digestProgram(file, place)))
    throw new Error('the program is not the one that was signed')
  const signer = await verifySignedMessage(message, signed.subarray(signed.length - eContent.valueBlock.blockLength), [
    root,
  ])
  const found = findSubjectField(signer.chain[0]!, 'O')
  if (found !== organization) throw new Error(`it was signed by ${found ?? 'nobody with a name'}, not ${organization}`)
  return signer
}

/** A publisher, by the name in its certificates, and the root of its chain. */
interface WindowsSigner {
  readonly organization: string
  readonly root: PinnedRoot
}

/** Offsets from the Portable Executable specification, for the 64-bit form, relative to the optional header. */
const optional = { checksum: 64, certificates: 112 + 4 * 8 } as const

/** The head of an entry of the certificate table: its length, its revision 2.0, and the type of a signed message. */
const head = { bytes: 8, revision: 0x200, type: 2 } as const

/** `SPC_INDIRECT_DATA_OBJID` of Windows Authenticode Portable Executable Signature Format, which holds the digest. */
const indirectData = '1.3.6.1.4.1.311.2.1.4'

interface SignaturePlace {
  readonly optionalHeader: number
  readonly offset: number
  readonly length: number
}

/** The signature must be the end of the file, because it would not cover anything after it. */
function locateSignature(file: Buffer): SignaturePlace {
  if (file.toString('latin1', 0, 2) !== 'MZ') throw new Error('the file is not a program for Windows')
  const optionalHeader = file.readUInt32LE(0x3c) + 24
  const offset = file.readUInt32LE(optionalHeader + optional.certificates)
  const size = file.readUInt32LE(optionalHeader + optional.certificates + 4)
  if (offset === 0) throw new Error('the program is not signed')
  if (offset + size !== file.length) throw new Error('the signature is not the end of the file')
  const length = file.readUInt32LE(offset)
  const isOnlyOne = length <= size && size - length < 8
  if (!isOnlyOne || file.readUInt16LE(offset + 4) !== head.revision || file.readUInt16LE(offset + 6) !== head.type)
    throw new Error('the table of signatures has an unknown form')
  return { optionalHeader, offset, length }
}

/** Digests everything except the checksum, the position of the signature, and the signature. */
function digestProgram(file: Buffer, { optionalHeader, offset }: SignaturePlace): Buffer {
  const checksum = optionalHeader + optional.checksum
  const certificates = optionalHeader + optional.certificates
  return createHash('sha256')
    .update(file.subarray(0, checksum))
    .update(file.subarray(checksum + 4, certificates))
    .update(file.subarray(certificates + 8, offset))
    .digest()
}

/** Reads `SpcIndirectDataContent`, whose second member is a `DigestInfo` (RFC 8017): an algorithm, and the digest. */
function readSignedDigest({ valueBlock }: Sequence): Buffer {
  const [, info] = valueBlock.value
  const digest = info instanceof Sequence ? info.valueBlock.value[1] : undefined
  if (!(digest instanceof OctetString)) throw new Error('the signature holds no digest')
  return Buffer.from(digest.getValue())
}
