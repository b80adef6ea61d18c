import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { digestFile } from '../../../src/bootstrap/read-release-file.ts'
import { releaseFiles } from '../../../src/bootstrap/release.ts'
import { createServedFolder } from '../../cli/bootstrap/served.ts'
import { startServerProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { openDirectory } from '../run-with-gateway.ts'
import { bearer } from '../stage/scenario.ts'
import { sendRequest } from '../stage/send.ts'
import { startNginxWithFiles } from './recipes.ts'

const everybody = { v: 1, text: 'für alle' }
const etag = `"${digestFile(JSON.stringify(everybody))}"`

async function startFiles() {
  const given = await createServedFolder([everybody])
  const directory = await openDirectory()
  const socket = join(directory, 'bootstrap.sock')
  const server = await startServerProcess(
    ...['bootstrap', 'serve', '--decide', ...given.argv],
    ...['--listen', socket, '--socket-mode', '666'],
  )
  const nginx = await startNginxWithFiles({ directory, socket, releases: given.folder.path })
  onTestFinished(nginx.close)
  const send = async (headers: readonly (readonly [string, string])[], path = '/bootstrap', method = 'GET') => {
    const { status, headers: all, body } = await sendRequest(nginx.url, { method, path, headers })
    const { date: _, connection: __, server: ___, ...rest } = all
    return { status, headers: rest, body }
  }
  await expect.poll(async () => (await send([bearer(given.token)])).status).toBe(200)
  return { ...given, server, send, bearer: bearer(given.token) }
}

const whole = {
  status: 200,
  headers: {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(JSON.stringify(everybody))),
    etag,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: JSON.stringify(everybody),
}

test('nginx sends the whole file that the server has named', async () => {
  const { send, bearer: own } = await startFiles()
  const always = new Date(Date.now() + 3_600_000).toUTCString()
  expect({
    known: await send([own, ['If-None-Match', `"other", W/${etag}`]]),
    others: [
      await send([own]),
      await send([own, ['If-Modified-Since', always]]),
      await send([own, ['Range', 'bytes=1-2']]),
    ],
  }).toEqual({
    known: { status: 304, headers: { ...whole.headers, 'content-length': '0' }, body: '' },
    others: [whole, whole, whole],
  })
})

test('a client chooses no file, and gets none without a good token', async () => {
  const { send, bearer: own, folder, issuer } = await startFiles()
  const other = JSON.stringify({ v: 'secret' })
  await folder.addRelease({ counter: 9, documents: { '': JSON.parse(other) } })
  const name = digestFile(other)
  expect(await send([own, ['X-Document', name], ['ETag', `"${name}"`]])).toEqual(whole)
  expect(await send([own], `/bootstrap?x-document=${name}&gatepass_document=${name}`)).toEqual(whole)
  const paths = [
    `/documents/${name}.json`,
    `/bootstrap/documents/${name}.json`,
    `/bootstrap/../documents/${name}.json`,
    '/current.json',
    '/gatepass-decision',
    '/none',
    '/@gatepass_document',
    '/Bootstrap',
  ]
  const statuses = await Promise.all(paths.map(async (path) => (await send([own], path)).status))
  expect(statuses).toEqual(paths.map(() => 404))
  expect((await send([own], '/bootstrap', 'POST')).status).toBe(405)
  const strangers = await issuer.sign({ sub: 'eve', aud: 'elsewhere', team: 'red' })
  const blue = await issuer.sign({ sub: 'eve', aud: 'models', team: 'blue' })
  const refused = [await send([]), await send([bearer(strangers)]), await send([bearer(blue)])]
  expect(
    refused.map(({ status, headers, body }) => [
      status,
      headers['www-authenticate'],
      headers['cache-control'],
      headers.etag,
      body.includes('"v"'),
    ]),
  ).toEqual([
    [401, 'Bearer realm="gatepass"', 'no-store', undefined, false],
    [
      401,
      'Bearer realm="gatepass", error="invalid_token", error_description="the token is for another audience: it is for \'elsewhere\', not for \'models\'"',
      'no-store',
      undefined,
      false,
    ],
    [
      403,
      'Bearer realm="gatepass", error="insufficient_scope", error_description="the token is good, and no rule of the policy lets its owner pass: no rule accepts its claims: team (no accepted value)"',
      'no-store',
      undefined,
      false,
    ],
  ])
})

test('nothing is sent where the server or its file is missing', async () => {
  const { send, bearer: own, folder, server } = await startFiles()
  const unavailable = { 'cache-control': 'no-store', 'retry-after': '10' }
  const facts = async () => {
    const { status, headers } = await send([own])
    return { status, headers: { 'cache-control': headers['cache-control'], 'retry-after': headers['retry-after'] } }
  }
  await rm(join(folder.path, releaseFiles.document(etag.replaceAll('"', ''))))
  expect(await facts()).toEqual({ status: 503, headers: unavailable })
  server.signal('SIGKILL')
  await server.ended
  expect(await facts()).toEqual({ status: 503, headers: unavailable })
})

test('another program in place of the server cannot have another file sent', async () => {
  const given = await createServedFolder([everybody])
  const directory = await openDirectory()
  const socket = join(directory, 'lying.sock')
  const answers: (readonly [number, Record<string, string>])[] = [
    [200, {}],
    [204, { 'x-document': '../current.json' }],
    [204, { 'x-document': `${etag.slice(1, -1)}.json` }],
    [204, { 'x-document': `../manifests/${etag.slice(1, -1)}` }],
    [204, { 'x-document': 'f'.repeat(64) }],
    [302, { location: '/documents/' }],
    [500, { 'x-document': etag.slice(1, -1) }],
  ]
  let next: (typeof answers)[number] = answers[0]!
  const server = createServer((_, response) => response.writeHead(...next).end())
  server.listen(socket)
  await once(server, 'listening')
  await chmod(socket, 0o666)
  const nginx = await startNginxWithFiles({ directory, socket, releases: given.folder.path })
  onTestFinished(async () => {
    await nginx.close()
    server.closeAllConnections()
    server.close()
  })
  const statuses = []
  for (next of answers)
    statuses.push((await sendRequest(nginx.url, { method: 'GET', path: '/bootstrap', headers: [bearer('t')] })).status)
  expect(statuses).toEqual(answers.map(() => 503))
})
