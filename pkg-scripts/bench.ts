import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeAwsDirectory } from '../test/stand-ins/aws/aws-directory.ts'
import { buildFloor } from './bench/empty-executables.ts'
import { comparePairs, type Spread, type Timed } from './bench/pairs.ts'
import { bundleAll } from './bundle.ts'
import { bundlePath } from './helpers.ts'
import { hostTarget } from './runtimes.ts'
import { buildSuite } from './suite.ts'

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '20' } } })
const pairs = Number(values.pairs)

const bundles = await bundleAll()
const home = await mkdtemp(join(tmpdir(), 'gatepass bench '))
try {
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile bench': { region: 'eu-central-1' } },
    credentials: { bench: { aws_access_key_id: 'AKIABENCH00000000000', aws_secret_access_key: 'bench' } },
  })
  // As a client starts it: the context named, so that nothing is guessed from a terminal.
  const env = { ...environment, PATH: process.env.PATH, AWS_PROFILE: 'bench', VENDOR_HELPER_CONTEXT: 'background' }
  const suite = await buildSuite(hostTarget, {}, home)
  const file = join(suite.directory, 'aws-bedrock-token')
  const helper = (...args: string[]): Timed => ({ file, args, env })
  const emptyScript = join(home, 'empty.cjs')
  await writeFile(emptyScript, '')
  const script = (...args: string[]): Timed => ({ file: process.execPath, args, env })

  console.log(
    `Whole processes, ${pairs} pairs in turn, Node ${process.versions.node}; milliseconds and ratios as median (min to max)\n`,
  )
  const floor = await buildFloor(home, env, pairs)
  report('executable, --version', helper('--version'), floor.what, floor)
  report('executable, cached', helper(), floor.what, floor)
  report('executable, not cached, no network', helper('--cache', 'none'), floor.what, floor)
  report('bundle, cached', script(bundlePath('aws-bedrock-token')), 'an empty script', script(emptyScript))
  const aws: Timed = { file: 'aws', args: ['configure', 'export-credentials'], env }
  if (spawnSync(aws.file, aws.args, { env }).status !== 0)
    console.log('no aws that knows it is installed: not compared with aws configure export-credentials\n')
  else report('executable, not cached, no network', helper('--cache', 'none'), aws.args.join(' '), aws)
  for (const { name, bytes } of bundles) console.log(`${name}.cjs: ${Math.round(bytes / 1024)} KiB`)
  for (const path of [suite.helpers, suite.cli, floor.file])
    console.log(`${basename(path)}: ${Math.round((await stat(path)).size / 2 ** 20)} MiB`)
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
