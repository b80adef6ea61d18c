import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'

/** A file that a page of docs/gateways/ shows. */
interface Listing {
  /** The page, without `.md`. */
  readonly page: string
  /** The heading of its section; empty for what stands before the first. */
  readonly heading: string
  /** The path as the page writes it above the listing. */
  readonly path: string
}

/** @throws {Error} where the page does not show that file there. */
export function readListing({ page, heading, path }: Listing): string {
  const [found] = listShown(readSection(page, heading), path)
  if (found === undefined) throw new Error(`${page}.md shows no ${path} under "${heading}"`)
  return found
}

/** Chooses the listing of a file with this path on any page: the one that is this text, or the first. */
export function chooseListing(path: string, text: string): string | undefined {
  const pages = globSync('docs/gateways/*.md', { cwd: root })
  const listings = pages.flatMap((page) => listShown(readFileSync(join(root, page), 'utf8'), path))
  return listings.find((listing) => listing === text) ?? listings[0]
}

/** Reads the modules of Apache that a section has enabled. */
export function readModules({ page, heading }: Omit<Listing, 'path'>): string[] {
  const [, names = ''] = /^a2enmod (.*)$/m.exec(readSection(page, heading)) ?? []
  return names.split(' ')
}

/**
 * Returns a listing with the addresses of a test in place of those that the page shows.
 * @throws {Error} where the listing does not have one of them.
 */
export function replaceShown(text: string, replaced: Readonly<Record<string, string>>): string {
  return Object.entries(replaced).reduce((result, [shown, own]) => {
    if (!result.includes(shown)) throw new Error(`the page does not have "${shown}" there`)
    return result.replaceAll(shown, () => own)
  }, text)
}

function readSection(page: string, heading: string): string {
  const whole = readFileSync(join(root, 'docs/gateways', `${page}.md`), 'utf8')
  const [start = '', ...sections] = whole.split(/^## /m)
  return heading === '' ? start : (sections.find((text) => text.startsWith(`${heading}\n`)) ?? '')
}

/** Lists the listings that follow this path in a text. */
function listShown(text: string, path: string): string[] {
  const [, ...parts] = text.split(new RegExp(`^\`${RegExp.escape(path)}\`.*\n`, 'm'))
  return parts.flatMap((part) => /^\n```\w+\n(.*?)^```$/ms.exec(part)?.[1] ?? [])
}
