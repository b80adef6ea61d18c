import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from '../bundle/bundle.ts'
import { listPackages } from '../bundle/render-analysis.ts'
import { root } from '../tree.ts'

/** A library whose code is published. */
export interface Component {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** The licence text to publish with it; `undefined` if the package contains none. */
  readonly notice: string | undefined
}

/** Lists all libraries in these bundles, sorted by name. */
export function listComponents(bundles: readonly Pick<Bundle, 'metafile'>[]): Component[] {
  const directories = new Set(bundles.flatMap(listPackages))
  return [...directories].sort().map(readComponent)
}

function readComponent(path: string): Component {
  const directory = join(root, path)
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
  if (typeof license !== 'string')
    throw new Error(`${name} names no licence in its package.json; find out its licence before a release`)
  const file = readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  return { name, version, licence: license, notice: file && readFileSync(join(directory, file), 'utf8') }
}

/** Renders the notices of all libraries in one text, and of the runtime if it ships with them. */
export function renderNotices(components: readonly Component[], runtimeNotice?: string): string {
  const parts = components.map(
    ({ name, version, licence, notice }) =>
      `${name} ${version} (${licence})\n\n${notice ?? 'The package holds no text of its own.'}`,
  )
  const runtime = runtimeNotice === undefined ? [] : [`Node.js, and what it contains\n\n${runtimeNotice}`]
  return `${[...parts, ...runtime].map((part) => part.trim()).join(`\n\n${'-'.repeat(78)}\n\n`)}\n`
}
