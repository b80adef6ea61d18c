import { beforeAll, describe, expect, test } from 'vitest'
import { appleSigner, verifyAppleSignature } from '../../pkg-scripts/executable/origin/apple-signature.ts'
import { verifyAuthenticode, windowsSigner } from '../../pkg-scripts/executable/origin/authenticode.ts'
import { checkSignature } from '../../pkg-scripts/executable/origin/origin.ts'
import { downloadRuntime } from '../../pkg-scripts/executable/prepare-runtime.ts'
import { requireRuntime } from '../../pkg-scripts/executable/runtimes.ts'
import { findLinkedData, loadCommands } from '../../pkg-scripts/mach-o/load-commands.ts'

const otherRoot = { name: 'Another Root', sha256: '0'.repeat(64), source: 'https://root.example' }

/** Returns a copy with one bit turned. */
function change(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file)
  changed[at] = changed[at]! ^ 1
  return changed
}

describe.each(['win32-x64', 'win32-arm64'])('the runtime for %s', (target) => {
  let program: Buffer
  let signature: number
  beforeAll(async () => {
    program = (await downloadRuntime(requireRuntime(target))).program
    signature = program.readUInt32LE(program.readUInt32LE(0x3c) + 24 + 144)
  })

  test('was signed by the OpenJS Foundation, while its certificate was valid', async () => {
    const { chain, signedAt } = await verifyAuthenticode(program, windowsSigner)
    const [leaf, ...above] = chain
    const isInTime = signedAt > leaf!.validFromDate && signedAt < leaf!.validToDate
    expect({
      root: above.at(-1)!.fingerprint256.replaceAll(':', '').toLowerCase(),
      isInTime,
      hasEnded: leaf!.validToDate < new Date(),
    }).toEqual({ root: windowsSigner.root.sha256, isInTime: true, hasEnded: true })
  })

  test('is refused with another bit of code, of a header, or of its signature', async () => {
    await expect(verifyAuthenticode(change(program, 5_000_000), windowsSigner)).rejects.toEqual(
      new Error('the program is not the one that was signed'),
    )
    await expect(verifyAuthenticode(change(program, 0x100), windowsSigner)).rejects.toEqual(
      new Error('the program is not the one that was signed'),
    )
    const digest = program.indexOf(Buffer.from('3031300d060960864801650304020105000420', 'hex'), signature)
    await expect(verifyAuthenticode(change(program, digest + 25), windowsSigner)).rejects.toEqual(
      new Error('the program is not the one that was signed'),
    )
    // The digest that the signature itself is over, in its signed attributes.
    const attribute = program.indexOf(Buffer.from('06092a864886f70d010904312204', 'hex'), signature)
    await expect(verifyAuthenticode(change(program, attribute + 20), windowsSigner)).rejects.toThrow()
  })

  test('is refused with an appendix, without a signature, and where somebody else has signed', async () => {
    await expect(verifyAuthenticode(Buffer.concat([program, Buffer.alloc(8)]), windowsSigner)).rejects.toEqual(
      new Error('the signature is not the end of the file'),
    )
    const unsigned = Buffer.from(program.subarray(0, signature))
    unsigned.fill(0, unsigned.readUInt32LE(0x3c) + 24 + 144, unsigned.readUInt32LE(0x3c) + 24 + 152)
    await expect(verifyAuthenticode(unsigned, windowsSigner)).rejects.toEqual(new Error('the program is not signed'))
    await expect(verifyAuthenticode(program, { ...windowsSigner, organization: 'Another' })).rejects.toEqual(
      new Error('it was signed by OpenJS Foundation, not Another'),
    )
    await expect(verifyAuthenticode(program, { ...windowsSigner, root: otherRoot })).rejects.toEqual(
      new Error('the chain of the signature does not end at Another Root'),
    )
  })

  test('is named in the refusal, with what to do', async () => {
    const runtime = requireRuntime(target)
    const name = `${runtime.packageName}@${runtime.version}`
    await expect(checkSignature(runtime, change(program, 5_000_000))).rejects.toMatchObject({
      kind: 'refused',
      message: `the runtime for ${target} in ${name} cannot be shown to be Node's own: the program is not the one that was signed`,
    })
  })
})

describe.each(['darwin-x64', 'darwin-arm64'])('the runtime for %s', (target) => {
  let program: Buffer
  beforeAll(async () => {
    program = (await downloadRuntime(requireRuntime(target))).program
  })

  test("was signed by the team of Node, and Apple's root is above it", async () => {
    const { chain } = await verifyAppleSignature(program, appleSigner)
    expect(chain.at(-1)!.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(appleSigner.root.sha256)
  })

  test('is refused with another bit in its first, a middle or its last page', async () => {
    const { offset } = findLinkedData(program, loadCommands.codeSignature)!
    const pages = [4000, 50_000_000, offset - 1]
    for (const at of pages)
      await expect(verifyAppleSignature(change(program, at), appleSigner)).rejects.toEqual(
        new Error(`page ${Math.floor(at / 4096)} of the program is not the one that was signed`),
      )
  })

  test('is refused with other entitlements, another hash in its code directory, and of another team', async () => {
    const entitlements = program.lastIndexOf('com.apple.security.cs.allow-jit')
    await expect(verifyAppleSignature(change(program, entitlements), appleSigner)).rejects.toThrow(
      /^part [57] of the signature is not the one that was signed$/,
    )
    const { offset } = findLinkedData(program, loadCommands.codeSignature)!
    const directory = offset + program.readUInt32BE(offset + 16)
    // A flag of the directory: every page is right, and the signature over the directory is not.
    await expect(verifyAppleSignature(change(program, directory + 15), appleSigner)).rejects.toThrow()
    await expect(verifyAppleSignature(program, { ...appleSigner, teamIdentifier: 'ANOTHER' })).rejects.toEqual(
      new Error('it was signed by the team HX7739G8FX, not ANOTHER'),
    )
    await expect(verifyAppleSignature(program, { ...appleSigner, root: otherRoot })).rejects.toEqual(
      new Error('the chain of the signature does not end at Another Root'),
    )
  })
})
