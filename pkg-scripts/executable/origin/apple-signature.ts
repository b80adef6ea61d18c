import { createHash } from 'node:crypto'
import { findLinkedData, loadCommands } from '../../mach-o/load-commands.ts'
import {
  findSubjectField,
  type PinnedRoot,
  parseSignedMessage,
  type Signer,
  verifySignedMessage,
} from './signed-message.ts'

/** The identity that signs Node's programs for macOS. */
export const appleSigner = {
  teamIdentifier: 'HX7739G8FX',
  root: {
    name: 'Apple Root CA',
    sha256: 'b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024',
    source: 'https://www.apple.com/certificateauthority/',
  },
} as const satisfies AppleSigner

/**
 * Verifies the code signature of a macOS program: it must cover every byte before it, and be made by the team.
 * @throws if anything fails.
 */
export async function verifyAppleSignature(file: Buffer, { teamIdentifier, root }: AppleSigner): Promise<Signer> {
  const data = findLinkedData(file, loadCommands.codeSignature)
  if (data === undefined) throw new Error('the program is not signed')
  if (data.offset + data.bytes.length !== file.length) throw new Error('the signature is not the end of the file')
  const blobs = parseBlobs(data.bytes)
  const directory = parseCodeDirectory(requireBlob(blobs, slots.codeDirectory))
  verifyPages(file.subarray(0, data.offset), directory)
  verifySpecialSlots(blobs, directory)
  if (directory.teamIdentifier !== teamIdentifier)
    throw new Error(`it was signed by the team ${directory.teamIdentifier || 'without a name'}, not ${teamIdentifier}`)
  const message = parseSignedMessage(requireBlob(blobs, slots.signature).subarray(blobHead))
  const signer = await verifySignedMessage(message, directory.bytes, [root])
  const found = findSubjectField(signer.chain[0]!, 'OU')
  if (found !== teamIdentifier)
    throw new Error(`its certificate is of the team ${found ?? 'without a name'}, not ${teamIdentifier}`)
  return signer
}

/** A team of Apple's developer program, and the root of its chain. */
interface AppleSigner {
  readonly teamIdentifier: string
  readonly root: PinnedRoot
}

/** The numbers of blobs, from `cs_blobs.h` of XNU. A blob begins with its magic number and its length. */
const slots = { codeDirectory: 0, signature: 0x10000, alternateDirectories: 0x1000 } as const
const blobHead = 8
const magicOf = { superBlob: 0xfade0cc0, codeDirectory: 0xfade0c02 } as const

function parseBlobs(bytes: Buffer): ReadonlyMap<number, Buffer> {
  if (bytes.readUInt32BE(0) !== magicOf.superBlob) throw new Error('the signature has an unknown form')
  const entries = Array.from({ length: bytes.readUInt32BE(8) }, (_, index): [number, Buffer] => {
    const at = bytes.readUInt32BE(16 + index * 8)
    return [bytes.readUInt32BE(12 + index * 8), bytes.subarray(at, at + bytes.readUInt32BE(at + 4))]
  })
  // A system that prefers a second directory could see another program in it.
  if (entries.some(([slot]) => slot >= slots.alternateDirectories && slot < slots.signature))
    throw new Error('the signature has a second code directory')
  return new Map(entries)
}

function requireBlob(blobs: ReadonlyMap<number, Buffer>, slot: number): Buffer {
  const blob = blobs.get(slot)
  if (blob === undefined) throw new Error(`the signature lacks its part ${slot.toString(16)}: it is an ad-hoc one`)
  return blob
}

interface CodeDirectory {
  readonly bytes: Buffer
  readonly teamIdentifier: string
  /** How many bytes of the file the hashes cover. */
  readonly limit: number
  readonly pageBytes: number
  /** Hashes by page, from 0; negative numbers are for the blobs of the signature. */
  readonly hashOf: (slot: number) => Buffer
  readonly pages: number
  readonly specialSlots: number
}

/** Parses `CS_CodeDirectory` of `cs_blobs.h`, version 2.2 or newer, which has a team identifier. */
function parseCodeDirectory(bytes: Buffer): CodeDirectory {
  const [hashSize, hashType, , pageShift] = bytes.subarray(36, 40)
  if (
    bytes.readUInt32BE(0) !== magicOf.codeDirectory ||
    bytes.readUInt32BE(8) < 0x20200 ||
    hashType !== 2 ||
    hashSize !== 32
  )
    throw new Error('the code directory has an unknown form')
  const team = bytes.readUInt32BE(48)
  const hashes = bytes.readUInt32BE(16)
  return {
    bytes,
    teamIdentifier: team === 0 ? '' : bytes.toString('latin1', team, bytes.indexOf(0, team)),
    limit: bytes.readUInt32BE(32),
    pageBytes: 2 ** pageShift!,
    hashOf: (slot) => bytes.subarray(hashes + slot * 32, hashes + (slot + 1) * 32),
    pages: bytes.readUInt32BE(28),
    specialSlots: bytes.readUInt32BE(24),
  }
}

function verifyPages(code: Buffer, { limit, pageBytes, pages, hashOf }: CodeDirectory): void {
  if (limit !== code.length || pages !== Math.ceil(limit / pageBytes))
    throw new Error('the code directory does not cover the whole program')
  for (let page = 0; page < pages; page++)
    if (!digest(code.subarray(page * pageBytes, (page + 1) * pageBytes)).equals(hashOf(page)))
      throw new Error(`page ${page} of the program is not the one that was signed`)
}

/** Requirements, entitlements and the like: each blob must have a hash, and each hash a blob. */
function verifySpecialSlots(blobs: ReadonlyMap<number, Buffer>, { specialSlots, hashOf }: CodeDirectory): void {
  for (let slot = 1; slot <= specialSlots; slot++) {
    const blob = blobs.get(slot)
    const hash = blob === undefined ? Buffer.alloc(32) : digest(blob)
    if (!hash.equals(hashOf(-slot))) throw new Error(`part ${slot} of the signature is not the one that was signed`)
  }
  const unsigned = [...blobs.keys()].find((slot) => slot > specialSlots && slot < slots.signature)
  if (unsigned !== undefined) throw new Error(`part ${unsigned} of the signature is not signed`)
}

function digest(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
