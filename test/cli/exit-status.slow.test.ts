import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exitStatus } from '../../src/runtime/failure.ts'
import { writeShellHelper } from '../client/simulation/play.ts'
import { listenDuringTest } from '../setup/listen-during-test.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { documentWith, runOnPath } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Prepares a folder with what the commands below name. */
async function prepare(): Promise<string> {
  const cwd = await temporaryDirectory()
  const helper = await writeShellHelper('exit 3')
  const files = {
    'broken.json': '{',
    'empty.json': '{}',
    'fine.json': documentWith(),
    'other.json': documentWith({ ttlSec: 600 }),
    'wrong.json': documentWith({ command: '~/helper' }),
    'failing.json': documentWith({ ...helper }).replace('https://gateway.example.com', 'http://127.0.0.1:9'),
    'notes.txt': 'notes',
    'one.yaml': 'steps: nonsense',
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content)
  return cwd
}

async function statusOf(line: string, env: Readonly<Record<string, string>> = {}): Promise<number | string> {
  const { status } = await runOnPath('sh', ['-c', `gatepass ${line}`], { cwd: await prepare(), env })
  return status
}

const api = 'api GET /v1/x'
const key = { VENDOR_API_KEY: 'sk-vendor-api01-x' }
const gatewayConsole = 'gateway seed --db s.db > seed.json && gatepass gateway'

describe('0: done', () => {
  test.each([
    'config check --os linux fine.json',
    'config diff fine.json fine.json',
    'config fields',
    'cache list',
    'completion bash',
    'simulate',
    'gateway seed --db s.db',
    '--version',
    'help config',
  ])('gatepass %s ends with 0', async (line) => {
    expect(await statusOf(line)).toBe(0)
  })
})

describe('1: the answer is no', () => {
  test.each([
    'config check --os linux wrong.json',
    'config diff fine.json other.json',
    'config init --helper aws-bedrock-token --base-url nonsense',
    'check-helper --rule starts /nowhere/helper',
    'doctor --yes wrong.json',
    'simulate --yes failing.json',
  ])('gatepass %s ends with 1', async (line) => {
    expect(await statusOf(line)).toBe(1)
  })
})

describe('2: the command line, a variable or a document cannot be used', () => {
  test.each([
    '',
    'nonsense',
    'config check',
    'config check --os dos fine.json',
    'config check broken.json',
    'config check nowhere.json',
    'config check http://127.0.0.1:9/',
    'config convert --to flat broken.json',
    'config export --to linux broken.json',
    'config diff fine.json broken.json',
    'config init',
    'check-helper',
    'check-helper --rule nonsense /bin/true',
    'simulate broken.json',
    'simulate --scenario nowhere',
    'simulate --scenario one.yaml',
    'simulate failing.json',
    'doctor broken.json',
    'doctor failing.json',
    'doctor --db nowhere.db fine.json',
    `${api} --document broken.json`,
    'api nonsense',
    'api POST /v1/x --input nowhere --base-url https://a.example',
    'cache list --helper nonsense',
    'completion tcsh',
    'gateway start --fault nonsense',
    'gateway start --document broken.json',
    'gateway start --document nowhere.json',
    'gateway keys list',
    `${gatewayConsole} keys disable nowhere --db s.db`,
    `${gatewayConsole} federation issuer https://a.example --jwks-file notes.txt --db s.db`,
  ])('gatepass %s ends with 2', async (line) => {
    expect(await statusOf(line)).toBe(2)
  })

  test('gatepass api ends with 2 without the address of the API', async () => {
    expect(await statusOf(api, key)).toBe(2)
  })
})

describe('3: something that it needs is missing', () => {
  test.each([`${api} --base-url https://a.example`, `${api} --document empty.json`])('%s ends with 3', async (line) => {
    expect(await statusOf(line)).toBe(3)
  })
})

describe('5: refused, or not permitted', () => {
  test.each([
    'simulate --html /nowhere/page.html',
    'config convert --to flat fine.json --out /nowhere/flat.json',
    'config init --helper aws-bedrock-token --base-url https://a.example --out fine.json',
    'doctor --yes --report notes.txt fine.json',
    'gateway keys list --db notes.txt',
  ])('gatepass %s ends with 5', async (line) => {
    expect(await statusOf(line)).toBe(5)
  })

  test('gatepass gateway ends with 5 where its port is in use', async () => {
    const server = createServer()
    expect(await statusOf(`gateway start --port ${await listenDuringTest(server)}`)).toBe(5)
  })

  test('gatepass api ends with 5 where the API refuses the key', async () => {
    const url = await startServer((_request, response) => response.writeHead(403).end('{}'))
    expect(await statusOf(`${api} --base-url ${url}`, key)).toBe(5)
  })
})

describe('74: stdout cannot be written', () => {
  test.each([
    'config schema > /dev/full',
    'config check --os linux wrong.json > /dev/full',
    '--version 1< /dev/null',
    'simulate 1< /dev/null',
  ])('gatepass %s ends with 74', async (line) => {
    expect(await statusOf(line)).toBe(exitStatus.unwritable)
  })
})

describe('6: a server cannot be reached, or fails', () => {
  test('gatepass api ends with 6 where nobody listens at the address', async () => {
    expect(await statusOf(`${api} --base-url http://127.0.0.1:9`, key)).toBe(6)
  })

  test('gatepass api ends with 6 where the server answers every request with 500', async () => {
    const url = await startServer((_request, response) => response.writeHead(500).end('{}'))
    expect(await statusOf(`api POST /v1/x --base-url ${url}`, key)).toBe(6)
  })
})
