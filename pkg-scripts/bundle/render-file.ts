import { compileAhead } from './code-cache.ts'
import { detectRuntime } from './loader/this-runtime.ts'
import { buildLoader } from './loader.ts'
import type { Packed } from './pack.ts'

/**
 * Renders a program as one file that any Node runs. Its pieces are in a comment, which is passed over several times
 * faster than a text is read; beside the early one stands what this Node makes of it.
 */
export async function renderFile({ entry, early, late }: Packed, isCompiledAhead: boolean): Promise<string> {
  const caches = isCompiledAhead ? compileAhead([early]) : []
  const pieces = new Map([
    ['early', early],
    ['cache', caches.map((cache) => cache.toString('base64')).join('')],
    ...late,
  ])
  const begin = 'kept(){//'
  let at = begin.length
  const places: Record<string, [from: number, to: number]> = {}
  for (const [name, text] of pieces) {
    if (text.includes('\n')) throw new Error(`${name}: a line break would end the comment that holds it`)
    places[name] = [at, at + text.length]
    at += text.length
  }
  const facts = JSON.stringify({ entry, compiledBy: detectRuntime(), places }).slice(1, -1)
  const packed = `const packed={${facts},${begin}${[...pieces.values()].join('')}\n}};`
  return `#!/usr/bin/env node\n"use strict";\n${packed}\n${await buildLoader('file')}`
}
