// Prints the files of ours that a call runs through: `npm run walk`. A file is counted if one of its functions has run.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { execa } from 'execa'
import { root } from './tree.ts'

/** V8's coverage of one script (the format of `NODE_V8_COVERAGE`): the first function is the module itself. */
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
}

const sample = {
  schemaVersion: 1,
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'static', apiKey: 'x' },
  },
}

const credentials = '[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = made-up\n'

const directory = await mkdtemp(join(tmpdir(), 'gatepass-walk-'))
try {
  const document = join(directory, 'document.json')
  await writeFile(document, JSON.stringify(sample))
  const program = join(directory, 'call.ts')
  await writeFile(program, renderProgram('aws-bedrock-token'))
  const call = [program, '--region', 'us-east-1']
  await mkdir(join(directory, '.aws'))
  await writeFile(join(directory, '.aws', 'credentials'), credentials)
  // A file that has just changed leaves no memo.
  await sleep(2_500)
  await printWalk('an uncached call', call)
  await printWalk('a cached call without a memo', call)
  await printWalk('a cached call', call)
  await printWalk('config check', ['pkg-scripts/run/gatepass.ts', 'config', 'check', document])
} finally {
  await rm(directory, { recursive: true })
}

/** Renders a helper from source in the form of a built one: it answers from the memo of an earlier call, or loads the rest. */
function renderProgram(name: string): string {
  const importOf = (path: string) => `await import(${JSON.stringify(pathToFileURL(join(root, path)))})`
  return `const { prepareNames } = ${importOf('pkg-scripts/run/prepare-names.ts')}
await prepareNames()
const { answerOrLoad } = ${importOf('src/helper/memo/answer-from-memo.ts')}
await answerOrLoad({ program: '${name}', build: 'walk', argv: process.argv.slice(2) }, async (beginning) => {
  const { main } = ${importOf('src/helper/run/run-helper.ts')}
  const { default: helper } = ${importOf(`helpers/${name}.ts`)}
  await main('${name}', helper, { beginning })
})
`
}

async function printWalk(title: string, args: readonly string[]): Promise<void> {
  // The same directory for each call, because a memo belongs to one environment.
  const coverage = join(directory, 'coverage')
  await mkdir(coverage)
  await execa(process.execPath, args, {
    cwd: root,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    env: { PATH: process.env.PATH, HOME: directory, NODE_V8_COVERAGE: coverage },
  })
  const paths = await readWalk(coverage)
  await rm(coverage, { recursive: true })
  console.log(`${title}: ${paths.length} files`)
  for (const [folder, files] of Map.groupBy(paths, (path) => dirname(path)))
    console.log(`  ${folder}: ${files.map((path) => path.slice(folder.length + 1, -'.ts'.length)).join(', ')}`)
}

/** Paths below the root, sorted. */
async function readWalk(coverage: string): Promise<string[]> {
  const paths = new Set<string>()
  for (const file of await readdir(coverage)) {
    const { result }: { result: ScriptCoverage[] } = JSON.parse(await readFile(join(coverage, file), 'utf8'))
    for (const { url, functions } of result) if (hasRun(functions)) paths.add(toPath(url))
  }
  return [...paths].filter((path) => /^(src|helpers)\//.test(path)).sort()
}

function hasRun([, ...functions]: ScriptCoverage['functions']): boolean {
  return functions.some(({ ranges }) => ranges[0]!.count > 0)
}

function toPath(url: string): string {
  return url.startsWith('file:') ? relative(root, fileURLToPath(url)).replaceAll('\\', '/') : url
}
