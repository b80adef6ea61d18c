import { chmod, readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { renderSelected, selectValues } from '../../../src/cli/api/print.ts'
import { parseFault } from '../../../src/gateway/http/faults.ts'
import { type Stage, startStage } from '../../gateway/stage.ts'
import { fails, type Outcome, prints } from '../../setup/run-program.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'

interface RunOptions {
  readonly key?: keyof Stage['seed']['keys'] | 'none'
  readonly input?: string
}

/** Runs `gatepass api …` against a stage, with a key of it in the environment. */
async function runApi(
  { url, seed }: Stage,
  argv: readonly string[],
  { key = 'personal', input = '' }: RunOptions = {},
): Promise<Outcome> {
  const secret = key === 'none' ? undefined : seed.keys[key].secret.reveal()
  const { exitCode, stdout, stderr } = await execa(process.execPath, [toBundlePath('gatepass'), 'api', ...argv], {
    env: { GATEPASS_BASE_URL: url, ...(secret && { VENDOR_API_KEY: secret }) },
    extendEnv: false,
    input,
    reject: false,
    stripFinalNewline: false,
  })
  return { status: exitCode ?? 'killed', stdout, stderr }
}

/** Writes a helper that prints a token, and counts its runs in the tokens: the first, then the second. */
async function writeHelper(...tokens: string[]): Promise<string> {
  const lines = tokens.map((token, index) => `  ${index}) printf '%s' '${token}' ;;`)
  const script = `#!/bin/sh
count=$(cat "$0.count" 2>/dev/null || echo 0)
echo $((count + 1)) > "$0.count"
echo "$VENDOR_HELPER_CONTEXT" >> "$0.contexts"
case $count in
${lines.join('\n')}
  *) exit 4 ;;
esac
`
  const path = await writeTemporary('helper', script)
  await chmod(path, 0o755)
  return path
}

const document = (url: string, command: string, more = {}) =>
  JSON.stringify({
    $schemaVersion: 2,
    inference: { provider: 'gateway', baseUrl: url, credential: { kind: 'helper-script', command }, ...more },
  })

/** The headers that --verbose shows of the list of a session's resources, after those that the person has added. */
const shownExchange = `\
> accept: application/json
> vendor-version: 2023-06-01
> vendor-beta: managed-agents-2026-04-01
> authorization: [secret]
< 200
< connection: close
< content-length: 815
< content-type: application/json
< date: DATE
< request-id: req_ID
`

describe('gatepass api METHOD PATH', () => {
  test('prints the answer as JSON', async () => {
    const stage = await startStage()
    const { stdout, ...rest } = await runApi(stage, ['GET', `/v1/sessions/${stage.seed.session}/resources`])
    const ids = JSON.parse(stdout).data.map(({ id }: { id: string }) => id)
    expect({ ...rest, ids }).toEqual({ status: 0, stderr: '', ids: Object.values(stage.seed.resources) })
  })

  test('--field fills the body, or the query of a GET', async () => {
    const stage = await startStage()
    const messages = '[{"role":"user","content":"Hello?"}]'
    const fields = ['--field', 'model=m', 'max_tokens:=1', `messages:=${messages}`]
    expect((await runApi(stage, ['post', '/v1/messages', ...fields, '--select', 'content.0.text'])).stdout).toBe(
      'Hello?\n',
    )
    const path = `/v1/sessions/${stage.seed.session}/resources`
    expect(JSON.parse((await runApi(stage, ['GET', path, '--field', 'limit=1'])).stdout).data.length).toBe(1)
  })

  test('--input takes the body from a file or from standard input', async () => {
    const stage = await startStage()
    const body = JSON.stringify({ type: 'file', file_id: stage.seed.file })
    const target = ['POST', `/v1/sessions/${stage.seed.session}/resources`, '--select', 'file_id']
    const file = await writeTemporary('body.json', body)
    expect([
      await runApi(stage, [...target, '--input', '-'], { input: body }),
      await runApi(stage, [...target, '--input', file]),
    ]).toEqual(Array(2).fill({ status: 0, stdout: `${stage.seed.file}\n`, stderr: '' }))
  })

  test('--paginate follows next_page, one item a line', async () => {
    const stage = await startStage()
    const path = `/v1/sessions/${stage.seed.session}/resources?limit=1`
    const stdout = Object.values(stage.seed.resources).map((id) => `${id}\n`)
    expect(await runApi(stage, ['GET', path, '--paginate', '--select', 'id'])).toEqual(prints(stdout.join('')))
  })

  test('passes a stream on as it comes', async () => {
    const stage = await startStage()
    const body = JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'a' }], stream: true })
    const { stdout } = await runApi(stage, ['POST', '/v1/messages', '--input', '-'], { input: body })
    expect(stdout.split('\n', 1)).toEqual(['event: message_start'])
  })

  test('a refusal prints a hint and nothing on stdout', async () => {
    const stage = await startStage()
    const { status, stdout, stderr } = await runApi(stage, ['GET', '/v1/organizations/api_keys'])
    expect({ status, stdout, stderr: stderr.replace(/req_\w+/, 'req_…') }).toEqual({
      status: 5,
      stdout: '',
      stderr:
        'gatepass: HTTP 403 permission_error: this credential is not for the administration endpoints (request req_…)\n' +
        'gatepass: hint: use a credential that may do this: an attestation token only sends messages, and a key for one workspace does not administer\n',
    })
  })

  test('--verbose shows request and answer without the credential', async () => {
    const stage = await startStage()
    const { stderr, stdout } = await runApi(stage, ['GET', `/v1/sessions/${stage.seed.session}/resources`, '--verbose'])
    expect(toStableText(stderr)).toBe(`\
> GET http://127.0.0.1:PORT/v1/sessions/sesn_ID/resources
${shownExchange}`)
    expect((stderr + stdout).includes(stage.seed.keys.personal.secret.reveal())).toBe(false)
  })

  test.each<[what: string, argv: string[], why: string]>([
    ['no path', ['GET'], "missing required argument 'path'"],
    ['an unknown method', ['request', 'GET /x', '/v1/messages'], 'expected a method, such as GET'],
    ['an unknown word', ['GET /x', '/v1/messages'], '"GET /x" is neither a method, such as GET, nor a command of api'],
    ['an unknown command', ['resource', 'list', 's'], '"resource" is neither a method, such as GET, nor a command'],
    ['a field twice', ['POST', '/a', '--field', 'a=b', 'a:=1'], '"a" is given twice'],
    ['a body with GET', ['GET', '/a', '--input', '-'], '--input is a body, which GET does not have'],
    ['a workspace with a line break', ['GET', '/a', '--workspace', 'a\nb'], 'vendor-workspace-id has a character'],
    ['--stream with --json', ['messages', 'create', 'a', '--stream', '--json'], 'cannot be used with option'],
    ['a path without /', ['GET', 'v1/messages'], 'expected a path that begins with /'],
    ['a field without =', ['POST', '/a', '--field', 'a'], 'expected name=value or name:=JSON'],
    ['a field that is not JSON', ['POST', '/a', '--field', 'a:=b'], 'the text after := is not JSON'],
    ['field and input', ['POST', '/a', '--field', 'a=b', '--input', '-'], 'cannot be used with option'],
    ['--paginate with POST', ['POST', '/a', '--paginate'], '--paginate is for lists'],
    ['a beta feature that does not exist', ['GET', '/a', '--beta', 'none'], 'Allowed choices are'],
    ['a limit beyond 1000', ['resources', 'list', 's', '--limit', '1001'], 'limit is 1001'],
    [
      'plain http beyond loopback',
      ['GET', '/a', '--base-url', 'http://api.example.com'],
      'api.example.com would be sent a secret over plain http',
    ],
    [
      'nobody there',
      ['GET', '/a', '--base-url', 'http://127.0.0.1:1023'],
      '127.0.0.1:1023 cannot be reached (ECONNREFUSED)',
    ],
  ])('refuses %s', async (_, argv, why) => {
    const { status, stdout, stderr } = await runApi(await startStage(), argv)
    expect([status !== 0, stdout, stderr.includes(why)]).toEqual([true, '', true])
  })
})

test.each([[[]], [['resources']], [['keys']]])('gatepass api %j lists what can follow', async (argv) => {
  const { status, stdout, stderr } = await runApi(await startStage(), argv, { key: 'none' })
  const usage =
    argv.length === 0
      ? 'gatepass api <method> <path> [options] | <command>'
      : `gatepass api ${argv} [options] [command]`
  expect([status, stdout, stderr.startsWith(`Usage: ${usage}\n`)]).toEqual([2, '', true])
})

describe('gatepass api', () => {
  test('lists, adds, gets and rotates resources', async () => {
    const stage = await startStage()
    const { session, file, resources } = stage.seed
    const listed = await runApi(stage, ['resources', 'list', session, '--limit', '2'])
    const added = await runApi(stage, ['resources', 'add', session, file, '--mount-path', '/mnt/x'])
    const got = await runApi(stage, ['resources', 'get', session, JSON.parse(added.stdout).id])
    const rotated = await runApi(stage, ['resources', 'rotate', session, resources.repository], { input: 'canary\n' })
    expect({
      listed: listed.stdout.split('\n').map((line) => line.split('\t').slice(0, 2)),
      got,
      rotated: [rotated.status, rotated.stdout.includes('canary'), rotated.stdout.includes('"main"')],
    }).toEqual({
      listed: [
        [resources.file, 'file'],
        [resources.repository, 'git_repository'],
        [resources.memoryStore, 'memory_store'],
        [''],
      ],
      got: added,
      rotated: [0, false, true],
    })
  })

  test('sends events', async () => {
    const stage = await startStage()
    const sent = JSON.parse((await runApi(stage, ['events', 'send', stage.seed.session, 'one', 'two'])).stdout)
    expect(sent.map(({ content }: { content: unknown }) => content)).toEqual([
      [{ type: 'text', text: 'one' }],
      [{ type: 'text', text: 'two' }],
    ])
  })

  test('creates messages, also as a stream', async () => {
    const stage = await startStage()
    const whole = await runApi(stage, ['messages', 'create', 'Hello?'])
    const streamed = await runApi(stage, ['messages', 'create', 'Hello?', '--stream'])
    expect([whole.stdout, toStableText(streamed.stdout)]).toEqual([
      'Hello?\n',
      `\
event: message_start
data: {"type":"message_start","message":{"id":"msg_ID","type":"message","role":"assistant","model":"default","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello?"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`,
    ])
  })

  test('lists keys and workspaces, and gets a key', async () => {
    const stage = await startStage()
    const { keys, workspaces } = stage.seed
    const listed = await runApi(stage, ['keys', 'list'], { key: 'administrative' })
    const got = await runApi(stage, ['keys', 'get', keys.personal.id], { key: 'administrative' })
    const all = await runApi(stage, ['workspaces', 'list', '--include-default', '--workspace', workspaces.team], {
      key: 'unscoped',
    })
    expect({
      first: listed.stdout.split('\n')[0],
      status: JSON.parse(got.stdout).status,
      workspaces: all.stdout,
    }).toEqual({
      first: `${keys.personal.id}\tactive\t-\tAda, team`,
      status: 'active',
      workspaces: `${workspaces.default}\tDefault\n${workspaces.team}\tTeam\n`,
    })
  })
})

describe('the credential', () => {
  const list = ['resources', 'list'] as const

  test('is asked for by the names of its variable and options', async () => {
    const stage = await startStage()
    expect(await runApi(stage, ['GET', '/v1/messages'], { key: 'none' })).toEqual({
      status: 3,
      stdout: '',
      stderr:
        'gatepass: there is no credential: VENDOR_API_KEY is not set\ngatepass: hint: set VENDOR_API_KEY, or pass --helper or --document\n',
    })
  })

  test('of --helper comes from a run as the client makes it, and after a 401 from a refresh', async () => {
    const stage = await startStage({ faults: [parseFault('GET /v1/sessions/* 401 once')] })
    const token = stage.seed.keys.personal.secret.reveal()
    const helper = await writeHelper(token, token)
    const { status, stderr } = await runApi(stage, [...list, stage.seed.session, '--helper', helper], { key: 'none' })
    expect([status, stderr]).toEqual([0, ''])
    expect(await readFile(`${helper}.contexts`, 'utf8')).toBe('scheduled-task\nmid-session-refresh\n')
  })

  test.each<[first: string, argv: (paths: { file: string; helper: string }) => string[]]>([
    ['--document', ({ file }) => ['--document', file, '--yes']],
    ['--helper', ({ helper }) => ['--helper', helper]],
  ])('of %s takes precedence over the variable', async (first, argv) => {
    const stage = await startStage()
    const [kept, printed] = ['sk-vendor-of-document', 'sk-vendor-of-helper']
    const credential = { kind: 'static', apiKey: kept, authScheme: 'x-api-key' }
    const paths = {
      file: await writeTemporary('d.json', document(stage.url, '', { credential })),
      helper: await writeHelper(printed, printed),
    }
    const { status, stderr } = await runApi(stage, [...list, stage.seed.session, '--verbose', ...argv(paths)])
    // The key in the variable is valid, and these two are not.
    const used = stderr.includes('> x-api-key: [secret]\n') ? '--document' : '--helper'
    expect([status, used, stderr.includes('< 401\n')]).toEqual([5, first, true])
  })

  test('of a helper that fails is missing, and the error repeats what the helper said', async () => {
    const stage = await startStage()
    const helper = await writeHelper()
    const { status, stdout, stderr } = await runApi(stage, ['GET', '/v1/x', '--helper', helper], { key: 'none' })
    expect([status, stdout]).toEqual([5, ''])
    expect(stderr).toBe(`gatepass: the credential helper gave no credential: the helper failed with exit status 4
gatepass: hint: see what it says: gatepass check-helper '${helper}'
`)
  })

  test('of --document is not asked for before somebody agrees to command and address', async () => {
    const stage = await startStage()
    const helper = await writeHelper(stage.seed.keys.personal.secret.reveal())
    const file = await writeTemporary('d.json', document(stage.url, helper, { customHeaders: { 'X-Team': 'a' } }))
    const argv = [...list, stage.seed.session, '--document', file]
    const refused = toStableValue(await runApi(stage, argv, { key: 'none' }))
    const records = [...stage.records]
    const { stdout, ...agreed } = await runApi(stage, [...argv, '--yes', '--verbose'], { key: 'none' })
    const asked = 'This runs:      "TEMPORARY/helper"\nand sends to:   http://127.0.0.1:PORT/\n'
    expect({ refused, records, agreed: toStableValue(agreed), lines: stdout.split('\n').length }).toEqual({
      refused: {
        status: 2,
        stdout: '',
        stderr: `${asked}gatepass: standard input is not a terminal\ngatepass: hint: read the lines above, then pass --yes\n`,
      },
      records: [],
      agreed: {
        status: 0,
        stderr: `${asked}> GET http://127.0.0.1:PORT/v1/sessions/sesn_ID/resources\n> X-Team: a\n${shownExchange}`,
      },
      lines: 4,
    })
  })

  test('of --document goes to the address that the question names, where the document has none', async () => {
    const stage = await startStage()
    const helper = await writeHelper()
    const file = await writeTemporary('d.json', document('', helper).replace('"baseUrl":"",', ''))
    const { status, stderr } = await runApi(stage, ['GET', '/v1/x', '--document', file], { key: 'none' })
    expect([status, stderr.includes(`and sends to:   ${stage.url}/\n`)]).toEqual([2, true])
    const argv = ['api', 'GET', '/v1/x', '--document', file]
    const missing = await execa(process.execPath, [toBundlePath('gatepass'), ...argv], {
      ...({ extendEnv: false, reject: false, stripFinalNewline: false, env: {} } as const),
    })
    expect(missing.stderr).toBe(
      'gatepass: the address of the API is missing\ngatepass: hint: pass --base-url, or set GATEPASS_BASE_URL\n',
    )
  })

  test('of --document may be a static key', async () => {
    const stage = await startStage()
    const apiKey = stage.seed.keys.personal.secret.reveal()
    const credential = { kind: 'static', apiKey, authScheme: 'x-api-key' }
    const file = await writeTemporary('d.json', document(stage.url, '', { credential }))
    const { status, stderr } = await runApi(
      stage,
      [...list, stage.seed.session, '--document', file, '--yes', '--verbose'],
      {
        key: 'none',
      },
    )
    expect([status, stderr.includes('> x-api-key: [secret]\n'), stderr.includes(apiKey)]).toEqual([0, true, false])
  })

  test('of --document is not renewed after a 401 where silent refresh is off', async () => {
    const stage = await startStage()
    const helper = await writeHelper('refused', stage.seed.keys.personal.secret.reveal())
    const credential = { kind: 'helper-script', command: helper, silentRefreshEnabled: false }
    const file = await writeTemporary('d.json', document(stage.url, '', { credential }))
    const { status, stdout, stderr } = await runApi(stage, [...list, stage.seed.session, '--document', file, '--yes'], {
      key: 'none',
    })
    expect([status, stdout, toStableText(stderr).split('\n').slice(2, 4)]).toEqual([
      5,
      '',
      [
        'gatepass: the credential was refused and is not renewed: silentRefreshEnabled is false',
        'gatepass: HTTP 401 authentication_error: the credential is not accepted (request req_ID)',
      ],
    ])
    expect(await readFile(`${helper}.contexts`, 'utf8')).toBe('scheduled-task\n')
  })

  test('of --document is missing where the helper fails after a 401, and the error says so', async () => {
    const stage = await startStage()
    const helper = await writeHelper('refused')
    const file = await writeTemporary('d.json', document(stage.url, helper))
    const { status, stderr } = await runApi(stage, [...list, stage.seed.session, '--document', file, '--yes'], {
      key: 'none',
    })
    expect([status, stderr.split('\n')[2]]).toEqual([
      5,
      'gatepass: the credential helper gave no credential: the helper failed with exit status 4',
    ])
  })

  test.each([
    ['no gateway', undefined, 'FILE names no gateway'],
    ['no credential', {}, 'the document names no credential'],
    [
      'a static credential without its key',
      { kind: 'static' },
      'the document has no key (apiKey) for its static credential',
    ],
  ])('of --document with %s is refused with the reason', async (_, credential, why) => {
    const stage = await startStage()
    const file = await writeTemporary('d.json', credential ? document(stage.url, '', { credential }) : '{}')
    const { status, stdout, stderr } = await runApi(stage, ['GET', '/v1/x', '--document', file], { key: 'none' })
    expect([status, stdout, stderr.split('\n').slice(-3)]).toEqual([
      3,
      '',
      [
        `gatepass: ${why.replace('FILE', file)}`,
        `gatepass: hint: look at it with: gatepass config check '${file}'`,
        '',
      ],
    ])
  })
})

test('the error says why a document cannot be read', async () => {
  const stage = await startStage()
  const argv = ['GET', '/v1/x', '--document', '/nowhere/d.json', '--yes']
  expect(await runApi(stage, argv, { key: 'none' })).toEqual(
    fails('gatepass', 2, '/nowhere/d.json cannot be read: the file does not exist', 'check the path: /nowhere/d.json'),
  )
})

describe('hostile text in an answer', () => {
  const hostile = 'a\u009b31mb\u202ec\x1b[2Jd\n\te'
  const answering = (body: unknown, type = 'application/json') =>
    startServer((_, response) => response.writeHead(200, { 'content-type': type }).end(JSON.stringify(body)))

  test('is escaped where it is a message', async () => {
    const url = await answering({ content: [{ type: 'text', text: hostile }] })
    const { stdout } = await runApi(await startStage(), ['messages', 'create', 'a', '--base-url', url])
    expect(stdout).toBe('a\\u009b31mb\\u202ec\\u001b[2Jd\n\te\n')
  })

  test('is escaped where it is JSON, which keeps its meaning', async () => {
    const url = await answering({ hostile })
    const { stdout } = await runApi(await startStage(), ['GET', '/v1/x', '--base-url', url])
    expect([JSON.parse(stdout), /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(stdout)]).toEqual([{ hostile }, false])
  })

  test('cannot be selected from where it is not JSON', async () => {
    const url = await answering({ a: 1 }, 'text/plain')
    const argv = ['GET', '/v1/x', '--base-url', url]
    expect([
      await runApi(await startStage(), argv),
      await runApi(await startStage(), [...argv, '--select', 'a']),
    ]).toEqual([
      { status: 0, stdout: '{"a":1}', stderr: '' },
      fails('gatepass', 5, 'the answer is not JSON (text/plain)', 'run it again without --select'),
    ])
  })
})

test.each([{ more: [] }, { more: ['--paginate'] }, { more: ['--select', 'data'] }])(
  'a write-only field that a server returns is not printed, with $more',
  async ({ more }) => {
    const answer = {
      data: [{ id: 'a', authorization_token: 'canary', deep: { authorization_token: 'canary' } }],
      next_page: null,
    }
    const url = await startServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    )
    const { stdout, ...rest } = await runApi(await startStage(), ['GET', '/v1/x', '--base-url', url, ...more])
    expect({ ...rest, hasItem: stdout.includes('"a"'), hasSecret: stdout.includes('canary') }).toEqual({
      status: 0,
      stderr: '',
      hasItem: true,
      hasSecret: false,
    })
  },
)

test('the command ends when its reader closes the pipe', async () => {
  let pages = 0
  const url = await startServer((_, response) => {
    pages += 1
    const data = Array.from({ length: 1000 }, (_, index) => ({ id: `${pages}-${index}`, filler: 'x'.repeat(100) }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data, next_page: `page-${pages}` }))
  })
  const api = `'${process.execPath}' '${toBundlePath('gatepass')}' api GET /v1/x --base-url ${url} --paginate --select id`
  const { stdout, exitCode } = await execa('/bin/sh', ['-c', `${api} | head -n 1`], {
    ...({ extendEnv: false, reject: false } as const),
    env: { VENDOR_API_KEY: 'k', PATH: '/usr/bin:/bin' },
  })
  expect([stdout, exitCode, pages < 100]).toEqual(['1-0', 0, true])
})

test('HEAD prints nothing, and the status with --verbose', async () => {
  const url = await startServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end())
  const { status, stdout, stderr } = await runApi(await startStage(), ['HEAD', '/v1/x', '--base-url', url, '--verbose'])
  expect([status, stdout, stderr.includes('< 200\n')]).toEqual([0, '', true])
})

test('a POST without a body is sent as JSON', async () => {
  expect(toStableValue(await runApi(await startStage(), ['POST', '/v1/messages']))).toEqual({
    status: 5,
    stdout: '',
    stderr: `\
gatepass: HTTP 400 invalid_request_error: the body is not JSON (request req_ID)
gatepass: hint: correct the request as the message says
`,
  })
})

test('a key that no header can carry is refused without being shown', async () => {
  const stage = await startStage()
  const { stderr } = await execa(process.execPath, [toBundlePath('gatepass'), 'api', 'GET', '/v1/x'], {
    ...({ extendEnv: false, reject: false, stripFinalNewline: false } as const),
    env: { GATEPASS_BASE_URL: stage.url, VENDOR_API_KEY: 'canary\nx' },
  })
  expect(stderr).toBe(
    'gatepass: authorization has a character that no header can carry\ngatepass: hint: copy its value again, without line breaks\n',
  )
  expect(stage.records).toEqual([])
})

describe('--select', () => {
  const value = { data: [{ id: 'a' }, { id: 'b', n: 1 }], next_page: null, 'a b': true, hostile: ['a\u009bb\u202ec'] }

  test.each([
    ['data.0.id', 'a\n'],
    ['data.*.id', 'a\nb\n'],
    ['data.1', '{"id":"b","n":1}\n'],
    ['hostile', '["a\\u009bb\\u202ec"]\n'],
    ['data.*.n', '1\n'],
    ['next_page', 'null\n'],
    ['a b', 'true\n'],
    ['data.2.id', ''],
    ['none.at.all', ''],
    ['constructor', ''],
  ])('%s prints the value there', (path, printed) => {
    expect(selectValues(value, path).map(renderSelected).join('')).toBe(printed)
  })
})
