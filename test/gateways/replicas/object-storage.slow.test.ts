import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { baseDocument, createRollout } from '../../bootstrap/rollout-folder.ts'
import { startIssuerWithPolicy, startServerProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { readScript } from './recipes.ts'

const bucket = 'configuration'

/** Starts a bucket of a server with the interface of S3. */
async function startStorage(): Promise<string> {
  const storage = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await temporaryDirectory(),
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await storage.run()
  onTestFinished(() => storage.close())
  return `http://127.0.0.1:${port}`
}

/** Creates a machine that publishes and one that follows, with the scripts of the page, Debian's AWS CLI, and a configuration server. */
async function createMachines() {
  const home = await temporaryDirectory()
  const tools = join(home, 'tools')
  await mkdir(tools)
  // The CLI of Debian 12 knows no variable for the address of another storage.
  const aws = `#!/bin/sh\nexec /usr/bin/aws --endpoint-url ${await startStorage()} "$@"\n`
  await writeFile(join(tools, 'aws'), aws)
  await chmod(join(tools, 'aws'), 0o755)
  const env = {
    PATH: `${tools}:/usr/bin:/bin`,
    HOME: home,
    BUCKET: bucket,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_DEFAULT_REGION: 'eu-central-1',
  }
  const runScript = (text: string) => execa('sh', ['-c', text], { cwd: home, env, extendEnv: false })
  const gatepass = (...argv: string[]) =>
    execa(process.execPath, [toBundlePath('gatepass'), 'bootstrap', ...argv], { cwd: home })
  const folder = await createRollout({ 'rollout.json': { waves: [100] } })
  await gatepass('keygen', '--out', 'key')
  const signed = ['--signing-key', 'key'] as const
  return {
    home,
    runScript,
    publish: () => runScript(readScript('publish.sh')),
    follow: () => runScript(readScript('follow.sh')),
    /** Releases a document with this value to everybody, in the folder of the machine that publishes. */
    async release(streamIdleTimeoutSec: number) {
      const inference = { ...baseDocument.inference, streamIdleTimeoutSec }
      await writeFile(join(folder, 'base.json'), JSON.stringify({ ...baseDocument, inference }))
      const { stdout } = await gatepass('release', folder, '--to', 'releases', ...signed)
      if (stdout.includes('pilot')) await gatepass('promote', 'releases', '--wave', '1', ...signed)
    },
  }
}

async function startReplica(home: string) {
  const { policy, token } = await startIssuerWithPolicy()
  const server = await startServerProcess(
    ...['bootstrap', 'serve', '--policy', policy, '--release', join(home, 'copy')],
    ...['--public-key', join(home, 'key.pub'), '--listen', '127.0.0.1:0'],
  )
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${server.addresses.listen}/bootstrap`, { headers })
    const { inference } = (await answer.json()) as { inference?: { streamIdleTimeoutSec: number } }
    return inference?.streamIdleTimeoutSec ?? answer.status
  }
  /** Waits until the log has so many lines about a release that is refused, and gives the last one. */
  const waitForRefusal = async (count: number) => {
    const find = () => server.log().filter(({ event }) => event === 'release-refused')
    await expect.poll(() => find().length, { interval: 50 }).toBe(count)
    const words = String(find().at(-1)?.message)
    return words.replaceAll(join(home, 'copy'), 'COPY').replace(/[0-9a-f]{64}/, 'DIGEST')
  }
  /** Waits until the replica serves the document with this value. */
  const waitFor = (value: number) => expect.poll(ask, { interval: 50 }).toBe(value)
  return { ask, waitFor, waitForRefusal }
}

test('a release reaches a replica through object storage whole, in order and never back', async () => {
  const { home, release, publish, follow, runScript } = await createMachines()
  await release(400)
  await publish()
  await follow()
  const { ask, waitFor, waitForRefusal } = await startReplica(home)
  const first = await ask()
  const oldPointer = await readFile(join(home, 'releases/current.json'))

  // The publisher is interrupted before the pointer: nothing changes.
  await release(500)
  await runScript(readScript('publish.sh').replace(/^aws s3 cp.*$/m, ''))
  await follow()
  const interrupted = await ask()

  await publish()
  await follow()
  await waitFor(500)

  // The pointer alone arrives, as if somebody had published in another order.
  await release(600)
  await runScript('aws s3 cp releases/current.json "s3://$BUCKET/current.json"')
  await follow()
  const pointerAlone = [await waitForRefusal(1), await ask()]
  await publish()
  await follow()
  await waitFor(600)

  // Somebody puts an old pointer into the storage.
  await writeFile(join(home, 'releases/current.json'), oldPointer)
  await publish()
  await follow()
  const kept = 'COPY cannot be served, and the release before it is served on'
  expect({ first, interrupted, pointerAlone, oldPointer: [await waitForRefusal(2), await ask()] }).toEqual({
    first: 400,
    interrupted: 400,
    pointerAlone: [`${kept}: the release in COPY is not whole: it has no manifests/DIGEST.json`, 500],
    oldPointer: [`${kept}: current.json has the serial 1, and a later one has been seen`, 600],
  })
}, 180_000)
