import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { buildLoader } from './build-loader.ts'
import { compileAhead } from './code-cache.ts'
import { digestBuild } from './digest-build.ts'
import type { FilePacked, TextPlace } from './loader/file.ts'
import { nameRuntime } from './loader/this-runtime.ts'
import type { Packed } from './pack.ts'

/**
 * Renders a program as one file that any Node runs. Its pieces are in a comment, because skipping a comment is several times faster than
 * parsing a string; the early piece is followed by its compiled code for this Node.
 */
export async function renderFile(
  { program, entry, early, beginning, names, late, joint, rare }: Packed,
  isCompiledAhead: boolean,
): Promise<string> {
  const caches = isCompiledAhead ? compileAhead([early, names.code, ...(beginning ? [beginning.code] : [])]) : []
  const begin = 'kept(){//'
  const plain = [...late].filter(([name]) => !rare.has(name))
  const compressed = [...late].filter(([name]) => rare.has(name))
  const pieces: string[] = []
  let at = begin.length
  const append = (text: string): TextPlace => {
    if (text.includes('\n')) throw new Error('a line break would end the comment that holds the pieces')
    pieces.push(text)
    at += text.length
    return [at - text.length, at]
  }
  const packed: Omit<FilePacked, 'kept'> = {
    entry,
    program,
    compiledBy: nameRuntime(),
    early: append(early),
    cache: append(renderCache(caches[0])),
    beginning: beginning && {
      chunk: beginning.chunk,
      code: append(beginning.code),
      cache: append(renderCache(caches[2])),
      build: digestBuild([early, names.code, beginning.code]),
    },
    names: { chunk: names.chunk, code: append(names.code), cache: append(renderCache(caches[1])) },
    late: append(JSON.stringify(Object.fromEntries(plain.map(([name, code]) => [name, append(code)])))),
    joint: Object.fromEntries(joint),
    rare: append((await compress(JSON.stringify(Object.fromEntries(compressed)))).toString('base64')),
  }
  const facts = JSON.stringify(packed).slice(1, -1)
  return `#!/usr/bin/env node\n"use strict";\nconst packed={${facts},${begin}${pieces.join('')}\n}};\n${await buildLoader('file')}`
}

function renderCache(cache: Buffer | undefined): string {
  return cache?.toString('base64') ?? ''
}

/** Uses a lower quality than the highest, 11, which would take 15 times as long and save 8 KiB of a file of 1.5 MiB. */
function compress(text: string): Promise<Buffer> {
  return promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
