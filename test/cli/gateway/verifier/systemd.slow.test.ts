import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import { startServiceManager } from '../../../stand-ins/service-manager/start-service-manager.ts'
import { ask, startIssuerWithPolicy, startServerIn } from './verifier-process.ts'

/** Keeps a socket of systemd's own program, which passes it to the verifier with the first connection. */
async function activate(socket: string, ...argv: string[]) {
  const command = [process.execPath, toBundlePath('gatepass'), 'gateway', 'verifier', ...argv]
  const child = spawn('systemd-socket-activate', [`--listen=${socket}`, '--fdname=gateway', ...command], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  for (let left = 200; left > 0 && (await access(socket).catch(() => 'missing')); left -= 1) await sleep(25)
  return child
}

test('a request that comes before the verifier runs is answered', async () => {
  const { directory, policy, token } = await startIssuerWithPolicy()
  const socket = join(directory, 'a socket')
  const child = await activate(socket, '--policy', policy, '--listen', 'systemd:gateway')
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  let answer = await ask(`unix:${socket}`, token)
  // The file of the socket is there a moment before anybody listens.
  for (let left = 200; left > 0 && 'code' in answer && answer.code === 'ECONNREFUSED'; left -= 1) {
    await sleep(25)
    answer = await ask(`unix:${socket}`, token)
  }
  child.kill('SIGTERM')
  const status = await new Promise((resolve) => child.once('close', resolve))
  await access(socket)
  expect({ status, stdout, answered: 'status' in answer && answer.status }).toEqual({
    status: 0,
    answered: 200,
    stdout: `{"listen":"unix:${socket}"}\n`,
  })
})

test.each(['notify', '@notify'])('the service manager at %s receives the state of the verifier', async (name) => {
  const { directory, policy, writePolicy } = await startIssuerWithPolicy()
  const path = name.startsWith('@') ? `@${join(directory, 'notify')}` : join(directory, name)
  const { told } = await startServiceManager(path)
  const socket = join(directory, 's')
  const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: '400000' }
  const verifier = await startServerIn(env, 'gateway', 'verifier', '--policy', policy, '--listen', socket)
  const ready = `READY=1\nSTATUS=answers at unix:${socket}`
  await expect.poll(() => told.slice(0, 3)).toEqual([ready, 'WATCHDOG=1', 'WATCHDOG=1'])
  await writePolicy(['blue'])
  verifier.signal('SIGHUP')
  await expect.poll(() => told.filter((text) => text !== 'WATCHDOG=1')).toEqual([ready, 'RELOADING=1', ready])
  verifier.signal('SIGTERM')
  const { status } = await verifier.ended
  const messages = verifier.log().map(({ message }) => message)
  const isReloaded = messages.includes(`${policy} has changed and is in force`)
  expect({ status, isReloaded }).toEqual({ status: 0, isReloaded: true })
  await expect
    .poll(() => told.filter((text) => text !== 'WATCHDOG=1'))
    .toEqual([ready, 'RELOADING=1', ready, 'STOPPING=1'])
})
