import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { fails, type Outcome, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, pipeToGatepass, writeTemporary } from '../run-gatepass.ts'
import { createTestCli, pipeHere, runHere } from '../run-here.ts'

const consent = `Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command
`

describe('gatepass config check', () => {
  test('says what a valid document will ask of users', async () => {
    const path = await writeTemporary('good.json', documentWith())
    expect(await runHere(['config', 'check', '--os', 'linux', path])).toEqual(
      prints(`${consent}\nThis document works: 1 note.\n`),
    )
  })

  test('names the path, the code, what is wrong and how to fix it, the worst first', async () => {
    const path = await writeTemporary('bad.json', documentWith({ command: '~/bin/token', ttlSec: 55, bogus: 1 }))
    expect(await runHere(['config', 'check', '--os', 'linux', path])).toEqual({
      status: 1,
      stdout: `Errors: this will not take effect, or gives no credential
  inference.credential.command  tilde-in-path  line 1, column 132
    ~ is not expanded
    → write the full path, such as /usr/local/bin/…

Warnings: this works, but will cause problems
  inference.credential.bogus  unknown-field  line 1, column 168
    the client does not know this field and ignores it
    → remove it, or check its spelling and its position
  inference.credential.ttlSec  ttl-without-turn-check  line 1, column 156
    at 120 or less the helper does not run again before a turn, only at the next session or after a rejection
    → set it above 120

Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command, inference.credential.ttlSec

This document does not work as it stands: 1 error, 2 warnings, 1 note.
`,
      stderr: '',
    })
  })

  test('reads the configuration of the named helper from its arguments', async () => {
    const args = ['--client-ttl', '900', '--client-timeout', '20']
    const path = await writeTemporary('args.json', documentWith({ ttlSec: 900, timeoutSec: 20, args }))
    const { status, stdout } = await runHere(['config', 'check', '--os', 'linux', '--json', path])
    expect({ status, codes: codesIn(stdout) }).toEqual({ status: 0, codes: ['consent-asked'] })
  })

  test('reports that the named helper refuses the arguments of the document', async () => {
    const path = await writeTemporary('args.json', documentWith({ args: ['--profil', 'dev'] }))
    const { status, stdout } = await runHere(['config', 'check', '--os', 'linux', '--json', path])
    expect({ status, codes: codesIn(stdout) }).toEqual({ status: 1, codes: ['helper-arguments', 'consent-asked'] })
  })

  test.each<[position: string, args: readonly string[]]>([
    ['first', ['sign-in', '--issuer', 'https://id.example']],
    ['last', ['--issuer', 'https://id.example', 'sign-in']],
  ])('tells that a command as the %s argument is for a person', async (position, args) => {
    const document = documentWith({ command: '/opt/gatepass/oidc-token', args })
    const path = await writeTemporary('command.json', document)
    expect(await runHere(['config', 'check', '--os', 'linux', path])).toEqual({
      status: 1,
      stdout: `Errors: this will not take effect, or gives no credential
  inference.credential.args  helper-arguments  line 1, column 169
    the helper gives no token with them: the ${position} argument is the command sign-in, which is for a person
    → remove sign-in here; a person types it in a terminal, followed by the other arguments

Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command, inference.credential.args

This document does not work as it stands: 1 error, 1 note.
`,
      stderr: '',
    })
  })

  test('names the settings without which the named helper gets no token', async () => {
    const check = async (...args: readonly string[]) => {
      const document = documentWith({ command: '/opt/gatepass/oidc-token', args })
      const path = await writeTemporary('unset.json', document)
      const { status, stdout } = await runHere(['config', 'check', '--os', 'linux', '--json', path])
      const findings: { code: string; message: string }[] = JSON.parse(stdout).findings
      return [status, findings.filter(({ code }) => code === 'helper-option-unset').map(({ message }) => message)]
    }
    expect([
      await check(),
      await check('--issuer', 'https://id.example.com'),
      await check('--issuer', 'https://id.example.com', '--client-id', 'x'),
    ]).toEqual([
      [0, ['the helper gets no token until client-id, issuer are set']],
      [0, ['the helper gets no token until client-id is set']],
      [0, []],
    ])
  })

  test('prints one JSON document for a file that cannot be read, and exits with 2', async () => {
    const missing = join(await temporaryDirectory(), 'doc.json')
    expect(await runHere(['config', 'check', '--json', missing])).toEqual({
      status: 2,
      stdout: `${JSON.stringify(
        {
          status: 2,
          document: missing,
          findings: [
            {
              path: '',
              code: 'file-unreadable',
              severity: 'error',
              message: 'the file does not exist',
              hint: `check the path: ${missing}`,
            },
          ],
        },
        undefined,
        2,
      )}\n`,
      stderr: '',
    })
  })

  test.each([
    [
      'a malformed release',
      ['--client-version', 'latest'],
      `gatepass: option '--client-version <release>' argument 'latest' is invalid. expected whole numbers with dots between them.
gatepass: hint: see: gatepass config check --help
`,
    ],
    [
      'an unknown reader',
      ['--reader', 'phone'],
      `gatepass: option '--reader <reader>' argument 'phone' is invalid. Allowed choices are desktop, suite.
gatepass: hint: see: gatepass config check --help
`,
    ],
    [
      'an unknown operating system',
      ['--os', 'plan9'],
      `gatepass: option '--os <system>' argument 'plan9' is invalid. Allowed choices are linux, macos, windows.
gatepass: hint: see: gatepass config check --help
`,
    ],
  ])('refuses %s', async (_, flags, reason) => {
    expect(await runHere(['config', 'check', ...flags, 'doc.json'])).toEqual({ status: 2, stdout: '', stderr: reason })
  })

  test('names fields that the installed client does not read', async () => {
    const path = await writeTemporary('new.json', documentWith({ args: ['--profile', 'x'] }))
    const { status, stdout } = await runHere([
      'config',
      'check',
      '--os',
      'linux',
      '--client-version',
      '1.14271.0',
      '--json',
      path,
    ])
    expect({ status, findings: JSON.parse(stdout).findings[0] }).toEqual({
      status: 1,
      findings: {
        path: 'inference.credential.args',
        code: 'newer-than-client',
        severity: 'error',
        message: 'clients read this from 2.110.0 on, and this one is 1.14271.0',
        hint: 'update the client to 2.110.0, or remove it and set its options in a file or by variables: see aws-bedrock-token --help',
        line: 1,
        column: 176,
      },
    })
  })

  test('takes several documents, and ends with the worst of their statuses', async () => {
    const good = await writeTemporary('good.json', documentWith())
    const empty = await writeTemporary('empty.json', '')
    expect(await runHere(['config', 'check', '--os', 'linux', good, empty])).toEqual({
      status: 2,
      stdout: `${good}
${consent}
This document works: 1 note.

${empty}
Errors: this will not take effect, or gives no credential
  the document  empty-file
    it is empty
    → write a JSON object

The document cannot be read.

1 of 2 documents passed.
`,
      stderr: '',
    })
  })

  test('gives the status of each of several documents as JSON', async () => {
    const good = await writeTemporary('good.json', documentWith())
    const empty = await writeTemporary('empty.json', '')
    const { stdout } = await runHere(['config', 'check', '--os', 'linux', good, empty, '--format', 'json'])
    const { status, documents } = JSON.parse(stdout)
    expect({ status, documents: documents.map(({ findings: _, ...rest }: { findings: unknown }) => rest) }).toEqual({
      status: 2,
      documents: [
        { status: 0, document: good },
        { status: 2, document: empty },
      ],
    })
  })

  test('ends with 1 on a warning only with --strict', async () => {
    const path = await writeTemporary('short.json', documentWith({ ttlSec: 60, args: ['--client-ttl', '60'] }))
    const flags = ['config', 'check', '--os', 'linux', path]
    const [lenient, strict] = await Promise.all([runHere(flags), runHere([...flags, '--strict'])])
    expect([lenient, strict].map(({ status, stdout }) => [status, stdout.split('\n').at(-2)])).toEqual([
      [0, 'This document works: 1 warning, 1 note.'],
      [1, 'This document has warnings, which --strict does not accept: 1 warning, 1 note.'],
    ])
  })

  test('reads standard input once', async () => {
    expect(await pipeHere(documentWith(), ['config', 'check', '-', '-'])).toEqual(
      fails('gatepass', 2, 'only one document can be standard input', 'name files for the others'),
    )
  })

  test('reads a document from standard input in the built command', async () => {
    expect(await pipeToGatepass(documentWith(), 'config', 'check', '--os', 'linux', '-')).toEqual(
      prints(`${consent}\nThis document works: 1 note.\n`),
    )
  })

  test('says that a document without third-party mode turns nothing on', async () => {
    const { status, stdout } = await pipeHere('{}', ['config', 'check', '-'])
    expect({ status, last: stdout.split('\n').at(-2) }).toEqual({
      status: 0,
      last: 'This document turns nothing on: 1 note.',
    })
  })

  test('says that nothing in a document of another provider was checked', async () => {
    expect(await pipeHere('{"inference": {"provider": "cloud"}}', ['config', 'check', '-'])).toEqual(
      prints(`Warnings: this works, but will cause problems
  inference.provider  foreign-provider  line 1, column 16
    it names another provider than "gateway", so nothing here was checked
    → for a gateway set it to "gateway"; otherwise see the documentation of that provider

Nothing was checked, because the document names another provider: 1 warning.
`),
    )
  })

  test('reads a served document by the rules for one, and names a sign-in page', async () => {
    const pages: Record<string, [status: number, headers: Record<string, string>, body: string]> = {
      '/doc': [200, {}, documentWith().replace('https://gateway.example.com', 'http://127.0.0.1:9')],
      '/login': [200, { 'content-type': 'text/html' }, '<!doctype html><html><title>Sign in</title></html>'],
      '/moved': [302, { location: 'https://sso.example.com/' }, ''],
    }
    const server = createServer((request, response) => {
      const [status, headers, body] = pages[request.url ?? ''] ?? [404, {}, '']
      response.writeHead(status, headers).end(body)
    })
    const base = `http://127.0.0.1:${await listenDuringTest(server)}`
    const outcomes = await Promise.all(
      Object.keys(pages).map(async (page) => {
        const { status, stdout } = await runHere(['config', 'check', '--os', 'linux', '--json', `${base}${page}`])
        return [page, status, codesIn(stdout)[0]]
      }),
    )
    expect(outcomes).toEqual([
      ['/doc', 1, 'url-loopback-served'],
      ['/login', 2, 'html-page'],
      ['/moved', 2, 'fetch-redirected'],
    ])
  })

  test('looks at this machine with --here', async () => {
    const directory = await temporaryDirectory()
    const command = join(directory, 'aws-bedrock-token')
    const path = join(directory, 'doc.json')
    await writeFile(path, documentWith({ command }))
    const check = async () => codesIn((await runHere(['config', 'check', '--here', '--json', path])).stdout)
    const found = [await check()]
    await writeFile(command, '')
    await chmod(command, 0o666)
    found.push(await check())
    await chmod(command, 0o755)
    found.push(await check())
    expect(found).toEqual([
      ['command-missing', 'consent-asked'],
      ['command-not-executable', 'command-writable', 'consent-asked'],
      ['consent-asked'],
    ])
  })

  test('names what is wrong with the settings of the helper on this machine, also as JSON', async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, 'doc.json')
    await mkdir(join(directory, 'gatepass'))
    await writeFile(join(directory, 'gatepass', 'aws-bedrock-token.json'), 'not JSON')
    await writeFile(path, documentWith({ command: '/opt/none/aws-bedrock-token' }))
    const argv = ['config', 'check', '--os', 'linux', '--here', '--json', path]
    const { status, stdout } = await runBundle('gatepass', { argv, env: { XDG_CONFIG_HOME: directory } })
    expect({ status, codes: codesIn(stdout) }).toEqual({
      status: 1,
      codes: ['helper-settings', 'command-missing', 'consent-asked'],
    })
  })

  test('names the setting that is missing on this machine for a run of the helper', async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, 'doc.json')
    const args = ['--client-id', 'x', '--authorization-url', 'https://id.example.com/authorize']
    await writeFile(path, documentWith({ command: '/opt/none/oidc-token', args }))
    const check = async () => {
      const { status, stdout } = await checkWith({ XDG_CONFIG_HOME: directory }, path)
      const [first] = JSON.parse(stdout).findings
      return { status, code: first.code, message: first.message, hint: first.hint }
    }
    const unset = await check()
    await mkdir(join(directory, 'gatepass'))
    const settings = { 'token-url': 'https://id.example.com/token' }
    await writeFile(join(directory, 'gatepass', 'oidc-token.json'), JSON.stringify(settings))
    expect({ unset, set: await check() }).toEqual({
      unset: {
        status: 1,
        code: 'helper-settings',
        message: 'the helper refuses its settings on this machine: token-url must be set',
        hint: 'set it by argument, variable or file; see: oidc-token --help',
      },
      set: {
        status: 1,
        message: 'there is no file /opt/none/oidc-token on this machine',
        hint: 'install the helper there, or correct the path',
        code: 'command-missing',
      },
    })
  })

  test('reports an unusable proxy as an error in the document, and as a warning on this machine', async () => {
    const problemOf = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
      const path = await writeTemporary('proxy.json', documentWith({ args }))
      const { stdout } = await checkWith(env, path)
      const found: Record<'code' | 'severity' | 'message' | 'hint', string>[] = JSON.parse(stdout).findings
      return found.flatMap(({ code, severity, message, hint }) =>
        /proxy/.test(message) ? [{ code, severity, message, hint }] : [],
      )
    }
    const socks = { ALL_PROXY: 'socks5://proxy.example:1080' }
    expect([
      await problemOf(['--proxy', 'http://proxy.example/proxy.pac'], {}),
      await problemOf([], socks),
      await problemOf(['--no-proxy', '*'], socks),
      await problemOf(['--proxy', 'http://proxy.example:3128'], socks),
    ]).toEqual([
      [
        {
          code: 'helper-arguments',
          severity: 'error',
          message: 'the helper gives no token with them: the proxy (argument) is a PAC file, which cannot be used',
          hint: 'open that file, and set the host and port that follow PROXY in it, such as http://proxy.example:3128',
        },
      ],
      [
        {
          code: 'helper-proxy',
          severity: 'warning',
          message:
            "the helper's requests beyond this machine fail: the proxy (variable ALL_PROXY) is a SOCKS proxy, which cannot be used",
          hint: 'set HTTPS_PROXY, which is read before ALL_PROXY, to an HTTP proxy, such as http://proxy.example:3128',
        },
      ],
      [],
      [],
    ])
  })

  test('prints no colours into a pipe although TERM is set', async () => {
    const path = await writeTemporary('good.json', documentWith())
    const argv = ['config', 'check', path]
    expect(await runBundle('gatepass', { argv, env: { TERM: 'xterm-256color' } })).toEqual(
      prints(`Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command

This document works: 1 note.
`),
    )
  })
})

/** Checks a document and this machine in this process, which has these variables. */
async function checkWith(env: Readonly<Record<string, string>>, path: string): Promise<Outcome> {
  const { cli, written } = await createTestCli(['config', 'check', '--os', 'linux', '--here', '--json', path])
  await runCli({ ...cli, host: { ...cli.host, env } })
  return written
}

function codesIn(json: string): string[] {
  return JSON.parse(json).findings.map(({ code }: { code: string }) => code)
}
