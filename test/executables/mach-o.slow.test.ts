import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildSeparate } from '../../pkg-scripts/executable/build-suite.ts'
import { downloadRuntime } from '../../pkg-scripts/executable/prepare-runtime.ts'
import { requireRuntime } from '../../pkg-scripts/executable/runtimes.ts'
import { listLoadCommands, listSegments } from '../../pkg-scripts/mach-o/load-commands.ts'
import { requireUnmovedProgram } from '../../pkg-scripts/mach-o/unmoved-program.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'

const [first = ''] = listHelpers()

/** How many pointers the loader sets in the pinned runtimes; another version has others. */
const pointers = { 'darwin-x64': 119_906, 'darwin-arm64': 136_787 } as const

describe.each(Object.entries(pointers))('an executable for %s', (target, count) => {
  let runtime: Buffer
  let built: Buffer
  beforeAll(async () => {
    runtime = (await downloadRuntime(requireRuntime(target))).program
    built = await readFile(await buildSeparate(target, first, {}, join(root, 'dist', 'test')))
  })

  test('is its runtime with one segment more, and every pointer leads where it led', () => {
    expect(requireUnmovedProgram(runtime, built)).toBe(count)
  })

  test.each(['__DATA_CONST', '__DATA'])('is refused where the segment %s lies a page further', (name) => {
    expect(() => requireUnmovedProgram(runtime, moveByPage(built, name))).toThrow(
      /^the segment \S+ (was moved|lies over another one)$/,
    )
  })

  test('is refused where one pointer of all leads elsewhere', () => {
    const { offset } = listSegments(built).find(({ name }) => name === '__DATA')!
    const other = Buffer.from(built)
    const at = built.indexOf(runtime.subarray(offset, offset + 64), offset)
    other[at] = other[at]! ^ 8
    expect(() => requireUnmovedProgram(runtime, other)).toThrow('the segment __DATA holds other bytes')
  })

  test('is refused where a byte of its code is another one', () => {
    const other = Buffer.from(built)
    other[1_000_000] = other[1_000_000]! ^ 1
    expect(() => requireUnmovedProgram(runtime, other)).toThrow('the segment __TEXT holds other bytes')
  })

  test('is refused where a load command was left out', () => {
    const other = Buffer.from(built)
    const commands = listLoadCommands(other)
    other.writeUInt32LE(commands.length - 1, 16)
    other.writeUInt32LE(other.readUInt32LE(20) - commands.at(-1)!.bytes.length, 20)
    expect(() => requireUnmovedProgram(runtime, other)).toThrow(
      'the load commands are not those of the runtime with one segment more',
    )
  })
})

/** As a builder has done it: the segment's address changes, and no pointer with it. */
function moveByPage(file: Buffer, name: string): Buffer {
  const moved = Buffer.from(file)
  const command = listLoadCommands(moved).find(
    ({ bytes }) => bytes.toString('latin1', 8, 24).replace(/\0.*/s, '') === name,
  )!
  command.bytes.writeBigUInt64LE(command.bytes.readBigUInt64LE(24) + 4096n, 24)
  return moved
}
