import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { documentWith, runOnPath } from './run-gatepass.ts'
import { startServer } from './start-server.ts'

/** Runs a shell command on a pseudo-terminal of its own, as `script` from util-linux makes one. */
async function onTerminal(command: string, input = '', env: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'document.json'), documentWith({ ttlSec: 60 }))
  const { status, stdout } = await runOnPath('script', ['-qec', command, '/dev/null'], { cwd, input, env })
  return { cwd, status, shown: stdout.replaceAll('\r\n', '\n') }
}

describe('colour', () => {
  const check = 'gatepass config check --os linux document.json'

  test('is there on a terminal', async () => {
    const { shown } = await onTerminal(check)
    expect(shown).toContain(
      '\x1b[33mWarnings: this works, but will cause problems\x1b[39m\n  \x1b[1minference.credential.ttlSec',
    )
  })

  test.each([
    ['NO_COLOR', check, { NO_COLOR: '1' }],
    ['a terminal that has none', check, { TERM: 'dumb' }],
    ['a pipe on a terminal', `${check} | cat`, {}],
    ['--json', `${check} --json`, {}],
    ['messages beside the answer', 'gatepass config convert --to flat --shape flat document.json', {}],
  ])('is not there with %s', async (_what, command, env) => {
    const { shown } = await onTerminal(command, '', env)
    expect(shown).toMatch(/\w/)
    expect(shown).not.toContain('\x1b')
  })
})

describe('an answer of somebody else’s', () => {
  const hostile = 'grün\n\x1b]0;owned\x07\u009b31m\u202eend\n'
  const ask = async (shell: string) => {
    const url = await startServer((_request, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      // In two pieces, with a letter torn between them.
      response.write(Buffer.from(hostile).subarray(0, 3))
      setTimeout(() => response.end(Buffer.from(hostile).subarray(3)), 50)
    })
    return onTerminal(`gatepass api GET /text --base-url ${url} ${shell}`, '', { VENDOR_API_KEY: 'sk-vendor-api01-x' })
  }

  test('does not steer a screen', async () => {
    expect(await ask('')).toMatchObject({ status: 0, shown: 'grün\n\\u001b]0;owned\\u0007\\u009b31m\\u202eend\n' })
  })

  test('reaches a pipe as it is', async () => {
    const { shown } = await ask('| od -An -tx1 -v')
    expect(Buffer.from(shown.replace(/\s/g, ''), 'hex').toString()).toBe(hostile)
  })
})

test('what a helper writes steers no screen, though progress and colour do', async () => {
  const script = `printf '#!/bin/sh\\nprintf "\\\\033[2J\\\\033[32mpass\\\\033[39m" >&2; exit 3\\n' > h; chmod +x h`
  const { status, shown } = await onTerminal(`${script}; gatepass check-helper --rule exit-status ./h`)
  expect({ status, shown }).toEqual({
    status: 1,
    shown: expect.stringContaining('on stderr: \\u001b[2J\\u001b[32mpass\\u001b[39m'),
  })
  expect(shown).toContain('\r\x1b[K1 of ')
  expect(
    shown.match(/\x1b\[?.{0,3}?[A-Za-z]/g)?.filter((sequence) => !/K|3[13]m|39m|90m|1m|22m/.test(sequence)),
  ).toEqual([])
})

describe('gatepass config init', () => {
  const path = 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe'

  test('asks for what is missing, and takes answers typed ahead', async () => {
    const answers = ['aws-bedrock-token', 'https://gateway.example.com', '', path, '']
    const { cwd, status, shown } = await onTerminal('gatepass config init --out new.json', answers.join('\n'))
    expect({ status, shown }).toEqual({
      status: 0,
      shown: expect.stringContaining(
        `Which helper (${listHelpers().join(', ')})? Full URL of the gateway? Where is aws-bedrock-token on macOS and Linux? [/opt/gatepass/aws-bedrock-token] And on Windows? [nowhere] `,
      ),
    })
    expect(JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference).toEqual({
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      credential: { kind: 'helper-script', command: '/opt/gatepass/aws-bedrock-token', commandWindows: path },
    })
  })

  test('asks for what the helper needs and no argument says; no answer leaves it to each machine', async () => {
    const flags = '--helper workload-token --base-url https://g.example.com --command /opt/h --arg=--organization=org_1'
    const answers = ['https://api.example.com', '', 'file', '']
    const { cwd, status, shown } = await onTerminal(`gatepass config init ${flags} --out new.json`, answers.join('\n'))
    expect({ status, asked: shown.match(/[\w-]+(?= \(|: (the|where))/g) }).toEqual({
      status: 0,
      asked: ['base-url', 'federation-rule', 'identity'],
    })
    const { args } = JSON.parse(await readFile(join(cwd, 'new.json'), 'utf8')).inference.credential
    expect(args).toEqual(['--organization=org_1', '--base-url', 'https://api.example.com', '--identity', 'file'])
  })

  test('asks nothing where everything is given', async () => {
    const flags = '--helper aws-bedrock-token --base-url https://g.example.com --command /opt/h --out new.json'
    expect(await onTerminal(`gatepass config init ${flags}`)).toMatchObject({ status: 0, shown: '' })
  })

  test.each([
    ['no such helper', 'token\n', 'gatepass: there is no helper "token"\n'],
    ['no answer', '\n', 'gatepass: --helper is missing\n'],
    ['the end of input', '\x04', 'gatepass: --helper is missing\n'],
  ])('gives up after %s', async (_what, input, message) => {
    const { status, shown } = await onTerminal('gatepass config init', input)
    expect({ status, shown }).toEqual({ status: 2, shown: expect.stringContaining(message) })
  })
})
