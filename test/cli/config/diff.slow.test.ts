import { expect, test } from 'vitest'
import { fails, prints } from '../../setup/run-program.ts'
import { documentWith, pipeToGatepass, runGatepass, writeTemporary } from '../run-gatepass.ts'

const before = () => writeTemporary('before.json', documentWith({ ttlSec: 900 }))
const after = () =>
  writeTemporary('after.json', documentWith({ ttlSec: 800, authScheme: 'x-api-key', args: ['--profile', 'dev'] }))

test('says what changes, and what users are asked about again', async () => {
  expect(await runGatepass('config', 'diff', await before(), await after())).toEqual({
    status: 1,
    stdout: `inference.credential.args  asks for consent again
  - not set
  + ["--profile","dev"]
inference.credential.ttlSec  asks for consent again
  - 900
  + 800
inference.credential.authScheme
  - "bearer"
  + "x-api-key"
`,
    stderr: '',
  })
})

test('says the same as one JSON document', async () => {
  const [a, b] = [await before(), await after()]
  const { status, stdout, stderr } = await runGatepass('config', 'diff', '--json', a, b)
  expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
    status: 1,
    stderr: '',
    report: {
      status: 1,
      before: { document: a, findings: [] },
      after: {
        document: b,
        findings: [
          {
            path: 'inference.credential.authScheme',
            code: 'not-in-specification',
            severity: 'info',
            message: 'clients were seen to read this, though the specification does not list it',
            hint: '',
            line: 1,
            column: 189,
          },
        ],
      },
      differences: [
        { path: 'inference.credential.args', after: ['--profile', 'dev'], consent: true },
        { path: 'inference.credential.ttlSec', before: 900, after: 800, consent: true },
        { path: 'inference.credential.authScheme', before: 'bearer', after: 'x-api-key', consent: false },
      ],
    },
  })
})

test('reports no change for another form, another spelling or a written default', async () => {
  const { stdout } = await pipeToGatepass(documentWith(), 'config', 'convert', '--to', 'managed', '-')
  const managed = await writeTemporary('managed.json', stdout)
  expect(await pipeToGatepass(documentWith({ ttlSec: 3600 }), 'config', 'diff', managed, '-')).toEqual(
    prints('A client applies both alike.\n'),
  )
})

test('names the document that cannot be read', async () => {
  const [good, bad] = [await before(), await writeTemporary('bad.json', '[]')]
  const outcome = await runGatepass('config', 'diff', good, bad)
  expect(outcome).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: ${bad}: expected a JSON object, found an array (not-an-object)
gatepass: hint: put the fields between { and }
`,
  })
  const { status, stdout, stderr } = await runGatepass('config', 'diff', '--json', good, bad)
  expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
    status: 2,
    stderr: '',
    report: {
      status: 2,
      before: { document: good, findings: [] },
      after: {
        document: bad,
        findings: [
          {
            path: '',
            code: 'not-an-object',
            severity: 'error',
            message: 'expected a JSON object, found an array',
            hint: 'put the fields between { and }',
          },
        ],
      },
      differences: [],
    },
  })
})

test('does not call documents of another provider equal', async () => {
  const foreign = await writeTemporary('foreign.json', '{"inference": {"provider": "cloud"}}')
  const warning = `gatepass: warning: inference.provider: it names another provider than "gateway", so nothing here was checked (foreign-provider)
gatepass: hint: for a gateway set it to "gateway"; otherwise see the documentation of that provider
`
  expect(await runGatepass('config', 'diff', foreign, foreign)).toEqual({
    status: 2,
    stdout: '',
    stderr: `${warning}${warning}gatepass: nothing was compared: both documents name another provider than "gateway"
gatepass: hint: compare them as text: diff '${foreign}' '${foreign}'
`,
  })
  expect(await runGatepass('config', 'diff', foreign, await before())).toEqual({
    status: 1,
    stdout: `inference.provider
  - not set
  + "gateway"
inference.baseUrl  asks for consent again
  - not set
  + "https://gateway.example.com"
inference.streamIdleTimeoutSec
  - not set
  + 300
inference.credential.kind
  - not set
  + "helper-script"
inference.credential.command  asks for consent again
  - not set
  + "/opt/gatepass/aws-bedrock-token"
inference.credential.ttlSec  asks for consent again
  - not set
  + 900
inference.credential.timeoutSec
  - not set
  + 60
inference.credential.silentRefreshEnabled
  - not set
  + true
inference.credential.authScheme
  - not set
  + "bearer"
`,
    stderr: warning,
  })
})

test('refuses standard input as both documents', async () => {
  expect(await pipeToGatepass(documentWith(), 'config', 'diff', '-', '-')).toEqual(
    fails('gatepass', 2, 'both documents cannot be standard input', 'name a file for one of them'),
  )
})
