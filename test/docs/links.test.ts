import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'

/** Returns the name that GitHub gives a heading. */
function toAnchor(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
  return text.replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
}

function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8').replace(/^```.*?^```/gms, '')
}

function hasHeading(path: string, anchor: string): boolean {
  return [...readPage(path).matchAll(/^#+ (?<heading>.*)$/gm)].some(
    ({ groups }) => toAnchor(groups!.heading!) === anchor,
  )
}

/** Lists the links within the project that lead to no file or no heading. */
function listDeadLinks(path: string): string[] {
  const links = [...readPage(path).matchAll(/\]\((?<link>[\w./-]*(?:#[\w-]+)?)\)/g)].map(({ groups }) => groups!.link!)
  return links.filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : normalize(join(dirname(path), file))
    return !existsSync(join(root, target)) || (anchor !== undefined && !hasHeading(target, anchor))
  })
}

test('every link of a page leads to a file and a heading of the project', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).filter((path) => path !== 'CHANGELOG.md')
  expect(pages.flatMap((path) => listDeadLinks(path).map((link) => `${path}: ${link}`))).toEqual([])
  expect(pages.length).toBeGreaterThan(50)
})
