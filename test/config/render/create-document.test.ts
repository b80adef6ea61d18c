import { expect, test } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import { chooseTtlSec, createDocument } from '../../../src/config/render/create-document.ts'
import { renderNested } from '../../../src/config/render/shapes.ts'
import { read } from '../read/read-text.ts'

const answers = { baseUrl: 'https://gateway.example', command: '/opt/gatepass/okta-jwt' } as const

test('a new document leaves out the client’s defaults', () => {
  expect(createDocument(answers)).toEqual({
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example',
      credential: { kind: 'helper-script', command: '/opt/gatepass/okta-jwt' },
    },
  })
})

test.each([{}, { tokenLifeSec: 300 }, { tokenLifeSec: 900 }, { tokenLifeSec: 3600 }, { tokenLifeSec: 43_200 }])(
  'a new document for a helper with %j has no error and no warning',
  (life) => {
    const document = createDocument({ ...answers, ...life })
    const findings = checkDocument(read(renderNested(document)), {
      os: 'linux',
      helpers: new Map([['okta-jwt', life]]),
    })
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  },
)

test('a ttl other than the default is passed to the helper after its other arguments', () => {
  const { inference } = createDocument({ ...answers, args: ['--profile', 'dev'], tokenLifeSec: 900 })
  expect(inference?.credential).toEqual({
    kind: 'helper-script',
    command: answers.command,
    args: ['--profile', 'dev', '--client-ttl', '450'],
    ttlSec: 450,
  })
})

test.each([
  [undefined, 3600],
  [43_200, 3600],
  [3600, 1800],
  [900, 450],
  [200, 121],
  [100, 100],
])('tokens of %s s are asked for every %s s', (tokenLifeSec, expected) => {
  expect(chooseTtlSec(tokenLifeSec)).toBe(expected)
})

test('a timeout is passed to the helper too', () => {
  const { inference } = createDocument({ ...answers, args: ['--profile', 'dev'], timeoutSec: 300 })
  expect(inference?.credential).toEqual({
    kind: 'helper-script',
    command: answers.command,
    args: ['--profile', 'dev', '--client-timeout', '300'],
    timeoutSec: 300,
  })
})
