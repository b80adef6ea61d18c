import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeAwsDirectory } from '../test/stand-ins/aws/aws-directory.ts'
import { comparePairs, type Spread, type Timed } from './bench/pairs.ts'
import { bundleAll } from './bundle.ts'
import { bundlePath, helperNames } from './helpers.ts'

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '20' } } })
const pairs = Number(values.pairs)

await bundleAll()
const home = await mkdtemp(join(tmpdir(), 'gatepass bench '))
try {
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile bench': { region: 'eu-central-1' } },
    credentials: { bench: { aws_access_key_id: 'AKIABENCH00000000000', aws_secret_access_key: 'bench' } },
  })
  // As a client starts it: the context named, so that nothing is guessed from a terminal.
  const env = { ...environment, PATH: process.env.PATH, AWS_PROFILE: 'bench', VENDOR_HELPER_CONTEXT: 'background' }
  const emptyScript = join(home, 'empty.cjs')
  await writeFile(emptyScript, '')
  const empty: Timed = { file: process.execPath, args: [emptyScript], env }
  const helper = (...options: string[]): Timed => ({ ...empty, args: [bundlePath('aws-bedrock-token'), ...options] })

  console.log(
    `Whole processes, ${pairs} pairs in turn, Node ${process.versions.node}; milliseconds and ratios as median (min to max)\n`,
  )
  report('aws-bedrock-token, cached', helper(), 'an empty script', empty)
  report('aws-bedrock-token, not cached, no network', helper('--cache', 'none'), 'an empty script', empty)
  const aws: Timed = { file: 'aws', args: ['configure', 'export-credentials'], env }
  if (spawnSync('aws', ['--version']).error)
    console.log('aws is not installed: not compared with aws configure export-credentials')
  else
    report(
      'aws-bedrock-token, not cached, no network',
      helper('--cache', 'none'),
      'aws configure export-credentials',
      aws,
    )
  for (const name of helperNames()) {
    console.log(`${name}.cjs: ${Math.round((await stat(bundlePath(name))).size / 1024)} KiB`)
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

function report(name: string, subject: Timed, floorName: string, floor: Timed): void {
  const result = comparePairs(subject, floor, pairs)
  console.log(
    `${name}: ${show(result.subject, 1)}\n  ${floorName}: ${show(result.floor, 1)}\n  ratio: ${show(result.ratio, 2)}\n`,
  )
}

function show({ min, median, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}
