import { beforeAll, describe, expect, test } from 'vitest'
import { audience, onceSession, type ProofStage, session, startProofStage, stranger } from './proof-stage.ts'

let stage: ProofStage
beforeAll(async () => {
  stage = await startProofStage()
  return () => stage.close()
})

const who = { status: 200, user: session, account: '111122223333' }
const refused = (reason: string, detail?: unknown, status = 401) => ({ status, reason, detail })
const mismatch = 'AWS STS says that its signature does not hold: it is for another audience, or was changed'

const prefix = 'k8s-aws-v1.'
const openUrl = (token: string) => Buffer.from(token.slice(prefix.length), 'base64url').toString()
const closeUrl = (url: string) => prefix + Buffer.from(url).toString('base64url')
const editUrl = (token: string, from: string | RegExp, to: string) => closeUrl(openUrl(token).replace(from, to))

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString()
const toBase64 = (text: string) => Buffer.from(text).toString('base64')

/** Returns a login of Vault with another text in one of its fields. */
function editLogin(token: string, field: string, edit: (text: string) => string): string {
  const login = JSON.parse(fromBase64(token))
  return toBase64(
    JSON.stringify({ ...login, [`iam_request_${field}`]: toBase64(edit(fromBase64(login[`iam_request_${field}`]))) }),
  )
}

describe('a proof of the helper passes', () => {
  test.each<[what: string, argv: readonly string[]]>([
    ['as a URL', []],
    ['as a URL for the global host', ['--sts-endpoint', 'global']],
    ['as a login of Vault', ['--form', 'vault']],
    ['as a login of Vault for a region', ['--form', 'vault', '--sts-endpoint', 'regional']],
    ['as a login of Vault with the header of the policy', ['--form', 'vault', '--audience-header', 'x-k8s-aws-id']],
  ])('%s', async (_, argv) => {
    expect(await stage.ask(await stage.print(session, ['--audience', audience, ...argv]))).toEqual(who)
  })

  test('with one question to AWS STS for many requests', async () => {
    const token = await stage.print(session)
    const before = stage.hosts.sts.requests
    const answers = await Promise.all(Array.from({ length: 20 }, () => stage.ask(token)))
    answers.push(await stage.ask(token))
    expect([new Set(answers.map((answer) => JSON.stringify(answer))), stage.hosts.sts.requests - before]).toEqual([
      new Set([JSON.stringify(who)]),
      1,
    ])
  })
})

describe('with a question to AWS STS', () => {
  test.each<[what: string, arn: string, argv: readonly string[], answer: object]>([
    [
      "a stranger's role of the same name",
      stranger,
      ['--audience', audience],
      refused('no-rule', 'no rule accepts its claims: account (no accepted value), role (no accepted value)', 403),
    ],
    ['a URL for another gateway', session, ['--audience', 'another.example'], refused('aws-refused', mismatch)],
  ])('refuses %s', async (_, arn, argv, answer) => {
    expect(await stage.ask(await stage.print(arn, argv))).toEqual(answer)
  })

  test('refuses a changed signature without asking again', async () => {
    const token = editUrl(await stage.print(session), /.{4}$/, '0000')
    const before = stage.hosts.sts.requests
    expect([await stage.ask(token), await stage.ask(token)]).toEqual([
      refused('aws-refused', mismatch),
      refused('aws-refused', mismatch),
    ])
    expect(stage.hosts.sts.requests - before).toBe(1)
  })
})

describe('without any request', () => {
  let url: string
  let login: string
  beforeAll(async () => {
    url = await stage.print(session)
    login = await stage.print(session, ['--audience', audience, '--form', 'vault'])
  })

  test.each<[what: string, edit: () => string | Promise<string>, reason: string]>([
    ['a foreign host', () => editUrl(url, 'sts.eu-central-1.amazonaws.com', 'sts.amazonaws.com.evil.example'), 'host'],
    ['a host behind a user', () => editUrl(url, 'amazonaws.com/', 'amazonaws.com:443@evil.example/'), 'host'],
    ['this machine', () => editUrl(url, 'sts.eu-central-1.amazonaws.com', '127.0.0.1'), 'host'],
    ['metadata of the cloud', () => editUrl(url, 'sts.eu-central-1.amazonaws.com', '169.254.169.254'), 'host'],
    ['China', () => editUrl(url, 'sts.eu-central-1.amazonaws.com', 'sts.cn-north-1.amazonaws.com.cn'), 'host'],
    ['a second action', () => closeUrl(`${openUrl(url)}&action=AssumeRole`), 'malformed'],
    ['another action', () => editUrl(url, 'GetCallerIdentity', 'GetSessionToken'), 'malformed'],
    ['a plus sign for a slash', () => editUrl(url, '%2F', '+'), 'malformed'],
    ['a header of the audience that is not signed', () => editUrl(url, '%3Bx-k8s-aws-id', ''), 'audience'],
    ['http', () => editUrl(url, 'https', 'http'), 'malformed'],
    ['a date of last year', () => editUrl(url, /(Date=)\d{4}/, '$12025'), 'malformed'],
    ['padding', () => `${url}=`, 'malformed'],
    ['another prefix', () => `k8s-aws-v2${url.slice(10)}`, 'unknown-kind'],
    ['the bare URL', () => openUrl(url), 'unknown-kind'],
    ['more than 4096 bytes', () => url.padEnd(4097, 'A'), 'malformed'],
    ['a proof without an audience', () => stage.print(session, ['--audience', 'none']), 'audience'],
    [
      'a login for another gateway',
      () => stage.print(session, ['--audience', 'another.example', '--form', 'vault']),
      'audience',
    ],
    ['a login to a foreign host', () => editLogin(login, 'url', () => 'https://sts.evil.example/'), 'host'],
    [
      'a login with another body',
      () => editLogin(login, 'body', () => 'Action=GetSessionToken&Version=2011-06-15'),
      'malformed',
    ],
    [
      'a login with a smuggled header',
      () => editLogin(login, 'headers', (text) => text.replace('{', '{"X-Amz-Target":["A.B"],')),
      'malformed',
    ],
    [
      'a login with a line break in a header',
      () => editLogin(login, 'headers', (text) => text.replace(audience, `${audience}\\r\\nX: y`)),
      'malformed',
    ],
    [
      'a login whose host is another one',
      () => editLogin(login, 'headers', (text) => text.replace('sts.amazonaws.com', 'evil.example')),
      'malformed',
    ],
  ])('refuses %s', async (_, edit, reason) => {
    const token = await edit()
    const before = stage.hosts.asked.length
    expect([await stage.ask(token), stage.hosts.asked.slice(before)]).toEqual([refused(reason), []])
  })

  test('refuses a key of Bedrock, and names who can verify it', async () => {
    const key = await stage.print(session, [], 'aws-bedrock-token')
    const detail =
      'it begins like a Bedrock API key, which AWS alone can verify: a gateway forwards it unverified, to bedrock-runtime.REGION'
    expect(await stage.ask(key)).toEqual(refused('unknown-kind', detail))
  })
})

test('a proof that passes once does not pass in another spelling', async () => {
  const url = await stage.print(onceSession)
  const [start, query = ''] = openUrl(url).split('?')
  const reordered = closeUrl(`${start}?${query.split('&').reverse().join('&')}`)
  const login = await stage.print(onceSession, ['--audience', audience, '--form', 'vault'])
  const respelled = editLogin(login, 'headers', (text) =>
    text.replaceAll(/"([A-Za-z-]+)":/g, (name) => name.toUpperCase()),
  )
  const once = { status: 200, user: 'batch', account: '' }
  const answers: unknown[] = []
  for (const token of [url, url, reordered, editUrl(url, /%3B/g, '%3b'), login, login, respelled])
    answers.push(await stage.ask(token))
  const again = refused('replayed')
  expect(answers).toEqual([once, again, again, again, once, again, again])
})

describe('while AWS STS answers with', () => {
  test.each<[what: string, behaviour: Parameters<ProofStage['hosts']['sts']['behave']>[0]]>([
    ['a redirect', { status: 302, headers: { location: 'https://sts.amazonaws.com/elsewhere' } }],
    [
      'a page that names a caller',
      { status: 200, headers: { 'content-type': 'text/xml' }, body: `<html><Arn>${session}</Arn></html>` },
    ],
    ['a huge body', 'endless'],
    ['a slow body', 'drip'],
    ['half of an answer', 'truncate'],
    ['a broken connection', 'reset'],
    ['a busy service', { status: 503 }],
  ])('%s nobody passes', async (_, behaviour) => {
    const token = await stage.print(session)
    stage.hosts.sts.behave(behaviour)
    const startedAt = Date.now()
    const answer = await stage.ask(token)
    const isInTime = Date.now() - startedAt < 8000
    stage.hosts.sts.behave('forward')
    expect({ answer, isInTime, next: await stage.ask(token) }).toEqual({
      answer: refused('aws-unavailable', undefined, 503),
      isInTime: true,
      next: who,
    })
  })
})

test('the verifier ends in order, and has written no part of a proof', async () => {
  const { status, stdout, stderr } = await stage.stop()
  const parts = stage.secrets.flatMap((secret) => [secret.slice(0, 40), secret.slice(-40)])
  const signatures = stage.secrets.filter((text) => text.startsWith(prefix)).map((token) => openUrl(token).slice(-64))
  expect({
    status,
    stdout: stdout.replace(/(?<=unix:).*(?=\/)/, 'DIRECTORY'),
    // Five seconds after the line before it: of many at once the log leaves some out.
    isTold: stderr.includes('sts.eu-central-1.amazonaws.com gave no answer within 5 s'),
    secrets: [...parts, ...signatures, 'canary'].filter((secret) => stderr.includes(secret)),
  }).toEqual({ status: 0, stdout: '{"listen":"unix:DIRECTORY/verifier.sock"}\n', isTold: true, secrets: [] })
})
