import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/runtime/secret.ts'
import { prints } from '../../setup/run-program.ts'
import { testNow } from '../../setup/test-host.ts'
import { createFormatDesk, createKeyedBadge, refused } from './format-desk.ts'

const argv = ['--format', 'credential-process']
const hour = { expiration: new Date(testNow + 3_600_000), sessionToken: new Secret('session') }
const document = (number: number) =>
  `{"Version":1,"AccessKeyId":"AKIA${number}","SecretAccessKey":"s3cret","SessionToken":"session","Expiration":"2026-01-15T13:00:00Z","AccountId":"123456789012"}\n`

test('the credentials are printed as AWS reads them, and kept under a key of their own', async () => {
  const desk = await createFormatDesk(createKeyedBadge(hour))
  const outcomes = [await desk.run(argv), await desk.run(argv), await desk.run([])]
  const files = await readdir(join(desk.home, '.cache/gatepass'))
  const keys = files.filter((name) => name.endsWith('.json')).map((name) => name.replace(/-\w+\.json$/, ''))
  expect({ outcomes, keys }).toEqual({
    outcomes: [prints(document(1)), prints(document(1)), prints('{"token":"badge-1"}\n')],
    keys: ['badge', 'badge'],
  })
})

test('the same credentials are printed as an answer of AWS STS without another mint', async () => {
  const desk = await createFormatDesk(createKeyedBadge(hour))
  const sts = (number: number) =>
    `{"Credentials":{"AccessKeyId":"AKIA${number}","SecretAccessKey":"s3cret","SessionToken":"session","Expiration":"2026-01-15T13:00:00Z"}}\n`
  expect([
    await desk.run(['--format', 'sts-credentials']),
    await desk.run(argv),
    await desk.run(['--format', 'sts-credentials']),
  ]).toEqual([prints(sts(1)), prints(document(1)), prints(sts(1))])
})

test('credentials that the AWS tools would renew at once are not served from the cache', async () => {
  const short = { ...hour, expiration: new Date(testNow + 15 * 60_000) }
  const desk = await createFormatDesk(createKeyedBadge(short))
  const late = { clock: { now: () => testNow + 60_000, startedAt: testNow + 60_000, elapsedMs: () => 0 } }
  expect((await desk.run(argv)).stdout).toBe(
    '{"Version":1,"AccessKeyId":"AKIA1","SecretAccessKey":"s3cret","SessionToken":"session","Expiration":"2026-01-15T12:15:00Z","AccountId":"123456789012"}\n',
  )
  expect((await desk.run(argv, late)).stdout).toBe(
    '{"Version":1,"AccessKeyId":"AKIA2","SecretAccessKey":"s3cret","SessionToken":"session","Expiration":"2026-01-15T12:15:00Z","AccountId":"123456789012"}\n',
  )
})

test('the end is stated by the clock of AWS', async () => {
  const desk = await createFormatDesk(createKeyedBadge({ ...hour, clockOffsetMs: 600_000 }))
  expect(await desk.run(argv)).toEqual(prints(document(1)))
})

test('keys without an end are never written to disk', async () => {
  const desk = await createFormatDesk(createKeyedBadge())
  expect(await desk.run(argv)).toEqual(
    prints('{"Version":1,"AccessKeyId":"AKIA1","SecretAccessKey":"s3cret","AccountId":"123456789012"}\n'),
  )
  const files = await readdir(join(desk.home, '.cache/gatepass'))
  expect(files.filter((name) => name.endsWith('.json'))).toEqual([])
})

test('headers are left out, because they are for requests with a token', async () => {
  const desk = await createFormatDesk(createKeyedBadge(hour))
  expect(await desk.run(['--header', 'X-Team: a', ...argv])).toEqual(prints(document(1)))
})

test.each(['credential-process', 'sts-credentials'])(
  'with --format %s, a helper without AWS credentials refuses before anything is asked',
  async (format) => {
    const desk = await createFormatDesk()
    expect(await desk.run(['--format', format])).toEqual(
      refused(
        2,
        `--format ${format} is for AWS credentials, and badge has none`,
        'choose a helper whose options name an AWS profile, or another format; see: badge --help',
      ),
    )
  },
)
