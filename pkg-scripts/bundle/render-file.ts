import { brotliCompressSync } from 'node:zlib'
import { compileAhead } from './code-cache.ts'
import { thisRuntime } from './loader/this-runtime.ts'
import { buildLoader } from './loader.ts'
import type { Packed } from './pack.ts'

/**
 * Renders a program as one file that any Node runs. Its pieces are in a comment, which is passed over several times
 * faster than a text is read: the early one as it is, with what this Node makes of it, the others compressed.
 */
export async function renderFile({ entry, early, late }: Packed, isCompiledAhead: boolean): Promise<string> {
  const begin = 'kept(){//'
  const pieces = {
    early,
    cache: (isCompiledAhead ? compileAhead([early]) : []).map((cache) => cache.toString('base64')).join(''),
    late: brotliCompressSync(JSON.stringify(Object.fromEntries(late))).toString('base64'),
  }
  if (early.includes('\n')) throw new Error('code with a line break would end the comment that holds it')
  let at = begin.length
  const places = Object.entries(pieces).map(([name, text]) => {
    const from = at
    at += text.length
    return `${name}:[${from},${at}]`
  })
  const kept = `${begin}${Object.values(pieces).join('')}\n}`
  const packed = `const packed={entry:${JSON.stringify(entry)},compiledBy:${JSON.stringify(thisRuntime())},places:{${places.join(',')}},${kept}};`
  return `#!/usr/bin/env node\n"use strict";\n${packed}\n${await buildLoader('file')}`
}
