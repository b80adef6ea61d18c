import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { root, toBundlePath } from '../../../pkg-scripts/tree.ts'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { createStsCaller, type StandInCaller, startSts } from '../../../src/gateway/start-sts.ts'
import { item, useKeychain } from '../../sources/keychain/secret-service/use-keychain.ts'
import { encodeUrl, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { startGnomeKeyring } from '../../stand-ins/keyring/keyrings.ts'
import { startServerIn, startServerProcess } from '../gateway/verifier/verifier-process.ts'
import { runHere } from '../run-here.ts'
import { createServedFolder } from './served.ts'

const local = ['--listen', '127.0.0.1:0'] as const

async function ask(address: string, token: string) {
  const answer = await fetch(`${address}/bootstrap`, { headers: { authorization: `Bearer ${token}` } })
  const {
    expiresAt: _,
    error,
    ...document
  } = (await answer.json()) as {
    expiresAt?: number
    error?: { reason: string }
  }
  return { status: answer.status, ...(error ? { reason: error.reason } : { document }) }
}

test('the report reads from a real systemd journal who runs which release', async () => {
  const given = await createServedFolder([{ v: 1 }])
  const serve = [toBundlePath('gatepass'), 'bootstrap', 'serve', ...given.argv, ...local, '--audit', 'system']
  const standIns = join(root, 'test/stand-ins/journal')
  const command = [process.execPath, join(standIns, 'serve-and-ask.ts'), given.token, ...serve]
  // Not synchronously, because the issuer is in this process.
  const { stdout } = await execa('sh', [join(standIns, 'with-journal.sh'), ...command])
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const lines = entries.map(({ MESSAGE }) => JSON.parse(MESSAGE))
  const person = {
    bootstrap: 'answer',
    status: 200,
    issuer: given.issuer.issuer,
    subject: lines[0].subject,
    groups: [],
    release: '1-0123456789ab',
    wave: 2,
    why: 'everybody',
    etag: `"${digestFile('{"v":1}')}"`,
  }
  const path = join(given.home, 'journal.json')
  await writeFile(path, stdout)
  const { answers, releases } = JSON.parse((await runHere(['fleet', 'report', '--json', path])).stdout).served
  expect({
    lines: lines.map(({ time: _, request: __, ...line }) => line),
    labels: [...new Set(entries.map(({ PRIORITY, SYSLOG_IDENTIFIER }) => `${PRIORITY} ${SYSLOG_IDENTIFIER}`))],
    report: { answers, releases: releases.map(({ release }: { release: string }) => release) },
  }).toEqual({
    lines: [person, { bootstrap: 'answer', status: 401, reason: 'no-token' }, person],
    labels: ['6 gatepass'],
    report: { answers: 3, releases: ['1-0123456789ab'] },
  })
}, 60_000)

test('a secret comes from the keychain of the server, and a keychain without it keeps the release from being served', async () => {
  const { env } = await startGnomeKeyring('unlocked')
  await useKeychain(env, ['write hunter2'])
  const given = await createServedFolder([{ inference: { customHeaders: { 'x-key': '{secret.key}' } } }])
  const start = (account: string) =>
    startServerIn(
      env,
      ...['bootstrap', 'serve', ...given.argv, ...local, '--secret', `key=keychain:${item.service}/${account}`],
    )
  const server = await start(item.account)
  const without = await start('nobody')
  const answers = [server, without].map(({ addresses }) => ask(addresses.listen, given.token))
  expect({
    answers: await Promise.all(answers),
    told: without
      .log()
      .filter(({ event }) => event === 'release-refused')
      .map(({ message }) => String(message).replace(given.folder.path, 'FOLDER')),
  }).toEqual({
    answers: [
      { status: 200, document: { inference: { customHeaders: { 'x-key': 'hunter2' } } } },
      { status: 503, reason: 'no-release' },
    ],
    told: [
      'FOLDER cannot be served, and nothing is served: the secret key is not there: the Secret Service (service api-key, account nobody) does not have it',
    ],
  })
})

const audience = 'gateway.example'
const build = createStsCaller('arn:aws:iam::111122223333:user/build')
const outsider = createStsCaller('arn:aws:iam::999988887777:user/anybody')

async function prove({ accessKeyId, secretAccessKey }: StandInCaller, to = audience): Promise<string> {
  const credentials = { accessKeyId, secretAccessKey: secretAccessKey.reveal() }
  return encodeUrl(await signUrl({ credentials, audience: to, at: Date.now() }))
}

test('a proof of an AWS identity gets the document of its own account alone', async () => {
  const given = await createServedFolder([])
  const manifest = await given.folder.addRelease({
    groups: [{ name: 'builds', issuer: 'aws', claims: { arn: ['*:user/build'] } }],
    others: 'nothing',
    documents: { builds: { v: 'for builds' } },
  })
  await given.folder.point({ manifest })
  const rule = { name: 'ours', aws: { accounts: ['111122223333'] }, headers: { 'x-user': '{arn}' } }
  await writeFile(given.policy, JSON.stringify({ aws: { audience }, rules: [rule] }))
  const sts = await startSts({ callers: [build, outsider], port: 0, now: Date.now, onAnswer: () => {} })
  onTestFinished(() => sts.close())
  const audit = join(given.home, 'audit.log')
  const server = await startServerProcess(
    ...['bootstrap', 'serve', ...given.argv, ...local, '--sts-stand-in', sts.url],
    ...['--audit', audit, '--audit-subject', 'plain'],
  )
  const { listen } = server.addresses
  expect([
    await ask(listen, await prove(build)),
    await ask(listen, await prove(outsider)),
    await ask(listen, await prove(build, 'another.example')),
  ]).toEqual([
    { status: 200, document: { v: 'for builds' } },
    { status: 403, reason: 'no-rule' },
    { status: 401, reason: 'aws-refused' },
  ])
  server.signal('SIGTERM')
  await server.ended
  const lines = (await readFile(audit, 'utf8')).trimEnd().split('\n')
  expect(
    lines.map((line) => JSON.parse(line)).map(({ status, subject, groups }) => ({ status, subject, groups })),
  ).toEqual([
    { status: 200, subject: 'arn:aws:iam::111122223333:user/build', groups: ['builds'] },
    { status: 403, subject: undefined, groups: undefined },
    { status: 401, subject: undefined, groups: undefined },
  ])
})
