import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'

/**
 * Makes a copy of the project's sources under `name`, with additional helpers of a test. It is inside the project, so that its libraries
 * are found.
 */
export async function copyTree(name: string, helpers: Readonly<Record<string, MadeUpHelper>>): Promise<string> {
  const tree = join(root, 'dist', 'test', name)
  await rm(tree, { recursive: true, force: true })
  for (const part of ['helpers', 'src', 'package.json'])
    await cp(join(root, part), join(tree, part), { recursive: true })
  await mkdir(join(tree, 'src', 'made-up'))
  for (const [helper, made] of Object.entries(helpers)) {
    await writeFile(join(tree, 'helpers', `${helper}.ts`), renderHelper(helper, made))
    await writeFile(join(tree, 'src', 'made-up', `${helper}.ts`), renderSource(made))
  }
  return tree
}

interface MadeUpHelper {
  /** Lines at the top of the helper's own file, which is loaded at every start. */
  readonly helper?: string
  /** Lines at the top of its source, which is loaded when a token is minted. */
  readonly source?: string
  /** An expression for what is printed. */
  readonly prints: string
}

function renderHelper(name: string, { helper = '' }: MadeUpHelper): string {
  const lines = [
    "import { defineHelper } from '../src/helper/define-helper.ts'",
    "import { Secret } from '../src/runtime/secret.ts'",
    helper,
    'export default defineHelper({',
    "  summary: 'made up by a test',",
    '  options: {},',
    '  facts: [],',
    '  plan: async () => ({ inputs: {}, steps: [] }),',
    '  mint: async (host) => {',
    `    const { print } = await import('../src/made-up/${name}.ts')`,
    "    const printed = Buffer.from(JSON.stringify(await print(host))).toString('base64url')",
    '    return { token: new Secret(printed), expiresAt: undefined, facts: {} }',
    '  },',
    '})',
  ]
  return lines.join('\n')
}

function renderSource({ source = '', prints }: MadeUpHelper): string {
  return `${source}\nexport const print = async (host) => (${prints})\n`
}

/** Reads the output of a made-up helper. */
export function readPrinted(stdout: string): unknown {
  const { token } = JSON.parse(stdout)
  return JSON.parse(Buffer.from(token, 'base64url').toString())
}
