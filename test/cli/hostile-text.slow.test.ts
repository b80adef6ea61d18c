import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeShellHelper } from '../client/simulation/play.ts'
import { runBundle } from '../setup/run-bundle.ts'
import type { Outcome } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startGatewayCommand } from './gateway/start-gateway-command.ts'
import { runOnPath } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Clears the screen, sets its title, turns the direction of writing and begins a line of its own. */
const steering = '\x1b[2J\x1b]0;t\x07\u009b31m\u202e\u2066\u200b\rpaint'
const hostile = `MARK${steering}\nFORGED\u2028FORGED\u0085FORGED`

/** Nothing steers a terminal, no line is the foreign text's own, and the text itself is shown. */
function expectTame({ stdout, stderr }: Outcome): void {
  const shown = `${stdout}${stderr}`
  expect(shown).toContain('MARK')
  expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(shown).not.toMatch(/^ {0,5}FORGED/m) // what a helper wrote is quoted with six spaces
}

function runHere(cwd: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return runOnPath('sh', ['-c', 'exec gatepass "$@"', 'sh', ...words], { cwd, env })
}

const keys = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'made-up' }

function createDocument(inference: Record<string, unknown>): string {
  return JSON.stringify({ $schemaVersion: 2, inference: { provider: 'gateway', ...inference } })
}

describe('a document', () => {
  const write = async () => {
    const cwd = await temporaryDirectory()
    const credential = { kind: 'helper-script', command: `/opt/${hostile}`, args: [hostile], [hostile]: 1 }
    const name = `${hostile.replaceAll('/', '')}.json`
    await writeFile(join(cwd, name), createDocument({ baseUrl: `https://a.example/${hostile}`, credential }))
    await writeFile(
      join(cwd, 'other.json'),
      createDocument({ baseUrl: 'https://a.example', customHeaders: { a: hostile } }),
    )
    return { cwd, name }
  }

  test.each([
    ['config check', ['config', 'check', 'NAME']],
    ['config check --json', ['config', 'check', '--json', 'NAME']],
    ['config check of a missing file', ['config', 'check', 'NAME.missing']],
    ['config convert', ['config', 'convert', '--to', 'flat', 'NAME']],
    ['config diff', ['config', 'diff', 'NAME', 'other.json']],
    ['config diff --json', ['config', 'diff', '--json', 'NAME', 'other.json']],
    ['doctor', ['doctor', '--yes', 'NAME']],
    ['doctor --json', ['doctor', '--yes', '--json', 'NAME']],
    ['doctor, which asks', ['doctor', 'NAME']],
    ['simulate', ['simulate', '--yes', 'NAME']],
    ['simulate with a scenario of that name', ['simulate', '--scenario', 'NAME']],
    ['api', ['api', 'GET', '/v1/x', '--yes', '--document', 'NAME.missing']],
    ['a misspelled option', ['config', 'check', '--NAME']],
    ['a file for a state', ['gateway', 'keys', 'list', '--db', 'NAME']],
  ])('steers no terminal with %s', async (_what, words) => {
    const { cwd, name } = await write()
    expectTame(
      await runHere(
        cwd,
        words.map((word) => word.replace('NAME', name)),
      ),
    )
  })
})

describe('a helper', () => {
  const write = async (status: number) => {
    const cwd = await temporaryDirectory()
    await writeFile(join(cwd, 'words'), `${hostile}\n${hostile}\n`)
    const helper = await writeShellHelper(
      `cat '${join(cwd, 'words')}' >&2; ${status === 0 ? 'echo opaque-token; ' : ''}exit ${status}`,
    )
    const url = await startServer((_request, response) => response.writeHead(401).end('{}'))
    await writeFile(join(cwd, 'document.json'), createDocument({ baseUrl: url, credential: helper }))
    return { cwd, helper: helper.command ?? '' }
  }

  test.each<[what: string, status: number, words: string[]]>([
    ['check-helper', 3, ['check-helper', '--rule', 'exit-status', 'HELPER', hostile]],
    ['check-helper of a good run', 0, ['check-helper', '--rule', 'output-shape', '--rule', 'quiet-stderr', 'HELPER']],
    ['check-helper --json', 3, ['check-helper', '--json', '--rule', 'exit-status', 'HELPER', hostile]],
    ['doctor', 3, ['doctor', '--yes', 'document.json']],
    ['doctor of a good run', 0, ['doctor', '--yes', 'document.json']],
    ['api', 3, ['api', 'GET', '/v1/x', '--yes', '--document', 'document.json']],
    ['api of a good run', 0, ['api', 'GET', '/v1/x', '--yes', '--document', 'document.json']],
    ['simulate --json', 3, ['simulate', '--json', '--yes', 'document.json']],
  ])('steers no terminal with %s', async (_what, status, words) => {
    const { cwd, helper } = await write(status)
    expectTame(
      await runHere(
        cwd,
        words.map((word) => word.replace('HELPER', helper)),
      ),
    )
  })
})

describe('a server', () => {
  test.each<[what: string, status: number, body: unknown, words: string[]]>([
    ['a refusal', 400, { error: { type: 'invalid_request_error', message: hostile } }, ['GET', '/v1/x']],
    ['an answer', 200, { [hostile]: hostile }, ['GET', '/v1/x', '--verbose']],
    [
      'a message',
      200,
      { content: [{ type: 'text', text: hostile.replaceAll('\n', ' ') }] },
      ['messages', 'create', 'x'],
    ],
    ['a list', 200, { data: [{ id: hostile, name: hostile }], next_page: null }, ['workspaces', 'list']],
  ])('steers no terminal through api with %s', async (_what, status, body, words) => {
    const url = await startServer((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
    const env = { VENDOR_API_KEY: 'sk-vendor-api01-x', GATEPASS_BASE_URL: url }
    expectTame(await runHere(await temporaryDirectory(), ['api', ...words], env))
  })

  test.each([
    ['a message', JSON.stringify({ error: { type: 'x', message: hostile } })],
    ['a bare text', hostile],
  ])('steers no terminal through doctor with %s', async (_what, body) => {
    const url = await startServer((_request, response) => response.writeHead(401).end(body))
    const cwd = await temporaryDirectory()
    const credential = await writeShellHelper('echo opaque-token')
    await writeFile(join(cwd, 'document.json'), createDocument({ baseUrl: url, credential }))
    expectTame(await runHere(cwd, ['doctor', '--yes', 'document.json']))
  })
})

describe('the log of the gateway', () => {
  test.each([
    ['an encoded line feed', '/MARK%0aFORGED%0d%1b%5b2J'],
    ['what turns the direction of writing', '/MARK%e2%80%ae%c2%9b%e2%80%a8FORGED'],
  ])('cannot be forged through %s', async (_what, path) => {
    const gateway = await startGatewayCommand()
    const { port, hostname, host } = new URL(gateway.started.url)
    await new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () =>
        socket.end(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
      )
      socket.on('close', () => done()).resume()
    })
    expectTame({ stdout: '', status: 0, stderr: (await gateway.stop()).stderr })
  })
})

describe('a name in the environment', () => {
  test.each([['list'], ['clear']])('steers no terminal through cache %s', async (word) => {
    const cwd = await temporaryDirectory()
    const cache = join(cwd, hostile)
    await mkdir(cache, { mode: 0o700 })
    expectTame(await runHere(cwd, ['cache', word], { XDG_CACHE_HOME: cache }))
  })

  test.each<[what: string, argv: string[], env: Record<string, string>]>([
    ['a profile', ['--region', 'us-east-1'], { AWS_PROFILE: hostile }],
    ['the context, explained', ['--region', 'us-east-1', '--explain'], { ...keys, VENDOR_HELPER_CONTEXT: hostile }],
    ['the home folder, in the help', ['--help'], { XDG_CONFIG_HOME: `/${hostile}`, HOME: `/${hostile}` }],
    ['an option', [`--${hostile}`], {}],
  ])('steers no terminal through a helper: %s', async (_what, argv, env) => {
    expectTame(await runBundle('aws-bedrock-token', { argv, env: { HOME: await temporaryDirectory(), ...env } }))
  })
})
