import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import { importHelper } from '../tree.ts'
import { toNamePattern } from './missing-parts.ts'
import { renderHelperPage } from './render-page.ts'

/**
 * Returns the given name for a new helper.
 * @throws {HelperError} `usage` for an invalid or used name.
 */
export function requireNewName(tree: string, names: readonly string[]): string {
  const [name = '', ...others] = names
  if (name === '') throw new HelperError('usage', 'no name is given', `give the helper a name: ${example}`)
  if (others.length > 0) throw new HelperError('usage', 'more than one name is given', `give one: ${example}`)
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(name))
    throw new HelperError(
      'usage',
      `${JSON.stringify(name)} cannot be the name of a helper`,
      `choose two or more words in small letters, with hyphens between them: ${example}`,
    )
  const taken = toPaths(name).find((path) => existsSync(join(tree, path)))
  if (taken !== undefined)
    throw new HelperError('usage', `${taken} exists already`, 'choose another name, or edit that file')
  const user = globSync('src/**/*.ts', { cwd: tree })
    .sort()
    .find((path) => toNamePattern([name]).test(readFileSync(join(tree, path), 'utf8')))
  if (user !== undefined)
    throw new HelperError(
      'usage',
      `${user} uses the word ${name} for something else`,
      'choose another name, because a test refuses the name of a helper in src/',
    )
  return name
}

const example = 'npm run new-helper team-token'

/** Returns the files to write, in the order of CONTRIBUTING.md. */
function toPaths(name: string) {
  return [`helpers/${name}.ts`, `test/helpers/${name}/countable-source.ts`, `docs/helpers/${name}.md`] as const
}

/**
 * Writes a helper that works, for its author to change: the one that CONTRIBUTING.md shows, its source for the tests, and its page.
 * @returns The paths of the files.
 */
export async function writeHelper(tree: string, name: string): Promise<readonly string[]> {
  const paths = toPaths(name)
  const [declaration, source, page] = paths
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text, { flag: 'wx' })
  }
  write(declaration, readDeclaration(tree))
  write(source, renderSource(name))
  write(page, renderHelperPage(name, await importHelper(name)))
  return paths
}

/** Reads the helper in CONTRIBUTING.md, without the example, which the source for the tests replaces. */
function readDeclaration(tree: string): string {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(tree, 'CONTRIBUTING.md'), 'utf8')) ?? []
  return code.replace(/\n {2}example: \{\n.*?\n {2}\},\n/s, '')
}

function renderSource(name: string): string {
  return `import type { CountableSource } from '../../cache/countable-source.ts'
import { startTokenServer } from '../../cache/token-server.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** A service on loopback that counts the requests of ${name} and answers with tokens that live an hour. */
export async function startSource(): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const { url, ...behaviour } = await startTokenServer((number) => ({ token: \`made-up-\${number}\`, expires_in: 3600 }))
  return {
    ...behaviour,
    home,
    env: { HOME: home },
    argv: (key = 0) => ['--token-url', url, '--header', \`X-Key: \${key}\`],
    leadTo: (elsewhere) => ({ argv: ['--token-url', elsewhere] }),
  }
}
`
}
