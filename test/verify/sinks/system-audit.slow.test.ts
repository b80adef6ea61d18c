import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemLogger } from '../../../src/runtime/host.ts'
import { openSystemAudit } from '../../../src/verify/sinks/system-audit.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const { platform } = process

async function writeProgram(body: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'logger')
  await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

test.each<[NodeJS.Platform, string]>([
  ['linux', '-t gatepass -p user.info --socket-errors=on --size=64KiB'],
  ['darwin', '-t gatepass -p user.info'],
])('on %s the audit of the system goes to a program, line by line', async (name, options) => {
  const program = await writeProgram('{ echo "$@"; /bin/cat; } > "$0.out"')
  const sink = await openSystemAudit(program, () => {}, name)
  sink.write('a\n')
  sink.write('b\n')
  await sink.close()
  expect([await readFile(`${program}.out`, 'utf8'), sink.lost()]).toEqual([`${options}\na\nb\n`, 0])
})

test.runIf(platform === 'linux')(
  'a long line stays one, so that no caller chooses what the next one begins with',
  async () => {
    const receiver = createSocket('udp4')
    onTestFinished(() => void receiver.close())
    receiver.bind(0, '127.0.0.1')
    await once(receiver, 'listening')
    const received: string[] = []
    receiver.on('message', (text) => received.push(String(text)))
    const place = `--server 127.0.0.1 --port ${receiver.address().port} --udp`
    const sink = await openSystemAudit(await writeProgram(`exec ${systemLogger} "$@" ${place}`), () => {}, platform)
    sink.write(`${'a'.repeat(20_000)}\n`)
    await sink.close()
    await expect.poll(() => received.length).toBeGreaterThan(0)
    expect(received.map((text) => /a*$/.exec(text)?.[0].length)).toEqual([20_000])
  },
)

test.runIf(platform === 'linux')(
  'without a log of the system the audit fails, and stays so while the program is started again',
  async () => {
    const missing = join(await temporaryDirectory(), 'log')
    const program = await writeProgram(`exec ${systemLogger} "$@" -u '${missing}'`)
    const ended = Promise.withResolvers<string>()
    const sink = await openSystemAudit(program, ended.resolve, platform)
    onTestFinished(() => sink.close())
    const states = [sink.isFailing()]
    const cause = await ended.promise
    states.push(sink.isFailing())
    sink.write('one\n')
    for (let left = 30; left > 0; left -= 1) {
      sink.write('another\n')
      states.push(sink.isFailing())
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect({ cause, states: [states[0], ...new Set(states.slice(1))], hasLost: sink.lost() > 1 }).toEqual({
      cause: `${program} has ended`,
      states: [false, true],
      hasLost: true,
    })
  },
)

test('a program that ends is a failure until one runs that was started again', async () => {
  const program = await writeProgram('[ -e "$0.log" ] || exit 1\nexec /bin/cat > "$0.out"')
  const ended = Promise.withResolvers<string>()
  const sink = await openSystemAudit(program, ended.resolve, platform)
  const cause = await ended.promise
  sink.write('one\n')
  const lost = sink.lost()
  await writeFile(`${program}.log`, '')
  await expect
    .poll(
      () => {
        sink.write('two\n')
        return sink.isFailing()
      },
      { timeout: 5_000 },
    )
    .toBe(false)
  await sink.close()
  const written = await readFile(`${program}.out`, 'utf8')
  expect({ cause, lost, written: new Set(written.split('\n')) }).toEqual({
    cause: `${program} has ended`,
    lost: 1,
    written: new Set(['two', '']),
  })
})

test('a program that takes no line does not keep the server from ending', async () => {
  const program = await writeProgram('exec /bin/sleep 60')
  const sink = await openSystemAudit(program, () => {}, platform)
  sink.write('one\n')
  const startedAt = performance.now()
  await sink.close()
  expect(Math.round((performance.now() - startedAt) / 1000)).toBe(5)
})
