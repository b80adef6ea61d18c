import { describe, expect, test } from 'vitest'
import { describeAsked, describeDevice, describeServedDocument } from '../../../src/client/doctor/describe-served.ts'
import type { DocumentAnswer, NoDocument, ServerAnswer } from '../../../src/client/session/ask-server.ts'
import type { Asked } from '../../../src/client/session/served-source.ts'
import { parseTrustAnchor } from '../../../src/client/session/trust-anchor.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'

const url = 'https://config.example.com/bootstrap'

describe('the document of the device', () => {
  const describeText = (content: object) => {
    const { anchor, findings } = parseTrustAnchor(parseDocument(Buffer.from(JSON.stringify(content))))
    return describeDevice({ signIn: anchor.signIn, findings, isNamed: true })
  }

  test('is left out if none was named', () => {
    expect(describeDevice({ signIn: { kind: 'none' }, findings: [], isNamed: false })).toEqual([])
  })

  test('says how the device signs in, without the values of headers', () => {
    const headers = { bootstrapHeaders: { 'x-key': 'hidden' }, bootstrapHeadersHelper: '/opt/acme/headers' }
    const parts = [
      { bootstrapOidc: { clientId: 'desktop', issuer: 'https://login.example.com' } },
      { bootstrapHeaders: headers.bootstrapHeaders },
      headers,
      { bootstrapUrl: url },
    ].map((content) => describeText(content))
    const good = (line: string) => [{ part: 'device', outcome: 'good', lines: [line] }]
    expect(parts).toEqual([
      good('a person signs in at https://login.example.com, and the access token is sent'),
      good('sent as the sign-in: x-key: ***'),
      good('sent as the sign-in: x-key: ***, what /opt/acme/headers prints'),
      good(noSignIn),
    ])
  })

  const noSignIn =
    'it configures no sign-in; a client then signs people in at the server itself, by a device code, which is not tried here'

  test('is bad where a key of it cannot be used', () => {
    expect(describeText({ bootstrapUrl: 'http://config.example.com' })).toEqual([
      {
        part: 'device',
        outcome: 'bad',
        hint: 'use https://',
        cause: 'bootstrapUrl: a client asks its configuration server over https alone',
        lines: [noSignIn, 'bootstrapUrl: a client asks its configuration server over https alone (insecure-url)'],
      },
    ])
  })
})

describe('one question to the server', () => {
  const sent = { obtained: 'kept', headerNames: ['x-key'] } as const
  const refused = (status: 401 | 403, headers: Record<string, string> = {}): NoDocument => ({
    outcome: 'refused',
    reason: status === 401 ? 'unauthorized' : 'forbidden',
    status,
    text: '',
    message: 'the server does not accept the sign-in',
    hint: 'sign in anew',
    headers: new Headers(headers),
  })
  const sentLines = ['what is configured was sent', 'sent: x-key: ***', 'HTTP 401']
  const failed: NoDocument = { outcome: 'failed', reason: 'redirect', message: 'it redirects', hint: 'name the target' }

  const skipped = (part: string) => ({ part, outcome: 'not examined', lines: ['skipped: an earlier part failed'] })
  const reached = (status: number) => ({ part: 'server', outcome: 'good', lines: [`GET ${url}`, `HTTP ${status}`] })
  const bad = (part: string, lines: readonly string[], hint: string) => ({
    part,
    outcome: 'bad',
    hint,
    cause: lines.at(-1),
    lines,
  })

  test('is not put where there is no sign-in to send', () => {
    expect(describeAsked({ answer: { ...failed, reason: 'sign-in' }, headerNames: [] }, url)).toEqual([
      { part: 'server', outcome: 'not examined', lines: ['skipped: there is no sign-in to send'] },
      bad('server-sign-in', ['it redirects'], 'name the target'),
      skipped('document'),
    ])
  })

  test('ends the examination where it gives neither a document nor a refusal', () => {
    expect(describeAsked({ ...sent, answer: failed }, url)).toEqual([
      bad('server', [`GET ${url}`, 'it redirects'], 'name the target'),
      skipped('server-sign-in'),
      skipped('document'),
    ])
  })

  test.each<[what: string, asked: Asked, lines: readonly string[], hint: string]>([
    [
      'none where it wants one',
      { answer: refused(401), headerNames: [], obtained: 'kept' },
      ['HTTP 401', 'the server wants a sign-in, and none was sent'],
      'name the document of the device, with bootstrapOidc, bootstrapHeaders or bootstrapHeadersHelper, or pass --bootstrap-helper',
    ],
    [
      'one that a server of another kind refuses in words of its own',
      {
        ...sent,
        answer: refused(401, { 'www-authenticate': 'Bearer error="invalid_token", error_description="too old"' }),
      },
      [...sentLines, 'it says: invalid_token: too old', 'the server does not accept the sign-in'],
      'sign in anew',
    ],
    [
      'one among whose headers a server of ours finds no token',
      { ...sent, answer: refused(401, { 'gatepass-refusal': 'no-token' }) },
      [...sentLines, 'the server found no token among the headers that were sent'],
      'have its operators name the header with --token-header, or send the token as a bearer',
    ],
  ])('explains a refusal by the sign-in that was sent: %s', (_, asked, lines, hint) => {
    expect(describeAsked(asked, url)).toEqual([reached(401), bad('server-sign-in', lines, hint), skipped('document')])
  })
})

describe('a document that was served', () => {
  const now = Date.parse('2026-03-02T09:00:00Z')
  const answer = (content: object, etag = '"1"', enforcementHours = 1): DocumentAnswer => {
    const result = parseDocument(Buffer.from(JSON.stringify(content)), { served: { url, authentication: 'none' } })
    return { outcome: 'document', status: 200, document: result.document!, result, etag, digest: '', enforcementHours }
  }
  const unchanged: ServerAnswer = { outcome: 'unchanged', status: 304 }
  const inference = { provider: 'gateway', baseUrl: 'https://config.example.com' }

  const noEnd = 'it does not state its end; clients ask every 30 min'
  const same = 'asked again with its ETag: nothing has changed (HTTP 304)'
  const restart = 'clients that hold another answer ask for a restart, and block after 1 h 0 min'
  const note = (line: string, hint: string) => ({ outcome: 'note', lines: [noEnd, line, restart], hint })
  const untagged = { ...answer({ inference }), etag: undefined }

  test.each<[what: string, first: DocumentAnswer, again: ServerAnswer, described: object]>([
    [
      'stays the same',
      answer({ inference, expiresAt: now / 1000 + 3600 }),
      unchanged,
      {
        outcome: 'good',
        lines: ['it is valid for another 1 h 0 min; clients ask every 30 min at the latest', same, restart],
      },
    ],
    [
      'has ended, and is enforced at once',
      answer({ inference, expiresAt: now / 1000 - 1 }, '"1"', 0),
      unchanged,
      {
        outcome: 'good',
        lines: [
          'its end, 2026-03-02T08:59:59.000Z, has passed; clients ask every 30 min',
          same,
          'clients that hold another answer ask for a restart, and block at once',
        ],
      },
    ],
    [
      'has no ETag',
      untagged,
      untagged,
      note('it has no ETag, so that it is sent whole every time', 'have the server send an ETag and answer 304'),
    ],
    [
      'is sent whole again',
      answer({ inference }),
      answer({ inference }),
      note('asked again with its ETag: it was sent whole', 'have the server answer 304 to If-None-Match'),
    ],
    [
      'has another ETag at once',
      answer({ inference }),
      answer({ inference }, '"2"'),
      note(
        'asked again at once, it has another ETag: every client would be asked to restart every 30 min',
        'compute the ETag from the values alone, without expiresAt and the order of keys',
      ),
    ],
    [
      'is not there the second time',
      answer({ inference }),
      { outcome: 'failed', reason: 'timeout', message: 'no answer within 30 s', hint: 'ask the operators' },
      note('asked again: no answer within 30 s', 'ask the operators'),
    ],
  ])('%s', (_, first, again, described) => {
    expect(describeServedDocument(first, again, { local: undefined, now })).toEqual(described)
  })

  test('is compared with the document of the device that it replaces', () => {
    const local = (content: object) => parseDocument(Buffer.from(JSON.stringify(content))).document
    const described = (content: object) =>
      describeServedDocument(answer({ inference }), unchanged, { local: local(content), now }).lines
    expect([
      described({ inference }),
      described({ inference: { ...inference, baseUrl: 'https://old.example.com', customHeaders: { 'x-a': 'b' } } }),
    ]).toEqual([
      [noEnd, same, 'it means the same as the document of the device', restart],
      [
        ...[noEnd, same, 'it replaces 1 value of the device: inference.baseUrl'],
        'it leaves out, and so unsets: inference.customHeaders',
        restart,
      ],
    ])
  })
})
