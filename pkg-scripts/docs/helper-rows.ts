import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { importHelper, listHelpers, root } from '../tree.ts'

/** Pages with a table of helpers, whose rows are generated from each helper's declaration and page. */
const tablePages = ['README.md', 'docs/README.md', 'docs/rollout.md'] as const

const tables: Readonly<Record<(typeof tablePages)[number], HelperTable>> = {
  'README.md': {
    begin: (name) => `| [\`${name}\`](docs/helpers/${name}.md) |`,
    renderRest: ({ prints, from }) => ` ${prints} | ${from} |`,
  },
  'docs/README.md': {
    begin: (name) => `| [helpers/${name}.md](helpers/${name}.md) |`,
    // Another script corrects the number of words.
    renderRest: ({ summary, was }) => ` ${summary} | ${/ ([\d,]+) \|$/.exec(was ?? '')?.[1] ?? 0} |`,
  },
  'docs/rollout.md': { begin: (name) => `| \`${name}\` |`, renderRest: ({ hosts }) => ` ${hosts} |` },
}

/** Writes the rows into each page. @returns The paths of the pages. */
export async function writeHelperRows(): Promise<readonly string[]> {
  for (const { path, text } of await renderHelperPages()) writeFileSync(join(root, path), text)
  return tablePages
}

/** Renders every page that has a table of helpers, with the rows as they should be. */
export async function renderHelperPages(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const pages = tablePages.map(async (path) => ({
    path,
    text: await renderHelperRows(path, readFileSync(join(root, path), 'utf8')),
  }))
  return Promise.all(pages)
}

/** The rows of one page: how a row of a helper begins, and what follows. */
interface HelperTable {
  begin(name: string): string
  renderRest(facts: RowFacts): string
}

/** The words for a row; `was` is the present row of the page, if there is one. */
interface RowFacts {
  readonly summary: string
  readonly prints: string
  readonly from: string
  readonly hosts: string
  readonly was: string | undefined
}

/** Renders a page with the rows of all helpers that have a page: existing rows keep their places, and new ones follow. */
async function renderHelperRows(path: (typeof tablePages)[number], page: string): Promise<string> {
  const { begin, renderRest } = tables[path]
  const lines = page.split('\n')
  const names = listHelpers().filter((name) => existsSync(locatePage(name)))
  for (const name of names) {
    const own = lines.findIndex((line) => line.startsWith(begin(name)))
    const last = lines.findLastIndex((line) => names.some((other) => line.startsWith(begin(other))))
    const facts = { ...readFacts(name, path), summary: (await importHelper(name)).summary, was: lines[own] }
    const row = begin(name) + renderRest(facts)
    if (own === -1) lines.splice(last + 1, 0, row)
    else lines[own] = row
  }
  return lines.join('\n')
}

function locatePage(name: string): string {
  return join(root, 'docs/helpers', `${name}.md`)
}

/** Reads the first table of a helper's page, with links adapted to another page. */
function readFacts(name: string, path: string): Pick<RowFacts, 'prints' | 'from' | 'hosts'> {
  const page = readFileSync(locatePage(name), 'utf8')
  const [prints = '', from = '', hosts = ''] = ['prints', 'from', 'hosts that a proxy has to allow'].map((title) => {
    const [, words = ''] = new RegExp(`^\\| ${title} \\| (.*) \\|$`, 'm').exec(page) ?? []
    return words.replace(
      /\]\((?![a-z]+:|#)([^)]+)\)/g,
      (_, link) => `](${posix.relative(dirname(path), posix.join('docs/helpers', link))})`,
    )
  })
  return { prints, from, hosts }
}
