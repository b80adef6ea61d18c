import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { fails, type Outcome, prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableText } from '../setup/to-stable-text.ts'
import { documentWith, writeTemporary } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Writes a helper whose tokens are `token-1`, `token-2` and so on; while a file `broken` lies beside it, it fails. */
async function writeHelper() {
  const directory = await temporaryDirectory()
  const path = join(directory, 'helper')
  const script = `#!/bin/sh
cd "$(dirname "$0")"
if [ -e broken ]; then echo 'helper: the vault is closed' >&2; exit 5; fi
echo x >> runs
echo "token-$(wc -l < runs | tr -d ' ')"
`
  await writeFile(path, script)
  await chmod(path, 0o755)
  return {
    path,
    breakDown: () => writeFile(join(directory, 'broken'), ''),
    countRuns: async () => (await readFile(join(directory, 'runs'), 'utf8')).length / 2,
  }
}

/** Starts `gatepass run` with these words, without a terminal. */
function start(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [toBundlePath('gatepass'), 'run', ...words], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const outcome = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    outcome.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    outcome.stderr += chunk
  })
  const ended: Promise<Outcome> = once(child, 'close').then(([status, signal]) => ({
    status: status ?? signal,
    ...outcome,
  }))
  return { child, outcome, ended }
}

/** Runs a client that is a script for Node, behind a helper and a gateway. */
async function startScript(
  script: string,
  listener: RequestListener = (_, response) => void response.end('an answer'),
) {
  const helper = await writeHelper()
  const gateway = await startServer(listener)
  const words = toWords('messages', { helper: helper.path, gateway })
  return { helper, gateway, ...start([...words, process.execPath, '-e', script]) }
}

/** Returns the words before the client's own command. */
function toWords(client: string, { helper, gateway }: { readonly helper: string; readonly gateway: string }): string[] {
  return ['--helper', helper, '--base-url', gateway, '--client', client, '--']
}

/** The first lines of every script of a client. */
const ask = `
const ask = (path, init = {}) => fetch(process.env.VENDOR_BASE_URL + path, { ...init, headers: { 'x-api-key': process.env.VENDOR_API_KEY } })
const say = async (response) => console.log(response.status, await response.text())
`

describe('a client', () => {
  test('gets an address and a key, and its requests the token of the helper', async () => {
    const seen: unknown[] = []
    const { ended, helper } = await startScript(
      `${ask} say(await ask('/v1/models')); say(await ask('/v1/models'))`,
      ({ url, headers }, response) => {
        seen.push([url, headers.authorization, headers['x-api-key']])
        response.end('an answer')
      },
    )
    expect({ outcome: await ended, seen, runs: await helper.countRuns() }).toEqual({
      outcome: { status: 0, stdout: '200 an answer\n200 an answer\n', stderr: '' },
      seen: Array(2).fill(['/v1/models', 'Bearer token-1', undefined]),
      runs: 1,
    })
  })

  test('has standard input, output and error of its own', async () => {
    const { child, ended } = await startScript(
      `process.stdin.on('data', (text) => { console.log('read ' + text); console.error('an error') })`,
    )
    child.stdin!.end('a line')
    expect(await ended).toEqual({ status: 0, stdout: 'read a line\n', stderr: 'an error\n' })
  })

  test('gets the key of its run in no argument list', async () => {
    const script = `${ask}
      const { execFileSync } = require('node:child_process')
      const list = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      console.log(process.env.VENDOR_API_KEY.length, list.includes(process.env.VENDOR_API_KEY), list.includes('token-' + 1))`
    const { ended } = await startScript(script)
    expect(await ended).toEqual({ status: 0, stdout: '43 false false\n', stderr: '' })
  })

  test.each([0, 1, 7, 255])('that ends with %d gives its status', async (status) => {
    const { ended } = await startScript(`process.exit(${status})`)
    expect(await ended).toEqual({ status, stdout: '', stderr: '' })
  })

  test.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('that %s ends gives 128 and its number', async (signal) => {
    const { ended } = await startScript(`process.kill(process.pid, '${signal}')`)
    expect(await ended).toEqual({ status: 128 + constants.signals[signal], stdout: '', stderr: '' })
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)(
    'gets %s, and decides what it means',
    async (signal) => {
      const { child, outcome, ended } = await startScript(
        `setInterval(() => {}, 1000); process.on('${signal}', () => { console.log('got it'); process.exit(3) }); console.log('ready')`,
      )
      await expect.poll(() => outcome.stdout).toBe('ready\n')
      child.kill(signal)
      expect(await ended).toEqual({ status: 3, stdout: 'ready\ngot it\n', stderr: '' })
    },
  )

  test('that ends with a stream under way ends the stream', async () => {
    const gone = Promise.withResolvers<void>()
    const { ended } = await startScript(
      `${ask} ask('/').then(({ body }) => body.getReader().read()).then(() => process.kill(process.pid, 'SIGKILL'))`,
      (_request, response) => response.once('close', gone.resolve).write('data: 0\n\n'),
    )
    expect(await ended).toEqual({ status: 137, stdout: '', stderr: '' })
    await gone.promise
  })

  test('sees a broken stream where its relay is killed, and so does the gateway', async () => {
    const gone = Promise.withResolvers<void>()
    const { child, outcome, ended } = await startScript(
      `${ask} ask('/').then((response) => { console.log('begun'); return response.text() }).catch((error) => console.log(error.message))`,
      (_request, response) => response.once('close', gone.resolve).write('data: 0\n\n'),
    )
    await expect.poll(() => outcome.stdout).toBe('begun\n')
    child.kill('SIGKILL')
    expect(await ended).toEqual({ status: 'SIGKILL', stdout: 'begun\nterminated\n', stderr: '' })
    await gone.promise
  })
})

describe('a helper', () => {
  test('is run again after a 401, and the request sent once more', async () => {
    const { ended, helper } = await startScript(
      `${ask} say(await ask('/', { method: 'POST', body: 'a body' }))`,
      async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString()
        response.statusCode = request.headers.authorization === 'Bearer token-1' ? 401 : 200
        response.end(body)
      },
    )
    expect(await ended).toEqual({ status: 0, stdout: '200 a body\n', stderr: '' })
    expect(await helper.countRuns()).toBe(2)
  })

  test('that fails at the start is reported, and the client is not started', async () => {
    const helper = await writeHelper()
    await helper.breakDown()
    const words = [
      '--helper',
      helper.path,
      '--base-url',
      'http://127.0.0.1:9',
      '--client',
      'openai',
      '--',
      'echo',
      'started',
    ]
    expect(await start(words).ended).toEqual({
      status: 5,
      stdout: '',
      stderr: `helper: helper: the vault is closed
gatepass: the credential helper gave no credential: the helper failed with exit status 5
gatepass: hint: see what it says: gatepass check-helper '${helper.path}'
`,
    })
  })

  test('that fails later is reported once, and to the client each time', async () => {
    const { ended, helper } = await startScript(
      `${ask} for (let count = 0; count < 3; count += 1) await say(await ask('/'))`,
      async (_request, response) => {
        await helper.breakDown()
        response.writeHead(401).end('no')
      },
    )
    const { stdout, ...rest } = await ended
    // Within ten seconds it is not run again, and the client gets the gateway's own answer.
    expect({ ...rest, stdout: toStableText(stdout) }).toEqual({
      status: 0,
      stdout: `\
401 {"type":"error","error":{"type":"authentication_error","message":"gatepass: the credential helper gave no credential: the helper failed with exit status 5; see what it says: gatepass check-helper 'TEMPORARY/helper'"},"request_id":"req_UUID"}
401 no
401 no
`,
      stderr: `helper: helper: the vault is closed
gatepass: the credential helper gave no credential: the helper failed with exit status 5
gatepass: hint: see what it says: gatepass check-helper '${helper.path}'
`,
    })
  })
})

describe('the variables of a client', () => {
  const named = ['--base-url-variable', 'ACME_URL', '--key-variable', 'ACME_KEY']

  // Each place counts before those of the rows below it; the first two together are refused.
  test.each<[what: string, words: readonly string[], program: string, addresses: string]>([
    ['the options that name them', named, 'aider', 'ACME_URL'],
    ['the option --client', ['--client', 'gemini'], 'aider', 'GOOGLE_GEMINI_BASE_URL'],
    ['the name of its program', [], 'aider', 'OPENAI_API_BASE OPENAI_BASE_URL'],
    ['the options that name them, for an unknown program', named, 'acme', 'ACME_URL'],
    ['the option --client, for an unknown program', ['--client', 'gemini'], 'acme', 'GOOGLE_GEMINI_BASE_URL'],
  ])('are chosen by %s', async (_what, words, program, addresses) => {
    const { path } = await writeHelper()
    const client = await writeTemporary(program, `#!/bin/sh\necho $(env | sed -n 's,=http://127.*,,p' | sort)\n`)
    await chmod(client, 0o755)
    expect(await start(['--helper', path, '--base-url', 'http://localhost:9', ...words, '--', client]).ended).toEqual(
      prints(`${addresses}\n`),
    )
  })
})

describe('the command line', () => {
  const helper = ['--helper', '/bin/true', '--base-url', 'http://127.0.0.1:9'] as const
  test.each<[what: string, words: readonly string[], status: number, message: string, hint: string]>([
    [
      'no credential',
      ['--', 'opencode'],
      2,
      'nothing says where the credential comes from',
      'pass --document or --helper',
    ],
    [
      'an unknown client',
      [...helper, '--', 'cat'],
      2,
      'cat is not a client that is known by its name',
      'pass --client with one of gemini, messages, openai, opencode, or --base-url-variable and --key-variable',
    ],
    [
      'one variable',
      [...helper, '--key-variable', 'KEY', '--', 'cat'],
      2,
      'only one of the two variables is named',
      'pass --base-url-variable and --key-variable',
    ],
    [
      'variables of a known client',
      [...helper, '--client', 'openai', '--key-variable', 'K', '--base-url-variable', 'U', '--', 'cat'],
      2,
      '--client names the variables already',
      'remove --client, or both variables',
    ],
    [
      'a provider of another client',
      [...helper, '--client', 'openai', '--provider', 'a', '--', 'cat'],
      2,
      '--provider is for opencode, and not for a client of the OpenAI API',
      'remove it',
    ],
    [
      'a missing program',
      [...helper, '--', 'opencode'],
      3,
      'there is no program opencode',
      'install it, or write its full path',
    ],
    [
      'no address',
      ['--helper', '/bin/true', '--client', 'openai', '--', 'true'],
      2,
      'the address of the API is missing',
      'pass --base-url, or set GATEPASS_BASE_URL',
    ],
  ])('with %s is refused before anything is run', async (_what, words, status, message, hint) => {
    expect(await start(words).ended).toEqual(fails('gatepass', status, message, hint))
  })

  test('with a document asks first, and sends requests through to its gateway', async () => {
    const { path } = await writeHelper()
    const gateway = await startServer(({ headers }, response) => response.end(headers.authorization))
    const document = JSON.parse(documentWith({ command: path }))
    const file = await writeTemporary(
      'config.json',
      JSON.stringify({ ...document, inference: { ...document.inference, baseUrl: gateway } }),
    )
    const client = [
      '--base-url-variable',
      'ACME_URL',
      '--key-variable',
      'ACME_KEY',
      '--base-path',
      '/v2',
      '--',
      process.execPath,
      '-e',
    ]
    const script = `const { ACME_URL, ACME_KEY } = process.env
      const headers = { authorization: 'Bearer ' + ACME_KEY }
      fetch(ACME_URL, { headers }).then((r) => r.text()).then((text) => console.log(text, new URL(ACME_URL).pathname))`
    const shown = `This runs:      ${JSON.stringify(path)}\nand sends to:   ${gateway}/\n`
    expect(await start(['--document', file, ...client, script]).ended).toEqual({
      status: 2,
      stdout: '',
      stderr: `${shown}gatepass: standard input is not a terminal\ngatepass: hint: read the lines above, then pass --yes\n`,
    })
    expect(await start(['--document', file, '--yes', ...client, script]).ended).toEqual(
      prints('Bearer token-1 /v2\n', shown),
    )
  })
})

test('a client that ends while the helper runs ends the helper too', async () => {
  const { path } = await writeHelper()
  const pidFile = `${path}.pid`
  await writeFile(path, `#!/bin/sh\n[ -e "$0.pid" ] && { echo $$ > "$0.pid"; exec sleep 30; }\necho token-1\n`)
  const gateway = await startServer((_, response) => void response.writeHead(401).end())
  const script = `${ask}
    const fs = require('node:fs')
    fs.writeFileSync('${pidFile}', '')
    ask('/').catch(() => {})
    setInterval(() => fs.readFileSync('${pidFile}').length > 0 && process.exit(3), 10)`
  const words = [...toWords('messages', { helper: path, gateway }), process.execPath, '-e', script]
  expect(await start(words).ended).toEqual({ status: 3, stdout: '', stderr: '' })
  expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH')
})

test('requests to the client’s address go through no proxy', async () => {
  const helper = await writeHelper()
  const gateway = await startServer((_request, response) => response.end())
  const words = [...toWords('openai', { helper: helper.path, gateway }), 'sh', '-c', 'echo "$NO_PROXY $no_proxy"']
  const { stdout } = await start(words, { HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: 'intranet' }).ended
  expect(stdout).toBe('intranet,127.0.0.1 intranet,127.0.0.1\n')
})
